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
/** Of the points on a circle that are asked for their country. */
const directions = 16;

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

  /**
   * The ids of the countries within a distance, as far as points on two circles tell: an area that is narrower than a third
   * of it may be missed.
   * @param lat not at a pole
   */
  countriesAround(lat: number, lon: number, metres: number): Set<number> {
    const up = metres / metresPerDegree;
    const right = up / Math.cos(lat * radiansPerDegree);
    const boxed = this.#countriesInBox(lon - right, lat - up, lon + right, lat + up);
    const here = this.countryAt(lat, lon);
    const found = new Set(here === undefined ? [] : [here]);
    // A box that is reached is no country that is.
    if (boxed.size <= found.size && Math.abs(lon) + right < 180) return found;
    for (let i = 0; i < directions; i += 1) {
      const angle = (2 * Math.PI * i) / directions;
      for (const share of [0.5, 1]) {
        const north = Math.max(-90, Math.min(90, lat + share * up * Math.cos(angle)));
        const east = lon + share * right * Math.sin(angle);
        const country = this.countryAt(north, ((east + 540) % 360) - 180);
        if (country !== undefined) found.add(country);
      }
    }
    return found;
  }

  /** Countries of all pieces that may reach into a box of degrees: one, but for the neighbourhood of borders. */
  #countriesInBox(west: number, south: number, east: number, north: number): Set<number> {
    const [x0, y0, x1, y1] = [west, south, east, north].map((value) => value * unitsPerDegree) as [
      number,
      number,
      number,
      number,
    ];
    const pieces = this.#tree.search(x0, y0, x1, y1);
    return new Set(pieces.map((index) => this.#borders[index]!.country));
  }

  /** Reads all of them. @throws RangeError when one is damaged. */
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

function ringsOf(border: Border): readonly Ring[] {
  if (border.rings instanceof Uint8Array) border.rings = decodeRings(border.rings);
  return border.rings;
}

const bordersInOrder = () =>
  generationQueries.selectFrom('border').select(['country', 'rings']).orderBy('id');
