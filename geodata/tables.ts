import { columns, createTables, table, type TablesOf } from '../storage/create-table.ts';
import { queryBuilder, textOf } from '../storage/prepared.ts';

const { blob, integer, optionalInteger, rowid, text } = columns;

/** Positions are in units of 0.00001 degree. */
const tables = {
  meta: table({ key: text, value: text }, { key: ['key'] }),
  // `words`: see areas.ts.
  country: table({ id: rowid, code: text, name: text, words: text }),
  region: table({ id: rowid, country: integer, code: text, name: text, words: text }),
  // Numbered by population from 0, the largest first. `part_of`: the town that this is a section of.
  place: table({
    id: rowid,
    name: text,
    country: integer,
    region: optionalInteger,
    lat: integer,
    lon: integer,
    population: integer,
    feature: text,
    kind: integer,
    part_of: optionalInteger,
  }),
  // Searched for beside places, those with most people first. `words`: a line for each name, its words with a blank before each
  // and after the last; `other_words`: the same, for names in languages that are not spoken there.
  area: table({
    id: rowid,
    kind: integer,
    name: text,
    words: text,
    other_words: text,
    country: integer,
    region: optionalInteger,
    lat: integer,
    lon: integer,
    population: integer,
    radius_m: optionalInteger,
  }),
  // Numbered so that of two that hold a point the first one is meant.
  border: table({ id: rowid, country: integer, rings: blob }),
  spatial_index: table({ name: text, data: blob }, { key: ['name'] }),
  // The other names of 64 places from 64 * id on: deflated JSON, a list for each.
  other_names: table({ id: rowid, names: blob }),
};

export type GenerationDb = TablesOf<typeof tables> & {
  /** The column of the table's own name is what FTS5 matches. */
  place_words: { rowid: number; place_words: string };
};

/** Builds queries over a generation. */
export const generationQueries = queryBuilder<GenerationDb>();

/** SQL that makes the tables of a generation. */
export function generationTables(): string {
  // The words of each place's name, and all its names, each as one word: see words.ts, whose words this tokenizer keeps.
  const placeWords = `CREATE VIRTUAL TABLE place_words USING fts5(
    name, whole, content='', columnsize=0, detail=column, prefix='1 2 3', tokenize='ascii'
  )`;
  return [...createTables(tables).map(textOf), placeWords].join(';\n');
}
