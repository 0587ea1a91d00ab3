import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from '../../model/error-code.ts';
import { createFileOnce } from '../atomic-file.ts';
import { createPrivateFile } from '../database.ts';
import { objectRows } from './dialect.ts';
import { Journal } from './journal.ts';
import { openObjectsDatabase } from './open.ts';
import type { RowsStore } from './rows-store.ts';

const secretBytes = 32;
const commandWaitMs = 10_000;

export interface OpenSqliteRowsOptions {
  readonly path: string;
  /** A server never waits for another process's transaction and tries again later; a command waits. */
  readonly owner: 'server' | 'command';
  /** Contents are there already: an empty database is never made over a lost one. */
  readonly hasContents: boolean;
}

/**
 * Opens the rows of an object store in a file of SQLite, made if there is none; the key is in `secret` beside it.
 * @throws ObjectsRefused
 */
export function openSqliteRows({ path, owner, hasContents }: OpenSqliteRowsOptions): RowsStore {
  const db = openObjectsDatabase({
    path,
    waitMs: owner === 'server' ? 0 : commandWaitMs,
    areCommitsSynced: owner === 'command',
    hasContents,
  });
  const journal = new Journal(path);
  return {
    rows: objectRows(db),
    journal,
    secret: () => readSecret(join(dirname(path), 'secret')),
    claim: async () => {},
    snapshot: async (copy) => {
      createPrivateFile(copy);
      await db.backup(copy);
    },
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
