import { constants, type Stats } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { isStorageFault, WaypointError } from '../../model/failure.ts';
import type { LedgerFile } from '../../storage/waypoints/imports.ts';
import { keptPath } from '../../worker/import/managed-copies.ts';

const pieceBytes = 65_536;

/**
 * Opens the original bytes of a file: in its place while it is active, else those that are kept. `close` is to be called once.
 * @throws WaypointError not_found, where they are not kept any more or are others.
 */
export async function openContent(
  importsDirectory: string,
  { path, sha256, state, bytes }: LedgerFile,
) {
  const place =
    state === 'active' ? join(importsDirectory, path) : keptPath(importsDirectory, sha256);
  const handle = await openPlace(place);
  try {
    const stats: Stats = await handle.stat();
    if (!stats.isFile() || stats.size !== bytes) throw new WaypointError('not_found');
  } catch (error) {
    await handle.close();
    throw error;
  }
  return { bytes, pieces: piecesOf(handle, bytes), close: () => void handle.close() };
}

async function openPlace(path: string): Promise<FileHandle> {
  try {
    return await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch (cause) {
    throw isStorageFault(cause) ? cause : new WaypointError('not_found', { cause });
  }
}

async function* piecesOf(handle: FileHandle, bytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes;) {
    // A new one each time: the connection may hold what was given before.
    const piece = Buffer.allocUnsafe(Math.min(pieceBytes, bytes - at));
    const { bytesRead } = await handle.read(piece, 0, piece.length, at);
    if (bytesRead === 0) throw new Error('An imported file ended too early.');
    at += bytesRead;
    yield piece.subarray(0, bytesRead);
  }
}
