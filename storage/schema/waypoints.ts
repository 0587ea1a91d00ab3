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

const { integer, numbered, optionalReal, optionalText, real, text, uniqueText } = columns;

/** The identity of a waypoint (contract C), indexed wherever it is looked for. */
const identity = { name: text, lat_e6: integer, lon_e6: integer };
const identityKey = ['name', 'lat_e6', 'lon_e6'] as const;

/** `waypoints.sqlite`: what the user made and cannot record again. Times are ISO 8601 UTC text. */
const tables = {
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
  // Imported twins of bookmarks that were renamed or moved away from them; they show again when the bookmark goes.
  hidden: table(
    { ...identity, bookmark_id: belongsTo('bookmarks') },
    { key: [...identityKey, 'bookmark_id'] },
  ),
  history: table({ id: numbered, query: uniqueText, lat: optionalReal, lon: optionalReal }),
};

export type WaypointsDb = TablesOf<typeof tables>;
export type BookmarkRow = Omit<Selectable<WaypointsDb['bookmarks']>, 'lat_e6' | 'lon_e6'>;

/** Builds queries over the user's store. */
export const waypointTables = queryBuilder<WaypointsDb>();

const firstSchema: Migration = () => [
  ...createTables(tables),
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

/** The steps of the schema, oldest first; what a released one makes is never changed. */
export const waypointMigrations: readonly Migration[] = [firstSchema];
