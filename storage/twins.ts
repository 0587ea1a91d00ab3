import { identityOf, nearestIdentity, neighbourKeys, type IdentityKey } from '../model/identity.ts';
import type { Place } from '../model/waypoint.ts';
import type { Database } from './database.ts';
import { identityHash, readHashSeed } from './library/identity-hash.ts';

/** Looks up imported waypoints through a joined reader. */
export interface TwinLookup {
  /** The imported waypoint of a place that is not hidden, by its key or the nearest neighbouring one. */
  find(place: Place): Place | undefined;
  /** Whether an imported waypoint of this identity exists, hidden or not. */
  exists(key: IdentityKey): boolean;
}

interface Wanted extends IdentityKey {
  readonly hash: number;
}

export function prepareTwins(joined: Database): TwinLookup {
  const seed = readHashSeed(joined, 'library');
  // Costs a tenth of the others, and most keys around one are not there.
  const isThere = joined.prepare<[number]>('SELECT 1 FROM library.identities WHERE hash = ?');
  const any = joined.prepare<[Wanted], Place>(shownSql);
  const visible = joined.prepare<[Wanted], Place>(
    `${shownSql} AND NOT EXISTS (
       SELECT 1 FROM hidden AS h WHERE h.name = w.name AND h.lat_e6 = w.lat_e6 AND h.lon_e6 = w.lon_e6)`,
  );
  const wanted = (key: IdentityKey): Wanted => ({ ...key, hash: identityHash(key, seed) });
  return {
    find(place) {
      const key = identityOf(place.name, place.lat, place.lon);
      const exact = visible.get(wanted(key));
      if (exact !== undefined) return exact;
      const near = keysAround(key)
        .map(wanted)
        .filter(({ hash }) => isThere.get(hash) !== undefined)
        .flatMap((other) => visible.all(other));
      return nearestIdentity(place.lat, place.lon, near);
    },
    exists: (key) => any.get(wanted(key)) !== undefined,
  };
}

/** By position, so that the same one wins among equals each time. */
function keysAround(key: IdentityKey): IdentityKey[] {
  const { name, latE6Min, latE6Max, lonE6 } = neighbourKeys(key);
  const keys: IdentityKey[] = [];
  for (let latE6 = latE6Min; latE6 <= latE6Max; latE6 += 1)
    for (const lon of lonE6.toSorted((a, b) => a - b)) keys.push({ name, latE6, lonE6: lon });
  return keys;
}

const shownSql = `
  SELECT w.name, w.lat, w.lon FROM library.waypoints AS w
  WHERE w.id IN (
      SELECT waypoint FROM library.identities WHERE hash = @hash
      UNION ALL SELECT waypoint FROM library.further_identities WHERE hash = @hash AND shown = 1)
    AND w.name = @name AND w.lat_e6 = @latE6 AND w.lon_e6 = @lonE6`;
