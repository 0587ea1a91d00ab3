import type { PositionColumns } from '../../storage/day-cursor.ts';
import type { BoxE7 } from '../../storage/library/track-reader.ts';
import { gapMs } from '../../storage/outline.ts';
import { pixel, type TrackGrid } from './tile-grid.ts';

/** What takes the vertices of lines, as the grid says. */
export interface VertexSink {
  /** Ends the line, at which a time passed; the next vertex begins another one. */
  lift(lastMs: number): void;
  vertex(x: number, y: number, timeMs: number): void;
}

/** Points nearer than this to the last one that was kept are left out; in units of a tile, squared. */
const nearSquared = (pixel / 2) ** 2;
const halfWorldE7 = 1_800_000_000;

/**
 * Makes lines of points: thinned to half a pixel, split at gaps and at the antimeridian. Only steps that may touch the
 * box of the grid are projected and handed on.
 */
export class TrackPen {
  readonly #sink: VertexSink;
  readonly #grid: TrackGrid;
  #scale = { lon: 0, lat: 0 };
  #lon = 0;
  #lat = 0;
  /** On which sides of the box the last vertex lies; −1 when the next point begins a line. */
  #sides = -1;
  #isHanded = false;
  #timeMs = Number.NaN;
  /** Of the last point, be it kept or not. */
  #lastMs = Number.NaN;

  constructor(grid: TrackGrid, sink: VertexSink) {
    this.#grid = grid;
    this.#sink = sink;
  }

  /** Ends the line; the next point begins another one. */
  lift(): void {
    if (this.#sides === 0 && !this.#isHanded) this.#hand();
    this.#sides = -1;
    this.#isHanded = false;
    this.#sink.lift(this.#lastMs);
  }

  /** Goes on with points of a box, in order of time; times that are NaN are no gaps. */
  draw(columns: PositionColumns, from: number, to: number, box: BoxE7): void {
    this.#scale = this.#grid.scales(box);
    const { timeMs, latE7, lonE7 } = columns;
    const { lon: perLon, lat: perLat } = this.#scale;
    if (from === to) return;
    this.#point(lonE7[from]!, latE7[from]!, timeMs[from]!);
    // As #point does, but without a call for each of the many that are left out.
    for (let at = from + 1; at < to; at += 1) {
      const dx = (lonE7[at]! - this.#lon) * perLon;
      const dy = (latE7[at]! - this.#lat) * perLat;
      const passed = timeMs[at]! - timeMs[at - 1]!;
      if (dx * dx + dy * dy < nearSquared && !(passed > gapMs || passed < 0)) continue;
      this.#lastMs = timeMs[at - 1]!;
      this.#point(lonE7[at]!, latE7[at]!, timeMs[at]!);
    }
    this.#lastMs = timeMs[to - 1]!;
  }

  #point(lon: number, lat: number, timeMs: number): void {
    if (this.#sides >= 0 && this.#isGap(timeMs)) this.lift();
    this.#lastMs = timeMs;
    if (this.#sides >= 0) {
      const dx = (lon - this.#lon) * this.#scale.lon;
      const dy = (lat - this.#lat) * this.#scale.lat;
      if (dx * dx + dy * dy < nearSquared) return;
      if (Math.abs(lon - this.#lon) > halfWorldE7) this.#crossAntimeridian(lon, lat, timeMs);
    }
    this.#keep(lon, lat, timeMs);
  }

  /** Goes on with the middle of a box in which points lie that need not be told apart. */
  dot(box: BoxE7, firstMs: number, lastMs: number): void {
    this.#scale = this.#grid.scales(box);
    this.#point((box.west + box.east) / 2, (box.south + box.north) / 2, firstMs);
    this.#lastMs = lastMs;
  }

  #isGap(timeMs: number): boolean {
    return timeMs - this.#lastMs > gapMs || timeMs < this.#lastMs;
  }

  #keep(lon: number, lat: number, timeMs: number): void {
    const sides = this.#sidesOf(lon, lat);
    const isSeen = this.#sides >= 0 && (sides & this.#sides) === 0;
    if (isSeen && !this.#isHanded) this.#hand();
    if (!isSeen && this.#isHanded) this.#sink.lift(this.#timeMs);
    this.#lon = lon;
    this.#lat = lat;
    this.#timeMs = timeMs;
    this.#sides = sides;
    this.#isHanded = isSeen;
    if (isSeen) this.#hand();
  }

  #hand(): void {
    this.#sink.vertex(this.#grid.x(this.#lon), this.#grid.y(this.#lat), this.#timeMs);
  }

  #sidesOf(lon: number, lat: number): number {
    const { south, west, north, east } = this.#grid.box;
    const beside = lon < west ? 1 : lon > east ? 2 : 0;
    return beside + (lat < south ? 4 : lat > north ? 8 : 0);
  }

  /** Ends the line at the antimeridian, and begins another one at its other side. */
  #crossAntimeridian(lon: number, lat: number, timeMs: number): void {
    const edge = this.#lon > 0 ? halfWorldE7 : -halfWorldE7;
    const whole = lon + 2 * edge - this.#lon;
    const share = whole === 0 ? 0 : (edge - this.#lon) / whole;
    const crossing = Math.round(this.#lat + share * (lat - this.#lat));
    this.#keep(edge, crossing, timeMs);
    this.lift();
    this.#keep(-edge, crossing, timeMs);
  }
}
