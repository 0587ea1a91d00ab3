import { randomBytes } from 'node:crypto';
import { readdir, readFile, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../model/error-code.ts';
import { createFileOnce } from '../storage/atomic-file.ts';
import { DiskContentStore } from '../storage/content-store/disk-store.ts';
import type { Database } from '../storage/database.ts';
import { objectRows } from '../storage/objects/dialect.ts';
import { objectsDirectory, type ObjectsDirectory } from '../storage/objects/directory.ts';
import { objectHoldings, type Holdings } from '../storage/objects/holdings.ts';
import { Journal } from '../storage/objects/journal.ts';
import { openObjectsDatabase } from '../storage/objects/open.ts';
import { createPrivateDirectory } from '../storage/private-directory.ts';

const secretBytes = 32;

/**
 * The directory of an object store, open: `objects.sqlite`, `secret`, `lock.sqlite`, and the content store's `objects/`,
 * `incoming/` and `quarantine/`.
 */
export interface ObjectsRoot {
  readonly path: string;
  readonly db: Database;
  readonly directory: ObjectsDirectory;
  readonly holdings: Holdings;
  readonly contents: DiskContentStore;
  /** The key of tokens. */
  readonly secret: Uint8Array;
  readonly freeBytes: () => Promise<number>;
  /** Of a server, whose commits are not on the disk before this is synced. */
  readonly journal: Journal;
  readonly close: () => Promise<void>;
}

export interface OpenRootOptions {
  /** A server never waits for another process's transaction and tries again later; a command waits. */
  readonly owner: 'server' | 'command';
}

/** Thrown when another server has the directory. */
export class RootTaken extends Error {
  override readonly name = 'RootTaken';
}

const commandWaitMs = 10_000;

/** The file whose lock says that a server has the directory. */
export function lockPath(root: string): string {
  return join(root, 'lock.sqlite');
}

/**
 * Opens the directory of an object store, made if it is not there.
 * @throws ObjectsRefused
 */
export async function openRoot(path: string, { owner }: OpenRootOptions): Promise<ObjectsRoot> {
  createPrivateDirectory(path);
  const contents = new DiskContentStore(path, owner);
  await contents.prepare();
  const hasContents = (await readdir(join(path, 'objects'))).length > 0;
  const secret = await readSecret(join(path, 'secret'));
  const database = join(path, 'objects.sqlite');
  const db = openObjectsDatabase({
    path: database,
    waitMs: owner === 'server' ? 0 : commandWaitMs,
    areCommitsSynced: owner === 'command',
    hasContents,
  });
  const rows = objectRows(db);
  const journal = new Journal(database);
  return {
    path,
    db,
    directory: objectsDirectory(rows),
    holdings: objectHoldings(rows),
    contents,
    secret,
    freeBytes: async () => {
      const { bavail, bsize } = await statfs(path);
      return bavail * bsize;
    },
    journal,
    close: async () => {
      await journal.close();
      db.close();
    },
  };
}

/** Reads the key, or makes it once: of two that make it at the same time, both get the one that was first. */
async function readSecret(path: string): Promise<Uint8Array> {
  const found = await readKey(path);
  if (found !== undefined) return found;
  await createFileOnce(path, randomBytes(secretBytes));
  const made = await readKey(path);
  if (made === undefined) throw new Error('The key of the object store cannot be read.');
  return made;
}

async function readKey(path: string): Promise<Uint8Array | undefined> {
  const bytes = await readFile(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  return bytes?.length === secretBytes ? bytes : undefined;
}
