import { normalizeText } from './text.ts';
import type { Place } from './waypoint.ts';

/** Parts of a degree in an identity key: 1e-6 degree, about 0.1 m. */
const partsPerDegree = 1_000_000;
const halfTurnE6 = 180 * partsPerDegree;
const fullTurnE6 = 2 * halfTurnE6;
const poleE6 = 90 * partsPerDegree;

/** Identity of a waypoint (contract C): name, and position in whole 1e-6 degrees as integers. */
export interface IdentityKey {
  readonly name: string;
  /** −90,000,000…90,000,000. */
  readonly latE6: number;
  /** −179,999,999…180,000,000: the antimeridian is always +180. */
  readonly lonE6: number;
}

/** The keys that a looked-up position may stand for: its own and those one part away, around the antimeridian too. */
export interface NeighbourKeys {
  readonly name: string;
  readonly latE6Min: number;
  readonly latE6Max: number;
  readonly lonE6: readonly [number, number, number];
}

/** Nothing to trim or to compose: the first character that NFC may change is U+0300. Of a hundred names nearly all. */
const isNormal = /^[!-~\xa1-\u02ff](?:[ -~\xa0-\u02ff]*[!-~\xa1-\u02ff])?$/;

/** Gives the identity of a waypoint: name trimmed and NFC, halves of a part rounded up, −0 = 0 and −180 = 180. */
export function identityOf(name: string, lat: number, lon: number): IdentityKey {
  const normal = isNormal.test(name) ? name : normalizeText(name);
  return { name: normal, latE6: latE6Of(lat), lonE6: lonE6Of(lon) };
}

/** Gives the identity of a place. */
export function keyOf({ name, lat, lon }: Place): IdentityKey {
  return identityOf(name, lat, lon);
}

function latE6Of(lat: number): number {
  // Adding 0 turns −0 into 0.
  return Math.round(lat * partsPerDegree) + 0;
}

function lonE6Of(lon: number): number {
  return wrap(Math.round(lon * partsPerDegree) + 0);
}

/** Tells whether two keys are the same identity. */
export function isSameIdentity(a: IdentityKey, b: IdentityKey): boolean {
  return a.latE6 === b.latE6 && a.lonE6 === b.lonE6 && a.name === b.name;
}

/** Gives a key as one string, for Maps and Sets. */
export function identityText({ name, latE6, lonE6 }: IdentityKey): string {
  return `${latE6},${lonE6},${name}`;
}

/** Gives a place alone. */
export function placeOf({ name, lat, lon }: Place): Place {
  return { name, lat, lon };
}

/** Gives the key of a place as one string. */
export function placeText(place: Place): string {
  return identityText(keyOf(place));
}

/** Gives the at most nine keys within 1e-6 degree of a key, the key itself among them. */
export function neighbourKeys({ name, latE6, lonE6 }: IdentityKey): NeighbourKeys {
  return {
    name,
    latE6Min: Math.max(latE6 - 1, -poleE6),
    latE6Max: Math.min(latE6 + 1, poleE6),
    lonE6: [wrap(lonE6 - 1), lonE6, wrap(lonE6 + 1)],
  };
}

/** Gives these keys one by one. */
export function* keysAround(key: IdentityKey): Generator<IdentityKey> {
  const { name, latE6Min, latE6Max, lonE6: lonsE6 } = neighbourKeys(key);
  for (let latE6 = latE6Min; latE6 <= latE6Max; latE6 += 1)
    for (const lonE6 of lonsE6) yield { name, latE6, lonE6 };
}

/**
 * Chooses, among waypoints of the right name in the neighbouring keys, the one a position means: of the exact key if
 * there is one, else the nearest. The first one wins a tie, so candidates come in order of preference.
 */
export function nearestIdentity<T extends Pick<Place, 'lat' | 'lon'>>(
  lat: number,
  lon: number,
  candidates: Iterable<T>,
): T | undefined {
  const latE6 = latE6Of(lat);
  const lonE6 = lonE6Of(lon);
  let best: T | undefined;
  let bestExact = false;
  let bestDistance = Infinity;
  for (const candidate of candidates) {
    const exact = latE6Of(candidate.lat) === latE6 && lonE6Of(candidate.lon) === lonE6;
    if (bestExact && !exact) continue;
    const distance = squaredDegrees(lat, lon, candidate.lat, candidate.lon);
    if (exact === bestExact && distance >= bestDistance) continue;
    best = candidate;
    bestExact = exact;
    bestDistance = distance;
  }
  return best;
}

function wrap(lonE6: number): number {
  if (lonE6 <= -halfTurnE6) return lonE6 + fullTurnE6;
  return lonE6 > halfTurnE6 ? lonE6 - fullTurnE6 : lonE6;
}

/** Squared distance in degrees of latitude; flat, which is exact enough over 1e-6 degree. */
function squaredDegrees(lat: number, lon: number, otherLat: number, otherLon: number): number {
  const turn = Math.abs(lon - otherLon);
  const east = Math.min(turn, 360 - turn) * Math.cos((lat * Math.PI) / 180);
  return (lat - otherLat) ** 2 + east ** 2;
}
