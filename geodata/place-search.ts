import type { Database } from 'better-sqlite3';
import { orClosed } from '../storage/database.ts';
import { prepare, type RowOf } from '../storage/prepared.ts';
import { AreaSearch, type SearchArea } from './area-search.ts';
import { Areas, type AreaFilter } from './areas.ts';
import { areaKinds, placeKinds, unitsPerDegree, type PlaceKind } from './format.ts';
import { openGeneration, reading } from './generation.ts';
import { generationQueries } from './tables.ts';
import { wholeName, wordsOf } from './words.ts';

/** A place that a search has found. */
export interface FoundPlace {
  /** Name, region and country: `Łódź, Łódź Voivodeship, Poland`. */
  readonly name: string;
  /** Degrees. */
  readonly lat: number;
  readonly lon: number;
  readonly type: PlaceKind | 'country' | 'region';
  /** How far it reaches from there; a country or region has ids instead. */
  readonly radiusM?: number;
  /** ISO 3166-1 alpha-2; of a country, and of a region with `regionId`, which is that of a timeline. */
  readonly countryId?: string;
  readonly regionId?: string;
}

/** No name has as many words; a query of more is about something else, and would cost more. */
const mostWords = 16;
/** How many words at the end of a query may be a region or country that it does not set off by a comma. */
const mostAreaWords = 3;
/** How many places of one name are looked at for those in a region or country. */
const mostNamesakes = 400;
/** Shorter ones are looked for as beginnings alone: who types A does not mean Å in Lofoten. */
const shortestWhole = 3;
/** A place counts with so much of its people where only another name of it begins so (Vienna for `wie`), as do areas. */
const otherNameWeight = 0.1;
/** Countries and regions whose name is only begun: they have many people, and towns are what is mostly meant. */
const mostBegunAreas = 3;

/** Finds places of a generation by their name as one types it. Opens only what it needs, and can stay on the main thread. */
export class PlaceSearch {
  readonly #db: Database;
  readonly #matching: ReturnType<typeof prepareMatching>;
  readonly #place: ReturnType<typeof preparePlace>;
  #areas: Areas | undefined;
  #areaSearch: AreaSearch | undefined;

  /** @throws UnusableGeneration */
  constructor(path: string) {
    this.#db = openGeneration(path);
    [this.#matching, this.#place] = orClosed(this.#db, (db) =>
      reading(() => [prepareMatching(db), preparePlace(db)] as const),
    );
  }

  /**
   * Places for a query whose last word may be only begun: first those that are called just so; then those with all its
   * words in their name or with another name that is, or begins, so, which counts for a tenth of their people. Each time
   * those with most people come first, and before all of them one that is called so elsewhere and is larger (Cologne is
   * Köln). A region or country may follow the name: `Paris, Texas`.
   * @param query any text; what has no letter or digit finds nothing. @param limit 1…
   * @throws UnusableGeneration when the file turns out to be damaged.
   */
  search(query: string, limit: number): FoundPlace[] {
    const comma = query.indexOf(',');
    const name = wordsOf(comma === -1 ? query : query.slice(0, comma));
    const area = comma === -1 ? [] : wordsOf(query.slice(comma));
    if (name.length === 0 || name.length + area.length > mostWords) return [];
    return reading(() => {
      if (area.length > 0) return this.#placesOf(this.#inArea(name, area, limit));
      const found = this.#anywhere(name, limit);
      if (found.length > 0) return found;
      return this.#placesOf(this.#beforeArea(name, limit));
    });
  }

  close(): void {
    this.#db.close();
  }

