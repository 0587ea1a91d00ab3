import { join } from 'node:path';
import type { BucketPlace } from '../storage/content-store/s3/bucket.ts';
import type { ContentStore } from '../storage/content-store/content-store.ts';
import { DiskContentStore } from '../storage/content-store/disk-store.ts';
import { objectsDirectory, type ObjectsDirectory } from '../storage/objects/directory.ts';
import { objectHoldings, type Holdings } from '../storage/objects/holdings.ts';
import { objectLocks, type Locks } from '../storage/objects/locks.ts';
import { ObjectsRefused } from '../storage/objects/open.ts';
import { storeId, type RowsStore } from '../storage/objects/rows-store.ts';
import { openSqliteRows } from '../storage/objects/sqlite.ts';
import { createPrivateDirectory } from '../storage/private-directory.ts';

/**
 * An object store, open. What is not in PostgreSQL is in its directory: `objects.sqlite`, `secret`, `lock.sqlite`, and the
 * content store's `objects/`, `incoming/` and `quarantine/`.
 */
export interface ObjectsRoot {
  readonly path: string;
  readonly database: RowsStore;
  readonly directory: ObjectsDirectory;
  readonly holdings: Holdings;
  readonly locks: Locks;
  readonly contents: ContentStore;
  /** The key of tokens. */
  readonly secret: Uint8Array;
  readonly close: () => Promise<void>;
}

/** Where is what the directory of a store does not hold. */
export interface StorePlaces {
  /** `postgres://…` of the rows. */
  readonly database?: string;
  /** The bucket of the contents. */
  readonly bucket?: BucketPlace;
  /** For tests: contents larger than this go to the bucket through the server, bytes. */
  readonly largestDirect?: number;
}

/** Whether any number of servers may serve a store at once: it has nothing in its directory. */
export function isShared({ database, bucket }: StorePlaces): boolean {
  return database !== undefined && bucket !== undefined;
}

export interface OpenRootOptions extends StorePlaces {
  /** A server never waits for another process's transaction and tries again later; a command waits. */
  readonly owner: 'server' | 'command';
}

/** Thrown when another server has the directory. */
export class RootTaken extends Error {
  override readonly name = 'RootTaken';
}

/** The file whose lock says that a server has the directory. */
export function lockPath(root: string): string {
  return join(root, 'lock.sqlite');
}

/**
 * Opens an object store; what is not there yet is made.
 * @throws ObjectsRefused; WaypointError database_unavailable
 */
export async function openRoot(path: string, options: OpenRootOptions): Promise<ObjectsRoot> {
  createPrivateDirectory(path);
  const contents = await openContents(path, options);
  let database: RowsStore | undefined;
  try {
    database = await openRows(path, options, !(await contents.isEmpty()));
    const { rows } = database;
    const isBeside = options.bucket === undefined && options.database === undefined;
    if (!(await contents.claim(await storeId(rows), isBeside))) throw new ObjectsRefused('foreign');
    return {
      path,
      database,
      directory: objectsDirectory(rows),
      holdings: objectHoldings(rows),
      locks: objectLocks(rows),
      contents,
      secret: await database.secret(),
      close: closeBoth,
    };
  } catch (error) {
    await closeBoth();
    throw error;
  }

  async function closeBoth(): Promise<void> {
    contents.close();
    await database?.close();
  }
}

/** Opens contents alone; a server sees first that their bucket is fit for them. */
export async function openContents(
  path: string,
  { owner, bucket, largestDirect }: OpenRootOptions,
): Promise<ContentStore> {
  if (bucket !== undefined) {
    const { BucketContentStore } = await import('../storage/content-store/s3/bucket-store.ts');
    const store = new BucketContentStore(bucket, largestDirect);
    if (owner === 'server') await store.check();
    return store;
  }
  const contents = new DiskContentStore(path, owner);
  await contents.prepare();
  return contents;
}

/** Opens rows alone, made if there are none. @param hasContents then empty ones are never made over lost ones. */
export async function openRows(
  path: string,
  { owner, database }: OpenRootOptions,
  hasContents: boolean,
): Promise<RowsStore> {
  if (database !== undefined) {
    const { openPostgresRows } = await import('../storage/objects/postgres.ts');
    return openPostgresRows(database, hasContents);
  }
  return openSqliteRows({ path: join(path, 'objects.sqlite'), owner, hasContents });
}
