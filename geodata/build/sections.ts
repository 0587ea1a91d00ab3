import { distance } from 'geokdbush';
import type KDBush from 'kdbush';
import { itemsAround } from '../circle.ts';
import { unitsPerDegree } from '../format.ts';
import { isSeat, weightOf } from '../large-cities.ts';
import { sectionOfTown, type WorldPlace } from './world-places.ts';

/** How far a section may be from the centre of its town… */
const sectionKm = 10;
/** …and of the largest cities: as far as the circle that their people fill at 2,500 a km². */
const mostSectionKm = 20;
const sectionDensityOverPi = 7_854;
/** How far the largest cities reach; the others as far as the circle that their people fill at 8,000 a km². */
const mostKm = 12;
const densityOverPi = 25_000;
const smallestTown = 10_000;
/** What has so many of the city's people may be a part of it at its centre, the less the further off. */
const largestPart = 0.2;

/**
 * For each section of a town (by index) the town it is a section of, so that a timeline says Zürich, not Zürich (Kreis 11).
 * A section that was known as such in 2020 belongs to a larger place of its region within 10 km, or in whose wide circle
 * it lies: the one with most people for its distance. What else lies within
 * the circle of a town belongs to it, if it is small for being so near: all that nothing is known of, boroughs near the
 * centre, but no seat, and no other town at the edge. One that has no larger neighbour stands for itself.
 */
export function townsOfSections(places: readonly WorldPlace[], tree: KDBush): Map<number, number> {
  const towns = new Map<number, number>();
  // Places are sorted by population, so that the first town to find a part is the largest.
  for (const [town, place] of places.entries()) {
    if (place.population < smallestTown) break;
    if (!isTown(place) || towns.has(town)) continue;
    for (const part of partsOf(places, tree, town)) if (!towns.has(part)) towns.set(part, town);
  }
  for (const [index, place] of places.entries()) {
    if (isTown(place)) continue;
    const around = neighbours(places, tree, index, mostSectionKm).filter(({ near, km }) => {
      const town = places[near]!;
      return isTown(town) && km <= Math.max(sectionKm, circleKm(town, sectionDensityOverPi));
    });
    const larger = around.filter(({ near }) => near < index);
    if (larger.length === 0) continue;
    const weighed = ({ near, km }: Neighbour): number => km / weightOf(places[near]!);
    const { near: town } = larger.reduce((a, b) => (weighed(b) < weighed(a) ? b : a));
    towns.set(index, towns.get(town) ?? town);
  }
  return towns;
}

/** Whether a place is small for lying so near to the centre of a town. */
function partsOf(places: readonly WorldPlace[], tree: KDBush, town: number): number[] {
  const { population } = places[town]!;
  const most = Math.min(mostKm, circleKm(places[town]!, densityOverPi));
  const parts = neighbours(places, tree, town, most).filter(({ near, km }) => {
    const part = places[near]!;
    const share = largestPart * (1 - km / most);
    return near > town && !isSeat(part) && part.population <= share * population;
  });
  return parts.map(({ near }) => near);
}

function isTown({ feature }: WorldPlace): boolean {
  return feature !== sectionOfTown;
}

function circleKm({ population }: WorldPlace, densityOverPi: number): number {
  return Math.sqrt(population / densityOverPi);
}

type Neighbour = ReturnType<typeof neighbours>[number];

/** The other places of the same region, or of a country without regions, within a distance. */
function neighbours(places: readonly WorldPlace[], tree: KDBush, index: number, km: number) {
  const place = places[index]!;
  const [lat, lon] = degreesOf(place);
  return itemsAround(tree, lat, lon, km).flatMap((near) => {
    const other = places[near]!;
    if (near === index || other.country !== place.country) return [];
    if (place.region !== '' && other.region !== place.region) return [];
    const [otherLat, otherLon] = degreesOf(other);
    const away = distance(lon, lat, otherLon, otherLat);
    return away <= km ? [{ near, km: away }] : [];
  });
}

function degreesOf({ lat, lon }: WorldPlace): [lat: number, lon: number] {
  return [lat / unitsPerDegree, lon / unitsPerDegree];
}
