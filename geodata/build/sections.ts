import { distance } from 'geokdbush';
import type KDBush from 'kdbush';
import { itemsAround } from '../circle.ts';
import { unitsPerDegree } from '../format.ts';
import { sectionOfTown, type WorldPlace } from './world-places.ts';

const withinKm = 10;

/**
 * For each section of a town (by index) the town it is a section of: the largest place within 10 km in its region. A
 * timeline then says Zürich, not Zürich (Kreis 11). One that has no larger neighbour stands for itself.
 */
export function townsOfSections(places: readonly WorldPlace[], tree: KDBush): Map<number, number> {
  const towns = new Map<number, number>();
  for (const [index, place] of places.entries()) {
    if (place.feature !== sectionOfTown) continue;
    const [lat, lon] = degreesOf(place);
    // Places are sorted by population: the lowest number is that of the largest.
    let town = index;
    for (const other of itemsAround(tree, lat, lon, withinKm)) {
      if (other >= town || !isInSameRegion(places[other]!, place)) continue;
      const [otherLat, otherLon] = degreesOf(places[other]!);
      if (distance(lon, lat, otherLon, otherLat) <= withinKm) town = other;
    }
    if (town !== index) towns.set(index, town);
  }
  return towns;
}

function isInSameRegion(town: WorldPlace, section: WorldPlace): boolean {
  const isTown = town.feature !== sectionOfTown;
  return isTown && town.country === section.country && town.region === section.region;
}

function degreesOf({ lat, lon }: WorldPlace): [lat: number, lon: number] {
  return [lat / unitsPerDegree, lon / unitsPerDegree];
}
