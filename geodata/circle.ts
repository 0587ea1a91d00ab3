import type KDBush from 'kdbush';

const kmPerDegree = 111.195;
const radiansPerDegree = Math.PI / 180;

/**
 * The items of a tree of longitudes and latitudes that lie in the box around a circle on the globe: all that are in the
 * circle, and some in the corners. The box may reach across 180° or around a pole. The work is bounded by what is in it;
 * geokdbush's own search goes on around the globe until it has found something.
 */
export function itemsAround(tree: KDBush, lat: number, lon: number, km: number): number[] {
  const up = km / kmPerDegree;
  const south = lat - up;
  const north = lat + up;
  if (south <= -90 || north >= 90) return tree.range(-180, south, 180, north);
  const sine = Math.sin(up * radiansPerDegree) / Math.cos(lat * radiansPerDegree);
  const right = Math.asin(Math.min(1, sine)) / radiansPerDegree;
  const west = lon - right;
  const east = lon + right;
  const items = tree.range(west, south, east, north);
  if (west < -180) items.push(...tree.range(west + 360, south, 180, north));
  if (east > 180) items.push(...tree.range(-180, south, east - 360, north));
  return items;
}
