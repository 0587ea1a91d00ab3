import type { Database } from 'better-sqlite3';
import { distance } from 'geokdbush';
import KDBush from 'kdbush';
import { itemsAround } from './circle.ts';
import { spatialParts } from './format.ts';
import { readSpatialPart } from './spatial-part.ts';

/** Circles that are searched one after the other: in a town the first one has the answer among a handful of places. */
const circlesKm = [4, 20, 80];

/** Positions and countries of all places in memory. */
export class PlaceTree {
  readonly #tree: KDBush;
  readonly #countries: Uint16Array;
  readonly #lats: Float32Array;
  readonly #lons: Float32Array;

  constructor(db: Database) {
    this.#tree = KDBush.from(readSpatialPart(db, spatialParts.placeTree));
    this.#countries = new Uint16Array(readSpatialPart(db, spatialParts.placeCountry));
    const { ids, coords, numItems } = this.#tree;
    if (numItems !== this.#countries.length) {
      throw new RangeError('The index of places does not fit their countries.');
    }
    this.#lats = new Float32Array(numItems);
    this.#lons = new Float32Array(numItems);
    for (let at = 0; at < numItems; at += 1) {
      this.#lons[ids[at]!] = coords[2 * at]!;
      this.#lats[ids[at]!] = coords[2 * at + 1]!;
    }
  }

  get size(): number {
    return this.#countries.length;
  }

  countryOf(place: number): number {
    return this.#countries[place]!;
  }

  /** Degrees. */
  positionOf(place: number): { lat: number; lon: number } {
    return { lat: this.#lats[place]!, lon: this.#lons[place]! };
  }

  /**
   * The place nearest to a position, by great circle, of this country if one is given; of two at the same distance the
   * larger one.
   * @param withinKm at most 80.
   */
  nearest(lat: number, lon: number, withinKm: number, country?: number): number | undefined {
    for (const circle of circlesKm) {
      const km = Math.min(circle, withinKm);
      const found = this.#nearestWithin(lat, lon, km, country);
      if (found !== undefined) return found;
      if (km === withinKm) return undefined;
    }
    return undefined;
  }

  #nearestWithin(lat: number, lon: number, withinKm: number, country?: number): number | undefined {
    let nearest: number | undefined;
    let nearestKm = withinKm;
    for (const place of itemsAround(this.#tree, lat, lon, withinKm)) {
      if (country !== undefined && this.#countries[place] !== country) continue;
      const km = distance(lon, lat, this.#lons[place]!, this.#lats[place]!);
      if (km > nearestKm || (km === nearestKm && place > (nearest ?? Infinity))) continue;
      nearest = place;
      nearestKm = km;
    }
    return nearest;
  }
}
