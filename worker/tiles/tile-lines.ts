import { latOfWorldY, lonOfWorldX, worldY, type TileAddress } from '../../model/mercator.ts';
import { dayBlobPoints } from '../../storage/day-blob.ts';
import { unitsPerDegree, type BoxE7 } from '../../storage/units.ts';
import { unitsPerE7 } from './line-cutter.ts';
import { tileExtent, type TileProperties } from './write-mvt.ts';

/** Lines reach so far beyond the edges, so that those that are cut there show no ends. */
export const tileBuffer = 64;
/** Most bytes of the tracks and of the routes of a tile; the shortest lines are left out. */
export const mostBytes = { tracks: 90_000, routes: 40_000 } as const;
/** How much more than that is gathered before the shortest go. */
const gathered = 4;
/** Bytes of a feature beside its geometry and its name. */
const featureBytes = 40;
/** Bytes of a line, and of points, beside further steps. */
const moveBytes = { line: 8, points: 4 } as const;
/** Longer lines are several, so that leaving one out leaves out little. */
const mostVertices = 1_000;
const worldE7 = 360 * unitsPerDegree;
const [low, high] = [-tileBuffer, tileExtent + tileBuffer];

/** Used for every line: a thread does one at a time. */
let projected = new Float64Array(2 * dayBlobPoints);

/** A line in a tile, or points. */
export interface Shape {
  readonly feature: TileProperties;
  readonly layer: 'tracks' | 'points' | 'routes';
  /** x and y by turns, whole units of the tile. */
  readonly places: readonly number[];
  /** 0 for points. */
  readonly length: number;
  readonly bytes: number;
}

/** Where positions lie in a tile, in its units, x eastwards and y southwards from its corner. */
export class TileGrid {
  /** With the buffer; the outermost rows of tiles reach to the poles. */
  readonly box: BoxE7;
  readonly #worldUnits: number;
  readonly #unitsPerE7: number;
  readonly #left: number;
  readonly #top: number;

