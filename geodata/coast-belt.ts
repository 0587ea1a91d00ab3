import type { Database } from 'better-sqlite3';
import { beltCell, beltKm, beltStepKm, spatialParts } from './format.ts';
import { readSpatialPart } from './spatial-part.ts';

const kindBits = 2;
const justBelowOne = 1 - 2 ** -30;

/** Land and the sea within 12 nautical miles of it, as a quadtree over the globe (format.ts). */
export class CoastBelt {
  readonly #words: Uint32Array;

  constructor(db: Database) {
    this.#words = new Uint32Array(readSpatialPart(db, spatialParts.coastBelt));
  }

  /** @param lon −180…180. */
  holds(lat: number, lon: number): boolean {
    const words = this.#words;
    let x = (lon + 180) / 180;
    let y = Math.min((lat + 90) / 180, justBelowOne);
    let at = x < 1 ? 0 : 1;
    x = Math.min(x - at, justBelowOne);
    for (;;) {
      const word = words[at]!;
      const kind = word & ((1 << kindBits) - 1);
      if (kind === beltCell.mixed) return distanceKm(words[word >>> kindBits]!, x, y) <= beltKm;
      if (kind !== beltCell.split) return kind === beltCell.near;
      const column = x < 0.5 ? 0 : 1;
      const row = y < 0.5 ? 0 : 1;
      x = 2 * x - column;
      y = 2 * y - row;
      at = (word >>> kindBits) + 2 * row + column;
    }
  }
}

/** Between the distances of the four corners. @param x, y 0…1 from the south-west corner. */
function distanceKm(corners: number, x: number, y: number): number {
  const [southWest, southEast, northWest, northEast] = [0, 8, 16, 24].map(
    (shift) => (corners >>> shift) & 0xff,
  ) as [number, number, number, number];
  const south = southWest + (southEast - southWest) * x;
  const north = northWest + (northEast - northWest) * x;
  return (south + (north - south) * y) * beltStepKm;
}
