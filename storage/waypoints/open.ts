import { randomBytes } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { closing } from '../../model/closing.ts';
import { isOutOfReach } from '../../model/error-code.ts';
import { isDiskFull } from '../../model/failure.ts';
import { enrichTag } from '../../model/tag.ts';
import { stampOf } from '../../model/time.ts';
import { syncDirectory, syncFile } from '../atomic-file.ts';
import { countTables, openWriter, orClosed, type Database as Connection } from '../database.ts';
import {
  bytesOf,
  firstPageBytes,
  hasHotJournal,
  inspectDatabase,
  type DatabaseReport,
} from '../inspect-database.ts';
import { migrate, type Migration } from '../migrate.ts';
import { firstBytes } from '../open-file.ts';
import { prepare } from '../prepared.ts';
import { createPrivateDirectory } from '../private-directory.ts';
import { waypointMigrations, waypointTables } from '../schema/waypoints.ts';
import { removeHistory } from './history.ts';
import { prepareMeta } from './meta.ts';
import { prepareTags } from './tags.ts';

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

/** Renaming the tag of 100,000 waypoints writes 25 MB of pages: with 4 MB to keep them, most are written several times. */
const writerCacheKb = 16_384;

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
  if (isThere) rollBack(path, backupsDirectory);
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
 * Has SQLite undo a transaction that a crash has cut off before the store was in WAL mode (a first start, a restored copy):
 * a reader cannot.
 */
function rollBack(path: string, backupsDirectory: string): void {
  if (!hasHotJournal(path)) return;
  // The two never belong together, nor does the journal of an earlier file with a store that was put back since.
  if (bytesOf(`${path}-wal`) > 0 || isOfAnotherFile(path)) throw new StoreRefused('unreadable');
  keepAsFound(path, backupsDirectory);
  try {
    using db = closing(new Database(path, { fileMustExist: true, timeout: 0 }));
    countTables(db);
  } catch (error) {
    throw asRefusal(error);
  }
}

/** Copies a store and its journal, once for each journal, in place of the copy of an earlier one. */
function keepAsFound(path: string, backupsDirectory: string): void {
  createPrivateDirectory(backupsDirectory);
  const name = `waypoints-cut-off-${stampOf(statSync(`${path}-journal`).mtimeMs)}`;
  const copy = join(backupsDirectory, name);
  // Copied last: a roll-back that was cut off as well has changed the store since.
  if (existsSync(`${copy}-journal`)) return;
  for (const end of ['', '-journal']) {
    copyFileSync(path + end, copy + end);
    chmodSync(copy + end, 0o600);
    syncFile(copy + end);
  }
  for (const other of readdirSync(backupsDirectory))
    if (other.startsWith('waypoints-cut-off-') && !other.startsWith(name))
      rmSync(join(backupsDirectory, other));
  syncDirectory(backupsDirectory);
}

/** Whether the transaction of a journal began with a database of another size. */
function isOfAnotherFile(path: string): boolean {
  // Smaller is all that a first start writes.
  if (bytesOf(path) <= firstPageBytes) return false;
  // The number of pages, as SQLite's file format has it in both.
  const [journal, store] = [firstBytes(`${path}-journal`, 20), firstBytes(path, 32)];
  return journal.length < 20 || journal.readUInt32BE(16) !== store.readUInt32BE(28);
}

/**
 * Reads the whole store once: a damaged or a newer one must not be touched.
 * @returns true for a file without any table: a first start that was cut off, or a file that lost its content.
 * @throws StoreRefused
 */
function isBlank(path: string, newestVersion: number): boolean {
  const report = inspectDatabase(path, { isHeld: true, isThorough: false, keys: [] });
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
    const db = openWriter(path, 'full');
    db.pragma(`cache_size = -${writerCacheKb}`);
    return db;
  } catch (error) {
    throw asRefusal(error);
  }
}

/** Does not report locks or permissions as damage: users move damaged stores away. */
function asRefusal(error: unknown): unknown {
  if (!(error instanceof Database.SqliteError) || isDiskFull(error)) return error;
  return new StoreRefused(isOutOfReach(error) ? 'unavailable' : 'unreadable', error);
}

/** Brings stored tags in line with the table of known words and symbols, which a newer version may have more of. */
function respellTags(db: Connection): void {
  const spellings = prepare(db, () =>
    waypointTables.selectFrom('tag_spellings').select(['normal', 'raw', 'enriched']),
  );
  const stale = spellings
    .all()
    .filter(({ raw, enriched }) => JSON.stringify(enrichTag(raw)) !== enriched);
  if (stale.length === 0) return;
  const tags = prepareTags(db, () => undefined);
  db.transaction(() => {
    for (const { normal, raw } of stale)
      for (const row of tags.spelled(normal)) {
        if (row.raw !== raw) continue;
        const form = enrichTag(raw).normal;
        const isThere = tags.list(row).some((tag) => tag.normal === form && tag.raw !== raw);
        if (isThere) tags.remove(row);
        else tags.update(row, row);
      }
  }).immediate();
}

/**
 * Gives a copied or restored store an id of its own: its later revisions are not those that bookmarks files of the first
 * one name. A file is known by its inode and its time of birth.
 */
function nameStore(db: Connection): void {
  const meta = prepareMeta(db);
  const { ino, birthtimeNs } = statSync(db.name, { bigint: true });
  const file = `${ino} ${birthtimeNs}`;
  if (meta.get('file') === file) return;
  db.transaction(() => {
    meta.set('store', randomBytes(8).toString('hex'));
    meta.set('file', file);
  }).immediate();
}
