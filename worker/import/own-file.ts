import { Buffer } from 'node:buffer';
import { createHash, type Hash } from 'node:crypto';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { ReadingCancelled } from '../../formats/refused.ts';

/** Bytes read at once, and so the most work between two looks at the cancel flag. */
export const blockBytes = 262_144;
/** Links are not followed; Windows has no such flag. */
export const ownFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);

/** Blocks that nobody uses: a new one for each small file costs the system more than the file. */
export const idleBlocks: Buffer[] = [];

export function takeBlock(): Buffer {
  return idleBlocks.pop() ?? Buffer.allocUnsafe(blockBytes);
}

/** The first bytes of a file of ours, at most `length`. */
export function readFileHead(path: string, length: number): Buffer {
  const fd = openSync(path, ownFlags);
  try {
    const head = Buffer.allocUnsafe(length);
    return head.subarray(0, readSync(fd, head, 0, length, 0));
  } finally {
    closeSync(fd);
  }
}

/** Reads a file of ours block by block, each block valid until the next is asked for, and hashes what it reads. */
export function* hashedBlocks(path: string, hashed: Hash): Generator<Uint8Array> {
  const fd = openSync(path, ownFlags);
  const block = takeBlock();
  try {
    for (;;) {
      const length = readSync(fd, block, 0, blockBytes, null);
      if (length === 0) return;
      hashed.update(block.subarray(0, length));
      yield block.subarray(0, length);
    }
  } finally {
    closeSync(fd);
    idleBlocks.push(block);
  }
}

/**
 * Hashes a file of ours.
 * @throws ReadingCancelled
 */
export function hashFile(path: string, isCancelled: () => boolean): string {
  const hashed = createHash('sha256');
  for (const _ of hashedBlocks(path, hashed)) if (isCancelled()) throw new ReadingCancelled();
  return hashed.digest('hex');
}
