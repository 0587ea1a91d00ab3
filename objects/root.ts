import { join } from 'node:path';
import type { BucketPlace } from '../storage/content-store/s3/bucket.ts';
import type { ContentStore } from '../storage/content-store/content-store.ts';
import { DiskContentStore } from '../storage/content-store/disk-store.ts';
import { objectsDirectory } from '../storage/objects/directory.ts';
import { objectHoldings } from '../storage/objects/holdings.ts';
import { objectLocks } from '../storage/objects/locks.ts';
import { hasDatabase, ObjectsRefused } from '../storage/objects/open.ts';
import { storeId, type RowsStore } from '../storage/objects/rows-store.ts';
import { openSqliteRows } from '../storage/objects/sqlite.ts';
import { createPrivateDirectory } from '../storage/private-directory.ts';

/**
 * An object store, open. What is not in PostgreSQL is in its directory: `objects.sqlite`, `secret`, `lock.sqlite`, and the
 * content store's `objects/`, `incoming/` and `quarantine/`.
 */
export type ObjectsRoot = Awaited<ReturnType<typeof openRoot>>;

/** Where is what the directory of a store does not hold. */
export interface StorePlaces {
  /** `postgres://…` of the rows. */
  readonly database?: string;
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
 * Opens an object store; what is not there yet is made. Its contents are looked at when they are first asked for: most commands
 * need nothing but rows, and go on while a bucket is away.
 * @throws ObjectsRefused; WaypointError database_unavailable
 */
export async function openRoot(path: string, options: OpenRootOptions) {
  createPrivateDirectory(path);
  let [opening, claiming]: Promise<ContentStore>[] = [];
  const open = (): Promise<ContentStore> => (opening ??= openContents(path, options));
  let database: RowsStore | undefined;
  const close = async (): Promise<void> => {
    (await opening?.catch(() => undefined))?.close();
    await database?.close();
  };
  try {
    database = await openRows(path, options, async () => !(await (await open()).isEmpty()));
    const { rows } = database;
    const isBeside = options.bucket === undefined && options.database === undefined;
    const claim = async (): Promise<ContentStore> => {
      const contents = await open();
      await claimContents(contents, await storeId(rows), isBeside);
      return contents;
    };
    return {
      path,
      database,
      directory: objectsDirectory(rows),
      holdings: objectHoldings(rows),
      locks: objectLocks(rows),
      /** @throws ObjectsRefused where they are another store's; what the bucket is at fault for */
      contents: () => (claiming ??= claim()),
      /** The key of tokens. */
      secret: await database.secret(),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Makes contents those of a store. @param isKnown they are its own, whatever their mark. @throws ObjectsRefused */
export async function claimContents(
  contents: ContentStore,
  id: string,
  isKnown = false,
): Promise<void> {
  const owner = await contents.claim(id, isKnown);
  if (owner !== 'this') throw new ObjectsRefused(owner === 'none' ? 'unmarked' : 'foreign', id);
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
  hasContents: () => Promise<boolean>,
): Promise<RowsStore> {
  if (database !== undefined) {
    const { openPostgresRows } = await import('../storage/objects/postgres.ts');
    return openPostgresRows(database, hasContents);
  }
  const file = join(path, 'objects.sqlite');
  return openSqliteRows({
    path: file,
    owner,
    hasContents: !hasDatabase(file) && (await hasContents()),
  });
}
