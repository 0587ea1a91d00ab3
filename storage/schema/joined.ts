import { sql, type Expression, type Selectable } from 'kysely';
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

/** What bookmarks and imported waypoints have in common. */
export type Listed = Selectable<JoinedDb['bookmarks']>;

/** Both kinds of waypoints as `w`, for queries that differ in nothing else. */
export const waypointsOf = {
  bookmark: sql<Listed>`bookmarks`.as('w'),
  /** With what its twins say. */
  waypoint: sql<Listed & Pick<JoinedDb['library.waypoints'], 'shown'>>`(
    SELECT t.id, t.name, t.lat, t.lon, t.lat_e6, t.lon_e6, t.shown, coalesce(f.ele, t.ele) AS ele,
      coalesce(f.time, t.time) AS time, coalesce(f.desc, t.desc) AS desc,
      coalesce(f.more, t.more) AS more
    FROM library.waypoints t LEFT JOIN library.twin_fields f ON f.waypoint = t.id)`.as('w'),
};

/** Builds queries within one that has a waypoint as `w`. */
const within = queryBuilder<JoinedDb & { w: IdentityColumns }>();

/** The bookmark that an imported waypoint `w` is shown as. */
export function bookmarkOver() {
  return within.selectFrom('bookmarks as o').select('o.id').where(sameIdentity('o', 'w'));
}

/** What hides an imported waypoint `w`. */
export function hiddenBy() {
  return within.selectFrom('hidden as o').select('o.bookmark_id').where(sameIdentity('o', 'w'));
}

/** The tags of a waypoint `w`, as `t`. */
export function tagsOf() {
  return within.selectFrom('tags as t').where(sameIdentity('t', 'w'));
}

/** The ids of the imported waypoints of a hash that are shown. */
export function shownOf(hash: number | Expression<number>) {
  return joinedTables
    .selectFrom('library.identities')
    .select('waypoint')
    .where('hash', '=', hash)
    .unionAll(
      joinedTables
        .selectFrom('library.further_identities')
        .select('waypoint')
        .where('hash', '=', hash)
        .where('shown', '=', 1),
    );
}
