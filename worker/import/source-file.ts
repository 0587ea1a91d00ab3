import { createHash, type Hash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
  writeSync,
  type BigIntStats,
} from 'node:fs';
import { Buffer } from 'node:buffer';
import { join, sep } from 'node:path';
import { isDiskFull } from '../../model/failure.ts';
import { GpxCancelled } from '../gpx/refused.ts';
import { errorCode, FileRefused, readingSource } from './file-refused.ts';

/** A source file, open; what grows behind `size` is not read. */
export interface SourceFile {
  readonly path: string;
  readonly fd: number;
  readonly size: number;
  /** From before anything was read. */
  readonly stats: BigIntStats;
}

/** Bytes read at once, and so the most work between two looks at the cancel flag. */
const blockBytes = 262_144;
/** From this size on an attempt to clone costs nothing beside a copy. */
const cloneBytes = 1_048_576;
/** Links are not followed, and a FIFO does not block; Windows has neither flag. */
const openFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a regular file below a directory, proving that no link on the way led out of it.
 * @param root a real path.
 * @throws FileRefused unreadable
 */
export function openSource(root: string, file: string): SourceFile {
  return readingSource(() => {
    const path = join(root, file);
    // A special file may react to being opened; only a race gets one past this line.
    if (!lstatSync(path).isFile()) throw new FileRefused('unreadable');
    const fd = openSync(path, openFlags);
    try {
      const opened = fstatSync(fd, { bigint: true });
      const real = realpathSync.native(path);
      const there = statSync(real, { bigint: true });
      const isInside = real.startsWith(root.endsWith(sep) ? root : root + sep);
      const isSame = opened.ino === there.ino && opened.dev === there.dev;
      if (!opened.isFile() || !isInside || !isSame) throw new FileRefused('unreadable');
      return { path, fd, size: Number(opened.size), stats: opened };
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  });
}

/**
 * Hashes a source up to the size it had when it was opened.
 * @returns SHA-256 in hex.
 * @throws FileRefused unreadable
 * @throws GpxCancelled
 */
export function hashSource(source: SourceFile, isCancelled: () => boolean): string {
  const hash = createHash('sha256');
  for (const block of sourceBlocks(source, isCancelled)) hash.update(block);
  return hash.digest('hex');
}

/**
 * Copies a source to a new private file: as a clone that shares its blocks where the file system can, else its bytes.
 * @throws FileRefused unreadable, for the source
 * @throws GpxCancelled, and errors of the target's file system
 */
export function copySource(source: SourceFile, target: string, isCancelled: () => boolean): void {
  if (cloneFile(source, target)) return;
  const copy = createFile(target);
  try {
    for (const block of sourceBlocks(source, isCancelled)) writeWhole(copy, block);
  } finally {
    closeSync(copy);
  }
}

function cloneFile(source: SourceFile, target: string): boolean {
  if (source.size < cloneBytes) return false;
  // Through the open file where that has a name, so that nothing put in its place meanwhile is copied.
  rmSync(target, { force: true });
  const from = process.platform === 'linux' ? `/proc/self/fd/${source.fd}` : source.path;
  try {
    copyFileSync(from, target, constants.COPYFILE_FICLONE_FORCE | constants.COPYFILE_EXCL);
    chmodSync(target, 0o600);
    return true;
  } catch (error) {
    rmSync(target, { force: true });
    if (isDiskFull(error)) throw error;
    return false;
  }
}

/** Creates a file that is not there, but for what a killed import may have left. */
function createFile(target: string): number {
  try {
    return openSync(target, 'wx', 0o600);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    rmSync(target, { force: true });
    return openSync(target, 'wx', 0o600);
  }
}

function writeWhole(fd: number, block: Uint8Array): void {
  for (let at = 0; at < block.length;) at += writeSync(fd, block, at);
}

/** Blocks that nobody uses: a new one for each small file costs the system more than the file. */
const idleBlocks: Buffer[] = [];

function takeBlock(): Buffer {
  return idleBlocks.pop() ?? Buffer.allocUnsafe(blockBytes);
}

function* sourceBlocks(source: SourceFile, isCancelled: () => boolean): Generator<Uint8Array> {
  const block = takeBlock();
  try {
    for (let at = 0; at < source.size;) {
      if (isCancelled()) throw new GpxCancelled();
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

/** Reads a file of ours block by block, each block valid until the next is asked for, and hashes what it reads. */
export function* hashedBlocks(path: string, hash: Hash): Generator<Uint8Array> {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  const block = takeBlock();
  try {
    for (;;) {
      const length = readSync(fd, block, 0, blockBytes, null);
      if (length === 0) return;
      hash.update(block.subarray(0, length));
      yield block.subarray(0, length);
    }
  } finally {
    closeSync(fd);
    idleBlocks.push(block);
  }
}

/**
 * Hashes a file of ours.
 * @throws GpxCancelled
 */
export function hashFile(path: string, isCancelled: () => boolean): string {
  const hash = createHash('sha256');
  for (const _ of hashedBlocks(path, hash)) if (isCancelled()) throw new GpxCancelled();
  return hash.digest('hex');
}
