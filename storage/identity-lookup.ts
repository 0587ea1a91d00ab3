import { identityOf, nearestIdentity, neighbourKeys, type IdentityKey } from '../model/identity.ts';
import type { Place } from '../model/waypoint.ts';
import type { Database } from './database.ts';

/** Finds rows of a table that carries the identity columns name, lat_e6 and lon_e6. */
export interface IdentityLookup<Row> {
  exact(key: IdentityKey): Row | undefined;
  /** The row of this very identity, else the nearest of the neighbouring keys within 1e-6 degree. */
  find(place: Place): Row | undefined;
}

/** Prepares the two lookups; `select` is a query without WHERE. */
export function prepareIdentityLookup<Row extends { lat: number; lon: number }>(
  db: Database,
  select: string,
): IdentityLookup<Row> {
  const exact = db.prepare<[string, number, number], Row>(
    `${select} WHERE name = ? AND lat_e6 = ? AND lon_e6 = ?`,
  );
  const near = db.prepare<[string, number, number, number, number, number], Row>(
    `${select} WHERE name = ? AND lat_e6 BETWEEN ? AND ? AND lon_e6 IN (?, ?, ?)`,
  );
  const findExact = (key: IdentityKey): Row | undefined =>
    exact.get(key.name, key.latE6, key.lonE6);
  return {
    exact: findExact,
    find(place) {
      const key = identityOf(place.name, place.lat, place.lon);
      const row = findExact(key);
      if (row !== undefined) return row;
      const { latE6Min, latE6Max, lonE6 } = neighbourKeys(key);
      return nearestIdentity(
        place.lat,
        place.lon,
        near.all(key.name, latE6Min, latE6Max, ...lonE6),
      );
    },
  };
}
