import { copyFileSync, existsSync, mkdtempSync, rmSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { closing } from '../model/closing.ts';
import { errorCode } from '../model/error-code.ts';
import { isDamage, openReader, ownerOf } from './database.ts';
import { firstBytes } from './open-file.ts';

/** The content of a database file; `unchecked`: there is no room for a copy to read. */
export type DatabaseCondition =
  | 'good'
  | 'blank'
  | 'damaged'
  | 'foreign'
  | 'unreachable'
  | 'unchecked';

export interface DatabaseReport {
  readonly condition: DatabaseCondition;
  /** Its `user_version`. */
  readonly version: number;
  /** Values of its table `meta` that were asked for, by key. */
  readonly meta: ReadonlyMap<string, string>;
  /** The error that kept it from being read. */
  readonly cause?: unknown;
}

export interface InspectOptions {
  /** Whether a process has it open: then it is read in place, else in a copy. */
  readonly isHeld: boolean;
  /** Checks the indexes as well, which takes several times as long. */
  readonly isThorough: boolean;
  /** Keys of the table `meta`. */
  readonly keys: readonly string[];
}

/**
 * Reads every page of a database and changes nothing. A database that no process holds is read in a copy: SQLite would make
 * files beside it, and undo or fold in what a crash left there.
 */
export function inspectDatabase(path: string, options: InspectOptions): DatabaseReport {
  if (statSync(path).size === 0) return reportOf('blank');
  try {
    if (options.isHeld) {
      using db = closing(openReader(path));
      return inspect(db, options);
    }
    const isHot = hasHotJournal(path);
    // A start leaves these two alone, and a reader refuses them.
    if (isHot && bytesOf(`${path}-wal`) > 0) return reportOf('unreachable');
    const report = inspectCopy(path, options);
    // A journal that empties more than a first start writes belongs to another file.
    const isLost = isHot && report.condition === 'blank' && bytesOf(path) > firstPageBytes;
    return isLost ? reportOf('damaged') : report;
  } catch (error) {
    // A missing table, in a file of ours.
    const isDamaged = isDamage(error) || errorCode(error) === 'SQLITE_ERROR';
    return { ...reportOf(isDamaged ? 'damaged' : 'unreachable'), cause: error };
  }
}

/** Synchronous, so that a signal that ends the program comes after the copy is gone. */
function inspectCopy(path: string, options: InspectOptions): DatabaseReport {
  const parts = ['', '-wal', '-journal'].filter((suffix) => existsSync(path + suffix));
  const bytes = parts.reduce((sum, suffix) => sum + bytesOf(path + suffix), 0);
  const { bavail, bsize } = statfsSync(tmpdir());
  if (2 * bytes > bavail * bsize) return reportOf('unchecked');
  const directory = mkdtempSync(join(tmpdir(), 'waypointd-doctor-'));
  try {
    const copy = join(directory, 'copy.sqlite');
    for (const suffix of parts) copyFileSync(path + suffix, copy + suffix);
    using db = closing(new Database(copy, { fileMustExist: true }));
    return inspect(db, options);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function inspect(db: Database.Database, { isThorough, keys }: InspectOptions): DatabaseReport {
  const version = Number(db.pragma('user_version', { simple: true }));
  const owner = ownerOf(db);
  if (owner !== 'us') return reportOf(owner === 'blank' ? 'blank' : 'foreign', version);
  const check = isThorough ? 'integrity_check(1)' : 'quick_check(1)';
  if (db.pragma(check, { simple: true }) !== 'ok') return reportOf('damaged', version);
  const meta = new Map<string, string>();
  for (const key of keys) {
    const value = db.prepare('SELECT value FROM meta WHERE key = ?').pluck().get(key);
    if (typeof value === 'string') meta.set(key, value);
  }
  return { condition: 'good', version, meta };
}

function reportOf(condition: DatabaseCondition, version = 0): DatabaseReport {
  return { condition, version, meta: new Map() };
}

/** The most that a first start writes when it switches to WAL mode. */
export const firstPageBytes = 4_096;

/** The size of a file, 0 for an absent one. */
export function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Whether a writer would play the journal beside a database: SQLite ignores an empty one, and one whose start is zeroed. */
export function hasHotJournal(path: string): boolean {
  const journal = `${path}-journal`;
  if (bytesOf(journal) === 0) return false;
  const [first = 0] = firstBytes(journal, 1);
  return first !== 0;
}
