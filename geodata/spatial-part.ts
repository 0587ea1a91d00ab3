import type { Database } from 'better-sqlite3';
import { prepareValue } from '../storage/prepared.ts';
import { generationQueries } from './tables.ts';

/** Reads a row of `spatial_index` into a buffer of its own, which typed arrays can lie on. */
export function readSpatialPart(db: Database, name: string): ArrayBuffer {
  const data = prepareValue(db, dataOfPart).get(name);
  if (data === undefined) throw new RangeError('A part of the generation is missing.');
  return new Uint8Array(data).buffer;
}

const dataOfPart = (name: string) =>
  generationQueries.selectFrom('spatial_index').select('data').where('name', '=', name);
