import type { Database } from 'better-sqlite3';
import Flatbush from 'flatbush';
import { prepare } from '../storage/prepared.ts';
import { spatialParts, unitsPerDegree } from './format.ts';
import { isInside } from './is-inside.ts';
import { decodeRings, type Ring } from './ring-blob.ts';
import { readSpatialPart } from './spatial-part.ts';
import { generationQueries } from './tables.ts';

interface Border {
  readonly country: number;
  /** Packed until a position is first looked for in its box: a life is lived in few of them. */
  rings: Uint8Array | readonly Ring[];
}

const metresPerDegree = 111_195;
const radiansPerDegree = Math.PI / 180;

/** The polygons of countries in memory. */
export class Borders {
  readonly #tree: Flatbush;
  readonly #borders: readonly Border[];

  constructor(db: Database) {
    this.#tree = Flatbush.from(readSpatialPart(db, spatialParts.borderTree));
    this.#borders = prepare(db, bordersInOrder).all();
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

  /** The ids of the countries within a distance. @param lat not at a pole */
  countriesAround(lat: number, lon: number, metres: number): Set<number> {
    const up = (metres / metresPerDegree) * unitsPerDegree;
    const right = up / Math.cos(lat * radiansPerDegree);
    const here = this.countryAt(lat, lon);
    const found = new Set(here === undefined ? [] : [here]);
    const y = lat * unitsPerDegree;
    // The meridian of 180° has two sides.
    for (const x of [lon - 360, lon, lon + 360].map((each) => each * unitsPerDegree)) {
      for (const index of this.#tree.search(x - right, y - up, x + right, y + up)) {
        const border = this.#borders[index]!;
        if (found.has(border.country)) continue;
        const isNear = ringsOf(border).some((ring) => reaches(ring, x, y, right, up));
        if (isNear) found.add(border.country);
      }
    }
    return found;
  }

  /** Reads all of them. @throws DayBlobCorrupt when one is damaged. */
  check(): void {
    for (const border of this.#borders) ringsOf(border);
  }

  #at(x: number, y: number): number | undefined {
    let first = Infinity;
    this.#tree.search(x, y, x, y, (index) => {
      if (index < first && isInside(ringsOf(this.#borders[index]!), x, y)) first = index;
      return false;
    });
    return this.#borders[first]?.country;
  }
}

/** Tells whether an edge of a ring comes as near as the half axes of an ellipse around a point. */
function reaches(ring: Ring, x: number, y: number, halfX: number, halfY: number): boolean {
  let fromX = (ring[ring.length - 2]! - x) / halfX;
  let fromY = (ring[ring.length - 1]! - y) / halfY;
  for (let i = 0; i < ring.length; i += 2) {
    const toX = (ring[i]! - x) / halfX;
    const toY = (ring[i + 1]! - y) / halfY;
    const [alongX, alongY] = [toX - fromX, toY - fromY];
    const squared = alongX * alongX + alongY * alongY;
    const share = squared === 0 ? 0 : -(fromX * alongX + fromY * alongY) / squared;
    const at = Math.max(0, Math.min(1, share));
    if (Math.hypot(fromX + at * alongX, fromY + at * alongY) <= 1) return true;
    fromX = toX;
    fromY = toY;
  }
  return false;
}

function ringsOf(border: Border): readonly Ring[] {
  if (border.rings instanceof Uint8Array) border.rings = decodeRings(border.rings);
  return border.rings;
}

const bordersInOrder = () =>
  generationQueries.selectFrom('border').select(['country', 'rings']).orderBy('id');
