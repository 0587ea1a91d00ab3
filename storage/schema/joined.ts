import { sql } from 'kysely';
import { sameIdentity, type IdentityColumns } from './identity-columns.ts';
import type { LibraryDb } from './library.ts';
import { queryBuilder } from '../prepared.ts';
import type { WaypointsDb } from './waypoints.ts';

/** The user's store with the library attached as `library`. */
export type JoinedDb = WaypointsDb & {
  [Table in keyof LibraryDb as `library.${Table}`]: LibraryDb[Table];
};

/** Builds queries over both. */
export const joinedTables = queryBuilder<JoinedDb>();

/** The columns that bookmarks and imported waypoints share; `fields` is JSON of the optional ones. */
export interface Listed extends IdentityColumns {
  id: number;
  lat: number;
  lon: number;
  fields: string | null;
}

/** Both kinds of waypoints as `w`, for queries that differ in nothing else; of imported ones each identity once. */
export const waypointsOf = {
  bookmark: sql<Listed>`(
    SELECT id, name, lat, lon, lat_e6, lon_e6, nullif(json_patch(coalesce(more, '{}'),
      json_object('ele', ele, 'time', time, 'desc', desc)), '{}') AS fields
    FROM bookmarks)`.as('w'),
  waypoint: sql<Listed>`(
    SELECT t.id, t.name, t.lat, t.lon, t.lat_e6, t.lon_e6, coalesce(d.fields, t.fields) AS fields
    FROM library.waypoints t LEFT JOIN library.duplicates d ON d.waypoint = t.id
    WHERE d.shown IS NOT 0)`.as('w'),
};

/** Builds queries within one that has a waypoint as `w`. */
const within = queryBuilder<JoinedDb & { w: IdentityColumns }>();

/** The bookmark that an imported waypoint `w` is shown as. */
export function bookmarkOver() {
  return within.selectFrom('bookmarks as o').select('o.id').where(sameIdentity('o', 'w'));
}

/** Rows that hide an imported waypoint `w`. */
export function hiddenBy() {
  return within.selectFrom('hidden as o').select('o.bookmark_id').where(sameIdentity('o', 'w'));
}

/** The tags of a waypoint `w`, as `t`. */
export function tagsOf() {
  return within.selectFrom('tags as t').where(sameIdentity('t', 'w'));
}
