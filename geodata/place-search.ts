import { setImmediate as nextTurn } from 'node:timers/promises';
import { inflateRawSync } from 'node:zlib';
import type { Database } from 'better-sqlite3';
import type { Suggestion } from '../model/search.ts';
import { orClosed } from '../storage/database.ts';
import { prepare, prepareValue, type RowOf } from '../storage/prepared.ts';
import { AreaSearch, type SearchArea } from './area-search.ts';
import { Areas, type AreaFilter } from './areas.ts';
import { areaKinds, namesTogether, placeKinds, unitsPerDegree } from './format.ts';
import { openGeneration, reading } from './generation.ts';
import { generationQueries } from './tables.ts';
import { beginsSo, hasWords, inName, isShort, misspellings, wholeOf } from './name-queries.ts';
import {
  byWeight,
  collect,
  countryWeighed,
  inOrder,
  isArea,
  named,
  weighed,
  withAreas,
} from './rank-places.ts';
import type { Match } from './rank-places.ts';
import { wholeName, wordsOf } from './words.ts';

/** No name has as many words; a query of more is about something else, and would cost more. */
const mostWords = 16;
/** How many words at the end of a query may be a region or country that it does not set off by a comma. */
const mostAreaWords = 3;
/** How many places of one name are looked at for those in a region or country. */
const mostNamesakes = 400;
/** Letters of a name that may be misspelt. */
const [shortestMisspelt, longestMisspelt] = [5, 24];
/** Some milliseconds. */
const namesInSlice = 64;
/** Countries and regions whose name is only begun: they have many people, and towns are what is mostly meant. */
const mostBegunAreas = 3;

/** Name and region of a query: what stands before the first comma, and behind it. */
function partsOf(query: string): { readonly name: string[]; readonly area: string[] } {
  const comma = query.indexOf(',');
  if (comma === -1) return { name: wordsOf(query), area: [] };
  return { name: wordsOf(query.slice(0, comma)), area: wordsOf(query.slice(comma)) };
}

/** Finds places of a generation by their name as one types it. Opens only what it needs, and can stay on the main thread. */
export class PlaceSearch {
  readonly #db: Database;
  readonly #matching: ReturnType<typeof prepareMatching>;
  readonly #place: ReturnType<typeof preparePlace>;
  readonly #otherNames: ReturnType<typeof prepareOtherNames>;
  readonly #areaSearch: AreaSearch;
  #areas: Areas | undefined;

  /** @throws UnusableGeneration */
  constructor(path: string) {
    this.#db = openGeneration(path);
    [this.#matching, this.#place, this.#otherNames] = orClosed(this.#db, (db) =>
      reading(() => [prepareMatching(db), preparePlace(db), prepareOtherNames(db)] as const),
    );
    this.#areaSearch = new AreaSearch(this.#db);
  }

  /**
   * Places for a query whose last word may be only begun: first those that are called just so (countries, then regions and
   * islands, then towns, those with most people first); then those of which another name is so, and those with all its words
   * in their name or another name that begins so, which counts for a tenth of their people. One with a hundred times the
   * people of a town of just that name comes before it (Köln for Cologne). A region or country may follow the name:
   * `Paris, Texas`.
   * @param query any text; what has no letter or digit finds nothing. @param limit 1…
   * @throws UnusableGeneration when the file turns out to be damaged.
   */
  search(query: string, limit: number): Suggestion[] {
    const { name, area } = partsOf(query);
    if (name.length === 0 || name.length + area.length > mostWords) return [];
    return reading(() => {
      if (area.length > 0) return this.#placesOf(this.#inArea(name, area, limit), name);
      const found = this.#anywhere(name, limit);
      return found.length > 0 ? found : this.#placesOf(this.#beforeArea(name, limit), name);
    });
  }

