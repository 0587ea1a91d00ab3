import { accessSync, closeSync, constants, existsSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';

export type { Database } from 'better-sqlite3';

/** `application_id` of every SQLite file of ours: the letters "wptd". */
export const applicationId = 0x77707464;

/**
 * Pages that one connection keeps, of each database. better-sqlite3's 16 MB, times a dozen connections that each fill in
 * the course of days, would be most of the daemon's memory; the system keeps the pages of the file anyway.
 */
export const cacheKb = 4_096;

/**
 * Opens a database for its one writer: WAL, foreign keys, no waiting for locks (there is no second writer to wait for).
 * `full` syncs every commit, so that what was answered survives a power cut; `normal` is for what can be rebuilt.
 */
export function openWriter(path: string, durability: 'full' | 'normal'): Database.Database {
  createPrivateFile(path);
  // SQLite opens a file that may only be read all the same, and would tell at the first change.
  accessSync(path, constants.W_OK);
  return orClosed(new Database(path, { timeout: 0 }), (db) => {
    // At once: each by itself is a statement to prepare and to collect.
    return db.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = ${durability};
      PRAGMA fullfsync = ON;
      PRAGMA foreign_keys = ON;
      PRAGMA trusted_schema = OFF;
      PRAGMA secure_delete = ON;
      PRAGMA temp_store = MEMORY;
      PRAGMA cache_size = -${cacheKb};
      PRAGMA wal_autocheckpoint = 1000;
      PRAGMA journal_size_limit = 67108864;
    `);
  });
}

/** Prepares a connection; closes it when that throws: Windows renames no file that is still open. */
export function orClosed<T>(db: Database.Database, prepare: (db: Database.Database) => T): T {
  try {
    return prepare(db);
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Creates an empty file that is its owner's alone: SQLite would make one readable by others. */
export function createPrivateFile(path: string): void {
  // SQLite gives -wal and -shm the mode of the database itself.
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
}

/** Opens a database for reading only. Readers in WAL mode never block the writer; see limits.drainTimeoutMs. */
export function openReader(path: string): Database.Database {
  const reader = new Database(path, { readonly: true, fileMustExist: true, timeout: 1_000 });
  const bounds = `PRAGMA temp_store = MEMORY; PRAGMA cache_size = -${cacheKb}`;
  return orClosed(reader, (db) => db.exec(`PRAGMA trusted_schema = OFF; ${bounds}`));
}

/** Opens the user's store for reading with the library attached as `library`; neither can be written through it. */
export function openJoinedReader(waypointsPath: string, libraryPath: string): Database.Database {
  return orClosed(openReader(waypointsPath), (db) => {
    // An attached database inherits the read-only mode of the connection.
    db.prepare('ATTACH ? AS library').run(libraryPath);
    db.pragma(`library.cache_size = -${cacheKb}`);
    return db;
  });
}

/** Looks into a database without touching it: what keeps it from being read is thrown. */
export function countTables(db: Database.Database): unknown {
  return db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get();
}

/** Owner of a database: `blank` without any table, as after a first start that was cut off. */
export function ownerOf(db: Database.Database): 'us' | 'another' | 'blank' {
  if (countTables(db) === 0) return 'blank';
  return db.pragma('application_id', { simple: true }) === applicationId ? 'us' : 'another';
}

/** Tells whether an error of SQLite says that a database is damaged. */
export function isDamage(error: unknown): boolean {
  if (!(error instanceof Database.SqliteError)) return false;
  return error.code.startsWith('SQLITE_CORRUPT') || error.code === 'SQLITE_NOTADB';
}
