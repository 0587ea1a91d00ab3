import type { Format } from '../format.ts';
import { Recording } from '../points/recording.ts';
import { readBlocks } from '../read-blocks.ts';
import { Lines } from '../text/lines.ts';
import { readHeader, Rows } from './rows.ts';

/** Comma-separated positions under a header that names them, as GPSLogger writes them and others. */
export const csvFormat: Format = {
  name: 'csv',
  recognises: (head) => readHeader(firstLine(head.toString('utf8'))) !== undefined,
  read(source, sink, options) {
    const recording = new Recording(sink);
    const rows = new Rows(recording);
    readBlocks(source, new Lines((line) => rows.take(line)), options);
    return recording.summary();
  },
};

function firstLine(text: string): string {
  return /^[^\r\n]*/.exec(text)?.[0] ?? '';
}
