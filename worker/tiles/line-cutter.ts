import { latOfWorldY, worldY } from '../../model/mercator.ts';
import type { PositionColumns } from '../../storage/day-blob.ts';
import { unitsPerDegree, type BoxE7 } from '../../storage/units.ts';
import { gapMs } from '../../storage/outline.ts';
import { tileExtent } from './write-mvt.ts';

/** A pixel in units of a tile: maps show tiles 512 pixels wide. */
export const pixel = tileExtent / 512;
const worldE7 = 3_600_000_000;
/** More than any answer has room for; further vertices are left out. */
const mostVertices = 400_000;

/** A line as it is drawn. */
export interface CutLine {
  /** Longitudes and latitudes by turns, units of 1e-7 degree; one pair for a fix that is in no line. */
  readonly places: number[];
  readonly firstMs: number;
  /** NaN without times. */
  readonly lastMs: number;
}

/** Units of a tile for 1e-7 degree of longitude. */
export function unitsPerE7(zoom: number): number {
  return (2 ** zoom * tileExtent) / worldE7;
}

/**
 * Makes lines of points: split at gaps and at the antimeridian, thinned to half a pixel, and without the steps that
 * cannot touch a box.
 */
export class LineCutter {
  readonly #box: BoxE7;
  /** Half a pixel, squared, in units of 1e-7 degree of longitude. */
  readonly #near: number;
  #lines: CutLine[] = [];
  /** Places of the open line, as many as `#length`; the memory is used again for the next one. */
  readonly #places: number[] = [];
  /** 0 where no line is open. */
  #length = 0;
  #firstMs = Number.NaN;
  #vertices = 0;
  /** The last vertex: its place and time, and on which sides of the box it lies; −1 if the next one begins a line. */
  #lon = 0;
  #lat = 0;
  #timeMs = Number.NaN;
  #sides = -1;
  /** Whether a line has the last vertex. */
  #isDrawn = false;
  /** The time of the last point, also of one that was left out; NaN where the next one is no gap away. */
  #lastMs = Number.NaN;

  constructor(box: BoxE7, zoom: number) {
    this.#box = box;
    this.#near = (pixel / 2 / unitsPerE7(zoom)) ** 2;
  }

  /**
   * Goes on with points of columns.
   * @param stretch as stretchOf of them. @param isLine they are one line, thinned already: time between them is no gap.
   */
  add(points: PositionColumns, from: number, to: number, stretch: number, isLine = false): void {
    const { timeMs, lonE7, latE7 } = points;
    const near = this.#near;
    for (let at = from; at < to;) {
      if (isLine && at > from) this.forgetTime();
      this.point(lonE7[at]!, latE7[at]!, timeMs[at]!);
      const [lon, lat] = [this.#lon, this.#lat];
      for (at += 1; at < to; at += 1) {
        const dx = lonE7[at]! - lon;
        const dy = (latE7[at]! - lat) * stretch;
        if (dx * dx + dy * dy >= near) break;
        if (!isLine && isGap(timeMs[at - 1]!, timeMs[at]!)) break;
      }
      this.#lastMs = timeMs[at - 1]!;
    }
  }

  /** Goes on with a point, however near. @param lastMs The time of the last point that it stands for. */
  point(lonE7: number, latE7: number, timeMs: number, lastMs = timeMs): void {
    if (isGap(this.#lastMs, timeMs)) this.lift();
    const away = lonE7 - this.#lon;
    if (this.#sides >= 0 && Math.abs(away) > worldE7 / 2) {
      // Ends the line at the antimeridian, and begins another one at its other side.
      const edge = Math.sign(-away) * (worldE7 / 2);
      const whole = worldE7 - Math.abs(away);
      const share = whole === 0 ? 0 : Math.abs(edge - this.#lon) / whole;
      const crossing = between(this.#lat, latE7, share);
      this.#vertex(edge, crossing, timeMs);
      this.lift();
      this.#vertex(-edge, crossing, timeMs);
    }
    this.#vertex(lonE7, latE7, timeMs);
    this.#lastMs = lastMs;
  }

  /** The next point is no gap away; the line goes on. */
  forgetTime(): void {
    this.#lastMs = Number.NaN;
  }

  /** Ends the line. */
  lift(): void {
    if (this.#sides === 0 && !this.#isDrawn) this.#begin();
    this.#close(this.#lastMs);
    this.#sides = -1;
  }

  /** Gives the lines since the last call; an open one goes on in the next ones. */
  take(): CutLine[] {
    this.#close(this.#lastMs);
    const lines = this.#lines;
    this.#lines = [];
    this.#vertices = 0;
    return lines;
  }

  #vertex(lon: number, lat: number, timeMs: number): void {
    const { west, east, south, north } = this.#box;
    const beside = lon < west ? 1 : lon > east ? 2 : 0;
    const sides = beside + (lat < south ? 4 : lat > north ? 8 : 0);
    const isSeen = this.#sides >= 0 && (sides & this.#sides) === 0;
    if (!isSeen) this.#close(this.#timeMs);
    else if (this.#vertices < mostVertices) {
      if (this.#length === 0) this.#begin();
      this.#places[this.#length] = lon;
      this.#places[this.#length + 1] = lat;
      this.#length += 2;
      this.#vertices += 1;
    }
    this.#lon = lon;
    this.#lat = lat;
    this.#timeMs = timeMs;
    this.#sides = sides;
    this.#isDrawn = isSeen;
  }

  /** Begins a line at the last vertex. */
  #begin(): void {
    this.#places[0] = this.#lon;
    this.#places[1] = this.#lat;
    this.#length = 2;
    this.#firstMs = this.#timeMs;
  }

  #close(lastMs: number): void {
    if (this.#length === 0) return;
    const places = this.#places.slice(0, this.#length);
    this.#lines.push({ places, firstMs: this.#firstMs, lastMs });
    this.#length = 0;
  }
}

/** The latitude a share of the straight way on the map from one to another; units of 1e-7 degree. */
function between(fromE7: number, toE7: number, share: number): number {
  const [from, to] = [worldY(fromE7 / unitsPerDegree), worldY(toE7 / unitsPerDegree)];
  return Math.round(latOfWorldY(from + share * (to - from)) * unitsPerDegree);
}

function isGap(fromMs: number, toMs: number): boolean {
  return toMs - fromMs > gapMs || toMs < fromMs;
}
