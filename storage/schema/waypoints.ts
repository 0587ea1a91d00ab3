import { sql, type Selectable } from 'kysely';
import {
  belongsTo,
  columns,
  createIndex,
  createTables,
  refined,
  table,
  type TablesOf,
} from '../create-table.ts';
import type { Migration } from '../migrate.ts';
import { queryBuilder } from '../prepared.ts';
import {
  followedImports,
  importsSchema,
  undoingRuns,
  undoneImports,
  type importTables,
} from './imports.ts';

const { integer, numbered, optionalInteger, optionalReal, optionalText, real, text, uniqueText } =
  columns;

/** The identity of a waypoint (contract C), indexed wherever it is looked for. */
const identity = { name: text, lat_e6: integer, lon_e6: integer };
const identityKey = ['name', 'lat_e6', 'lon_e6'] as const;

/** Tables of the first version. */
const firstTables = {
  meta: table({ key: text, value: text }, { key: ['key'] }),
  bookmarks: table(
    {
      id: numbered,
      name: text,
      lat: refined(real, (column) => column.check(sql`lat BETWEEN -90 AND 90`)),
      lon: refined(real, (column) => column.check(sql`lon BETWEEN -180 AND 180`)),
      lat_e6: integer,
      lon_e6: integer,
      ele: optionalReal,
      time: optionalText,
      desc: optionalText,
    },
    { unique: identityKey },
  ),
  // Tags belong to an identity, not to a row: imported waypoints have them too, and keep them over re-imports.
  tags: table(
    { id: numbered, ...identity, raw: text, normal: text, enriched: text },
    { unique: [...identityKey, 'normal'] },
  ),
  // How often each spelling is used, kept by triggers: counting 100,000 tags at each question would stop the daemon.
  tag_spellings: table(
    { normal: text, raw: text, enriched: text, uses: integer, first_id: integer },
    { key: ['normal', 'raw'] },
  ),
  hidden: table(
    { ...identity, bookmark_id: belongsTo('bookmarks') },
    { key: [...identityKey, 'bookmark_id'] },
  ),
  history: table({ id: numbered, query: uniqueText, lat: optionalReal, lon: optionalReal }),
};

const changeColumns = {
  id: numbered,
  at: integer,
  kind: text,
  revision: integer,
  count: integer,
  undoes: optionalInteger,
  undone_by: optionalInteger,
};

/** `waypoints.sqlite`: what the user made and cannot record again. Times are ISO 8601 UTC text, but for `changes.at`. */
const tables = {
  ...firstTables,
  // `more` has the optional fields without a column (more-fields.ts): a JSON object, null without any.
  bookmarks: table(
    { ...firstTables.bookmarks.columns, more: optionalText },
    { unique: identityKey },
  ),
  // Imported waypoints that do not show: the user hid them (bookmark 0), or the bookmark over them was renamed or moved away;
  // then they show again when the bookmark goes. `tags` is a JSON array of the raw tags they had.
  hidden: table(
    { id: numbered, ...identity, bookmark_id: integer, lat: real, lon: real, tags: text },
    { unique: [...identityKey, 'bookmark_id'] },
  ),
  // When each bookmark was changed last, by the id that bookmarks files know it by (waypoints/stamps.ts); deleted ones
  // stay for a while. `changed` is in ms since 1970.
  bookmark_stamps: table(
    {
      uuid: text,
      bookmark_id: refined(optionalInteger, (column) => column.unique()),
      changed: integer,
      revision: integer,
      is_deleted: integer,
    },
    { key: ['uuid'] },
  ),
  // What the user says of a span of time, against what timelines find there; times are in ms since 1970.
  corrections: table({
    id: numbered,
    kind: text,
    start_ms: integer,
    end_ms: integer,
    mode: optionalText,
    lat: optionalReal,
    lon: optionalReal,
  }),
  // What the user changed. `revision` is that of `meta` after the change; `at` is in ms since 1970. `details` is JSON: the
  // rows before and after (waypoints/journal.ts), or what a change of the library needs to be taken back; the last column, so
  // that lists need not read it.
  changes: table({ ...changeColumns, details: text }),
};

export type WaypointsDb = TablesOf<typeof tables & typeof importTables>;
export type BookmarkRow = Omit<Selectable<WaypointsDb['bookmarks']>, 'lat_e6' | 'lon_e6'>;

/** Builds queries over the user's store. */
export const waypointTables = queryBuilder<WaypointsDb>();

