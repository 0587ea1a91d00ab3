import type { Database } from 'better-sqlite3';
import { prepare, type RowOf } from '../storage/prepared.ts';
import { Areas, type AreaFilter } from './areas.ts';
import { placeKinds, unitsPerDegree, type PlaceKind } from './format.ts';
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
  readonly type: PlaceKind;
}

/** No name has as many words; a query of more is about something else, and would cost more. */
const mostWords = 16;
/** How many words at the end of a query may be a region or country that it does not set off by a comma. */
const mostAreaWords = 3;
/** How many places of one name are looked at for those in a region or country. */
const mostNamesakes = 400;
/** Shorter ones are looked for as beginnings alone: who types A does not mean Å in Lofoten. */
const shortestWhole = 3;
/** A place counts with so much of its people where only another name of it begins so: Vienna for `wie`. */
const otherNameWeight = 0.1;

/** Finds places of a generation by their name as one types it. Opens only what it needs, and can stay on the main thread. */
export class PlaceSearch {
  readonly #db: Database;
  readonly #matching: ReturnType<typeof prepareMatching>;
  readonly #place: ReturnType<typeof preparePlace>;
  #areas: Areas | undefined;

  /** @throws UnusableGeneration */
  constructor(path: string) {
    this.#db = openGeneration(path);
    try {
      [this.#matching, this.#place] = reading(() => [
        prepareMatching(this.#db),
        preparePlace(this.#db),
      ]);
    } catch (error) {
      this.#db.close();
      throw error;
    }
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
      const ids = area.length > 0 ? this.#inArea(name, area, limit) : this.#anywhere(name, limit);
      return ids.map((id) => foundPlace(this.#place.get(id)!));
    });
  }

  close(): void {
    this.#db.close();
  }

  #anywhere(words: readonly string[], limit: number): number[] {
    const ids = collect(words, limit, (match) => this.#matching.all(match, limit));
    for (let count = 1; ids.length === 0 && count <= mostAreaWords; count += 1) {
      if (count >= words.length) break;
      ids.push(...this.#inArea(words.slice(0, -count), words.slice(-count), limit));
    }
    return ids;
  }

  #inArea(words: readonly string[], area: readonly string[], limit: number): number[] {
    const anything = `(${inName(words)}) OR (${beginsSo(words)})`;
    if (this.#matching.get(anything, 1) === undefined) return [];
    this.#areas ??= new Areas(this.#db);
    const filter = this.#areas.matching(area);
    if (filter.isEmpty) return [];
    return collect(words, limit, (match) => this.#namesakes(match, filter));
  }

  #namesakes(match: string, filter: AreaFilter): Match[] {
    return this.#matching
      .all(match, mostNamesakes)
      .filter(({ country, region }) => filter.has(country, region));
  }
}

/** The ids of what one kind of match after the other finds, the best first. */
function collect(
  words: readonly string[],
  limit: number,
  find: (match: string) => readonly Match[],
): number[] {
  const byName = find(inName(words));
  const first = isShort(words) ? [] : calledFirst(words, byName, find);
  // Who types one letter has typed the beginning of some other name of every large city.
  const isEnough = isShort(words) && byName.length >= limit;
  const begun = isEnough ? [] : find(beginsSo(words));
  const ids = new Set([...first, ...byLikelihood(byName, begun)]);
  return [...ids].slice(0, limit);
}

/** The ids of those called just so, by their name or, if they are larger than all that `byName` has, by another one. */
function calledFirst(
  words: readonly string[],
  byName: readonly Match[],
  find: (match: string) => readonly Match[],
): number[] {
  const byAnyName = find(calledSo(words));
  if (byAnyName.length === 0) return [];
  const largest = byName[0]?.id ?? Infinity;
  const larger = byAnyName.filter(({ id }) => id < largest);
  return [...larger, ...find(`${inName(words)} AND ${calledSo(words)}`)].map(({ id }) => id);
}

/** Ids by population, of which only a part counts where none but another name begins so. */
function byLikelihood(byName: readonly Match[], byOtherName: readonly Match[]): number[] {
  const isNamed = new Set(byName.map(({ id }) => id));
  const others = byOtherName.filter(({ id }) => !isNamed.has(id));
  return [
    ...byName.map(({ id, population }) => ({ id, weight: population })),
    ...others.map(({ id, population }) => ({ id, weight: population * otherNameWeight })),
  ]
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ id }) => id);
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
      .select(['lat', 'lon', 'kind'])
      .where('place.id', '=', id),
  );
}

type PlaceRow = RowOf<ReturnType<typeof preparePlace>>;

function foundPlace({ name, region, country, lat, lon, kind }: PlaceRow): FoundPlace {
  const parts = [name, region, country].filter((part) => part !== null && part !== '');
  return {
    // Singapore and São Paulo are named once.
    name: parts.filter((part, i) => part !== parts[i - 1]).join(', '),
    lat: lat / unitsPerDegree,
    lon: lon / unitsPerDegree,
    type: placeKinds[kind] ?? 'village',
  };
}
