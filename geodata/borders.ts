import type { Database } from 'better-sqlite3';
import Flatbush from 'flatbush';
import { prepare } from '../storage/prepared.ts';
import { spatialParts, unitsPerDegree } from './format.ts';
import { decodeRings, type Ring } from './ring-blob.ts';
import { readSpatialPart } from './spatial-part.ts';
import { generationQueries } from './tables.ts';

interface Border {
  readonly country: number;
  readonly rings: readonly Ring[];
}

/** The polygons of countries in memory. */
export class Borders {
  readonly #tree: Flatbush;
  readonly #borders: readonly Border[];

  constructor(db: Database) {
    this.#tree = Flatbush.from(readSpatialPart(db, spatialParts.borderTree));
    this.#borders = prepare(db, bordersInOrder)
      .all()
      .map(({ country, rings }) => ({ country, rings: decodeRings(rings) }));
    if (this.#borders.length !== this.#tree.numItems) {
      throw new RangeError('The index of borders does not fit them.');
    }
  }

  /** The id of the country that a position lies in. @param lon −180…180, both ends the same meridian. */
  countryAt(lat: number, lon: number): number | undefined {
    const y = lat * unitsPerDegree;
    if (Math.abs(lon) < 180) return this.#at(lon * unitsPerDegree, y);
    // The meridian itself belongs to what is east of it; where nothing is, to what is west.
    const west = -180 * unitsPerDegree;
    return this.#at(west, y) ?? this.#at(-west - 1, y);
  }

  #at(x: number, y: number): number | undefined {
    let first = Infinity;
    this.#tree.search(x, y, x, y, (index) => {
      if (index < first && isInside(this.#borders[index]!.rings, x, y)) first = index;
      return false;
    });
    return this.#borders[first]?.country;
  }
}

const bordersInOrder = () =>
  generationQueries.selectFrom('border').select(['country', 'rings']).orderBy('id');

/**
 * Whether an odd number of edges lies east of a point, over all rings, so that holes are outside (Shimrat 1962). Of two
 * polygons with a common edge a point on it belongs to exactly one; the south pole belongs to what reaches down to it.
 */
function isInside(rings: readonly Ring[], x: number, y: number): boolean {
  let isOdd = false;
  for (const ring of rings) {
    let fromX = ring[ring.length - 2]!;
    let fromY = ring[ring.length - 1]!;
    for (let i = 0; i < ring.length; i += 2) {
      const toX = ring[i]!;
      const toY = ring[i + 1]!;
      if (fromY > y !== toY > y && x < fromX + ((toX - fromX) * (y - fromY)) / (toY - fromY)) {
        isOdd = !isOdd;
      }
      fromX = toX;
      fromY = toY;
    }
  }
  return isOdd;
}
