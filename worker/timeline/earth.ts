/*
 * Distances between positions given as whole units of 1e-7 degree. A sphere of the mean radius is right to half a percent,
 * which is less than a recorder errs.
 */

export const earthRadiusM = 6_371_008.8;
/** Metres in one unit of latitude. */
export const metresPerUnit = (earthRadiusM * Math.PI) / 180 / 1e7;
export const radiansPerUnit = Math.PI / 180 / 1e7;
export const unitsPerDegree = 1e7;

const halfTurn = 1_800_000_000;
const fullTurn = 3_600_000_000;
/** Beyond 0.2 rad a flat earth is too wrong. */
const flatUnits = 0.2 / radiansPerUnit;
/** Meridians run together: within a degree of a pole nothing is flat in longitude and latitude. */
export const polarLatE7 = 890_000_000;

/** A difference of longitudes the short way round. */
export function wrapLonE7(difference: number): number {
  if (difference > halfTurn) return difference - fullTurn;
  if (difference < -halfTurn) return difference + fullTurn;
  return difference;
}

/** A position in units of 1e-7 degree. */
export interface Place {
  readonly latE7: number;
  readonly lonE7: number;
}

/** A position at a time, ms since 1970 UTC. */
export interface Fix extends Place {
  readonly timeMs: number;
}

/** Copies a fix out of what is used again. */
export function fixOf({ timeMs, latE7, lonE7 }: Fix): Fix {
  return { timeMs, latE7, lonE7 };
}

export function distanceBetween(a: Place, b: Place): number {
  return distanceM(a.latE7, a.lonE7, b.latE7, b.lonE7);
}

/** Metres between two positions. */
export function distanceM(latA: number, lonA: number, latB: number, lonB: number): number {
  const dLat = latB - latA;
  const dLon = wrapLonE7(lonB - lonA);
  const isFlat =
    dLat < flatUnits &&
    dLat > -flatUnits &&
    dLon < flatUnits &&
    dLon > -flatUnits &&
    latA < polarLatE7 &&
    latA > -polarLatE7;
  if (!isFlat) return haversineM(latA, latB, dLon);
  const x = dLon * Math.cos(((latA + latB) / 2) * radiansPerUnit);
  return Math.sqrt(dLat * dLat + x * x) * metresPerUnit;
}

function haversineM(latA: number, latB: number, dLon: number): number {
  const sinLat = Math.sin(((latB - latA) / 2) * radiansPerUnit);
  const sinLon = Math.sin((dLon / 2) * radiansPerUnit);
  const cosines = Math.cos(latA * radiansPerUnit) * Math.cos(latB * radiansPerUnit);
  const h = sinLat * sinLat + cosines * sinLon * sinLon;
  return 2 * earthRadiusM * Math.asin(Math.min(1, Math.sqrt(h)));
}
