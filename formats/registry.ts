import type { Buffer } from 'node:buffer';
import { promisedFormat } from '../model/recorder-formats.ts';
import type { Format } from './format.ts';
import { fitFormat } from './fit/fit-format.ts';
import { gpxFormat } from './gpx/gpx-format.ts';

/** In the order in which they are asked whether a file is theirs. */
export const formats: readonly Format[] = [gpxFormat, fitFormat];

/**
 * The format of a file: the one that its first bytes show, else the one that its ending promises.
 * @param head its first {@link headBytes}.
 * @returns undefined for a file of no format that is read.
 */
export function findFormat(head: Buffer, file: string, among = formats): Format | undefined {
  const promised = promisedFormat(file);
  return (
    among.find((format) => format.recognises(head)) ?? among.find(({ name }) => name === promised)
  );
}
