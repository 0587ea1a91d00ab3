import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { isDiskFull } from '../../model/failure.ts';
import { syncDirectory, syncFile } from '../atomic-file.ts';
import {
  applicationId,
  isOutOfReach,
  openReader,
  openWriter,
  type Database as Connection,
} from '../database.ts';
import { migrate, schemaVersion, type Migration } from '../migrate.ts';
import { waypointMigrations } from '../schema/waypoints.ts';

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
  const { path, companions, migrations = waypointMigrations } = options;
  const isThere = existsSync(path);
  if (isThere) rollBackJournal(path);
  if (!isThere || isBlank(path, migrations.length)) {
    const isLost = companions.some((companion) => existsSync(companion));
    if (isLost && options.acceptMissing !== true)
      throw new StoreRefused(isThere ? 'unreadable' : 'missing');
  }
  const db = openStoreWriter(path);
  try {
    migrate(db, migrations, (version) => backUpStore(db, options, version));
  } catch (error) {
    db.close();
    throw error;
  }
  return db;
}

/**
 * Undoes a transaction that a crash has cut off before the store was in WAL mode (a first start, a restored copy): readers
 * may not do that, and refuse the file until it is done.
 */
function rollBackJournal(path: string): void {
  if (!existsSync(`${path}-journal`)) return;
  let db: Connection | undefined;
  try {
    db = new Database(path, { fileMustExist: true, timeout: 0 });
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
  } catch (error) {
    throw asRefusal(error);
  } finally {
    db?.close();
  }
}

/**
 * Reads the whole store once, read-only: a damaged or a newer one must not be touched.
 * @returns true for a file without any table: a first start that was cut off, or a file that lost its content.
 */
function isBlank(path: string, newestVersion: number): boolean {
  if (statSync(path).size === 0) return true;
  let db: Connection | undefined;
  try {
    db = openReader(path);
    if (db.pragma('quick_check(1)', { simple: true }) !== 'ok')
      throw new StoreRefused('unreadable');
    if (db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0) return true;
    if (db.pragma('application_id', { simple: true }) !== applicationId)
      throw new StoreRefused('unreadable');
    if (schemaVersion(db) > newestVersion) throw new StoreRefused('newer');
    return false;
  } catch (error) {
    throw asRefusal(error);
  } finally {
    db?.close();
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

/** Copies the store into the backups directory, whole and synced before it gets its name. */
function backUpStore(
  db: Connection,
  { backupsDirectory, now }: OpenStoreOptions,
  version: number,
): void {
  mkdirSync(backupsDirectory, { recursive: true, mode: 0o700 });
  const stamp = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const target = join(backupsDirectory, `waypoints-v${version}-${stamp}.sqlite`);
  const temporary = `${target}.tmp`;
  // Left by a copy that was cut off; VACUUM INTO wants no file there.
  rmSync(temporary, { force: true });
  db.prepare('VACUUM INTO ?').run(temporary);
  syncFile(temporary);
  renameSync(temporary, target);
  syncDirectory(backupsDirectory);
}
