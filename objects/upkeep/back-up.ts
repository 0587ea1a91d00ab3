import { open, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../model/error-code.ts';
import { WaypointError } from '../../model/failure.ts';
import { syncDirectoryAsync, temporaryBeside } from '../../storage/atomic-file.ts';
import type { ContentName } from '../../storage/content-store/content-store.ts';
import { DiskContentStore } from '../../storage/content-store/disk-store.ts';
import { createPrivateFile, type Database } from '../../storage/database.ts';
import { lockDirectory } from '../../storage/lock.ts';
import { objectRows } from '../../storage/objects/dialect.ts';
import { objectHoldings, type Holding } from '../../storage/objects/holdings.ts';
import { openObjectsDatabase } from '../../storage/objects/open.ts';
import { createPrivateDirectory } from '../../storage/private-directory.ts';
import { lockPath, RootTaken, type ObjectsRoot } from '../root.ts';

export interface BackupOutcome {
  /** Contents copied now, and those that were there from an earlier backup. */
  readonly copied: number;
  readonly copiedBytes: number;
  readonly present: number;
  /** Objects whose bytes are lost or damaged in the store itself. */
  readonly missing: readonly string[];
}

/**
 * Copies an object store to another directory, which is then one itself: first a snapshot of the database, then every
 * content it names that is not there yet. Contents never change, so what a former backup has copied is good. Runs beside a
 * server of the store, but not of the copy.
 * @param onProgress called after each content with the bytes copied so far.
 * @throws RootTaken
 */
export async function backUp(
  root: ObjectsRoot,
  destination: string,
  onProgress: (bytes: number) => void,
): Promise<BackupOutcome> {
  createPrivateDirectory(destination);
  const lock = lockDirectory(lockPath(destination));
  if (lock === undefined) throw new RootTaken();
  const database = join(destination, 'objects.sqlite');
  const snapshot = temporaryBeside(database);
  try {
    const copies = new DiskContentStore(destination, 'command');
    await copies.prepare();
    await copies.sweep(Date.now());
    await root.database.snapshot(snapshot);
    const outcome = await copyContents(root, copies, snapshot, onProgress);
    await writeKey(root.secret, destination);
    finishJournal(database);
    // The database last: a backup that was cut off is still the one before.
    await syncFile(snapshot);
    await rename(snapshot, database);
    await syncDirectoryAsync(destination);
    return outcome;
  } finally {
    await rm(snapshot, { force: true });
    lock.release();
  }
}

async function copyContents(
  root: ObjectsRoot,
  copies: DiskContentStore,
  snapshot: string,
  onProgress: (bytes: number) => void,
): Promise<BackupOutcome> {
  const outcome = { copied: 0, copiedBytes: 0, present: 0, missing: [] as string[] };
  // What the snapshot names, not what is held now: an object that is let go meanwhile keeps its bytes for the grace period.
  const db = openCopy(snapshot);
  try {
    for await (const named of objectHoldings(objectRows(db)).everything()) {
      const { oid, size } = named;
      if ((await copies.has(oid)) === size) {
        outcome.present += 1;
      } else if (await copyContent(root, copies, named)) {
        outcome.copied += 1;
        outcome.copiedBytes += size;
        onProgress(outcome.copiedBytes);
      } else {
        outcome.missing.push(oid);
      }
    }
    return outcome;
  } finally {
    db.close();
  }
}

/** Checked on the way, so that a damaged content never gets into a backup. @returns false where it is lost or damaged. */
async function copyContent(
  { contents }: ObjectsRoot,
  copies: DiskContentStore,
  { oid, size, repository }: Holding & Required<ContentName>,
): Promise<boolean> {
  const content = await contents.of(repository).get(oid);
  if (content === undefined) return false;
  try {
    const received = await copies.put(oid, size, content.pieces());
    await received.settle();
    return true;
  } catch (error) {
    const isDamaged = error instanceof WaypointError && error.failure === 'content_mismatch';
    const isUnreadable = errorCode(error) === 'EIO';
    if (isDamaged || isUnreadable) return false;
    throw error;
  } finally {
    content.close();
  }
}

/** A server may have been tried on the copy and killed: its journal must not be played into the new database. */
function finishJournal(path: string): void {
  openCopy(path).close();
}

function openCopy(path: string): Database {
  return openObjectsDatabase({ path, waitMs: 0, areCommitsSynced: true, hasContents: false });
}

async function writeKey(secret: Uint8Array, to: string): Promise<void> {
  const temporary = temporaryBeside(join(to, 'secret'));
  try {
    createPrivateFile(temporary);
    await writeFile(temporary, secret);
    await syncFile(temporary);
    await rename(temporary, join(to, 'secret'));
  } finally {
    await rm(temporary, { force: true });
  }
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
