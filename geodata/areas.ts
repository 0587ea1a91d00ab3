import type { Database } from 'better-sqlite3';
import { wordsOf } from './words.ts';

/** Countries and regions that somebody may mean who types `Texas` after the name of a town. */
export type AreaFilter = ReturnType<Areas['matching']>;

interface Area {
  readonly id: number;
  readonly words: string;
}

/**
 * The words of a country's or a region's name and the last part of its code as they are stored: a blank before each and
 * after the last, and a point after the code (` texas tx. `), so that no word is taken for its beginning.
 */
export function areaWords(name: string, code: string): string {
  const shortCode = code.slice(code.indexOf('.') + 1).toLowerCase();
  return ` ${[...wordsOf(name), `${shortCode}.`].join(' ')} `;
}

/** The words of all countries and regions in memory, some 4,000. */
export class Areas {
  readonly #countries: readonly Area[];
  readonly #regions: readonly Area[];

  constructor(db: Database) {
    this.#countries = db.prepare<[], Area>('SELECT id, words FROM country').all();
    this.#regions = db
      .prepare<[], Area>(
        `SELECT region.id, region.words || country.words AS words
         FROM region JOIN country ON country.id = region.country`,
      )
      .all();
  }

  /** Those that have every word in their names, or at least its beginning; codes count whole. */
  matching(words: readonly string[]) {
    const countries = idsOfMatching(this.#countries, words);
    const regions = idsOfMatching(this.#regions, words);
    return {
      isEmpty: countries.size + regions.size === 0,
      has: (country: number, region: number | null): boolean =>
        countries.has(country) || (region !== null && regions.has(region)),
    };
  }
}

function idsOfMatching(areas: readonly Area[], wanted: readonly string[]): Set<number> {
  const meant = areas.filter(({ words }) =>
    wanted.every((part) => isBegun(words, part) || words.includes(` ${part}. `)),
  );
  return new Set(meant.map(({ id }) => id));
}

/** Whether one of the words that are not a code begins so. */
function isBegun(words: string, part: string): boolean {
  for (let at = words.indexOf(` ${part}`); at !== -1; at = words.indexOf(` ${part}`, at + 1)) {
    if (words[words.indexOf(' ', at + 1) - 1] !== '.') return true;
  }
  return false;
}
