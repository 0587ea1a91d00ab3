import type { Buffer } from 'node:buffer';
import { sql, type Generated } from 'kysely';
import { belongsTo, columns, createIndex, createTable, refined } from '../create-table.ts';
import type { IdentityColumns } from '../identity-columns.ts';
import type { Migration } from '../migrate.ts';
import { queryBuilder } from '../prepared.ts';

/** Counts schemas of the library; a file of another one is set aside and rebuilt from `imports/`, never migrated. */
export const librarySchemaVersion = 3;

/** `library.sqlite`: everything derived from the files below `imports/`; deleted, it is rebuilt with the same content. */
export interface LibraryDb {
  /** `unread` goes once all files below `imports/` have been read. */
  meta: { key: string; value: string };
  /** One row for each imported content. An `id` is never used again: other content of the same path is another id. */
  files: {
    id: Generated<number>;
    /** Relative to `imports/`, with `/`, NFC. */
    path: string;
    /** The same, case-folded where file systems fold. */
    path_key: string;
    sha256: string;
    /** Of the file there, as `mtime_ns`. */
    size: number;
    mtime_ns: string;
    /** Its waypoints have `waypoints` ids from here on; null if none. */
    first_waypoint: number | null;
    waypoints: number;
    observations: number;
    /** Points with usable coordinates that are no observations, as `invalid_times`. */
    missing_times: number;
    invalid_times: number;
    unusable_points: number;
    first_ms: number | null;
    last_ms: number | null;
  };
  /** The ids of a file ascend in file order without a gap. */
  waypoints: IdentityColumns & {
    id: number;
    lat: number;
    lon: number;
    ele: number | null;
    time: string | null;
    desc: string | null;
    /** 1 for the first row of each identity by (`files.path` in byte order, `id`), else 0. */
    shown: number;
  };
  /** For each hash of an identity (identity-hash.ts) a waypoint that is shown. */
  identities: { hash: number; waypoint: number };
  /**
   * All others of a hash that is there, so hidden twins and what merely shares a hash; `shown` is that of the waypoint.
   * Two tables instead of one: the first refuses a second row of a hash while it is inserted, at no extra cost.
   */
  further_identities: { hash: number; shown: number; waypoint: number };
  /**
   * What contents were read from, so that a source that looks unchanged need not be read again. Not derived from `imports/`,
   * and no loss: without it sources are hashed.
   */
  sources: {
    device: string;
    inode: string;
    size: number;
    mtime_ns: string;
    ctime_ns: string;
    sha256: string;
  };
  /** The timed points of one UTC day (since 1970) of one file. A rowid table, because large rows make the inner nodes of others large. */
  days: {
    id: Generated<number>;
    day: number;
    file_id: number;
    /** 0 track points, 1 waypoints. */
    kind: number;
    /** Ascends in file order. */
    part: number;
    points: number;
    first_ms: number;
    last_ms: number;
    south_e7: number;
    west_e7: number;
    north_e7: number;
    east_e7: number;
    /** As day-blob.ts encodes it. */
    blob: Buffer;
  };
}

/** Builds queries over the library. */
export const libraryTables = queryBuilder<LibraryDb>();

const { blob, integer, numbered, optionalInteger, optionalReal, optionalText } = columns;
const { real, rowid, text, uniqueText } = columns;

/** Makes an empty library. */
export const librarySchema: Migration = () => [
  ...fileTables(),
  ...waypointTables(),
  ...dayTables(),
];

const fileTables: Migration = () => [
  createTable('meta', { key: text, value: text }, { key: ['key'] }),
  sql`
    INSERT INTO meta VALUES ('store', lower(hex(randomblob(8)))), ('revision', '1'), ('unread', '1'),
      ('seed', random() & 0xffffffff)`,
  createTable('files', {
    id: numbered,
    path: uniqueText,
    path_key: uniqueText,
    sha256: text,
    size: integer,
    mtime_ns: text,
    first_waypoint: refined(optionalInteger, (column) => column.unique()),
    waypoints: integer,
    observations: integer,
    missing_times: integer,
    invalid_times: integer,
    unusable_points: integer,
    first_ms: optionalInteger,
    last_ms: optionalInteger,
  }),
  createIndex('files_by_content', 'files', ['sha256']),
  createTable(
    'sources',
    { device: text, inode: text, size: integer, mtime_ns: text, ctime_ns: text, sha256: text },
    { key: ['device', 'inode'] },
  ),
];

const waypointTables: Migration = () => [
  createTable('waypoints', {
    id: rowid,
    name: text,
    lat: real,
    lon: real,
    lat_e6: integer,
    lon_e6: integer,
    ele: optionalReal,
    time: optionalText,
    desc: optionalText,
    shown: integer,
  }),
  // To count them: few, and a row costs little while it is not among them.
  sql`CREATE INDEX waypoints_not_shown ON waypoints (id) WHERE shown = 0`,
  createTable('identities', { hash: rowid, waypoint: integer }),
  createTable(
    'further_identities',
    { hash: integer, shown: integer, waypoint: integer },
    { key: ['hash', 'shown', 'waypoint'] },
  ),
];

const dayTables: Migration = () => [
  createTable(
    'days',
    {
      id: rowid,
      day: integer,
      file_id: belongsTo('files'),
      kind: integer,
      part: integer,
      points: integer,
      first_ms: integer,
      last_ms: integer,
      south_e7: integer,
      west_e7: integer,
      north_e7: integer,
      east_e7: integer,
      blob,
    },
    { unique: ['day', 'file_id', 'kind', 'part'] },
  ),
  createIndex('days_by_file', 'days', ['file_id']),
];
