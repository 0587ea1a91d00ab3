import { errorCode } from '../../model/error-code.ts';
import { WaypointError } from '../../model/failure.ts';
import type { ObjectRows } from './dialect.ts';

/** Where the rows of an object store live, open: a file of SQLite, or PostgreSQL. */
export interface RowsStore {
  readonly rows: ObjectRows;
  readonly journal: CommitJournal;
  /** The key of tokens; the same at each call. */
  readonly secret: () => Promise<Uint8Array>;
  /** To be called where a server begins: no copy of another store may take the place of these rows any more. */
  readonly claim: () => Promise<void>;
  /** Writes all rows, as they are at one moment, to a new file that {@link openObjectsDatabase} opens. */
  readonly snapshot: (path: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Tells when what was committed is on the disk. */
export interface CommitJournal {
  /** Resolves when all that was committed before is on the disk. */
  readonly sync: () => Promise<void>;
  /** Resolves when every sync that was asked for has ended: what can be read now is on the disk then. */
  readonly settled: () => Promise<void>;
}

/** For a database whose commits are on the disk when they return. */
export const syncedCommits: CommitJournal = { sync: async () => {}, settled: async () => {} };

/** The id of the store that these rows are of, by which it knows its contents elsewhere. */
export async function storeId(rows: ObjectRows): Promise<string> {
  const { value } = await rows
    .selectFrom('meta')
    .select('value')
    .where('key', '=', 'store')
    .executeTakeFirstOrThrow();
  return value;
}

/** SQLite: another process writes. PostgreSQL: transactions stood in each other's way, or the connection broke. */
const busyCodes = /^(?:SQLITE_BUSY(?:_\w+)?|40001|40P01|55P03)$/;

/** Tells whether a change may succeed in a moment: another process writes, or the database is away. */
export function isBusy(error: unknown): boolean {
  const isAway = error instanceof WaypointError && error.failure === 'database_unavailable';
  return isAway || busyCodes.test(errorCode(error) ?? '');
}

/** Tells whether a change names a row that is not there, such as a repository that was removed meanwhile. */
export function breaksConstraint(error: unknown): boolean {
  return /^(?:SQLITE_CONSTRAINT(?:_\w+)?|23503)$/.test(errorCode(error) ?? '');
}
