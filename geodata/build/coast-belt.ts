import Flatbush from 'flatbush';
import { beltCell, beltKm, beltStepKm, unitsPerDegree } from '../format.ts';
import { isInside } from '../is-inside.ts';
import { boxOf, piecesOf, toRing, type Polygon } from './polygons.ts';
import type { GeoRing } from './read-inputs.ts';

const earthKm = 6371;
const radians = Math.PI / 180;
/** Corners of coasts are further apart here and there; between them the distance is wrong by 50 m at most. */
const coastStepKm = 3;
/** Corners nearer than this to the one before add nothing at 22 km. */
const leastStepKm = 0.75;
/** The smallest cells have 180° / 2^11, 10 km from south to north. */
const deepest = 11;
/** Larger cells are split unseen: the distance of their corners says too little about them. */
const sureDegrees = 6;
/** Beyond this the land has no south coast, but ends: it goes on to the pole. */
const landSouthOf = -84;

/** Degrees. */
export interface GlobePoint {
  readonly lat: number;
  readonly lon: number;
}

/**
 * The quadtree of format.ts of what is land or within 12 nautical miles of it.
 * @param islets land that the outlines leave out.
 */
export function coastBelt(land: readonly (readonly GeoRing[])[], islets: Iterable<GlobePoint>) {
  return new BeltBuilder(land, islets).build();
}

class BeltBuilder {
  readonly #isLand: (lat: number, lon: number) => boolean;
  /** x, y, z of points on coasts, km from the middle of the globe. */
  readonly #coast: Float64Array;
  readonly #words: number[] = [0, 0];

  constructor(land: readonly (readonly GeoRing[])[], islets: Iterable<GlobePoint>) {
    this.#isLand = landTest(land.map((polygon) => polygon.map(toRing)));
    const coast: number[] = [];
    for (const ring of land.flat()) {
      for (const { lat, lon } of along(ring)) coast.push(...position(lat, lon));
    }
    for (const { lat, lon } of islets) {
      if (!this.#isLand(lat, lon)) coast.push(...position(lat, lon));
    }
    this.#coast = Float64Array.from(coast);
  }

  build(): Uint32Array<ArrayBuffer> {
    const all = Array.from({ length: this.#coast.length / 3 }, (_, i) => 3 * i);
    for (const half of [0, 1]) this.#words[half] = this.#cell(-90, 180 * half - 180, 0, all);
    return Uint32Array.from(this.#words);
  }

  /** The word of a cell. @param near points on coasts that any part of the belt in the cell may be near to. */
  #cell(south: number, west: number, depth: number, near: readonly number[]): number {
    const size = 180 / 2 ** depth;
    const middle = { lat: south + size / 2, lon: west + size / 2 };
    const radius = radiusKm(south, size);
    const around = this.#within(near, middle, radius + beltKm + coastStepKm);
    if (size > sureDegrees) return this.#split(south, west, depth, around);
    const km = this.#distanceKm(around, middle);
    if (km + radius <= beltKm) return beltCell.near;
    if (km > radius + coastStepKm) {
      // No coast goes through it.
      if (this.#isLand(middle.lat, middle.lon)) return beltCell.near;
      if (km - radius > beltKm) return beltCell.far;
    }
    if (depth === deepest) return this.#mixed(south, west, size, around);
    return this.#split(south, west, depth, around);
  }

  #split(south: number, west: number, depth: number, near: readonly number[]): number {
    const first = this.#words.length;
    this.#words.push(0, 0, 0, 0);
    const half = 180 / 2 ** (depth + 1);
    for (const part of [0, 1, 2, 3]) {
      const [row, column] = [part >> 1, part & 1];
      const word = this.#cell(south + row * half, west + column * half, depth + 1, near);
      this.#words[first + part] = word;
    }
    return reference(beltCell.split, first);
  }

  #mixed(south: number, west: number, size: number, near: readonly number[]): number {
    let corners = 0;
    for (const part of [0, 1, 2, 3]) {
      const [lat, lon] = [south + (part >> 1) * size, west + (part & 1) * size];
      const km = this.#isLand(lat, lon) ? 0 : this.#distanceKm(near, { lat, lon });
      corners += Math.min(0xff, Math.round(km / beltStepKm)) * 2 ** (8 * part);
    }
    this.#words.push(corners);
    return reference(beltCell.mixed, this.#words.length - 1);
  }

  #within(points: readonly number[], middle: GlobePoint, km: number): readonly number[] {
    const squareTo = this.#squareTo(middle);
    return points.filter((at) => squareTo(at) <= km ** 2);
  }

  #distanceKm(points: readonly number[], from: GlobePoint): number {
    const squareTo = this.#squareTo(from);
    return Math.sqrt(points.reduce((least, at) => Math.min(least, squareTo(at)), Infinity));
  }

  /** The square of a straight line, which at these distances is as long as the way over the globe. */
  #squareTo({ lat, lon }: GlobePoint): (at: number) => number {
    const [x, y, z] = position(lat, lon);
    const coast = this.#coast;
    return (at) => (coast[at]! - x) ** 2 + (coast[at + 1]! - y) ** 2 + (coast[at + 2]! - z) ** 2;
  }
}

function reference(kind: number, word: number): number {
  return word * 4 + kind;
}

/** From the middle of a cell to its corners, or further. */
function radiusKm(south: number, size: number): number {
  const nearestToEquator =
    south <= 0 && south + size >= 0 ? 0 : Math.min(Math.abs(south), Math.abs(south + size));
  const width = Math.cos(nearestToEquator * radians);
  return ((size > sureDegrees ? 1 + width : Math.hypot(1, width)) * size * radians * earthKm) / 2;
}

function position(lat: number, lon: number): [x: number, y: number, z: number] {
  const ring = earthKm * Math.cos(lat * radians);
  const height = earthKm * Math.sin(lat * radians);
  return [ring * Math.cos(lon * radians), ring * Math.sin(lon * radians), height];
}

/** Points of a ring that are neither far apart nor close together. */
function* along(ring: GeoRing): Iterable<GlobePoint> {
  let [fromLon, fromLat] = ring[0]!;
  yield { lat: fromLat, lon: fromLon };
  for (const [lon, lat] of ring) {
    const degrees = Math.hypot(lat - fromLat, (lon - fromLon) * Math.cos(lat * radians));
    const km = degrees * radians * earthKm;
    if (km < leastStepKm) continue;
    const steps = Math.ceil(km / coastStepKm);
    for (let step = 1; step <= steps; step += 1) {
      const part = step / steps;
      yield { lat: fromLat + (lat - fromLat) * part, lon: fromLon + (lon - fromLon) * part };
    }
    [fromLon, fromLat] = [lon, lat];
  }
}

function landTest(land: readonly Polygon[]): (lat: number, lon: number) => boolean {
  const pieces = land.flatMap(piecesOf);
  const tree = new Flatbush(pieces.length, 16, Int32Array);
  for (const piece of pieces) {
    const { west, south, east, north } = boxOf(piece[0]!);
    tree.add(west, south, east, north);
  }
  tree.finish();
  return (lat, lon) => {
    if (lat < landSouthOf) return true;
    const [x, y] = [lon * unitsPerDegree, lat * unitsPerDegree];
    return tree.search(x, y, x, y, (i) => isInside(pieces[i]!, x, y)).length > 0;
  };
}
