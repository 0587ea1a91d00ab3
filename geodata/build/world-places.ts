import { distance } from 'geokdbush';
import { unitsPerDegree, type PlaceKind } from '../format.ts';
import { foldName } from '../../model/fold.ts';
import { furtherNamesOfTown } from './further-names.ts';
import { matchCensus } from './match-census.ts';
import type { CensusPlace, CurrentPlace } from './read-inputs.ts';

/** A place of the generation. */
export interface WorldPlace {
  readonly name: string;
  readonly country: string;
  readonly region: string;
  /** Units (see format.ts). */
  readonly lat: number;
  readonly lon: number;
  /** Population in 2020; 0 if unknown. */
  readonly population: number;
  /** GeoNames' code of 2020, empty where it is not known. */
  readonly feature: string;
  readonly kind: PlaceKind;
  /** Other and former names, as far as they are kept. */
  readonly otherNames: readonly string[];
}

/** GeoNames' code for a section of a town. */
export const sectionOfTown = 'PPLX';

/** Where all names are kept; smaller places have their former name. Ten times the file otherwise. */
const allNamesFrom = 15_000;
/** How far off a place that is no longer listed may be for its neighbour to answer to its name. */
const leftCity = { population: 100_000, km: 25 };
const leftTown = { population: allNamesFrom, km: 5 };

/** All places, those with most people first; which comes before which depends on nothing but the places themselves. */
export function worldPlaces(
  current: readonly CurrentPlace[],
  census: readonly CensusPlace[],
): WorldPlace[] {
  const { census: matched, left } = matchCensus(current, census);
  const adopted = adoptNames(current, left);
  return current
    .map((place, index) => worldPlace(place, matched[index], adopted.get(index) ?? []))
    .sort(byPopulation);
}

function worldPlace(
  place: CurrentPlace,
  census: CensusPlace | undefined,
  adopted: readonly string[],
): WorldPlace {
  const population = census?.population ?? 0;
  const feature = census?.feature ?? '';
  return {
    name: place.name,
    country: place.country,
    region: place.region,
    lat: Math.round(place.lat * unitsPerDegree),
    lon: Math.round(place.lon * unitsPerDegree),
    population,
    feature,
    kind: kindOf(population, feature),
    otherNames: [
      ...(census === undefined ? [] : otherNames(place, census)),
      ...adopted,
      ...furtherNamesOfTown(place.country, place.name),
    ],
  };
}

function otherNames(place: CurrentPlace, census: CensusPlace): string[] {
  if (census.population >= allNamesFrom)
    return [census.name, ...census.otherNames.split(','), census.plainName];
  return foldName(place.name) === foldName(census.name) ? [] : [census.name];
}

/**
 * GeoNames has merged and removed places since 2020. Who looks for such a city by its name finds the nearest place of its
 * country; its number of people, often the reason why it was removed, is not taken over.
 */
function adoptNames(
  current: readonly CurrentPlace[],
  left: readonly CensusPlace[],
): Map<number, string[]> {
  const adopted = new Map<number, string[]>();
  for (const census of left) {
    const limit = [leftCity, leftTown].find(({ population }) => census.population >= population);
    if (limit === undefined) continue;
    const index = nearest(current, census, limit.km);
    if (index === undefined) continue;
    adopted.set(index, [...(adopted.get(index) ?? []), census.name, census.plainName]);
  }
  return adopted;
}

function nearest(
  current: readonly CurrentPlace[],
  { lat, lon, country }: CensusPlace,
  withinKm: number,
): number | undefined {
  let found: number | undefined;
  let foundKm = withinKm;
  for (const [index, place] of current.entries()) {
    if (place.country !== country || Math.abs(place.lat - lat) > 1) continue;
    const km = distance(lon, lat, place.lon, place.lat);
    if (km >= foundKm) continue;
    found = index;
    foundKm = km;
  }
  return found;
}

/** Sizes as a map's legend has them; a capital or the seat of a region is called more than its size, a section less. */
function kindOf(population: number, feature: string): PlaceKind {
  if (feature === 'PPLC') return 'city';
  if (population >= 100_000 && feature !== sectionOfTown) return 'city';
  return population >= 10_000 || feature === 'PPLA' ? 'town' : 'village';
}

function byPopulation(a: WorldPlace, b: WorldPlace): number {
  return (
    b.population - a.population ||
    compareText(a.country, b.country) ||
    compareText(a.name, b.name) ||
    a.lat - b.lat ||
    a.lon - b.lon
  );
}

/** Not by locale: that would differ between machines. */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