const firstSchema: Migration = () => [
  ...createTables(firstTables),
  sql`INSERT INTO meta VALUES ('store', lower(hex(randomblob(8)))), ('revision', '1')`,
  createIndex('tags_by_normal', 'tags', ['normal', ...identityKey]),
  createIndex('hidden_by_bookmark', 'hidden', ['bookmark_id']),
  sql`
    CREATE TRIGGER tag_added AFTER INSERT ON tags BEGIN
      INSERT INTO tag_spellings VALUES (new.normal, new.raw, new.enriched, 1, new.id)
        ON CONFLICT (normal, raw) DO UPDATE SET uses = uses + 1;
    END`,
  sql`
    CREATE TRIGGER tag_removed AFTER DELETE ON tags BEGIN
      UPDATE tag_spellings SET uses = uses - 1 WHERE normal = old.normal AND raw = old.raw;
      DELETE FROM tag_spellings WHERE normal = old.normal AND raw = old.raw AND uses = 0;
    END`,
];

const journal: Migration = () => [
  sql`ALTER TABLE hidden RENAME TO hidden_before`,
  ...createTables({
    hidden: tables.hidden,
    changes: table({ ...changeColumns, finished: integer, details: text }),
  }),
  sql`
    INSERT INTO hidden (name, lat_e6, lon_e6, bookmark_id, lat, lon, tags)
      SELECT name, lat_e6, lon_e6, bookmark_id, lat_e6 / 1e6, lon_e6 / 1e6, '[]' FROM hidden_before`,
  sql`DROP TABLE hidden_before`,
  createIndex('hidden_by_bookmark', 'hidden', ['bookmark_id']),
  sql`
    CREATE TRIGGER tag_spelled AFTER UPDATE OF raw, enriched ON tags WHEN new.enriched <> old.enriched BEGIN
      UPDATE tag_spellings SET uses = uses - 1 WHERE normal = old.normal AND raw = old.raw;
      DELETE FROM tag_spellings WHERE normal = old.normal AND raw = old.raw AND uses = 0;
      INSERT INTO tag_spellings VALUES (new.normal, new.raw, new.enriched, 1, new.id)
        ON CONFLICT (normal, raw) DO UPDATE SET uses = uses + 1;
    END`,
];

const moreFields: Migration = () => [sql`ALTER TABLE bookmarks ADD COLUMN more TEXT`];

/** The rows of all parts from a change on, up to another one. */
const rowsOfParts = (first: string, end: string) =>
  sql.raw(`(
  SELECT json_group_array(json(value)) FROM (
    SELECT r.value FROM changes AS p, json_each(p.details) AS r
      WHERE p.finished = 0 AND p.id >= ${first} AND p.id <= ${end} ORDER BY p.id, r.key))`);

/**
 * Changes of many rows were written in parts (`finished` 0) before the row of the change itself, whose details named the first
 * part. One that a crash has cut off ends where it was.
 */
const wholeChanges: Migration = () => [
  sql`
    UPDATE changes SET details = iif(
      EXISTS (SELECT 1 FROM changes AS p WHERE p.id = changes.details ->> 'parts'),
      ${rowsOfParts("changes.details ->> 'parts'", 'changes.id')}, '[]')
      WHERE details LIKE '{"parts"%'`,
  sql`
    UPDATE changes SET finished = 1,
      (count, undoes, details) = (
        SELECT open.value ->> 'count', open.value ->> 'mends',
          ${rowsOfParts("(open.value ->> 'first')", 'changes.id')}
          FROM meta AS open WHERE open.key = 'open_change')
      WHERE id = (
        SELECT max(p.id) FROM changes AS p JOIN meta AS open ON open.key = 'open_change'
          WHERE p.finished = 0 AND p.id >= nullif(open.value, '') ->> 'first')`,
  sql`
    UPDATE changes SET undone_by = u.id FROM changes AS u
      WHERE u.undoes = changes.id AND u.finished = 1 AND changes.undone_by IS NULL
        AND changes.id = (
          SELECT nullif(value, '') ->> 'mends' FROM meta WHERE key = 'open_change')`,
  sql`DELETE FROM changes WHERE finished = 0`,
  sql`DELETE FROM meta WHERE key = 'open_change'`,
  sql`ALTER TABLE changes DROP COLUMN finished`,
];

const bookmarkStamps: Migration = () => createTables({ bookmark_stamps: tables.bookmark_stamps });

const corrections: Migration = () => createTables({ corrections: tables.corrections });

/** The steps of the schema, oldest first; what a released one makes is never changed. */
export const waypointMigrations: readonly Migration[] = [
  firstSchema,
  journal,
  importsSchema,
  moreFields,
  undoingRuns,
  undoneImports,
  wholeChanges,
  followedImports,
  bookmarkStamps,
  corrections,
];
