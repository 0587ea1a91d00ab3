import type { IdentityKey } from '../../model/identity.ts';
import type { Database } from '../database.ts';
import { prepareValue } from '../prepared.ts';
import { libraryTables } from '../schema/library.ts';

/** Mixes well when multiplied with; the one of MurmurHash3. */
const spread = 0x85eb_ca6b;

/**
 * Gives a signed integer of 32 bits for an identity: an index of integers costs a third of one of names and positions.
 * Different identities may share one, so whoever finds one compares the identity itself.
 * @param seed of the library, so that nobody can make a file whose waypoints all share one.
 */
export function identityHash(key: IdentityKey, seed: number): number {
  const { name, latE6, lonE6 } = key;
  let hash = mixed(mixed(seed ^ latE6) ^ lonE6);
  for (let i = 0; i < name.length; i += 1) hash = mixed(hash ^ name.charCodeAt(i));
  return hash;
}

function mixed(bits: number): number {
  const product = Math.imul(bits ^ (bits >>> 16), spread);
  return product ^ (product >>> 13);
}

/** Reads the seed of a library; `schema` is its name in a connection that it is attached to. */
export function readHashSeed(db: Database, schema = 'main'): number {
  const seed = prepareValue(db, () =>
    libraryTables.withSchema(schema).selectFrom('meta').select('value').where('key', '=', 'seed'),
  );
  return Number(seed.get());
}

/** Makes identity_hash(name, lat_e6, lon_e6) for statements that join the attached `library`. */
export function defineIdentityHash(joined: Database): void {
  const seed = readHashSeed(joined, 'library');
  joined.function(
    'identity_hash',
    { deterministic: true },
    (name: string, latE6: number, lonE6: number) => identityHash({ name, latE6, lonE6 }, seed),
  );
}
