import { keyOf, keysAround, nearestIdentity, type IdentityKey } from '../model/identity.ts';
import type { Place } from '../model/waypoint.ts';
import type { Database } from './database.ts';
import { identityColumns } from './schema/identity-columns.ts';
import { identityHash, readHashSeed } from './library/identity-hash.ts';
import { prepare } from './prepared.ts';
import { hiddenBy, joinedTables, shownOf } from './schema/joined.ts';

/** Looks up imported waypoints through a joined reader. */
export type TwinLookup = ReturnType<typeof prepareTwins>;

export function prepareTwins(joined: Database) {
  const seed = readHashSeed(joined, 'library');
  // Costs a tenth of the others, and most keys around one are not there.
  const isThere = prepare(joined, (hash: number) =>
    joinedTables.selectFrom('library.identities').select('hash').where('hash', '=', hash),
  );
  const any = prepare(joined, shownTwin);
  const visible = prepare(joined, (key: IdentityKey, hash: number) =>
    shownTwin(key, hash).where((eb) => eb.not(eb.exists(hiddenBy()))),
  );
  const hashOf = (key: IdentityKey): number => identityHash(key, seed);
  return {
    /** The imported waypoint of a place that is not hidden, by its key or the nearest neighbouring one. */
    find(place: Place): Place | undefined {
      const key = keyOf(place);
      const exact = visible.get(key, hashOf(key));
      if (exact !== undefined) return exact;
      // By position, so that the same one wins among equals each time.
      const near = [...keysAround(key)]
        .toSorted((a, b) => a.latE6 - b.latE6 || a.lonE6 - b.lonE6)
        .map((other) => ({ other, hash: hashOf(other) }))
        .filter(({ hash }) => isThere.get(hash) !== undefined)
        .flatMap(({ other, hash }) => visible.all(other, hash));
      return nearestIdentity(place.lat, place.lon, near);
    },
    /** Whether an imported waypoint of this identity exists, hidden or not. */
    exists: (key: IdentityKey) => any.get(key, hashOf(key)) !== undefined,
  };
}

/** The shown waypoint of an identity, by its hash. */
function shownTwin(key: IdentityKey, hash: number) {
  return joinedTables
    .selectFrom('library.waypoints as w')
    .select(['w.name', 'w.lat', 'w.lon'])
    .where('w.id', 'in', shownOf(hash))
    .where((eb) => eb.and(identityColumns(key)));
}
