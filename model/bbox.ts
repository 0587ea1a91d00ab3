import type { Bbox } from './schema.ts';

/** Both ends belong to it; west ≤ east. */
export type LongitudeRange = readonly [west: number, east: number];

/**
 * Gives the longitudes of a bounding box as one or two separate ranges. A box that crosses the antimeridian has two; one
 * that ends on it has the other name of that line as its second (−180 and 180 are the same meridian).
 */
export function longitudeRanges([west, , east]: Bbox): [LongitudeRange, LongitudeRange?] {
  if (west > east) {
    return [
      [west, 180],
      [-180, east],
    ];
  }
  if (east === 180 && west > -180) {
    return [
      [west, east],
      [-180, -180],
    ];
  }
  if (west === -180 && east < 180) {
    return [
      [west, east],
      [180, 180],
    ];
  }
  return [[west, east]];
}
