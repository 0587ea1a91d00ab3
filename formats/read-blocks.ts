import { Buffer } from 'node:buffer';
import { ReadingCancelled } from './refused.ts';

export interface ReadOptions {
  /** Called after every piece of at most 256 KiB with its number of bytes. */
  readonly onBytes?: (bytes: number) => void;
  /** Asked before every piece; true stops reading. */
  readonly isCancelled?: () => boolean;
  /** Whether what is whole before the damage is all that is wanted of a damaged file. */
  readonly salvages?: boolean;
}

/** Reads the bytes of a file in pieces. */
export interface BlockReader {
  /**
   * Reads on from a place in a block, some milliseconds of work. In the block's memory a 0 follows it.
   * @returns where the next call is to begin; where this one began, if what begins there goes on in the next block,
   * which is then to begin with it.
   */
  read(block: Buffer, from: number): number;
  /** @param rest what the last call has left. */
  end(rest: Buffer): void;
}

/** Used for every file: a thread reads one at a time, and small ones would each take memory of their own. */
let space = Buffer.alloc(0);

/**
 * Gives a reader all bytes of a source; what it leaves at the end of a block comes again at the beginning of the next.
 * @throws what the reader and the source throw; ReadingCancelled
 */
export function readBlocks(
  source: Iterable<Uint8Array>,
  reader: BlockReader,
  options: ReadOptions,
): void {
  let rest = space.subarray(0, 0);
  for (const bytes of source) {
    const length = rest.length + bytes.length;
    if (length >= space.length) space = Buffer.allocUnsafe(2 * length);
    rest.copy(space);
    space.set(bytes, rest.length);
    space[length] = 0;
    const block = space.subarray(0, length);
    let at = 0;
    for (let from = -1; at < length && at !== from; options.onBytes?.(at - from)) {
      if (options.isCancelled?.() === true) throw new ReadingCancelled();
      from = at;
      at = reader.read(block, from);
    }
    rest = block.subarray(at);
  }
  options.onBytes?.(rest.length);
  reader.end(rest);
}
