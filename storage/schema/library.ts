import { sql, type Insertable } from 'kysely';
import {
  belongsTo,
  columns,
  createIndex,
  createTables,
  refined,
  table,
  type TablesOf,
} from '../create-table.ts';
import type { Database } from '../database.ts';
import type { Migration } from '../migrate.ts';
import { prepare, queryBuilder } from '../prepared.ts';

/** Counts schemas of the library; a file of another one is set aside and rebuilt from `imports/`, never migrated. */
export const librarySchemaVersion = 18;

const { blob, generatedRowid, integer, numbered, optionalInteger, optionalReal } = columns;
const { optionalText, real, rowid, text, uniqueText } = columns;

/** `days.kind`: what timelines believe is less than the last. */
export const dayKinds = { trackPoint: 0, waypoint: 1, doubtful: 2 } as const;

/** What is said of some points of one UTC day, or of a line: how many they are, when and where. */
const extent = {
  points: integer,
  first_ms: integer,
  last_ms: integer,
  south_e7: integer,
  west_e7: integer,
  north_e7: integer,
  east_e7: integer,
};

/** All of `outlines` but the blobs. */
const outlineNumbers = {
  file_id: belongsTo('files'),
  day: integer,
  ...extent,
  next_ms: optionalInteger,
  next_lat_e7: integer,
  next_lon_e7: integer,
};

/**
 * `library.sqlite`: everything derived from the files below `imports/`; deleted, it is rebuilt with the same content.
 *
 * - `files`: one row for each imported content. `path` is relative to `imports/`, with `/`, NFC; `path_key` is the same
 *   case-folded where file systems fold. `format` is one of recorder-formats.ts. `size` and `mtime_ns` are those of the file there. The `id` is
 *   that of the list of imports, and their order. `missing_times` and `invalid_times` count points with usable
 *   coordinates that are no observations. `broken_at` is the byte of the damage before which all was read (null if none). `south`, `west`, `north`, `east` hold its points, in degrees (null if
 *   none). Its waypoints have `waypoints` ids from `first_waypoint` on (null if none).
 * - `waypoints`: the ids of a file ascend in file order without a gap. `name`, `lat_e6` and `lon_e6` are the identity
 *   (contract C); `fields` is JSON of the optional fields (null if none).
 * - `duplicates`: each waypoint whose identity others have as well. `shown` is 1 for the first by (`files.path` in byte
 *   order, `id`), whose `fields` are then those of all, each field from the newest import that has it; else 0.
 * - `sources`: what contents were read from, so that a source that looks unchanged need not be read again. Not derived
 *   from `imports/`, and no loss: without it sources are hashed.
 * - `days`: the timed points of one UTC day (since 1970) of one file as blobs (day-blob.ts); `kind` 0 track points, 1
 *   waypoints, 2 track points that their recorder itself does not believe: those are in no line and no timeline; `part` ascends in file order. A rowid table, because large rows make the inner nodes of others large.
 *   The rows of a file's track points, by `id`, have them in file order, but for those that
 * - `outlines`: what maps look at first: of each row of `days` with track points, by its `id`, and of each of `line_parts` with
 *   points without a time, by the negative of its `id` (then `day` and times are 0): numbers, and thinned lines for low zooms
 *   (outline.ts). `next_…` is the first point of the row after it, if that goes on with the line (null if not): the box of the row reaches there. Apart from the blobs, because all of them are looked at for one tile.
 * - `day_orders` says more about: from the row `day_id` on, so many points as its blob has (point-order.ts) are sorted by
 *   time, and the blob puts them in file order.
 * - `lines`: the tracks (`kind` 0) and routes (1) that have points, in file order; `texts` is JSON of what they are called.
 * - `line_parts`: the points of a line, by `id`. `runs` (line-runs.ts) says of each point in which segment it is, and whether
 *   it is the next timed one of the file (`days`) or the next in `points` (day-blob.ts), which have no time. `names` is a JSON object: names of route points by their place in `points`.
 * - `stated`: times that a recorder says something of: a stay at a place (`lat_e7`, `lon_e7`), or how a way was gone (`mode`).
 */
