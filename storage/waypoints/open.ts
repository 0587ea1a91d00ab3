import { chmodSync, copyFileSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { closing } from '../../model/closing.ts';
import { errorCode, isOutOfReach } from '../../model/error-code.ts';
import { isDiskFull } from '../../model/failure.ts';
import { renameOver, syncDirectory, syncFile } from '../atomic-file.ts';
import {
  countTables,
  openReader,
  openWriter,
  orClosed,
  type Database as Connection,
} from '../database.ts';
import {
  bytesOf,
  hasHotJournal,
  inspectDatabase,
  type DatabaseReport,
} from '../inspect-database.ts';
import { createPrivateDirectory } from '../private-directory.ts';
import { migrate, type Migration } from '../migrate.ts';
import { newestFirst, stampOf } from '../../model/time.ts';
import { waypointMigrations } from '../schema/waypoints.ts';
import { removeHistory } from './history.ts';
import { nameStore } from './name-store.ts';
import { respellTags } from './respell.ts';

/**
 * Why the user's store cannot be used; nothing was changed. Only `unreadable` says that it is damaged: `unavailable` is
 * one that this user may not open or write, or that another program holds.
 */
export type StoreRefusal = 'newer' | 'unreadable' | 'unavailable' | 'missing';

export class StoreRefused extends Error {
  override readonly name = 'StoreRefused';
  readonly refusal: StoreRefusal;

  constructor(refusal: StoreRefusal, cause?: unknown) {
    super(`store ${refusal}`, { cause });
    this.refusal = refusal;
  }
}

export interface OpenStoreOptions {
  readonly path: string;
  readonly backupsDirectory: string;
  /** Files whose presence proves that a store was here; missing beside them, it is never replaced by an empty one. */
  readonly companions: readonly string[];
  /** The user asked for a new store although the old one is missing. */
  readonly acceptMissing?: boolean;
  /** Milliseconds since 1970, for the names of backups. */
  readonly now: number;
  /** Tests bring further steps. */
  readonly migrations?: readonly Migration[];
}

/**
 * Opens `waypoints.sqlite` for its one writer, checked and migrated; makes a copy before every migration.
 * @throws StoreRefused
 */
export function openWaypointStore(options: OpenStoreOptions): Connection {
  const { path, backupsDirectory, companions, migrations = waypointMigrations } = options;
  const isThere = existsSync(path);
  if (isThere && isCutOff(path)) {
    // In a copy first: SQLite also plays the journal of another file, left beside a store that was put back since.
    isBlank(path, { isHeld: false, newestVersion: migrations.length });
    createPrivateDirectory(backupsDirectory);
    keepAsFound(path, backupsDirectory);
    undoCutOff(path);
  }
  if (!isThere || isBlank(path, { isHeld: true, newestVersion: migrations.length })) {
    const isLost = companions.some((companion) => existsSync(companion));
    if (isLost && options.acceptMissing !== true)
      throw new StoreRefused(isThere ? 'unreadable' : 'missing');
  }
  return orClosed(openStoreWriter(path), (db) => {
    const [directory, name] = [backupsDirectory, 'waypoints'];
    migrate(db, migrations, { directory, name, now: options.now, prune: removeHistory });
    respellTags(db);
    nameStore(db);
    return db;
  });
}

/**
 * Asks SQLite for a transaction that a crash cut off before the store was in WAL mode (a first start, a restored copy). A
 * reader cannot undo it. A journal that another process is still writing is not hot.
 */
function isCutOff(path: string): boolean {
  // The two never belong together. Undoing would fold the log into a store that may be refused.
  if (!hasHotJournal(path) || bytesOf(`${path}-wal`) > 0) return false;
  try {
    using db = closing(openReader(path));
    countTables(db);
    return false;
  } catch (error) {
    return errorCode(error) === 'SQLITE_READONLY_ROLLBACK';
  }
}

const storeEnds = ['', '-journal'];
const cutOffName = /^waypoints-cut-off-\d{8}T\d{6}Z$/;
const cutOffsKept = 5;

/**
 * Copies the store and its journal into the backups directory: once, however often the start is repeated. Its name is not
 * that of a copy to go back to, because it is none without the journal.
 */
function keepAsFound(path: string, backupsDirectory: string): void {
  const stamp = stampOf(statSync(`${path}-journal`).mtimeMs);
  const name = `waypoints-cut-off-${stamp}`;
  const target = join(backupsDirectory, name);
  // A roll-back that was cut off as well has changed the store since.
  if (existsSync(`${target}-journal`)) return;
  for (const end of storeEnds) {
    const temporary = `${target}${end}.tmp`;
    copyFileSync(path + end, temporary);
    chmodSync(temporary, 0o600);
    syncFile(temporary);
    renameOver(temporary, target + end);
  }
  dropOldCutOffs(backupsDirectory, name);
  syncDirectory(backupsDirectory);
}

/** Each is as large as the store: a machine that loses power every day must not fill its disk with them. */
function dropOldCutOffs(backupsDirectory: string, newest: string): void {
  const names = readdirSync(backupsDirectory).filter((name) => cutOffName.test(name));
  for (const name of newestFirst(names, newest).slice(cutOffsKept)) {
    for (const end of storeEnds) rmSync(join(backupsDirectory, name + end), { force: true });
  }
}

function undoCutOff(path: string): void {
  try {
    using db = closing(new Database(path, { fileMustExist: true, timeout: 0 }));
    countTables(db);
  } catch (error) {
    throw asRefusal(error);
  }
}

/**
 * Reads the whole store once: a damaged or a newer one must not be touched.
 * @returns true for a file without any table: a first start that was cut off, or a file that lost its content.
 * @throws StoreRefused
 */
function isBlank(
  path: string,
  { isHeld, newestVersion }: { readonly isHeld: boolean; readonly newestVersion: number },
): boolean {
  const report = inspectDatabase(path, { isHeld, isThorough: false, keys: [] });
  const { condition, cause } = report;
  const refusal = refusalOf(report, newestVersion);
  if (refusal === undefined) return condition === 'blank';
  throw isDiskFull(cause) ? cause : new StoreRefused(refusal, cause);
}

/** The refusal that a look into a store leads to, at a start and in doctor. */
export function refusalOf(
  { condition, version }: DatabaseReport,
  newestVersion = waypointMigrations.length,
): StoreRefusal | undefined {
  if (condition === 'damaged' || condition === 'foreign') return 'unreadable';
  if (condition === 'unreachable' || condition === 'unchecked') return 'unavailable';
  return version > newestVersion && condition === 'good' ? 'newer' : undefined;
}

function openStoreWriter(path: string): Connection {
  try {
    return openWriter(path, 'full');
  } catch (error) {
    throw asRefusal(error);
  }
}

/** Does not report locks or permissions as damage: users move damaged stores away. */
function asRefusal(error: unknown): unknown {
  if (!(error instanceof Database.SqliteError) || isDiskFull(error)) return error;
  return new StoreRefused(isOutOfReach(error) ? 'unavailable' : 'unreadable', error);
}
