import { queryBuilder } from '../storage/prepared.ts';

/** Columns of places and of areas. */
interface Findable {
  id: number;
  kind: number;
  name: string;
  country: number;
  region: number | null;
  /** Units of 0.00001 degree. */
  lat: number;
  lon: number;
  population: number;
}

/** The tables of a generation, as `generationTables` (format.ts) makes them. */
export interface GenerationDb {
  meta: { key: string; value: string };
  country: { id: number; code: string; name: string; words: string };
  region: { id: number; country: number; code: string; name: string; words: string };
  place: Findable & { feature: string; part_of: number | null };
  area: Findable & { words: string; other_words: string; radius_m: number | null };
  border: { id: number; country: number; rings: Uint8Array };
  spatial_index: { name: string; data: Uint8Array };
  other_names: { id: number; names: Uint8Array };
  /** The column of the table's own name is what FTS5 matches. */
  place_words: { rowid: number; place_words: string };
}

/** Builds queries over a generation. */
export const generationQueries = queryBuilder<GenerationDb>();
