import { createHash, type Hash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { ObjectBody } from '../../model/objects.ts';

/** Hashed in two milliseconds or so; between two pieces the thread has its turn. */
const pieceBytes = 1_048_576;

export async function identifyFile(path: string, signal?: AbortSignal): Promise<ObjectBody> {
  const hash = createHash('sha256');
  const size = await hashFile(path, hash, signal);
  return { oid: hash.digest('hex'), size };
}

/**
 * Adds the bytes of a file to a hash. One buffer for all pieces: those of a stream would stay with the process.
 * @returns how many they are.
 */
export async function hashFile(path: string, hash: Hash, signal?: AbortSignal): Promise<number> {
  const buffer = Buffer.allocUnsafeSlow(pieceBytes);
  const file = await open(path);
  try {
    for (let size = 0; ;) {
      signal?.throwIfAborted();
      const { bytesRead } = await file.read(buffer, 0, pieceBytes);
      if (bytesRead === 0) return size;
      hash.update(buffer.subarray(0, bytesRead));
      size += bytesRead;
    }
  } finally {
    await file.close();
  }
}
