import { randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { closing } from '../../model/closing.ts';
import { isOutOfReach } from '../../model/error-code.ts';
import { isDiskFull } from '../../model/failure.ts';
import { enrichTag } from '../../model/tag.ts';
import {
  countTables,
  openReader,
  openWriter,
  orClosed,
  ownerOf,
  type Database as Connection,
} from '../database.ts';
import { bytesOf, firstBytes, firstPageBytes, hasHotJournal } from '../hot-journal.ts';
import { migrate, schemaVersion, type Migration } from '../migrate.ts';
import { prepare } from '../prepared.ts';
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
  if (isThere) rollBack(path);
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
function rollBack(path: string): void {
  if (!hasHotJournal(path)) return;
  // The two never belong together, nor does the journal of an earlier file with a store that was put back since.
  if (bytesOf(`${path}-wal`) > 0 || isOfAnotherFile(path)) throw new StoreRefused('unreadable');
  try {
    using db = closing(new Database(path, { fileMustExist: true, timeout: 0 }));
    countTables(db);
  } catch (error) {
    throw asRefusal(error);
  }
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
