import { lonOfWorldX, latOfWorldY, worldY, type TileAddress } from '../../model/mercator.ts';
import type { BoxE7 } from '../../storage/library/track-reader.ts';
import { stretchOf } from '../../storage/outline.ts';
import { tileExtent } from './write-mvt.ts';

/** What is drawn beyond the edges, so that lines that are cut there show no ends. */
export const tileBuffer = 64;
/** A pixel in units of a tile: maps show tiles 512 pixels wide. */
export const pixel = tileExtent / 512;
/** From this zoom on a tile is low enough for that, away from the edges of the world. */
const curvedZoom = 8;
const unitsPerDegree = 10_000_000;
const worldE7 = 360 * unitsPerDegree;

/** Where positions lie on a map, in units that are those of a tile of its zoom. */
export interface TrackGrid {
  /** What need not be drawn lies outside. */
  readonly box: BoxE7;
  x(lonE7: number): number;
  y(latE7: number): number;
  /** Units of a tile for 1e-7 degree of longitude, and for one of latitude at most, in a box. */
  scales(box: Pick<BoxE7, 'south' | 'north'>): { readonly lon: number; readonly lat: number };
}

/** Where positions lie in a tile, in its units, x eastwards and y southwards from its corner. */
export class TileGrid implements TrackGrid {
  /** With the buffer. */
  readonly box: BoxE7;
  readonly #unitsPerE7: number;
  readonly #worldUnits: number;
  readonly #left: number;
  readonly #top: number;
  /** Near the middle of the tile Mercator is a cubic curve to a tenth of a unit, which costs a tenth. */
  readonly #middleE7: number;
  readonly #nearE7: number;
  readonly #curve: readonly [number, number, number, number];

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
    this.#middleE7 = latAt(tileExtent / 2);
    this.#nearE7 =
      z < curvedZoom || y === 0 || y === tiles - 1 ? -1 : (this.box.north - this.box.south) / 2;
    this.#curve = this.#curveAt(this.#middleE7);
  }

  x(lonE7: number): number {
    return (lonE7 + worldE7 / 2) * this.#unitsPerE7 - this.#left;
  }

  y(latE7: number): number {
    const [c0, c1, c2, c3] = this.#curve;
    const fromMiddle = latE7 - this.#middleE7;
    if (Math.abs(fromMiddle) <= this.#nearE7)
      return ((c3 * fromMiddle + c2) * fromMiddle + c1) * fromMiddle + c0;
    return this.#exactY(latE7);
  }

  #exactY(latE7: number): number {
    return worldY(latE7 / unitsPerDegree) * this.#worldUnits - this.#top;
  }

  /** The first terms of Taylor's series of the projection. */
  #curveAt(latE7: number): [number, number, number, number] {
    const radians = Math.PI / 180 / unitsPerDegree;
    const [tan, sec] = [Math.tan(latE7 * radians), 1 / Math.cos(latE7 * radians)];
    const scale = (-this.#worldUnits / (2 * Math.PI)) * sec * radians;
    return [
      this.#exactY(latE7),
      scale,
      (scale * tan * radians) / 2,
      (scale * (tan * tan + sec * sec) * radians ** 2) / 6,
    ];
  }

  scales({ south, north }: Pick<BoxE7, 'south' | 'north'>): { lon: number; lat: number } {
    return { lon: this.#unitsPerE7, lat: this.#unitsPerE7 * stretchOf(south, north) };
  }
}
