import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { closing } from '../../model/closing.ts';
import { renameDurably, syncFile, writeFileAtomic } from '../../storage/atomic-file.ts';
import { DiskContentStore } from '../../storage/content-store/disk-store.ts';
import { lockDirectory } from '../../storage/lock.ts';
import { objectRows } from '../../storage/objects/dialect.ts';
import { hasDatabase, ObjectsRefused } from '../../storage/objects/open.ts';
import { storeId } from '../../storage/objects/rows-store.ts';
import { createPrivateDirectory } from '../../storage/private-directory.ts';
import { lockPath, RootTaken, type ObjectsRoot } from '../root.ts';
import { copyContents, newSnapshot, openSnapshot, type CopyOutcome } from './copy-contents.ts';

/**
 * Copies an object store to another directory, which is then one itself: first a snapshot of the database, then every
 * content it names that is not there yet. Contents never change, so what a former backup has copied is good. Runs beside a
 * server of the store, but not of the copy.
 * @param onProgress called after each content with the bytes copied so far.
 * @throws RootTaken; ObjectsRefused where there is another store, or its backup
 */
export async function backUp(
  root: ObjectsRoot,
  destination: string,
  onProgress: (bytes: number) => void,
): Promise<CopyOutcome> {
  createPrivateDirectory(destination);
  using lock = lockDirectory(lockPath(destination));
  if (lock === undefined) throw new RootTaken();
  const snapshot = await newSnapshot(destination);
  try {
    const copies = new DiskContentStore(destination, 'command');
    await copies.prepare();
    const id = await storeId(root.database.rows);
    if (!(await isFree(destination, id)) || (await copies.claim(id, false)) === 'another')
      throw new ObjectsRefused('foreign', id);
    await copies.sweep(Date.now());
    await root.database.snapshot(snapshot);
    const outcome = await copyContents(root, snapshot, copies, onProgress);
    // The database last: a backup that was cut off is still the one before.
    await putRows(snapshot, root.secret, destination);
    await copies.claim(id, true);
    return outcome;
  } finally {
    await rm(snapshot, { force: true });
  }
}

/** Whether there are no rows of another store, which may have no contents yet. */
async function isFree(destination: string, id: string): Promise<boolean> {
  const path = join(destination, 'objects.sqlite');
  if (!hasDatabase(path)) return true;
  using db = closing(openSnapshot(path));
  return (await storeId(objectRows(db))) === id;
}

/** Makes a snapshot the database of a store that no server serves, and its key that of the store. */
export async function putRows(
  snapshot: string,
  secret: Uint8Array,
  destination: string,
): Promise<void> {
  const database = join(destination, 'objects.sqlite');
  await writeFileAtomic(join(destination, 'secret'), secret);
  // A server may have been tried here and killed: its journal must not be played into the new database.
  openSnapshot(database).close();
  syncFile(snapshot);
  await renameDurably(snapshot, database);
}
