import KDBush from 'kdbush';
import { unitsPerDegree } from '../format.ts';
import { isInside } from '../is-inside.ts';
import type { GlobePoint } from './coast-belt.ts';
import { boxOf, toRing } from './polygons.ts';
import type { CountryShape, GeoRing } from './read-inputs.ts';

/** The waters of a larger island than this hold a corner of some coast. */
const mostDegrees = 2;

/**
 * The middle of each territorial water that none of the land lies in: that of an islet which the outlines leave out. The
 * water reaches 12 nautical miles from it, so that it lies near the middle.
 */
export function isletsWithout(
  land: readonly (readonly GeoRing[])[],
  shapes: readonly CountryShape[],
): GlobePoint[] {
  const corners = land
    .flat(2)
    .map(([lon, lat]) => [lon - 360 * Math.round(lon / 360), lat] as const);
  const tree = new KDBush(corners.length, 64, Float32Array);
  for (const [lon, lat] of corners) tree.add(lon, lat);
  tree.finish();
  const waters = shapes.flatMap(({ polygons }) => polygons.map(([outline]) => toRing(outline!)));
  return waters.flatMap((water) => {
    const units = boxOf(water);
    const [west, south, east, north] = [units.west, units.south, units.east, units.north].map(
      (value) => value / unitsPerDegree,
    ) as [number, number, number, number];
    if (north - south > mostDegrees) return [];
    const isThere = tree.range(west, south, east, north).some((at) => {
      const [lon, lat] = corners[at]!;
      return isInside([water], lon * unitsPerDegree, lat * unitsPerDegree);
    });
    return isThere ? [] : [{ lat: (south + north) / 2, lon: (west + east) / 2 }];
  });
}
