import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { WaypointError } from '../../model/failure.ts';
import type { Oid } from './content-store.ts';

/**
 * Writes a source to a new file while checking it, and syncs it. The file is read-only from then on.
 * @throws WaypointError content_mismatch, with nothing left; errors of the disk and of the source, likewise.
 */
export async function receive(
  path: string,
  oid: Oid,
  size: number,
  source: AsyncIterable<Uint8Array>,
): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
  const file = await open(path, flags, 0o600);
  try {
    await writeChecked(file, oid, size, source);
    await file.chmod(0o444);
    // Not fdatasync, which may leave out the mode.
    await file.sync();
    await file.close();
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(path, { force: true });
    throw error;
  }
}

/** Bytes, and pieces, that are written at once. */
const writeBytes = 1_048_576;
const writePieces = 256;

/** Hashes and gathers what comes while the former bytes are being written. */
async function writeChecked(
  file: FileHandle,
  oid: Oid,
  size: number,
  source: AsyncIterable<Uint8Array>,
): Promise<void> {
  const hash = createHash('sha256');
  let received = 0;
  let gathered: Uint8Array[] = [];
  let gatheredBytes = 0;
  let writing: Promise<void> | undefined;
  try {
    for await (const chunk of source) {
      received += chunk.length;
      if (received > size) throw new WaypointError('content_mismatch');
      hash.update(chunk);
      gathered.push(chunk);
      gatheredBytes += chunk.length;
      if (gatheredBytes >= writeBytes || gathered.length >= writePieces) await writeGathered();
    }
    await writeGathered();
    await writing;
  } finally {
    // The file must not be closed under a write.
    await writing?.catch(() => undefined);
  }
  if (received !== size || hash.digest('hex') !== oid) throw new WaypointError('content_mismatch');

  async function writeGathered(): Promise<void> {
    await writing;
    writing = writeAll(file, gathered);
    // Looked at before the next write; until then nobody waits for it.
    writing.catch(() => undefined);
    [gathered, gatheredBytes] = [[], 0];
  }
}

/** A disk that is nearly full writes less than it is given, and says why only when asked again. */
async function writeAll(file: FileHandle, pieces: readonly Uint8Array[]): Promise<void> {
  let rest = pieces.filter(({ length }) => length > 0);
  while (rest.length > 0) {
    const { bytesWritten } = await file.writev(rest);
    rest = without(rest, bytesWritten);
  }
}

function without(pieces: readonly Uint8Array[], bytes: number): Uint8Array[] {
  const rest: Uint8Array[] = [];
  let left = bytes;
  for (const piece of pieces) {
    if (left < piece.length) rest.push(piece.subarray(left));
    left = Math.max(0, left - piece.length);
  }
  return rest;
}
