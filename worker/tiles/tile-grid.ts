import {
  lonOfWorldX,
  latOfWorldY,
  maxLatitude,
  worldY,
  type TileAddress,
} from '../../model/mercator.ts';
import type { PositionColumns } from '../../storage/day-cursor.ts';
import type { BoxE7 } from '../../storage/library/track-reader.ts';
import { stretchOf } from '../../storage/outline.ts';
import { tileExtent } from './write-mvt.ts';

/** What is drawn beyond the edges, so that lines that are cut there show no ends. */
export const tileBuffer = 64;
/** A pixel in units of a tile: maps show tiles 512 pixels wide. */
export const pixel = tileExtent / 512;
/** From this zoom on the projection is a cubic curve around a tile, to a quarter of a unit, away from the edges of the world. */
const curvedZoom = 8;
/** So far from the middle, in half heights of a tile. */
const curvedHeights = 4;
const unitsPerDegree = 10_000_000;
/** Below it, it is straight between latitudes so far apart, to a tenth of a unit. One of them is where the world ends. */
const bandE7 = (maxLatitude * unitsPerDegree) / 6_500;
/** From the equator to beyond a pole. */
const halfBands = Math.ceil((90 * unitsPerDegree) / bandE7) + 1;
let bandEdges: Float64Array | undefined;
const worldE7 = 360 * unitsPerDegree;

/** Where positions lie on a map, in whole units. */
export interface TrackGrid {
  /** What need not be drawn lies outside. */
  readonly box: BoxE7;
  x(lonE7: number): number;
  y(latE7: number): number;
  /** Puts x in the place of longitudes, and y in that of latitudes. */
  project(columns: PositionColumns, from: number, to: number): void;
  /** Units of a tile for 1e-7 degree of longitude, and for one of latitude at most, in a box. */
  scales(box: Pick<BoxE7, 'south' | 'north'>): { readonly lon: number; readonly lat: number };
}

/** Where positions lie in a tile, in its units, x eastwards and y southwards from its corner. */
export class TileGrid implements TrackGrid {
  /** With the buffer. */
  readonly box: BoxE7;
  readonly #isLow: boolean;
  readonly #unitsPerE7: number;
  readonly #worldUnits: number;
  readonly #left: number;
  readonly #top: number;
  /** Where it is a curve, which costs a tenth. */
  readonly #middleE7: number;
  readonly #nearE7: number;
  readonly #curve: Readonly<Record<'c0' | 'c1' | 'c2' | 'c3', number>>;

  constructor({ z, x, y }: TileAddress) {
    const tiles = 2 ** z;
    this.#worldUnits = tiles * tileExtent;
    this.#unitsPerE7 = this.#worldUnits / worldE7;
    this.#left = x * tileExtent;
    this.#top = y * tileExtent;
    const lonAt = (units: number): number =>
      Math.round(lonOfWorldX((this.#left + units) / this.#worldUnits) * unitsPerDegree);
    const latAt = (units: number): number =>
      Math.round(latOfWorldY((this.#top + units) / this.#worldUnits) * unitsPerDegree);
    this.box = {
      south: y === tiles - 1 ? -90 * unitsPerDegree : latAt(tileExtent + tileBuffer),
      west: lonAt(-tileBuffer),
      north: y === 0 ? 90 * unitsPerDegree : latAt(-tileBuffer),
      east: lonAt(tileExtent + tileBuffer),
    };
    this.#isLow = z >= curvedZoom;
    this.#middleE7 = latAt(tileExtent / 2);
    this.#nearE7 =
      z < curvedZoom || y < 2 || y > tiles - 3
        ? -1
        : ((this.box.north - this.box.south) / 2) * curvedHeights;
    this.#curve = this.#curveAt(this.#middleE7);
  }

  x(lonE7: number): number {
    return Math.floor((lonE7 + worldE7 / 2) * this.#unitsPerE7 - this.#left + 0.5);
  }

  y(latE7: number): number {
    const { c0, c1, c2, c3 } = this.#curve;
    const off = latE7 - this.#middleE7;
    if (Math.abs(off) <= this.#nearE7)
      return Math.floor(((c3 * off + c2) * off + c1) * off + c0 + 0.5);
    return Math.floor((this.#isLow ? this.#exactY(latE7) : this.#bandedY(latE7)) + 0.5);
  }

  /** As x and y, whose parts it knows: those are most of all. */
  project({ lonE7, latE7 }: PositionColumns, from: number, to: number): void {
    const scale = this.#unitsPerE7;
    const start = (worldE7 / 2) * scale - this.#left + 0.5;
    const { c0, c1, c2, c3 } = this.#curve;
    const [middle, near] = [this.#middleE7, this.#nearE7];
    for (let at = from; at < to; at += 1) {
      lonE7[at] = Math.floor(lonE7[at]! * scale + start);
      const off = latE7[at]! - middle;
      latE7[at] =
        Math.abs(off) <= near
          ? Math.floor(((c3 * off + c2) * off + c1) * off + c0 + 0.5)
          : this.y(latE7[at]!);
    }
  }

  #exactY(latE7: number): number {
    return worldY(latE7 / unitsPerDegree) * this.#worldUnits - this.#top;
  }

  #bandedY(latE7: number): number {
    bandEdges ??= Float64Array.from({ length: 2 * halfBands + 1 }, (_, band) =>
      worldY(((band - halfBands) * bandE7) / unitsPerDegree),
    );
    const bands = latE7 / bandE7 + halfBands;
    const band = Math.floor(bands);
    const from = bandEdges[band]!;
    const y = from + (bands - band) * (bandEdges[band + 1]! - from);
    return y * this.#worldUnits - this.#top;
  }

  /** The first terms of Taylor's series of the projection. */
  #curveAt(latE7: number) {
    const radians = Math.PI / 180 / unitsPerDegree;
    const [tan, sec] = [Math.tan(latE7 * radians), 1 / Math.cos(latE7 * radians)];
    const scale = (-this.#worldUnits / (2 * Math.PI)) * sec * radians;
    return {
      c0: this.#exactY(latE7),
      c1: scale,
      c2: (scale * tan * radians) / 2,
      c3: (scale * (tan * tan + sec * sec) * radians ** 2) / 6,
    };
  }

  scales({ south, north }: Pick<BoxE7, 'south' | 'north'>): { lon: number; lat: number } {
    return { lon: this.#unitsPerE7, lat: this.#unitsPerE7 * stretchOf(south, north) };
  }
}
