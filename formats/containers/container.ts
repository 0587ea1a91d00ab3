import { Buffer } from 'node:buffer';
import { isLookedInto, usualEnding } from '../../model/recorder-formats.ts';
import { headBytes } from '../format.ts';
import { findFormat } from '../registry.ts';
import type { Listing, PackedEntry, ReadAt } from './packed-entry.ts';
import { gzipEntry, isGzip, unpack } from './unpack.ts';
import { isZip, listZip } from './zip.ts';

/** Whether a file that begins so holds others: a zip, as KMZ is one, or something packed by gzip. */
export function isContainer(head: Buffer): boolean {
  return isZip(head) || isGzip(head);
}

/** The usual ending of a file that begins so, with its dot; undefined for what is of no format and holds nothing. */
export function endingFor(head: Buffer): string | undefined {
  if (isContainer(head)) return isZip(head) ? '.zip' : '.gz';
  const format = findFormat(head, '');
  return format === undefined ? undefined : usualEnding(format.name);
}

/**
 * Lists what is looked into in a container.
 * @param name its own, without directories.
 * @throws FileRefused for the whole of it
 */
export function listContainer(head: Buffer, readAt: ReadAt, size: number, name: string): Listing {
  if (isZip(head)) return listZip(readAt, size, isLookedInto);
  const entry = gzipEntry(readAt, size, name.replace(/(.)\.gz$/i, '$1'));
  return { entries: withEnding(entry, readAt), refused: [] };
}

/** The name of a gzip file need not say what is in it; what is kept needs an ending that is looked into. */
function withEnding(entry: PackedEntry, readAt: ReadAt): PackedEntry[] {
  if (isLookedInto(entry.name) && !/\.gz$/i.test(entry.name)) return [entry];
  const [first = new Uint8Array(0)] = unpack(readAt, entry);
  const ending = endingFor(Buffer.from(first.subarray(0, headBytes)));
  return ending === undefined ? [] : [{ ...entry, name: entry.name + ending }];
}
