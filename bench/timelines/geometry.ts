/** Degrees WGS84. */
export interface Position {
  readonly lat: number;
  readonly lon: number;
}

const metresPerDegree = 111_195;
const earthRadiusM = 6_371_009;
const radians = Math.PI / 180;

/** Haversine: right at any distance, across 180° and at the poles. */
export function metresBetween(a: Position, b: Position): number {
  const lat = Math.sin(((b.lat - a.lat) * radians) / 2);
  const lon = Math.sin(((b.lon - a.lon) * radians) / 2);
  const h = lat * lat + Math.cos(a.lat * radians) * Math.cos(b.lat * radians) * lon * lon;
  return 2 * earthRadiusM * Math.asin(Math.min(1, Math.sqrt(h)));
}

/** A position some metres to the east and north; for distances within a town. */
export function moved({ lat, lon }: Position, east: number, north: number): Position {
  return {
    lat: lat + north / metresPerDegree,
    lon: wrapped(lon + east / (metresPerDegree * Math.cos(lat * radians))),
  };
}

/** A position on the great circle from `a` (0) to `b` (1). */
export function between(a: Position, b: Position, fraction: number): Position {
  const angle = metresBetween(a, b) / earthRadiusM;
  if (angle < 1e-6) return { lat: a.lat + (b.lat - a.lat) * fraction, lon: a.lon };
  const [u, v] = [unitVector(a), unitVector(b)];
  const [p, q] = [Math.sin((1 - fraction) * angle), Math.sin(fraction * angle)];
  const [x, y, z] = [p * u[0] + q * v[0], p * u[1] + q * v[1], p * u[2] + q * v[2]];
  return { lat: Math.atan2(z, Math.hypot(x, y)) / radians, lon: Math.atan2(y, x) / radians };
}

function unitVector({ lat, lon }: Position): [x: number, y: number, z: number] {
  const [phi, lambda] = [lat * radians, lon * radians];
  return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)];
}

/** −180 ≤ lon < 180. */
export function wrapped(lon: number): number {
  return lon - 360 * Math.floor((lon + 180) / 360);
}
