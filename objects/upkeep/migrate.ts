import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BucketPlace } from '../../storage/content-store/s3/bucket.ts';
import { closing } from '../../model/closing.ts';
import { stampOf } from '../../model/time.ts';
import { renameDurably } from '../../storage/atomic-file.ts';
import { lockDirectory } from '../../storage/lock.ts';
import { objectRows } from '../../storage/objects/dialect.ts';
import { storeId } from '../../storage/objects/rows-store.ts';
import { createPrivateDirectory } from '../../storage/private-directory.ts';
import { claimContents, lockPath, openContents, RootTaken, type ObjectsRoot } from '../root.ts';
import { putRows } from './back-up.ts';
import { copyContents, newSnapshot, openSnapshot, type CopyOutcome } from './copy-contents.ts';

/** Where a store moves to; absent: stays. */
export interface Move {
  readonly contents?: 'file' | BucketPlace;
  /** `sqlite`, or `postgres://…` */
  readonly database?: string;
}

/**
 * Copies contents, rows or both to where another kind of store has them. What was there before stays, and goes on being served;
 * done again, it brings what has come since.
 * @throws RootTaken; ObjectsRefused
 */
export async function moveStore(
  root: ObjectsRoot,
  { contents, database }: Move,
  onProgress: (bytes: number) => void,
): Promise<CopyOutcome> {
  createPrivateDirectory(root.path);
  const snapshot = await newSnapshot(root.path);
  try {
    await root.database.snapshot(snapshot);
    const outcome = await moveContents(root, snapshot, contents, onProgress);
    if (database === 'sqlite') await moveToSqlite(root, snapshot);
    else if (database !== undefined) await moveToPostgres(root, snapshot, database);
    return outcome;
  } finally {
    for (const end of ['', '-wal', '-shm']) await rm(`${snapshot}${end}`, { force: true });
  }
}

async function moveContents(
  root: ObjectsRoot,
  snapshot: string,
  to: Move['contents'],
  onProgress: (bytes: number) => void,
): Promise<CopyOutcome> {
  if (to === undefined) return { copied: 0, copiedBytes: 0, present: 0, missing: [] };
  const target = await openContents(root.path, {
    // It sees that the bucket refuses wrong bytes.
    owner: to === 'file' ? 'command' : 'server',
    ...(to === 'file' ? {} : { bucket: to }),
  });
  using _ = closing(target);
  await claimContents(target, await storeId(root.database.rows));
  return await copyContents(root, snapshot, target, onProgress);
}

/** A database that was there before is set aside. */
async function moveToSqlite({ path, secret }: ObjectsRoot, snapshot: string): Promise<void> {
  using lock = lockDirectory(lockPath(path));
  if (lock === undefined) throw new RootTaken();
  const database = join(path, 'objects.sqlite');
  if (existsSync(database)) {
    // Its journal goes into it first.
    openSnapshot(database).close();
    const backups = join(path, 'backups');
    createPrivateDirectory(backups);
    await renameDurably(database, join(backups, `objects-replaced-${stampOf(Date.now())}.sqlite`));
  }
  await putRows(snapshot, secret, path);
}

async function moveToPostgres(
  { secret }: ObjectsRoot,
  snapshot: string,
  url: string,
): Promise<void> {
  const { adoptRows, openPostgresRows } = await import('../../storage/objects/postgres.ts');
  const target = await openPostgresRows(url, async () => false);
  const db = openSnapshot(snapshot);
  try {
    await adoptRows(target, objectRows(db), secret);
  } finally {
    db.close();
    await target.close();
  }
}
