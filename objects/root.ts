import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContentStore } from '../storage/content-store/content-store.ts';
import { DiskContentStore } from '../storage/content-store/disk-store.ts';
import { objectsDirectory, type ObjectsDirectory } from '../storage/objects/directory.ts';
import { objectHoldings, type Holdings } from '../storage/objects/holdings.ts';
import { objectLocks, type Locks } from '../storage/objects/locks.ts';
import type { RowsStore } from '../storage/objects/rows-store.ts';
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

/** Where rows live that are not in the directory of the store. */
export interface StorePlaces {
  /** `postgres://…` */
  readonly database?: string;
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
  const contents = new DiskContentStore(path, options.owner);
  await contents.prepare();
  const database = await openRows(path, options);
  try {
    return {
      path,
      database,
      directory: objectsDirectory(database.rows),
      holdings: objectHoldings(database.rows),
      locks: objectLocks(database.rows),
      contents,
      secret: await database.secret(),
      close: async () => {
        contents.close();
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function openRows(path: string, { owner, database }: OpenRootOptions): Promise<RowsStore> {
  if (database !== undefined) {
    const { openPostgresRows } = await import('../storage/objects/postgres.ts');
    return openPostgresRows(database);
  }
  const hasContents = (await readdir(join(path, 'objects'))).length > 0;
  return openSqliteRows({ path: join(path, 'objects.sqlite'), owner, hasContents });
}
