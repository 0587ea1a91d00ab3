import { queryBuilder } from './prepared.ts';
import type { LibraryDb } from './library/schema.ts';
import type { WaypointsDb } from './waypoints/schema.ts';

/** The user's store with the library attached as `library`. */
export type JoinedDb = WaypointsDb & {
  [Table in keyof LibraryDb as `library.${Table}`]: LibraryDb[Table];
};

/** Builds queries over both. */
export const joinedTables = queryBuilder<JoinedDb>();
