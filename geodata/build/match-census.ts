/**
 * Finds for the places of today what was known of them in 2020: neither package says which of its places is which of the
 * other's. Most have kept their position or their name; the rest was moved, renamed or spelled in another way.
 */
import { distance } from 'geokdbush';
import { foldName } from '../../model/fold.ts';
import type { CensusPlace, CurrentPlace } from './read-inputs.ts';

/** Two places of one name this near are one: centres were moved, and namesakes in one country lie further apart. */
const sameNameKm = 8;
/** Former and foreign names are rarer than names: the same one may be further off. */
const anyNameKm = 30;
/** So near, and neither has another partner: one place under two names. */
const samePlaceKm = 1;
/** The same, for names that look alike and for seats of administrations, which are renamed more often than moved. */
const likelySamePlaceKm = 2;

/** Names that begin with so many of the same letters look alike. */
const sameLetters = 4;

export interface Match {
  /** For each place of today the place of 2020 that it is. */
  readonly census: readonly (CensusPlace | undefined)[];
  /** Places of 2020 that are none of today's. */
  readonly left: readonly CensusPlace[];
}

/** Pairs places of today and of 2020, each with at most one; the surest kinds of evidence first. */
export function matchCensus(
  current: readonly CurrentPlace[],
  census: readonly CensusPlace[],
): Match {
  const pairs = new Pairs(current, census);
  pairs.matchBy(positionOf, (place) => [positionOf(place)], 0);
  pairs.matchBy(
    nameOf,
    (place) => [...new Set([nameOf(place), foldName(place.plainName)])],
    sameNameKm,
  );
  pairs.matchBy(nameOf, (place) => [...new Set(allNames(place))], sameNameKm);
  pairs.matchNear(likelySamePlaceKm);
  pairs.matchBy(nameOf, (place) => [...new Set(allNames(place))], anyNameKm);
  return pairs.result();
}

function positionOf({ lat, lon }: CurrentPlace | CensusPlace): string {
  return `${lat} ${lon}`;
}

function nameOf({ name }: CurrentPlace | CensusPlace): string {
  return foldName(name);
}

function allNames({ name, plainName, otherNames }: CensusPlace): string[] {
  return [name, plainName, ...otherNames.split(',')].map(foldName).filter((text) => text !== '');
}

interface Candidate {
  readonly km: number;
  readonly isNamesake: boolean;
  readonly current: number;
  readonly census: CensusPlace;
}

class Pairs {
  readonly #current: readonly CurrentPlace[];
  readonly #census: readonly CensusPlace[];
  readonly #matched: (CensusPlace | undefined)[];
  readonly #taken = new Set<CensusPlace>();

  constructor(current: readonly CurrentPlace[], census: readonly CensusPlace[]) {
    this.#current = current;
    this.#census = census;
    this.#matched = Array.from({ length: current.length });
  }

  /** Pairs what has a key in common, in one country, no further apart than said. */
  matchBy(
    keyOf: (place: CurrentPlace) => string,
    keysOf: (place: CensusPlace) => readonly string[],
    mostKm: number,
  ): void {
    const keyed = this.#left().flatMap((census) => keysOf(census).map((key) => ({ key, census })));
    const byKey = Map.groupBy(keyed, ({ key, census }) => `${census.country} ${key}`);
    this.#accept(
      (place) => byKey.get(`${place.country} ${keyOf(place)}`)?.map(({ census }) => census) ?? [],
      () => mostKm,
    );
  }

  /** Pairs what is near, in one country. */
  matchNear(mostKm: number): void {
    const cells = Map.groupBy(this.#left(), (place) => cellKey(place, 0, 0));
    this.#accept(
      (place) => neighbours.flatMap(([up, right]) => cells.get(cellKey(place, up, right)) ?? []),
      (place, census) => (isLikelySame(place, census) ? mostKm : samePlaceKm),
    );
  }

  result(): Match {
    return { census: this.#matched, left: this.#left() };
  }

  #left(): CensusPlace[] {
    return this.#census.filter((place) => !this.#taken.has(place));
  }

  /** Takes the nearest pairs first; at one distance those of one name, then those of more people. */
  #accept(
    candidatesFor: (place: CurrentPlace) => readonly CensusPlace[],
    mostKm: (place: CurrentPlace, census: CensusPlace) => number,
  ): void {
    const candidates: Candidate[] = [];
    for (const [index, place] of this.#current.entries()) {
      if (this.#matched[index] !== undefined) continue;
      for (const census of candidatesFor(place)) {
        const km = distance(place.lon, place.lat, census.lon, census.lat);
        if (km > mostKm(place, census)) continue;
        const isNamesake = nameOf(place) === nameOf(census);
        candidates.push({ km, isNamesake, current: index, census });
      }
    }
    for (const { current, census } of candidates.sort(bySureness)) {
      if (this.#matched[current] !== undefined || this.#taken.has(census)) continue;
      this.#matched[current] = census;
      this.#taken.add(census);
    }
  }
}

function bySureness(a: Candidate, b: Candidate): number {
  return (
    a.km - b.km ||
    Number(b.isNamesake) - Number(a.isNamesake) ||
    b.census.population - a.census.population ||
    a.current - b.current ||
    a.census.id - b.census.id
  );
}

/** A 50th of a degree is 2.2 km of latitude; of longitude it is less, so more cells are looked at. */
const cellsPerDegree = 50;
const neighbours = [-1, 0, 1].flatMap((up) =>
  [-3, -2, -1, 0, 1, 2, 3].map((right) => [up, right] as const),
);

function cellKey(
  { lat, lon, country }: CurrentPlace | CensusPlace,
  up: number,
  right: number,
): string {
  const row = Math.floor(lat * cellsPerDegree) + up;
  return `${country} ${row} ${Math.floor(lon * cellsPerDegree) + right}`;
}

function isLikelySame(place: CurrentPlace, census: CensusPlace): boolean {
  if (census.feature.startsWith('PPLA')) return true;
  const known = new Set(nameOf(census).split(/\P{L}+/u));
  return (
    nameOf(place).slice(0, sameLetters) === nameOf(census).slice(0, sameLetters) ||
    nameOf(place)
      .split(/\P{L}+/u)
      .some((word) => known.has(word))
  );
}
