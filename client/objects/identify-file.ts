import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { ObjectBody } from '../../model/objects.ts';

const pieceBytes = 1_048_576;

/** Hashes a file. */
export async function identifyFile(path: string, signal?: AbortSignal): Promise<ObjectBody> {
  const hash = createHash('sha256');
  const size = await hashFile(path, hash, signal);
  return { oid: hash.digest('hex'), size };
}

/** Adds the bytes of a file to a hash. @returns how many they are. */
export async function hashFile(path: string, hash: Hash, signal?: AbortSignal): Promise<number> {
  let size = 0;
  const options = { highWaterMark: pieceBytes, ...(signal && { signal }) };
  for await (const piece of createReadStream(path, options)) {
    hash.update(piece as Buffer);
    size += (piece as Buffer).length;
  }
  return size;
}
