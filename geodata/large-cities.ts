import type { Database } from 'better-sqlite3';
import { distance } from 'geokdbush';
import { prepare } from '../storage/prepared.ts';
import { unitsPerDegree } from './format.ts';
import { generationQueries, type GenerationDb } from './tables.ts';

/** Places of so many people are large cities: 355 in the builtin generation. */
const leastPeople = 1_000_000;
/** More places than that are never asked for; they are numbered by their people. */
const mostCities = 1_000;
/** A seat counts so many times its people: what lies around is rather called after it than after a suburb of its size. */
const seatWeight = 2;
/** How far they reach over other places. */
const reachKm = 8;
/** Degrees of latitude that are a little more than that. */
const reachDegrees = 0.073;

type City = Pick<
  GenerationDb['place'],
  'id' | 'country' | 'region' | 'lat' | 'lon' | 'population' | 'feature'
>;

/** A place, as a large city may reach over it. */
export interface Reached {
  /** People of the town, or of the town that this is a section of; 0 where unknown. */
  readonly population: number;
  readonly country: number;
  readonly region: number | null;
  /** How far the position is from it. */
  readonly km: number;
}

/**
 * The places of a million people and more: around their centres a position belongs to them, but at the centre of another
 * town. Distances are weighed by people, so that a suburb keeps its middle and a city of its size half of the way.
 */
export class LargeCities {
  readonly #cities: readonly City[];

  constructor(db: Database) {
    const cities = prepare(db, () =>
      generationQueries
        .selectFrom('place')
        .select(['id', 'country', 'region', 'lat', 'lon', 'population', 'feature'])
        .where('id', '<', mostCities)
        .where('part_of', 'is', null)
        .where('feature', '<>', 'PPLX'),
    );
    this.#cities = cities.all().filter(({ population }) => population >= leastPeople);
  }

  /** The city that a position belongs to rather than to the nearest place, by id. */
  over(lat: number, lon: number, nearest: () => Reached): number | undefined {
    let found: number | undefined;
    let place: Reached | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const city of this.#cities) {
      const cityLat = city.lat / unitsPerDegree;
      if (Math.abs(cityLat - lat) > reachDegrees) continue;
      const km = distance(lon, lat, city.lon / unitsPerDegree, cityLat);
      if (km > reachKm) continue;
      place ??= nearest();
      const weighed = km / weightOf(city);
      if (!isOf(city, place) || weighed >= Math.min(least, place.km / place.population)) continue;
      found = city.id;
      least = weighed;
    }
    return found;
  }
}

/** A region ends the reach of a city, but not of a capital, and not over places of which nothing is known. */
function isOf(city: City, place: Reached): boolean {
  if (city.country !== place.country) return false;
  return city.region === place.region || city.feature === 'PPLC' || place.population === 0;
}

/** The people that the distance from a town is divided by. */
export function weightOf(town: Pick<City, 'population' | 'feature'>): number {
  return town.population * (isSeat(town) ? seatWeight : 1);
}

/** Whether a place is the seat of a country or a region. */
export function isSeat({ feature }: Pick<City, 'feature'>): boolean {
  return feature === 'PPLC' || feature === 'PPLA';
}
