import type { IdentityKey, NeighbourKeys } from '../model/identity.ts';
import type { Place } from '../model/waypoint.ts';
import type { Database } from './database.ts';
import { prepare } from './prepared.ts';
import { findNearest, identityColumns, isNeighbour } from './schema/identity-columns.ts';
import { hiddenBy, joinedTables, waypointsOf } from './schema/joined.ts';

/** Looks up imported waypoints through a joined reader. */
export type TwinLookup = ReturnType<typeof prepareTwins>;

export function prepareTwins(joined: Database) {
  const imported = joinedTables.selectFrom(waypointsOf.waypoint);
  const exact = prepare(joined, (key: IdentityKey) =>
    imported.select('w.id').where((eb) => eb.and(identityColumns(key))),
  );
  // By position, so that the same one wins among equals each time.
  const near = prepare(joined, (keys: NeighbourKeys, lonE6: NeighbourKeys['lonE6']) =>
    imported
      .select(['w.name', 'w.lat', 'w.lon'])
      .where(isNeighbour(keys, lonE6))
      .where((eb) => eb.not(eb.exists(hiddenBy())))
      .orderBy('w.lat_e6')
      .orderBy('w.lon_e6'),
  );
  return {
    /** The imported waypoint of a place that is not hidden, by its key or the nearest neighbouring one. */
    find: (place: Place): Place | undefined => findNearest(place, near),
    /** Whether an imported waypoint of this identity exists, hidden or not. */
    exists: (key: IdentityKey) => exact.get(key) !== undefined,
  };
}
