import { distanceM, earthRadiusM, radiansPerUnit } from '../earth.ts';

interface Place {
  readonly number: number;
  readonly latE7: number;
  readonly lonE7: number;
}

/** Numbers places: a stop within a radius of the first stop at a place is at that place, too; of several the nearest. */
export class PlaceNumbers {
  readonly #radiusM: number;
  /** By cube in space, its sides as long as the radius: there is no edge at 180° or at the poles. */
  readonly #places = new Map<string, Place[]>();
  #count = 0;

  constructor(radiusM: number) {
    this.#radiusM = radiusM;
  }

  /** Gives the number of the place of the next stop; new ones count up from 0. */
  numberOf(latE7: number, lonE7: number): number {
    const cube = this.#cubeOf(latE7, lonE7);
    const known = this.#nearest(cube, latE7, lonE7);
    if (known !== undefined) return known.number;
    const place = { number: this.#count, latE7, lonE7 };
    this.#count += 1;
    const key = cube.join();
    this.#places.set(key, [...(this.#places.get(key) ?? []), place]);
    return place.number;
  }

  #nearest(cube: readonly number[], latE7: number, lonE7: number): Place | undefined {
    let nearest: Place | undefined;
    let least = this.#radiusM;
    for (const place of this.#around(cube)) {
      const apart = distanceM(place.latE7, place.lonE7, latE7, lonE7);
      if (apart > least || (apart === least && nearest !== undefined)) continue;
      nearest = place;
      least = apart;
    }
    return nearest;
  }

  *#around([x = 0, y = 0, z = 0]: readonly number[]): Iterable<Place> {
    for (let i = 0; i < 27; i += 1) {
      const cube = [x + (i % 3) - 1, y + (Math.floor(i / 3) % 3) - 1, z + Math.floor(i / 9) - 1];
      yield* this.#places.get(cube.join()) ?? [];
    }
  }

  #cubeOf(latE7: number, lonE7: number): number[] {
    const lat = latE7 * radiansPerUnit;
    const lon = lonE7 * radiansPerUnit;
    const vector = [Math.cos(lat) * Math.cos(lon), Math.cos(lat) * Math.sin(lon), Math.sin(lat)];
    return vector.map((part) => Math.floor((part * earthRadiusM) / this.#radiusM));
  }
}
