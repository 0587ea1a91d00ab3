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

/** Syncs every 32 MiB so that a cancelled upload never waits for a long sync. */
const syncBytes = 33_554_432;

async function writeChecked(
  file: FileHandle,
  oid: Oid,
  size: number,
  source: AsyncIterable<Uint8Array>,
): Promise<void> {
  const hash = createHash('sha256');
  let [received, unsynced] = [0, 0];
  for await (const chunk of source) {
    received += chunk.length;
    if (received > size) throw new WaypointError('content_mismatch');
    hash.update(chunk);
    await file.writeFile(chunk);
    unsynced += chunk.length;
    if (unsynced < syncBytes) continue;
    unsynced = 0;
    await file.datasync();
  }
  if (received !== size || hash.digest('hex') !== oid) throw new WaypointError('content_mismatch');
}
