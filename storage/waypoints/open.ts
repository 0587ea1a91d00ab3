import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
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
  ownerOf,
  type Database as Connection,
} from '../database.ts';
import { bytesOf, firstPageBytes, hasHotJournal } from '../hot-journal.ts';
import { createPrivateDirectory } from '../private-directory.ts';
import { migrate, schemaVersion, type Migration } from '../migrate.ts';
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
  if (isThere && isCutOff(path)) rollBackJournal(options, migrations.length);
  if (!isThere || isBlank(path, migrations.length)) {
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
 * Asks SQLite whether a transaction is to be undone that a crash has cut off before the store was in WAL mode (a first
 * start, a restored copy). A reader cannot undo it; one that a process is still writing is none.
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

/**
 * Undoes a transaction that was cut off, if that leaves a store of ours: the journal may be one of an earlier file, left
 * beside a store that was put back since, and SQLite would play it into that all the same.
 */
function rollBackJournal(options: OpenStoreOptions, newestVersion: number): void {
  const { path, backupsDirectory } = options;
  createPrivateDirectory(backupsDirectory);
  // All that a first start can have written when it is cut off.
  if (statSync(path).size > firstPageBytes) tryRollBack(path, backupsDirectory, newestVersion);
  keepAsFound(path, backupsDirectory);
  undoCutOff(path);
}

/** Undoes the transaction in a copy, and checks what that leaves. */
function tryRollBack(path: string, backupsDirectory: string, newestVersion: number): void {
  const directory = join(backupsDirectory, '.roll-back.tmp');
  const copy = join(directory, 'copy.sqlite');
  // Left by a trial that was cut off.
  rmSync(directory, { recursive: true, force: true });
  try {
    mkdirSync(directory, { mode: 0o700 });
    for (const end of storeEnds) copyFileSync(path + end, copy + end);
    undoCutOff(copy);
    if (isBlank(copy, newestVersion)) throw new StoreRefused('unreadable');
  } finally {
    rmSync(directory, { recursive: true, force: true });
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
 * Reads the whole store once, read-only: a damaged or a newer one must not be touched.
 * @returns true for a file without any table: a first start that was cut off, or a file that lost its content.
 */
function isBlank(path: string, newestVersion: number): boolean {
  if (statSync(path).size === 0) return true;
  try {
    using db = closing(openReader(path));
    const isWhole = db.pragma('quick_check(1)', { simple: true }) === 'ok';
    const owner = isWhole ? ownerOf(db) : 'another';
    if (owner === 'another') throw new StoreRefused('unreadable');
    if (owner === 'us' && schemaVersion(db) > newestVersion) throw new StoreRefused('newer');
    return owner === 'blank';
  } catch (error) {
    throw asRefusal(error);
  }
}

function openStoreWriter(path: string): Connection {
  try {
    return openWriter(path, 'full');
  } catch (error) {
    throw asRefusal(error);
  }
}

/** Whoever is told that a store is damaged moves it away: a lock or a missing permission must not be called that. */
function asRefusal(error: unknown): unknown {
  if (!(error instanceof Database.SqliteError) || isDiskFull(error)) return error;
  return new StoreRefused(isOutOfReach(error) ? 'unavailable' : 'unreadable', error);
}
