import type { RecordedWaypoint } from '../../model/recording.ts';
import { identityOf } from '../../model/identity.ts';
import { formatTime } from '../../model/time.ts';
import type { Database } from '../database.ts';
import { toIdentityKey } from '../schema/identity-columns.ts';
import { prepare, prepareValue } from '../prepared.ts';
import { HashedRows } from './hashed-rows.ts';
import { moreText } from '../more-fields.ts';
import { identityHash, readHashSeed } from './identity-hash.ts';
import { prepareIdentityRows, type IdentityRows } from './identity-rows.ts';
import type { Newcomer, RowRange } from './identity-statements.ts';
import { InsertRows } from './insert-rows.ts';
import { libraryTables } from '../schema/library.ts';

/** A waypoint as an imported file has it; the name is trimmed and NFC. */
export type ImportedWaypoint = Omit<RecordedWaypoint, 'tags' | 'isImported'>;

/** Rows that are read at once; bounds the memory. */
const pageRows = 1_024;

/** Writes rows of `waypoints` and keeps `shown` right. */
export class WaypointRows {
  readonly #rows: InsertRows;
  readonly #identities: IdentityRows;
  readonly #hashed = new HashedRows();
  readonly #seed: number;
  readonly #statements: ReturnType<typeof prepareStatements>;
  #newcomer: Newcomer = newcomerOf('', 0, nothing);
  #next = 0;

  constructor(db: Database) {
    this.#rows = new InsertRows(db, rowColumns);
    this.#identities = prepareIdentityRows(db);
    this.#seed = readHashSeed(db);
    this.#statements = prepareStatements(db);
  }

  /**
   * Begins a file; what was not finished before is forgotten.
   * @param leaving the rows that it replaces: {@link finish} removes them.
   * @returns the id of its first row.
   */
  begin(path: string, leaving: RowRange = nothing): number {
    this.#rows.clear();
    this.#next = (this.#statements.lastId.get() ?? 0) + 1;
    this.#newcomer = newcomerOf(path, this.#next, leaving);
    this.#hashed.clear(this.#next);
    return this.#next;
  }

  insert(waypoint: ImportedWaypoint): void {
    const { name, lat, lon, ele, timeMs, desc } = waypoint;
    const key = identityOf(name, lat, lon);
    const rows = this.#rows;
    rows.put(key.name);
    rows.put(lat);
    rows.put(lon);
    rows.put(key.latE6);
    rows.put(key.lonE6);
    rows.put(ele ?? null);
    rows.put(timeMs === undefined ? null : formatTime(timeMs));
    rows.put(desc ?? null);
    rows.put(hasMore(waypoint) ? moreText(waypoint) : null);
    this.#hashed.add(identityHash(key, this.#seed), this.#next);
    this.#next += 1;
    if (this.#hashed.isFull) this.#settle();
  }

  /** Ends a file. @returns the ids of its rows, which are in file order. */
  finish(): RowRange {
    this.#settle();
    const { first, leavingFrom, leavingTo, isSucceeded } = this.#newcomer;
    this.remove({ from: leavingFrom, to: leavingTo }, isSucceeded);
    return { from: first, to: this.#next };
  }

  /** Removes the rows of a file; twins in other files show instead of those that were not succeeded. */
  remove(file: RowRange, isSucceeded?: Uint8Array): void {
    const { keys, remove, removeMerged } = this.#statements;
    this.#hashed.clear(file.from);
    for (let from = file.from; from < file.to; from += pageRows) {
      for (const row of keys.all(from, Math.min(from + pageRows, file.to)))
        if (isSucceeded?.[row.id - file.from] !== 1)
          this.#hashed.add(identityHash(toIdentityKey(row), this.#seed), row.id);
      if (!this.#hashed.isFull) continue;
      this.#identities.remove(this.#hashed, file);
      this.#hashed.clear(from + pageRows);
    }
    this.#identities.remove(this.#hashed, file);
    remove.run(file.from, file.to);
    removeMerged.run(file.from, file.to);
  }

  /** Ends changes of any number of files, before they are committed. */
  mergeTwins(): void {
    this.#identities.merge();
  }

  #settle(): void {
    this.#rows.flush();
    this.#identities.add(this.#hashed, this.#newcomer);
    this.#hashed.clear(this.#next);
  }
}

const nothing: RowRange = { from: 0, to: 0 };

function newcomerOf(path: string, first: number, leaving: RowRange): Newcomer {
  const { from, to } = leaving;
  const isSucceeded = new Uint8Array(to - from);
  return { path, first, leavingFrom: from, leavingTo: to, isSucceeded };
}

function hasMore({ sym, type, cmt, src, links }: ImportedWaypoint): boolean {
  const more = sym ?? type ?? cmt ?? src ?? links;
  return more !== undefined;
}

/** In the order in which {@link WaypointRows.insert} puts them. SQLite gives the ids, each one more than the last. */
const rowColumns = [
  'name',
  'lat',
  'lon',
  'lat_e6',
  'lon_e6',
  'ele',
  'time',
  'desc',
  'more',
] as const;

function prepareStatements(db: Database) {
  const rows = libraryTables.selectFrom('waypoints');
  return {
    lastId: prepareValue(db, () => rows.select((eb) => eb.fn.max('id').as('id'))),
    keys: prepare(db, (from: number, to: number) =>
      rows
        .select(['id', 'name', 'lat_e6', 'lon_e6'])
        .where('id', '>=', from)
        .where('id', '<', to)
        .orderBy('id'),
    ),
    removeMerged: prepare(db, (from: number, to: number) =>
      libraryTables
        .deleteFrom('twin_fields')
        .where('waypoint', '>=', from)
        .where('waypoint', '<', to),
    ),
    remove: prepare(db, (from: number, to: number) =>
      libraryTables.deleteFrom('waypoints').where('id', '>=', from).where('id', '<', to),
    ),
  };
}
