import { around } from 'geokdbush';
import type KDBush from 'kdbush';
import { unitsPerDegree } from '../format.ts';
import type { WorldPlace } from './world-places.ts';

/** A section of a town. */
const section = 'PPLX';
const withinKm = 10;

/**
 * For each section of a town (by index) the town it is a section of: the largest place within 10 km in its region. A
 * timeline then says Zürich, not Zürich (Kreis 11). One that has no larger neighbour stands for itself.
 */
export function townsOfSections(places: readonly WorldPlace[], tree: KDBush): Map<number, number> {
  const towns = new Map<number, number>();
  for (const [index, place] of places.entries()) {
    if (place.feature !== section) continue;
    const isTown = (other: number): boolean => {
      // Places are sorted by population.
      const { country, region, feature } = places[other]!;
      return (
        other < index && country === place.country && region === place.region && feature !== section
      );
    };
    const lon = place.lon / unitsPerDegree;
    const lat = place.lat / unitsPerDegree;
    const near = around(tree, lon, lat, Infinity, withinKm, isTown);
    if (near.length > 0) towns.set(index, Math.min(...near));
  }
  return towns;
}
