import { longitudeRanges } from '../model/bbox.ts';
import type { Bbox } from '../model/schema.ts';

/** Coordinates and elevations are stored as whole numbers. */
export const unitsPerDegree = 10_000_000;
export const unitsPerMetre = 10;

/** In units of 1e-7 degree, both ends included. */
export interface BoxE7 {
  readonly south: number;
  readonly west: number;
  readonly north: number;
  readonly east: number;
}

export function inUnits(degrees: number): number {
  return Math.round(degrees * unitsPerDegree);
}

/** The one or two boxes of a bounding box, by default of the world; they hold what lies upon their edges. */
export function boxesOf(bbox: Bbox = [-180, -90, 180, 90]): BoxE7[] {
  const [south, north] = [inUnits(bbox[1]), inUnits(bbox[3])];
  const ranges = longitudeRanges(bbox).filter((range) => range !== undefined);
  return ranges.map(([west, east]) => ({ south, west: inUnits(west), north, east: inUnits(east) }));
}
