import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  futimesSync,
  openSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { isDiskFull } from '../../model/failure.ts';
import { hashedBlocks } from './own-file.ts';
import { sourceBlocks, type HeldSource, type SourceFile } from './source-file.ts';

/** Synced at once: no sync, which nobody can cancel, takes longer than a slow disk needs for so many bytes. */
const syncBytes = 33_554_432;

/**
 * A source on its way to its place: a temporary file that is filled while the source is read. What is hashed and
 * parsed are the very bytes that were given to that file, or that were read from it where it is a clone.
 */
export class NewCopy {
  readonly path: string;
  readonly #source: SourceFile;
  readonly #held: HeldSource | undefined;
  readonly #hash = createHash('sha256');
  #sha256: string | undefined;
  #length = 0;
  #unsynced = 0;
  #fd: number | undefined;

  /**
   * @param held the source, where it was read before.
   * @param path of the temporary file.
   */
  constructor(source: SourceFile, held: HeldSource | undefined, path: string) {
    this.#source = source;
    this.#held = held;
    this.path = path;
  }

  /** How many bytes were handed on. */
  get length(): number {
    return this.#length;
  }

  /** What they hash to, in hex; none may be handed on after this was asked for. */
  get sha256(): string {
    return (this.#sha256 ??= this.#held?.sha256 ?? this.#hash.digest('hex'));
  }

  /**
   * Hands on the bytes of the source, each block valid until the next is asked for. To be called once.
   * @throws FileRefused unreadable, for the source
   * @throws ReadingCancelled, and errors of the copy's file system
   */
  *blocks(isCancelled: () => boolean): Generator<Uint8Array> {
    for (const block of this.#copied(isCancelled)) {
      this.#length += block.length;
      yield block;
    }
  }

  /** Has all bytes on the disk, as of a time in seconds since 1970. The name is not durable yet. */
  seal(seconds: number): void {
    this.#fd ??= openSync(this.path, 'r+');
    try {
      futimesSync(this.#fd, seconds, seconds);
    } catch {
      // Not every file system has its times set; a broken disk fails the sync.
    }
    fsyncSync(this.#fd);
    this.#close();
  }

  /** Removes what is left of a copy that was not put in its place. */
  discard(): void {
    this.#close();
    rmSync(this.path, { force: true });
  }

  *#copied(isCancelled: () => boolean): Generator<Uint8Array> {
    if (this.#held !== undefined) {
      this.#write(this.#held.bytes);
      yield this.#held.bytes;
    } else if (this.#source.packed === undefined && cloneFile(this.#source, this.path)) {
      yield* hashedBlocks(this.path, this.#hash);
    } else {
      for (const block of sourceBlocks(this.#source, isCancelled)) {
        this.#write(block);
        this.#hash.update(block);
        yield block;
      }
    }
  }

  #write(block: Uint8Array): void {
    this.#fd ??= createFile(this.path);
    for (let at = 0; at < block.length;) at += writeSync(this.#fd, block, at);
    this.#unsynced += block.length;
    if (this.#unsynced < syncBytes) return;
    fsyncSync(this.#fd);
    this.#unsynced = 0;
  }

  #close(): void {
    const fd = this.#fd;
    this.#fd = undefined;
    if (fd !== undefined) closeSync(fd);
  }
}

/** Copies a file by sharing its blocks, where the file system can. */
function cloneFile(source: SourceFile, target: string): boolean {
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

/** Creates a file, in place of what a killed import may have left. */
function createFile(target: string): number {
  rmSync(target, { force: true });
  return openSync(target, 'wx', 0o600);
}
