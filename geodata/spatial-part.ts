import type { Database } from 'better-sqlite3';

/** Reads a row of `spatial_index` into a buffer of its own, which typed arrays can lie on. */
export function readSpatialPart(db: Database, name: string): ArrayBuffer {
  const data = db
    .prepare<[string], Uint8Array>('SELECT data FROM spatial_index WHERE name = ?')
    .pluck()
    .get(name);
  if (data === undefined) throw new RangeError('A part of the generation is missing.');
  return new Uint8Array(data).buffer;
}
