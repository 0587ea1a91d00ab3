import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  statSync,
  type BigIntStats,
} from 'node:fs';
import { Buffer } from 'node:buffer';
import { join, sep } from 'node:path';
import { errorCode } from '../../model/error-code.ts';
import type { PackedEntry, ReadAt } from '../../formats/containers/packed-entry.ts';
import { unpack } from '../../formats/containers/unpack.ts';
import { FileRefused, ReadingCancelled } from '../../formats/refused.ts';
import { realPathSync } from '../../storage/real-path.ts';
import { blockBytes } from '../../storage/open-file.ts';
import { idleBlocks, ownFlags, takeBlock } from './own-file.ts';

/** A source file, open until it is disposed of; what grows behind `size` is not read. */
export interface SourceFile extends Disposable {
  readonly path: string;
  readonly fd: number;
  readonly size: number;
  /** From before anything was read. */
  readonly stats: BigIntStats;
  /** Where the source is a file in a container: that one is open, and this is what is read of it. */
  readonly packed: PackedEntry | undefined;
}

/** Files up to this size share a commit; an attempt to clone costs nothing beside the copy of a larger one. */
export const smallBytes = 1_048_576;
/** A FIFO does not block; Windows has no such flag. */
const openFlags = ownFlags | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a regular file below a directory, proving that no link on the way led out of it.
 * @param root a real path.
 * @throws FileRefused unreadable
 */
export function openSource(root: string, file: string, packed?: PackedEntry): SourceFile {
  return readingSource(() => {
    const path = join(root, file);
    // A special file may react to being opened; only a race gets one past this line.
    if (!lstatSync(path).isFile()) throw new FileRefused('unreadable');
    const fd = openSync(path, openFlags);
    try {
      const opened = fstatSync(fd, { bigint: true });
      const real = realPathSync(path);
      const there = statSync(real, { bigint: true });
      const isInside = real.startsWith(root.endsWith(sep) ? root : root + sep);
      const isSame = opened.ino === there.ino && opened.dev === there.dev;
      if (!opened.isFile() || !isInside || !isSame) throw new FileRefused('unreadable');
      const size = packed?.size ?? Number(opened.size);
      return { path, fd, size, stats: opened, packed, [Symbol.dispose]: () => closeSync(fd) };
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  });
}

/** A hashed source. */
export interface SourceContent {
  /** In hex. */
  readonly sha256: string;
  /** All of it, each block valid until the next is asked for. */
  readonly blocks: () => Iterable<Uint8Array>;
}

/**
 * Hashes a source.
 * @throws FileRefused unreadable
 * @throws ReadingCancelled
 */
export function readContent(source: SourceFile, isCancelled: () => boolean): SourceContent {
  const hashed = createHash('sha256');
  for (const block of sourceBlocks(source, isCancelled)) hashed.update(block);
  return { sha256: hashed.digest('hex'), blocks: () => sourceBlocks(source, isCancelled) };
}

/** Tells whether a source has the size and the times that it had when it was opened. */
export function looksUnchanged({ fd, stats }: SourceFile): boolean {
  const { size, mtimeNs, ctimeNs } = readingSource(() => fstatSync(fd, { bigint: true }));
  return size === stats.size && mtimeNs === stats.mtimeNs && ctimeNs === stats.ctimeNs;
}

/**
 * The first bytes of a source, at most `length`.
 * @throws FileRefused unreadable
 */
export function readHead(source: SourceFile, length: number): Buffer {
  const [first = Buffer.alloc(0)] = sourceBlocks(source, () => false);
  return Buffer.from(first.subarray(0, length));
}

/** Reads the container that a source is or is in. */
export function readingAt({ fd, stats }: SourceFile, isCancelled: () => boolean): ReadAt {
  return (into, at) => {
    if (isCancelled()) throw new ReadingCancelled();
    const wanted = Math.max(0, Math.min(into.length, Number(stats.size) - at));
    let length = 0;
    for (let read = -1; read !== 0 && length < wanted; length += read) {
      read = readingSource(() => readSync(fd, into, length, wanted - length, at + length));
    }
    return length;
  };
}

/** Reads a source up to the size it had, each block valid until the next is asked for. */
function* sourceBlocks(source: SourceFile, isCancelled: () => boolean): Generator<Uint8Array> {
  if (source.packed !== undefined) {
    yield* unpack(readingAt(source, isCancelled), source.packed);
    return;
  }
  const block = takeBlock();
  try {
    for (let at = 0; at < source.size;) {
      if (isCancelled()) throw new ReadingCancelled();
      const wanted = Math.min(blockBytes, source.size - at);
      const length = readingSource(() => readSync(source.fd, block, 0, wanted, at));
      if (length === 0) return;
      at += length;
      yield block.subarray(0, length);
    }
  } finally {
    idleBlocks.push(block);
  }
}

/** Runs one step on a source file: whatever the file system refuses there makes it `unreadable`. */
function readingSource<T>(step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (isOutOfDescriptors(error)) throw error;
    if (error instanceof Error && 'syscall' in error) throw new FileRefused('unreadable');
    throw error;
  }
}

/** No file is to blame for what says that no more can be opened. */
export function isOutOfDescriptors(error: unknown): boolean {
  return ['EMFILE', 'ENFILE'].includes(errorCode(error) ?? '');
}
