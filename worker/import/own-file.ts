import { Buffer } from 'node:buffer';
import { createHash, type Hash } from 'node:crypto';
import { constants } from 'node:fs';
import { ReadingCancelled } from '../../formats/refused.ts';
import { blockBytes, blocksOf, openFile } from '../../storage/open-file.ts';

/** Links are not followed; Windows has no such flag. */
export const ownFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);

/** Blocks that nobody uses: a new one for each small file costs the system more than the file. */
export const idleBlocks: Buffer[] = [];

export function takeBlock(): Buffer {
  return idleBlocks.pop() ?? Buffer.allocUnsafe(blockBytes);
}

/** Reads a file of ours block by block, each block valid until the next is asked for, and hashes what it reads. */
export function* hashedBlocks(path: string, hashed: Hash): Generator<Uint8Array> {
  using file = openFile(path, ownFlags);
  const block = takeBlock();
  try {
    for (const bytes of blocksOf(file.fd, block)) {
      hashed.update(bytes);
      yield bytes;
    }
  } finally {
    idleBlocks.push(block);
  }
}

/**
 * Hashes a file of ours; the cancel flag is looked at after each block.
 * @throws ReadingCancelled
 */
export function hashFile(path: string, isCancelled: () => boolean): string {
  const hashed = createHash('sha256');
  for (const _ of hashedBlocks(path, hashed)) if (isCancelled()) throw new ReadingCancelled();
  return hashed.digest('hex');
}
