import type { IdentityKey } from '../model/identity.ts';
import type { Place } from '../model/waypoint.ts';
import type { Database } from './database.ts';
import { prepareIdentityLookup } from './identity-lookup.ts';

/** Looks up imported waypoints through a joined reader. */
export interface TwinLookup {
  /** The imported waypoint of a place that is not hidden, by its key or the nearest neighbouring one. */
  find(place: Place): Place | undefined;
  /** Whether an imported waypoint of this identity exists, hidden or not. */
  exists(key: IdentityKey): boolean;
}

export function prepareTwins(joined: Database): TwinLookup {
  const lookup = prepareIdentityLookup<Place>(
    joined,
    'SELECT name, lat, lon FROM library.waypoints AS w',
    `shown = 1 AND NOT EXISTS (
       SELECT 1 FROM hidden AS h WHERE h.name = w.name AND h.lat_e6 = w.lat_e6 AND h.lon_e6 = w.lon_e6)`,
  );
  const exists = joined.prepare(
    'SELECT 1 FROM library.waypoints WHERE name = ? AND lat_e6 = ? AND lon_e6 = ? AND shown = 1',
  );
  return {
    find: (place) => lookup.find(place),
    exists: ({ name, latE6, lonE6 }) => exists.get(name, latE6, lonE6) !== undefined,
  };
}
