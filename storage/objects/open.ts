import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import {
  cacheKb,
  createPrivateFile,
  isDamage,
  ownerOf,
  type Database as Connection,
} from '../database.ts';
import { bytesOf } from '../inspect-database.ts';
import { migrate, schemaVersion, type Migration } from '../migrate.ts';
import { objectMigrations } from './schema.ts';

/** Why the database of an object store cannot be used; nothing was changed. */
export type ObjectsRefusal = 'newer' | 'unreadable' | 'missing' | 'foreign' | 'unmarked' | 'in_use';

export class ObjectsRefused extends Error {
  override readonly name = 'ObjectsRefused';
  readonly refusal: ObjectsRefusal;
  /** Id of the rows, if the contents are not known to be theirs. */
  readonly storeId: string;

  constructor(refusal: ObjectsRefusal, storeId = '', cause?: unknown) {
    super(`objects ${refusal}`, { cause });
    this.refusal = refusal;
    this.storeId = storeId;
  }
}

const openWaitMs = 5_000;

export interface OpenObjectsOptions {
  readonly path: string;
  /**
   * How long a statement waits for another process's transaction, ms: 0 for the server, which must not stand still and
   * tries again later; some seconds for commands.
   */
  readonly waitMs: number;
  /** Whether each commit is on the disk when it returns; otherwise {@link Journal} sees to that. */
  readonly areCommitsSynced: boolean;
  /** Contents are there already: an empty database is never made over a lost one. */
  readonly hasContents: boolean;
  /** Tests bring further steps. */
  readonly migrations?: readonly Migration[];
}

/**
 * Opens the database of an object store, made if there is none; makes a copy in `backups/` beside it before every
 * migration.
 * @throws ObjectsRefused
 */
export function openObjectsDatabase({
  path,
  waitMs,
  areCommitsSynced,
  hasContents,
  migrations = objectMigrations,
}: OpenObjectsOptions): Connection {
  const isThere = hasDatabase(path);
  if (!isThere && hasContents) throw new ObjectsRefused('missing');
  createPrivateFile(path);
  // Another process may be making or mending it this moment.
  const db = new Database(path, { timeout: openWaitMs });
  try {
    if (isThere) checkKind(db, migrations.length);
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = FULL');
    db.pragma('fullfsync = ON');
    db.pragma('foreign_keys = ON');
    db.pragma('trusted_schema = OFF');
    db.pragma('temp_store = MEMORY');
    db.pragma(`cache_size = -${cacheKb}`);
    const directory = join(dirname(path), 'backups');
    migrate(db, migrations, { directory, name: 'objects', now: Date.now() });
    if (!areCommitsSynced) db.pragma('synchronous = NORMAL');
    db.pragma(`busy_timeout = ${waitMs}`);
    return db;
  } catch (error) {
    db.close();
    throw isDamage(error) ? new ObjectsRefused('unreadable', '', error) : error;
  }
}

/** Tells whether there is a database: an empty file was never begun, or was lost. */
export function hasDatabase(path: string): boolean {
  return bytesOf(path) > 0;
}

function checkKind(db: Connection, newestVersion: number): void {
  const owner = ownerOf(db);
  if (owner === 'another') throw new ObjectsRefused('unreadable');
  if (owner === 'us' && schemaVersion(db) > newestVersion) throw new ObjectsRefused('newer');
}
