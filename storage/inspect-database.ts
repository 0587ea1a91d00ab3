import { copyFileSync, mkdtempSync, rmSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
// better-sqlite3 is built without `file:` addresses, and only they can say that a file does not change while it is read.
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { closing } from '../model/closing.ts';
import { applicationId } from './database.ts';
import { bytesOf, firstPageBytes, hasHotJournal } from './hot-journal.ts';

/** What is in a database file; `unchecked`: it cannot be read without changing it, and is too large to be copied. */
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
}

export interface InspectOptions {
  /** Whether a process has it open: then it is read beside that, like any reader does. */
  readonly isHeld: boolean;
  /** Checks the indexes as well, which takes several times as long. */
  readonly isThorough: boolean;
  /** Keys of the table `meta`. */
  readonly keys: readonly string[];
}

/** A copy up to this size is made in the directory for temporary files, if that has room for twice as much. */
const maxCopyBytes = 1_073_741_824;

/**
 * Looks into a database and checks every page of it. Changes nothing, and makes no file beside it, unlike a reader of
 * usual manner: one that nobody has open is read as unchangeable; one that was not closed in order is read in a copy.
 */
export function inspectDatabase(path: string, options: InspectOptions): DatabaseReport {
  if (statSync(path).size === 0) return reportOf('blank');
  if (options.isHeld) return inspect(path, options);
  const isHot = hasHotJournal(path);
  const hasLog = bytesOf(`${path}-wal`) > 0;
  // A start leaves these two alone, and a reader refuses them.
  if (isHot && hasLog) return reportOf('unreachable');
  if (isHot) return inspectRolledBack(path, options);
  if (hasLog) return inspectCopy(path, '-wal', options);
  const address = pathToFileURL(path);
  address.searchParams.set('immutable', '1');
  return inspect(address, options);
}

/** As a start does: a journal that empties more than a first start writes is one of another file. */
function inspectRolledBack(path: string, options: InspectOptions): DatabaseReport {
  const report = inspectCopy(path, '-journal', options);
  const isLost = report.condition === 'blank' && bytesOf(path) > firstPageBytes;
  return isLost ? reportOf('damaged') : report;
}

/** All at once: a signal that ends the program comes after the copy is gone. */
function inspectCopy(
  path: string,
  log: '-wal' | '-journal',
  options: InspectOptions,
): DatabaseReport {
  const parts = ['', log];
  const bytes = parts.reduce((sum, suffix) => sum + bytesOf(path + suffix), 0);
  const { bavail, bsize } = statfsSync(tmpdir());
  if (bytes > maxCopyBytes || 2 * bytes > bavail * bsize) return reportOf('unchecked');
  const directory = mkdtempSync(join(tmpdir(), 'waypointd-doctor-'));
  try {
    const copy = join(directory, 'copy.sqlite');
    for (const suffix of parts) copyFileSync(path + suffix, copy + suffix);
    // As a start does: only a writer undoes what was cut off.
    return inspect(copy, options, false);
  } catch (error) {
    return reportOf(conditionOf(error));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function inspect(
  path: string | URL,
  { isThorough, keys }: InspectOptions,
  readOnly = true,
): DatabaseReport {
  try {
    using db = closing(new DatabaseSync(path, { readOnly, timeout: 1_000 }));
    const version = Number(valueOf(db, 'PRAGMA user_version'));
    if (valueOf(db, 'SELECT count(*) FROM sqlite_schema') === 0) return reportOf('blank', version);
    if (valueOf(db, 'PRAGMA application_id') !== applicationId) return reportOf('foreign', version);
    const check = isThorough ? 'PRAGMA integrity_check(1)' : 'PRAGMA quick_check(1)';
    if (valueOf(db, check) !== 'ok') return reportOf('damaged', version);
    return { condition: 'good', version, meta: readMeta(db, keys) };
  } catch (error) {
    return reportOf(conditionOf(error));
  }
}

function valueOf(db: DatabaseSync, sql: string): unknown {
  return Object.values(db.prepare(sql).get() ?? {})[0];
}

function readMeta(db: DatabaseSync, keys: readonly string[]): Map<string, string> {
  const find = db.prepare('SELECT value FROM meta WHERE key = ?');
  const found = new Map<string, string>();
  for (const key of keys) {
    const value = find.get(key)?.['value'];
    if (typeof value === 'string') found.set(key, value);
  }
  return found;
}

function reportOf(condition: DatabaseCondition, version = 0): DatabaseReport {
  return { condition, version, meta: new Map() };
}

/** SQLITE_CORRUPT and SQLITE_NOTADB; all else says something about the place and not about the content. */
const damageCodes = new Set<unknown>([11, 26]);

function conditionOf(error: unknown): DatabaseCondition {
  if (!(error instanceof Error)) throw error;
  const code = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : 0;
  // A table that is missing in a file of ours.
  if (code === 1) return 'damaged';
  return damageCodes.has(code) ? 'damaged' : 'unreachable';
}