  constructor({ z, x, y }: TileAddress) {
    const tiles = 2 ** z;
    this.#worldUnits = tiles * tileExtent;
    this.#unitsPerE7 = unitsPerE7(z);
    this.#left = x * tileExtent;
    this.#top = y * tileExtent;
    const lonAt = (units: number): number =>
      Math.round(lonOfWorldX((this.#left + units) / this.#worldUnits) * unitsPerDegree);
    const latAt = (units: number): number =>
      Math.round(latOfWorldY((this.#top + units) / this.#worldUnits) * unitsPerDegree);
    this.box = {
      south: y === tiles - 1 ? -90 * unitsPerDegree : latAt(high),
      west: lonAt(low),
      north: y === 0 ? 90 * unitsPerDegree : latAt(low),
      east: lonAt(high),
    };
  }

  x(lonE7: number): number {
    return Math.round((lonE7 + worldE7 / 2) * this.#unitsPerE7 - this.#left);
  }

  /** @param places Longitudes and latitudes by turns. @returns x and y by turns, good until the next call */
  project(places: readonly number[]): Float64Array {
    if (projected.length < places.length) projected = new Float64Array(places.length);
    for (let at = 0; at < places.length; at += 2) {
      projected[at] = this.x(places[at]!);
      projected[at + 1] = this.y(places[at + 1]!);
    }
    return projected.subarray(0, places.length);
  }

  y(latE7: number): number {
    return Math.round(worldY(latE7 / unitsPerDegree) * this.#worldUnits - this.#top);
  }
}

/** The lines and points of a tile, cut at its buffer, as many as it has room for. */
export class TileLines {
  readonly #grid: TileGrid;
  readonly #mostBytes: number;
  #shapes: Shape[] = [];
  #bytes = 0;

  constructor(grid: TileGrid, most: number) {
    this.#grid = grid;
    this.#mostBytes = most;
  }

  /** @param places Longitudes and latitudes by turns. @param hasFixes adds each of them as a point, too. */
  add(
    layer: 'tracks' | 'routes',
    feature: TileProperties,
    places: readonly number[],
    hasFixes: boolean,
  ): void {
    const ends = this.#grid.project(places);
    const lines = clippedLines(ends);
    for (const line of lines) this.#push(layer, feature, line);
    // A line without length is a point.
    const points = hasFixes || lines.length === 0 ? placesInside(ends) : [];
    const most = hasFixes ? points.length : 2;
    for (let at = 0; at < most && at < points.length; at += 2 * mostVertices)
      this.#push('points', feature, points.slice(at, Math.min(at + 2 * mostVertices, most)));
  }

  /** Gives the shapes that fit. */
  take(): readonly Shape[] {
    this.#leaveOutShortest();
    return this.#shapes;
  }

  #push(layer: Shape['layer'], feature: TileProperties, places: readonly number[]): void {
    let bytes: number = moveBytes[layer === 'points' ? 'points' : 'line'];
    let length = 0;
    for (let at = 2; at < places.length; at += 2) {
      const [dx, dy] = [places[at]! - places[at - 2]!, places[at + 1]! - places[at - 1]!];
      bytes += bytesOfStep(dx) + bytesOfStep(dy);
      if (layer !== 'points') length += Math.abs(dx) + Math.abs(dy);
    }
    this.#shapes.push({ layer, feature, places, length, bytes });
    this.#bytes += bytes + featureBytes;
    if (this.#bytes > gathered * this.#mostBytes) this.#leaveOutShortest();
  }

  #leaveOutShortest(): void {
    const features = new Set<TileProperties>();
    const kept = new Set<Shape>();
    this.#bytes = 0;
    for (const shape of this.#shapes.toSorted((a, b) => b.length - a.length)) {
      const { feature, bytes } = shape;
      const more = features.has(feature) ? bytes : bytes + bytesOf(feature);
      if (this.#bytes + more > this.#mostBytes) break;
      this.#bytes += more;
      features.add(feature);
      kept.add(shape);
    }
    this.#shapes = this.#shapes.filter((shape) => kept.has(shape));
  }
}

function bytesOf({ name }: TileProperties): number {
  return featureBytes + (typeof name === 'string' ? Buffer.byteLength(name) : 0);
}

function bytesOfStep(step: number): number {
  const size = Math.abs(step);
  return size < 64 ? 1 : size < 8_192 ? 2 : 3;
}

function isInside(x: number, y: number): boolean {
  return x >= low && x <= high && y >= low && y <= high;
}

function placesInside(ends: ArrayLike<number>): number[] {
  const places: number[] = [];
  for (let at = 0; at < ends.length; at += 2)
    if (isInside(ends[at]!, ends[at + 1]!)) places.push(ends[at]!, ends[at + 1]!);
  return places;
}

/** Gives the parts of a line that lie in the tile and its buffer. */
export function clippedLines(ends: ArrayLike<number>): number[][] {
  const lines: number[][] = [];
  for (let at = 2; at < ends.length; at += 2) {
    const [x0, y0, x1, y1] = [ends[at - 2]!, ends[at - 1]!, ends[at]!, ends[at + 1]!];
    if (isInside(x0, y0) && isInside(x1, y1)) addStep(lines, x0, y0, x1, y1);
    else {
      const part = clipAtEdges(x0, y0, x1, y1);
      if (part !== undefined) addStep(lines, ...part);
    }
  }
  return lines;
}

/** Lengthens the last line, or begins another one where the step does not go on with it. */
function addStep(lines: number[][], x0: number, y0: number, x1: number, y1: number): void {
  if (x0 === x1 && y0 === y1) return;
  const line = lines.at(-1);
  const goesOn = line !== undefined && line[line.length - 2] === x0 && line.at(-1) === y0;
  if (goesOn && line.length <= 2 * mostVertices) line.push(x1, y1);
  else lines.push([x0, y0, x1, y1]);
}

/** The part of a step that lies in the tile and its buffer (Liang and Barsky 1984). */
function clipAtEdges(
  x0: number,
  y0: number,
  x1: number,
  y1: number,
): readonly [number, number, number, number] | undefined {
  const [dx, dy] = [x1 - x0, y1 - y0];
  let [first, last] = [0, 1];
  for (const [delta, room] of [
    [-dx, x0 - low],
    [dx, high - x0],
    [-dy, y0 - low],
    [dy, high - y0],
  ] as const) {
    if (delta === 0 && room < 0) return undefined;
    if (delta < 0) first = Math.max(first, room / delta);
    if (delta > 0) last = Math.min(last, room / delta);
  }
  if (first > last) return undefined;
  return [
    Math.round(x0 + first * dx),
    Math.round(y0 + first * dy),
    Math.round(x0 + last * dx),
    Math.round(y0 + last * dy),
  ];
}
