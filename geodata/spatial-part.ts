import type { Database } from 'better-sqlite3';
import { prepareValue } from '../storage/prepared.ts';
import { generationQueries } from './tables.ts';

/** Reads a row of `spatial_index` into a buffer of its own, which typed arrays can lie on. */
export function readSpatialPart(db: Database, name: string): ArrayBuffer {
  const data = findSpatialPart(db, name);
  if (data === undefined) throw new RangeError('A part of the generation is missing.');
  return data;
}

/** The same for a part that not every generation has. */
export function findSpatialPart(db: Database, name: string): ArrayBuffer | undefined {
  const data = prepareValue(db, dataOfPart).get(name);
  return data && new Uint8Array(data).buffer;
}

const dataOfPart = (name: string) =>
  generationQueries.selectFrom('spatial_index').select('data').where('name', '=', name);
