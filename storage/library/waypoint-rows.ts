import { sql } from 'kysely';
import type { RecordedWaypoint } from '../../model/recording.ts';
import { identityOf } from '../../model/identity.ts';
import { formatTime } from '../../model/time.ts';
import type { Database } from '../database.ts';
import { optionalFields } from '../more-fields.ts';
import { prepare, prepareValue } from '../prepared.ts';
import { libraryTables } from '../schema/library.ts';

/** A waypoint as an imported file has it; the name is trimmed and NFC. */
export type ImportedWaypoint = Omit<RecordedWaypoint, 'tags' | 'isImported'>;

/** Waypoints of a file, by their ids: `from`…`to` (exclusive). */
export interface RowRange {
  readonly from: number;
  readonly to: number;
}

/** Identities that one statement merges; bounds the memory. */
const mergedAtOnce = 4_096;

/**
 * Writes rows of `waypoints` and keeps `duplicates` right: {@link merge} has to be called before the changes of any number
 * of files are committed.
 */
export class WaypointRows {
  readonly #statements: ReturnType<typeof prepareStatements>;
  #fileId = 0;
  #first = 1;
  #next = 1;

  constructor(db: Database) {
    db.exec('CREATE TEMP TABLE touched (waypoint INTEGER PRIMARY KEY)');
    db.aggregate<string | null>('merge_fields', { start: null, step: mergeFields });
    this.#statements = prepareStatements(db);
  }

  /** Begins a file. */
  begin(fileId: number): void {
    this.#fileId = fileId;
    this.#first = (this.#statements.lastId.get() ?? 0) + 1;
    this.#next = this.#first;
  }

  insert(waypoint: ImportedWaypoint): void {
    const { lat, lon, timeMs } = waypoint;
    const { name, latE6, lonE6 } = identityOf(waypoint.name, lat, lon);
    const time = timeMs === undefined ? undefined : formatTime(timeMs);
    const text = JSON.stringify(optionalFields({ ...waypoint, time }));
    const fields = text === '{}' ? null : text;
    this.#statements.insert.run(this.#next, this.#fileId, name, lat, lon, latE6, lonE6, fields);
    this.#next += 1;
  }

  /** Ends a file. @returns its rows, in file order. */
  finish(): RowRange {
    const [from, to] = [this.#first, this.#next];
    this.#statements.touchAdded.run(from, to);
    return { from, to };
  }

  /** Removes the rows of a file. */
  remove({ from, to }: RowRange): void {
    const { touchOthers, removeDuplicates, remove } = this.#statements;
    touchOthers.run(from, to);
    removeDuplicates.run(from, to);
    remove.run(from, to);
  }

  /** Works `duplicates` out anew for all identities that rows were added to or removed from. */
  merge(): void {
    const { lastTouched, merge, clearTouched } = this.#statements;
    let after = 0;
    for (let last = lastTouched.get(after); last; last = lastTouched.get(after)) {
      merge.run(after, last);
      after = last;
    }
    clearTouched.run();
  }
}

/** Fields as JSON, with those of a newer import in place of older ones. */
function mergeFields(older: string | null, newer: string | null): string | null {
  if (older === null || newer === null || older === newer) return newer ?? older;
  return JSON.stringify({ ...(JSON.parse(older) as object), ...(JSON.parse(newer) as object) });
}

const isSame = sql`(w.lat_e6, w.lon_e6, w.name) = (o.lat_e6, o.lon_e6, o.name)`;

function prepareStatements(db: Database) {
  const removing = (table: 'waypoints' | 'duplicates', id: string) =>
    prepare(
      db,
      (from: number, to: number) =>
        sql`DELETE FROM ${sql.table(table)} WHERE ${sql.ref(id)} >= ${from} AND ${sql.ref(id)} < ${to}`,
    );
  return {
    lastId: prepareValue(db, () =>
      libraryTables.selectFrom('waypoints').select((eb) => eb.fn.max('id').as('id')),
    ),
    insert: prepare(
      db,
      (
        id: number,
        file_id: number,
        name: string,
        lat: number,
        lon: number,
        lat_e6: number,
        lon_e6: number,
        fields: string | null,
      ) =>
        libraryTables
          .insertInto('waypoints')
          .values({ id, file_id, name, lat, lon, lat_e6, lon_e6, fields }),
    ),
    remove: removing('waypoints', 'id'),
    removeDuplicates: removing('duplicates', 'waypoint'),
    ...prepareTouching(db),
    merge: prepareMerge(db),
  };
}

/**
 * Note which identities have to be merged, each by its lowest id. `LIMIT -1` keeps SQLite from evaluating `first` once more
 * for the condition.
 */
function prepareTouching(db: Database) {
  return {
    touchAdded: prepare(
      db,
      (from: number, to: number) => sql`
        INSERT OR IGNORE INTO touched SELECT first FROM (
          SELECT w.id, (SELECT o.id FROM waypoints o WHERE ${isSame} ORDER BY o.id LIMIT 1) AS first
          FROM waypoints w WHERE w.id >= ${from} AND w.id < ${to} LIMIT -1)
        WHERE first < id`,
    ),
    touchOthers: prepare(
      db,
      (from: number, to: number) => sql`
        INSERT OR IGNORE INTO touched SELECT first FROM (
          SELECT coalesce(
            (SELECT o.id FROM waypoints o WHERE ${isSame} AND o.id < ${from} ORDER BY o.id LIMIT 1),
            (SELECT o.id FROM waypoints o WHERE ${isSame} AND o.id >= ${to} ORDER BY o.id LIMIT 1)
          ) AS first
          FROM waypoints w WHERE w.id >= ${from} AND w.id < ${to} LIMIT -1)
        WHERE first IS NOT NULL`,
    ),
    clearTouched: prepare(db, () => sql`DELETE FROM touched`),
    lastTouched: prepareValue(
      db,
      (after: number) => sql<{ last: number | null }>`
        SELECT max(waypoint) AS last FROM (SELECT waypoint FROM touched WHERE waypoint > ${after}
          ORDER BY waypoint LIMIT ${sql.lit(mergedAtOnce)})`,
    ),
  };
}

/** The first by path and position is shown, with the fields of all; where only one is left, with its own. */
function prepareMerge(db: Database) {
  return prepare(
    db,
    (after: number, last: number) => sql`
      INSERT OR REPLACE INTO duplicates (waypoint, shown, fields)
      SELECT id.value, id.key = 0, iif(id.key = 0, same.fields, NULL)
      FROM (
        SELECT json_group_array(w.id ORDER BY f.path, w.id) AS ids,
          merge_fields(w.fields ORDER BY f.id, w.id DESC) AS fields
        FROM touched t CROSS JOIN waypoints o CROSS JOIN waypoints w CROSS JOIN files f
        WHERE t.waypoint > ${after} AND t.waypoint <= ${last} AND o.id = t.waypoint AND ${isSame}
          AND f.id = w.file_id
        GROUP BY t.waypoint) same CROSS JOIN json_each(same.ids) id`,
  );
}
