import type { Database } from 'better-sqlite3';
import { prepare, type RowOf } from '../storage/prepared.ts';
import { generationQueries } from './tables.ts';
import { wholeName } from './words.ts';

/** Finds countries, regions and islands by name, the most populous first. */
export interface FoundAreas {
  /** Those that are called just so, in English or where they are. */
  readonly whole: readonly SearchArea[];
  /** Those that are called just so in another language. */
  readonly called: readonly SearchArea[];
  /** Those that have all its words in one of their names, the last of them perhaps only begun. */
  readonly begun: readonly SearchArea[];
}

/** A row of `area` with what it lies in. */
export type SearchArea = RowOf<ReturnType<typeof prepareAreas>>;

/** Finds countries, regions and islands by their names. */
export class AreaSearch {
  readonly #areas: ReturnType<typeof prepareAreas>;

  constructor(db: Database) {
    this.#areas = prepareAreas(db);
  }

  /** @param words of the query, at least one. */
  find(words: readonly string[]): FoundAreas {
    const [whole, last] = [wholeName(words), words.at(-1) ?? ''];
    const found: Record<keyof FoundAreas, SearchArea[]> = { whole: [], called: [], begun: [] };
    for (const area of this.#areas.all(` ${last}`)) {
      const named = area.words
        .split('\n')
        .map((name) => name.trim().split(' '))
        .filter(
          (name) =>
            name.some((word) => word.startsWith(last)) &&
            words.slice(0, -1).every((word) => name.includes(word)),
        );
      if (named.some((name) => wholeName(name) === whole)) found.whole.push(area);
      else if (isNamed(area.other_words, whole)) found.called.push(area);
      else if (named.length > 0) found.begun.push(area);
    }
    return found;
  }

  /** Areas with a name, as one word, that is one of these. */
  called(wholes: ReadonlySet<string>): SearchArea[] {
    return this.#areas
      .all(' ')
      .filter(({ words, other_words: others }) =>
        `${words}\n${others}`.split('\n').some((name) => wholes.has(name.replaceAll(' ', ''))),
      );
  }
}

function isNamed(words: string, whole: string): boolean {
  return words.split('\n').some((name) => name.replaceAll(' ', '') === whole);
}

/** Looks at all, some 4,000: half a millisecond. */
function prepareAreas(db: Database) {
  return prepare(db, (begin: string) =>
    generationQueries
      .selectFrom('area')
      .innerJoin('country', 'country.id', 'area.country')
      .leftJoin('region', 'region.id', 'area.region')
      .select(['area.id', 'area.kind', 'area.name', 'area.words', 'other_words'])
      .select(['lat', 'lon', 'population'])
      .select(['radius_m', 'area.country', 'area.region'])
      .select(['country.name as countryName', 'country.code as countryCode'])
      .select('region.code as regionCode')
      .where((eb) =>
        eb.or([
          eb(eb.fn<number>('instr', ['area.words', eb.val(begin)]), '>', 0),
          eb(eb.fn<number>('instr', ['other_words', eb.val(begin)]), '>', 0),
        ]),
      )
      .orderBy('area.id'),
  );
}