  #anywhere(words: readonly string[], limit: number): FoundPlace[] {
    const { first, others } = collect(words, limit, (match) => this.#matching.all(match, limit));
    this.#areaSearch ??= new AreaSearch(this.#db);
    const areas = isShort(words) ? { whole: [], begun: [] } : this.#areaSearch.find(words);
    const found = [
      ...withAreas(first, areas.whole),
      ...byWeight([...others, ...areas.begun.slice(0, mostBegunAreas).map(weighed)]),
    ];
    const places = new Set<number>();
    return found
      .filter((one) => isArea(one) || (!places.has(one.id) && places.add(one.id)))
      .slice(0, limit)
      .map((one) => (isArea(one) ? foundArea(one) : this.#placeOf(one)));
  }

  /** Places for a query that ends with a region or country. */
  #beforeArea(words: readonly string[], limit: number): Match[] {
    for (let count = 1; count <= mostAreaWords && count < words.length; count += 1) {
      const found = this.#inArea(words.slice(0, -count), words.slice(-count), limit);
      if (found.length > 0) return found;
    }
    return [];
  }

  #placesOf(found: readonly Match[]): FoundPlace[] {
    return found.map((one) => this.#placeOf(one));
  }

  #placeOf({ id }: Match): FoundPlace {
    return foundPlace(this.#place.get(id)!);
  }

  #inArea(words: readonly string[], area: readonly string[], limit: number): Match[] {
    const anything = `(${inName(words)}) OR (${beginsSo(words)})`;
    if (this.#matching.get(anything, 1) === undefined) return [];
    this.#areas ??= new Areas(this.#db);
    const filter = this.#areas.matching(area);
    if (filter.isEmpty) return [];
    const { first, others } = collect(words, limit, (match) => this.#namesakes(match, filter));
    const found = new Map([...first, ...byWeight(others)].map((match) => [match.id, match]));
    return [...found.values()].slice(0, limit);
  }

  #namesakes(match: string, filter: AreaFilter): Match[] {
    return this.#matching
      .all(match, mostNamesakes)
      .filter(({ country, region }) => filter.has(country, region));
  }
}

/** Places that a query finds. */
interface Collected {
  /** Those that are called just so, in order. */
  readonly first: readonly Weighed<Match>[];
  readonly others: readonly Weighed<Match>[];
}

/** With how likely it is to be meant: its people, or a part of them. */
type Weighed<One> = One & { readonly weight: number };

function collect(
  words: readonly string[],
  limit: number,
  find: (match: string) => readonly Match[],
): Collected {
  const byName = find(inName(words));
  const first = isShort(words) ? [] : calledFirst(words, byName, find);
  // Who types one letter has typed the beginning of some other name of every large city.
  const isEnough = isShort(words) && byName.length >= limit;
  const begun = isEnough ? [] : find(beginsSo(words));
  const isNamed = new Set(byName.map(({ id }) => id));
  const others = [...byName.map(named), ...begun.filter(({ id }) => !isNamed.has(id)).map(weighed)];
  return { first, others };
}

/** Places called just so, by their name or, if they are larger than all that `byName` has, by another one. */
function calledFirst(
  words: readonly string[],
  byName: readonly Match[],
  find: (match: string) => readonly Match[],
): Weighed<Match>[] {
  const byAnyName = find(calledSo(words));
  if (byAnyName.length === 0) return [];
  const largest = byName[0]?.id ?? Infinity;
  const larger = byAnyName.filter(({ id }) => id < largest);
  return [...larger.map(weighed), ...find(`${inName(words)} AND ${calledSo(words)}`).map(named)];
}

/**
 * Adds areas that are called just so: countries come first; before a region or island come the towns of that name that
 * weigh more or lie in it, since Porto is rather the town than the district.
 */
function withAreas(
  places: readonly Weighed<Match>[],
  areas: readonly SearchArea[],
): (Match | SearchArea)[] {
  const isCountry = ({ kind }: SearchArea): boolean => areaKinds[kind] === 'country';
  const found: Weighed<Match | SearchArea>[] = [...places];
  for (const area of areas.filter((one) => !isCountry(one))) {
    const at = found.findIndex(
      ({ weight, region }) =>
        weight < area.population && (area.region === null || region !== area.region),
    );
    found.splice(at === -1 ? found.length : at, 0, named(area));
  }
  return [...areas.filter(isCountry), ...found];
}

function isArea(found: Match | SearchArea): found is SearchArea {
  return 'kind' in found;
}

function named<One extends { readonly population: number }>(one: One): Weighed<One> {
  return { ...one, weight: one.population };
}

function weighed<One extends { readonly population: number }>(one: One): Weighed<One> {
  return { ...one, weight: one.population * otherNameWeight };
}

function byWeight<One>(found: readonly Weighed<One>[]): One[] {
  return found.toSorted((a, b) => b.weight - a.weight);
}

// Words are letters and digits alone, so that in quotes they cannot mean anything else to FTS5.

/** Has all words in its name, the last of them perhaps only begun. */
function inName(words: readonly string[]): string {
  const complete = [...new Set(words.slice(0, -1))].map((word) => `"${word}" AND `).join('');
  return `name : (${complete}"${words.at(-1)}" *)`;
}

/** Is, or was, called just so. */
function calledSo(words: readonly string[]): string {
  return `whole : "${wholeName(words)}"`;
}

/** Has a name that begins so. */
function beginsSo(words: readonly string[]): string {
  return `whole : "${wholeName(words)}" *`;
}

function isShort(words: readonly string[]): boolean {
  const whole = wholeName(words);
  return whole.length < shortestWhole && isAscii.test(whole);
}

const isAscii = /^[\0-\x7f]*$/;

/** Ids are in the order of population, which saves sorting. */
function prepareMatching(db: Database) {
  return prepare(db, (words: string, limit: number) =>
    generationQueries
      .selectFrom('place_words')
      .innerJoin('place', 'place.id', 'place_words.rowid')
      .select(['place.id', 'population', 'country', 'region'])
      .where('place_words', 'match', words)
      .orderBy('place_words.rowid')
      .limit(limit),
  );
}

type Match = RowOf<ReturnType<typeof prepareMatching>>;

function preparePlace(db: Database) {
  return prepare(db, (id: number) =>
    generationQueries
      .selectFrom('place')
      .innerJoin('country', 'country.id', 'place.country')
      .leftJoin('region', 'region.id', 'place.region')
      .select(['place.name', 'region.name as region', 'country.name as country'])
      .select(['lat', 'lon', 'kind', 'population'])
      .where('place.id', '=', id),
  );
}

type PlaceRow = RowOf<ReturnType<typeof preparePlace>>;

function foundPlace({ lat, lon, kind, population, ...row }: PlaceRow): FoundPlace {
  return {
    name: joined([row.name, row.region, row.country]),
    ...degreesOf({ lat, lon }),
    type: placeKinds[kind] ?? 'village',
    radiusM: townRadiusM(population),
  };
}

function foundArea(area: SearchArea): FoundPlace {
  const { name, lat, lon, countryName, countryCode, regionCode, radius_m: radiusM } = area;
  const isCountry = areaKinds[area.kind] === 'country';
  return {
    name: joined([name, countryName]),
    ...degreesOf({ lat, lon }),
    type: isCountry ? 'country' : 'region',
    ...(radiusM === null
      ? { countryId: countryCode, ...(regionCode === null ? {} : { regionId: regionCode }) }
      : { radiusM }),
  };
}

/** Singapore and São Paulo are named once. */
function joined(names: readonly (string | null)[]): string {
  const parts = names.filter((part) => part !== null && part !== '');
  return parts.filter((part, i) => part !== parts[i - 1]).join(', ');
}

function degreesOf({ lat, lon }: { lat: number; lon: number }) {
  return { lat: lat / unitsPerDegree, lon: lon / unitsPerDegree };
}

/** The circle that a town's people fill at so many a km²: half of large towns are denser, and their middle always is. */
const townDensity = 2_500;
const [leastTownM, mostTownM] = [1_000, 30_000];

function townRadiusM(population: number): number {
  const km = Math.sqrt(population / (townDensity * Math.PI));
  return Math.min(mostTownM, Math.max(leastTownM, Math.round(km * 10) * 100));
}
