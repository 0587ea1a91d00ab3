import { distance } from 'geokdbush';
import type KDBush from 'kdbush';
import { itemsAround } from '../circle.ts';
import { unitsPerDegree } from '../format.ts';
import { sectionOfTown, type WorldPlace } from './world-places.ts';

/** How far a section may be from the centre of its town. */
const mostKm = 10;
/** People per km² over 1/π: within the circle that so many people fill, a place that nothing is known of is a section. */
const density = 25_000;
const smallestTown = 10_000;

/**
 * For each section of a town (by index) the town it is a section of, so that a timeline says Zürich, not Zürich (Kreis 11).
 * A section that was known as such in 2020 belongs to the largest place within 10 km in its region. Many have come since:
 * a new place belongs to the largest town that it lies in the middle of. One that has no larger neighbour stands for
 * itself.
 */
export function townsOfSections(places: readonly WorldPlace[], tree: KDBush): Map<number, number> {
  const towns = new Map<number, number>();
  // Places are sorted by population, so that the first town to find a section is the largest.
  for (const [town, place] of places.entries()) {
    if (place.population < smallestTown) break;
    if (!isTown(place)) continue;
    const km = Math.min(mostKm, Math.sqrt(place.population / density));
    for (const near of neighbours(places, tree, town, km)) {
      if (places[near]!.feature === '' && !towns.has(near)) towns.set(near, town);
    }
  }
  for (const [index, place] of places.entries()) {
    if (place.feature !== sectionOfTown) continue;
    const town = Math.min(
      ...neighbours(places, tree, index, mostKm).filter((near) => isTown(places[near]!)),
    );
    if (town < index) towns.set(index, town);
  }
  return towns;
}

function isTown({ feature }: WorldPlace): boolean {
  return feature !== sectionOfTown;
}

/** The other places of the same region within a distance. */
function neighbours(
  places: readonly WorldPlace[],
  tree: KDBush,
  index: number,
  km: number,
): number[] {
  const place = places[index]!;
  const [lat, lon] = degreesOf(place);
  return itemsAround(tree, lat, lon, km).filter((near) => {
    const other = places[near]!;
    if (near === index || other.country !== place.country || other.region !== place.region)
      return false;
    const [otherLat, otherLon] = degreesOf(other);
    return distance(lon, lat, otherLon, otherLat) <= km;
  });
}

function degreesOf({ lat, lon }: WorldPlace): [lat: number, lon: number] {
  return [lat / unitsPerDegree, lon / unitsPerDegree];
}