const tables = {
  meta: table({ key: text, value: text }, { key: ['key'] }),
  files: table({
    id: numbered,
    path: uniqueText,
    path_key: uniqueText,
    sha256: text,
    size: integer,
    mtime_ns: text,
    format: text,
    first_waypoint: refined(optionalInteger, (column) => column.unique()),
    waypoints: integer,
    observations: integer,
    track_points: integer,
    tracks: integer,
    route_points: integer,
    routes: integer,
    missing_times: integer,
    invalid_times: integer,
    unusable_points: integer,
    first_ms: optionalInteger,
    last_ms: optionalInteger,
    broken_at: optionalInteger,
    south: optionalReal,
    west: optionalReal,
    north: optionalReal,
    east: optionalReal,
  }),
  waypoints: table({
    id: rowid,
    file_id: integer,
    name: text,
    lat: real,
    lon: real,
    lat_e6: integer,
    lon_e6: integer,
    fields: optionalText,
  }),
  duplicates: table({ waypoint: rowid, shown: integer, fields: optionalText }),
  sources: table(
    { device: text, inode: text, size: integer, mtime_ns: text, ctime_ns: text, sha256: text },
    { key: ['device', 'inode'] },
  ),
  days: table(
    {
      id: generatedRowid,
      day: integer,
      file_id: belongsTo('files'),
      kind: integer,
      part: integer,
      ...extent,
      blob,
    },
    { unique: ['day', 'file_id', 'kind', 'part'] },
  ),
  outlines: table({
    id: rowid,
    ...outlineNumbers,
    coarse: blob,
    fine: blob,
  }),
  day_orders: table({ day_id: rowid, file_id: belongsTo('files'), blob }),
  lines: table({
    id: generatedRowid,
    file_id: belongsTo('files'),
    kind: integer,
    texts: optionalText,
  }),
  line_parts: table({
    id: generatedRowid,
    line_id: belongsTo('lines'),
    timed: integer,
    untimed: integer,
    runs: blob,
    points: blob,
    names: optionalText,
  }),
  stated: table({
    id: generatedRowid,
    file_id: belongsTo('files'),
    start_ms: integer,
    end_ms: integer,
    mode: optionalText,
    lat_e7: optionalInteger,
    lon_e7: optionalInteger,
  }),
};

export type LibraryDb = TablesOf<typeof tables>;

/** A row to write; what may be null or is counted up may be left out. */
export type NewRow<Name extends keyof LibraryDb> = Insertable<LibraryDb[Name]>;

/** Builds queries over the library. */
export const libraryTables = queryBuilder<LibraryDb>();

/** Writes whole rows of a table. */
export function prepareInsert<Name extends keyof LibraryDb>(db: Database, name: Name) {
  const names = Object.keys(tables[name].columns);
  return prepare(db, (row: NewRow<Name>) => {
    const values = names.map((of) => (row as Readonly<Record<string, unknown>>)[of]);
    return sql`
      INSERT INTO ${sql.table(name)} (${sql.join(names.map((of) => sql.ref(of)))})
        VALUES (${sql.join(values)})`;
  });
}

/** Makes an empty library; `unread` goes once all files below `imports/` have been read. */
export const librarySchema: Migration = () => [
  ...createTables(tables),
  sql`
    INSERT INTO meta VALUES ('store', lower(hex(randomblob(8)))), ('revision', '1'), ('unread', '1')`,
  createIndex('files_by_content', 'files', ['sha256']),
  createIndex('waypoints_by_identity', 'waypoints', ['lat_e6', 'lon_e6', 'name']),
  createIndex('days_by_file', 'days', ['file_id']),
  createIndex('outlines_by_file', 'outlines', ['file_id']),
  // Holds all but the blobs, in the order of the table.
  createIndex('outlines_alone', 'outlines', ['id', ...Object.keys(outlineNumbers)]),
  createIndex('day_orders_by_file', 'day_orders', ['file_id']),
  createIndex('lines_by_file', 'lines', ['file_id']),
  createIndex('line_parts_by_line', 'line_parts', ['line_id']),
  createIndex('stated_by_file', 'stated', ['file_id']),
];