  /**
   * Places and areas with a name that is one letter off: changed, dropped, added or swapped with its neighbour. In slices,
   * as there are some hundred such names.
   * @throws as search.
   */
  async misspelt(query: string, limit: number): Promise<Suggestion[]> {
    const { name: words, area } = partsOf(query);
    const length = Array.from(wholeName(words)).length;
    if (area.length > 0 || length < shortestMisspelt || length > longestMisspelt) return [];
    const near = misspellings(wholeName(words));
    const found: (Match | SearchArea)[] = [...this.#areaSearch.called(near)];
    const quoted = [...near].map((name) => `"${name}"`);
    for (let at = 0; at < quoted.length; at += namesInSlice) {
      await nextTurn();
      if (!this.#db.open) return [];
      const match = `whole : (${quoted.slice(at, at + namesInSlice).join(' OR ')})`;
      found.push(...reading(() => this.#matching.all(match, limit)));
    }
    const once = new Map(found.map((one) => [isArea(one) ? -1 - one.id : one.id, one]));
    return byWeight([...once.values()].map(named))
      .slice(0, limit)
      .map((one) => this.#foundOf(one, words));
  }

  close(): void {
    this.#db.close();
  }

  #anywhere(words: readonly string[], limit: number): Suggestion[] {
    const places = collect(words, limit, (match) => this.#matching.all(match, limit));
    const { whole, called, begun } = this.#areaSearch.find(words, isShort(words));
    const areas = begun.slice(0, mostBegunAreas).map(weighed);
    const countries = called.map(countryWeighed);
    const others = byWeight([...places.called, ...places.begun, ...areas]);
    const found = inOrder(withAreas(places, whole), [...countries, ...others]);
    return found.slice(0, limit).map((one) => this.#foundOf(one, words));
  }

  #foundOf(one: Match | SearchArea, words: readonly string[]): Suggestion {
    return isArea(one) ? foundArea(one, words) : this.#placeOf(one, words);
  }

  /** Places for a query that ends with a region or country. */
  #beforeArea(words: readonly string[], limit: number): Match[] {
    for (let count = 1; count <= mostAreaWords && count < words.length; count += 1) {
      const found = this.#inArea(words.slice(0, -count), words.slice(-count), limit);
      if (found.length > 0) return found;
    }
    return [];
  }

  #placesOf(found: readonly Match[], words: readonly string[]): Suggestion[] {
    return found.map((one) => this.#placeOf(one, words));
  }

  #placeOf({ id, name }: Match, words: readonly string[]): Suggestion {
    const place = foundPlace(this.#place.get(id)!);
    const other_name = hasWords(name, words) ? undefined : this.#otherName(id, wholeName(words));
    return { ...place, ...(other_name !== undefined && { other_name }) };
  }

  /** The other name of a place that is, or else begins, so. */
  #otherName(id: number, whole: string): string | undefined {
    const blob = this.#otherNames.get(Math.floor(id / namesTogether));
    if (blob === undefined) return undefined;
    // Sound: written by build/write-generation.ts.
    const lists = JSON.parse(inflateRawSync(blob).toString('utf8')) as string[][];
    const names = (lists[id % namesTogether] ?? []).map((name) => ({ name, whole: wholeOf(name) }));
    const found =
      names.find((one) => one.whole === whole) ?? names.find((one) => one.whole.startsWith(whole));
    return found?.name;
  }

  #inArea(words: readonly string[], area: readonly string[], limit: number): Match[] {
    const anything = `(${inName(words)}) OR (${beginsSo(words)})`;
    if (this.#matching.get(anything, 1) === undefined) return [];
    this.#areas ??= new Areas(this.#db);
    const filter = this.#areas.matching(area);
    if (filter.isEmpty) return [];
    const places = collect(words, limit, (match) => this.#namesakes(match, filter));
    return inOrder(places.exact, byWeight([...places.called, ...places.begun])).slice(0, limit);
  }

  #namesakes(match: string, filter: AreaFilter): Match[] {
    return this.#matching
      .all(match, mostNamesakes)
      .filter(({ country, region }) => filter.has(country, region));
  }
}

/** Ids are in the order of population, which saves sorting. */
function prepareMatching(db: Database) {
  return prepare(db, (words: string, limit: number) =>
    generationQueries
      .selectFrom('place_words')
      .innerJoin('place', 'place.id', 'place_words.rowid')
      .select(['place.id', 'place.name', 'population', 'country', 'region'])
      .where('place_words', 'match', words)
      .orderBy('place_words.rowid')
      .limit(limit),
  );
}

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

function prepareOtherNames(db: Database) {
  return prepareValue(db, (id: number) =>
    generationQueries.selectFrom('other_names').select('names').where('id', '=', id),
  );
}

type PlaceRow = RowOf<ReturnType<typeof preparePlace>>;

const found = { source: 'geocode', class: 'place' } as const;

function foundPlace({ kind, population, ...row }: PlaceRow): Suggestion {
  return {
    name: joined([row.name, row.region, row.country]),
    ...degreesOf(row),
    ...found,
    type: placeKinds[kind] ?? 'village',
    radius_m: townRadiusM(population),
  };
}

function foundArea(area: SearchArea, query: readonly string[]): Suggestion {
  const { name, countryName, countryCode: country_id, regionCode: region_id, radius_m } = area;
  const isCountry = areaKinds[area.kind] === 'country';
  const other_name = hasWords(name, query) ? undefined : nameWith(area, query);
  return {
    name: joined([name, countryName]),
    ...degreesOf(area),
    ...found,
    type: isCountry ? 'country' : 'region',
    ...(radius_m === null
      ? { country_id, ...(region_id !== null && { region_id }) }
      : { radius_m }),
    ...(other_name !== undefined && { other_name }),
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

/** The name of an area that is, or else begins, so. */
function nameWith(area: SearchArea, query: readonly string[]): string | undefined {
  const names = area.names.split('\n').map((name) => name.trim());
  const whole = wholeName(query);
  return (
    names.find((name) => name.replaceAll(' ', '') === whole) ??
    names.find((name) => hasWords(name, query))
  );
}

/** The circle that a town's people fill at so many a km²: half of large towns are denser, and their middle always is. */
const townDensity = 2_500;
const [leastTownM, mostTownM] = [1_000, 30_000];

function townRadiusM(population: number): number {
  const km = Math.sqrt(population / (townDensity * Math.PI));
  return Math.min(mostTownM, Math.max(leastTownM, Math.round(km * 10) * 100));
}
