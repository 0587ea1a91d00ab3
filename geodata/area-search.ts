import type { Database } from 'better-sqlite3';
import { prepare, type RowOf } from '../storage/prepared.ts';
import { generationQueries } from './tables.ts';
import { wholeName } from './words.ts';

/** A row of `area` with what it lies in, and all its names: each is a line, with a blank before and after each word. */
export type SearchArea = RowOf<ReturnType<typeof prepareAreas>> & { readonly names: string };

/** Finds countries, regions and islands by their names. */
export class AreaSearch {
  readonly #read: ReturnType<typeof prepareAreas>;
  #known: readonly SearchArea[] | undefined;

  constructor(db: Database) {
    this.#read = prepareAreas(db);
  }

  /**
   * Those that are called just so, in English or where they are; those that are called just so in another language; and those
   * that have all words in one of their names, the last of them perhaps only begun. Each the most populous first.
   * @param words of the query, at least one. @param isShort finds only what is called just so.
   */
  find(words: readonly string[], isShort = false) {
    const [whole, last] = [wholeName(words), words.at(-1) ?? ''];
    const isWhole = (name: string): boolean => name.replaceAll(' ', '') === whole;
    const found: Record<'whole' | 'called' | 'begun', SearchArea[]> = {
      whole: [],
      called: [],
      begun: [],
    };
    const text = isShort ? `\n ${last} \n` : ` ${last}`;
    for (const area of this.#all().filter(({ names }) => names.includes(text))) {
      const named = area.words
        .split('\n')
        .filter(
          (name) =>
            name.includes(` ${last}`) &&
            words.slice(0, -1).every((word) => name.includes(` ${word} `)),
        );
      if (named.some(isWhole)) found.whole.push(area);
      else if (area.other_words.split('\n').some(isWhole)) found.called.push(area);
      else if (named.length > 0) found.begun.push(area);
    }
    return found;
  }

  /** Areas with a name, as one word, that is one of these. */
  called(wholes: ReadonlySet<string>): SearchArea[] {
    return this.#all().filter(({ names }) =>
      names.split('\n').some((name) => wholes.has(name.replaceAll(' ', ''))),
    );
  }

  /** Read once, some milliseconds: asking SQLite each time cost more than all else of a search. */
  #all(): readonly SearchArea[] {
    return (this.#known ??= this.#read
      .all()
      .map((area) => ({ ...area, names: `\n${area.words}\n${area.other_words}\n` })));
  }
}

function prepareAreas(db: Database) {
  return prepare(db, () =>
    generationQueries
      .selectFrom('area')
      .innerJoin('country', 'country.id', 'area.country')
      .leftJoin('region', 'region.id', 'area.region')
      .select(['area.id', 'area.kind', 'area.name', 'area.words', 'other_words'])
      .select(['lat', 'lon', 'population'])
      .select(['radius_m', 'area.country', 'area.region'])
      .select(['country.name as countryName', 'country.code as countryCode'])
      .select('region.code as regionCode')
      .orderBy('area.id'),
  );
}
