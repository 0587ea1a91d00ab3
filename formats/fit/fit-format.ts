import type { Format } from '../format.ts';
import { readBlocks } from '../read-blocks.ts';
import { FitDocument, signature, signatureAt } from './fit-document.ts';

/** FIT (Flexible and Interoperable Data Transfer), as Garmin, Wahoo, Suunto, Coros and others record it. */
export const fitFormat: Format = {
  name: 'fit',
  recognises: (head) => head.toString('latin1', signatureAt, signatureAt + 4) === signature,
  read: (source, sink, options) => readBlocks(source, new FitDocument(sink), options),
};
