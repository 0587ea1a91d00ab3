import { accessSync, constants } from 'node:fs';
import Database from 'better-sqlite3';
import { closing } from '../model/closing.ts';
import { countTables, createPrivateFile } from './database.ts';

/** Holds a data directory for one process. */
export interface DirectoryLock extends Disposable {
  release(): void;
}

/**
 * Takes the lock of a data directory: an exclusive SQLite transaction, which the operating system ends with the process,
 * however it dies.
 * @returns undefined while another process holds it.
 * @throws EACCES or EROFS when the lock file may not be written.
 */
export function lockDirectory(path: string): DirectoryLock | undefined {
  createPrivateFile(path);
  // SQLite opens a file that may only be read all the same, and its exclusive transaction then keeps nobody out.
  accessSync(path, constants.W_OK);
  const db = new Database(path, { timeout: 0 });
  try {
    db.pragma('locking_mode = EXCLUSIVE');
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  const release = () => void db.close();
  return { release, [Symbol.dispose]: release };
}

/** Tells whether a process holds the lock of a data directory, whose lock file must be there; changes nothing. */
export function isDirectoryLocked(path: string): boolean {
  using db = closing(new Database(path, { readonly: true, fileMustExist: true, timeout: 0 }));
  try {
    countTables(db);
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
}
