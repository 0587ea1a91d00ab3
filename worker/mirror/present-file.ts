import { createHash } from 'node:crypto';
import {
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  rmSync,
  statSync,
  writeFileSync,
  type BigIntStats,
} from 'node:fs';
import { blocksOf, openFile } from '../../storage/open-file.ts';
import { unlessMissing } from '../../storage/link-target.ts';

/** Of a new file: bookmarks say where somebody was. */
const privateMode = 0o600;

/**
 * Largest file that is merged: some 300,000 bookmarks, whose waypoints and identity keys take about 200 MB in the
 * worker.
 */
export const maxEditBytes = 64 * 1_048_576;

/** What tells one content of the bookmarks file from another. */
export interface Content {
  /** SHA-256, lower-case hex. */
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
}

/** The bookmarks path is taken by something that is not a regular file. */
class NotAFile extends Error {
  override readonly name = 'NotAFile';
  readonly code = 'ENOTFILE';
}

/** A file as it was just before it was read. */
export interface PresentFile {
  readonly content: Content;
  readonly stat: BigIntStats;
}

/** @throws NotAFile for a directory, a pipe or a device. */
export function statFile(target: string): BigIntStats | undefined {
  const stat = unlessMissing(() => statSync(target, { bigint: true }));
  if (stat !== undefined && !stat.isFile()) throw new NotAFile();
  return stat;
}

/** Reads a whole regular file to learn its content; undefined when there is none. */
export function readPresentFile(target: string): PresentFile | undefined {
  return readFile(target, (blocks, stat) => ({ content: contentOf(blocks), stat }));
}

/**
 * Opens a regular file and hands over its bytes in blocks; each is valid until the next is asked for.
 * @returns what `read` returns; undefined when there is no file.
 */
export function readFile<T>(
  target: string,
  read: (blocks: Iterable<Uint8Array>, stat: BigIntStats) => T,
): T | undefined {
  // Looked at before it is opened: opening a pipe would wait for its other end.
  if (statFile(target) === undefined) return undefined;
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
  using file = unlessMissing(() => openFile(target, flags));
  return file && read(blocksOf(file.fd), fstatSync(file.fd, { bigint: true }));
}

/**
 * Writes a new file, whole and synced; leaves nothing behind when that fails.
 * @param mode its permission bits; else it is its owner's alone.
 */
export function writeSynced(path: string, pieces: Iterable<Uint8Array>, mode?: number): Content {
  // What a crash left. Its name is ours alone, and files are written one at a time.
  rmSync(path, { force: true });
  using file = openFile(path, 'wx', privateMode);
  try {
    const content = contentOf(pieces, (piece) => writeFileSync(file.fd, piece));
    if (mode !== undefined) fchmodSync(file.fd, mode);
    fsyncSync(file.fd);
    return content;
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
}

function contentOf(pieces: Iterable<Uint8Array>, write?: (piece: Uint8Array) => void): Content {
  const hash = createHash('sha256');
  let size = 0;
  for (const piece of pieces) {
    hash.update(piece);
    size += piece.length;
    write?.(piece);
  }
  return { sha256: hash.digest('hex'), size };
}

/** Tells whether nothing wrote to, replaced or touched the file between two looks. */
export function isUntouched(
  before: BigIntStats | undefined,
  after: BigIntStats | undefined,
): boolean {
  return (['ino', 'dev', 'size', 'mtimeNs', 'ctimeNs'] as const).every(
    (field) => before?.[field] === after?.[field],
  );
}
