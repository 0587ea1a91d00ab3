import type { PositionColumns } from '../../storage/day-cursor.ts';
import type { BoxE7 } from '../../storage/library/track-reader.ts';
import { gapMs } from '../../storage/outline.ts';
import type { TrackGrid } from './tile-grid.ts';

/** What takes the vertices of lines, as the grid says. */
export interface VertexSink {
  /** Ends the line, at which a time passed; the next vertex begins another one. */
  lift(lastMs: number): void;
  vertex(x: number, y: number, timeMs: number): void;
  /** Whether all that could be drawn in a box lies beside what is drawn. */
  covers?(west: number, north: number, east: number, south: number): boolean;
}

/** A point by itself; its time is NaN where it has none. */
export interface TrackPoint {
  readonly lonE7: number;
  readonly latE7: number;
  readonly timeMs: number;
}

/** Some points in order of time. */
export interface Stretch {
  readonly columns: PositionColumns;
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

const halfWorldE7 = 1_800_000_000;

/**
 * Makes lines of points: thinned, split at gaps and at the antimeridian. Only steps that may touch the box of the grid are
 * projected and handed on.
 */
export class TrackPen {
  readonly #sink: VertexSink;
  readonly #grid: TrackGrid;
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

  /**
   * Goes on with points of a box; times that are NaN are no gaps.
   * @param near what is nearer than that to the last point that was kept is left out, in units of a tile.
   * @param isThinned they are one line, of which points are left out already: however much time lies between two, it is no gap.
   */
  draw({ columns, from, to }: Stretch, box: BoxE7, near: number, isThinned = false): void {
    const { timeMs, latE7, lonE7 } = columns;
    const scales = this.#grid.scales(box);
    for (let at = from; at < to;) {
      if (isThinned && at > from) this.forgetTime();
      this.#point(lonE7[at]!, latE7[at]!, timeMs[at]!);
      at += 1;
      if (this.#isHanded && this.#sides === 0)
        at = this.#drawInside({ columns, from: at, to }, scales, near, isThinned);
    }
  }

  /** As draw, up to the first point that ends the line or lies outside: those are most of all, and need no calls. */
  #drawInside(
    { columns: { timeMs, latE7, lonE7 }, from, to }: Stretch,
    scales: { readonly lon: number; readonly lat: number },
    near: number,
    isThinned: boolean,
  ): number {
    const mostMs = isThinned ? Infinity : gapMs;
    let [lon0, lat0, lastMs, at] = [this.#lon, this.#lat, this.#lastMs, from];
    for (; at < to; at += 1) {
      const [lon, lat, time] = [lonE7[at]!, latE7[at]!, timeMs[at]!];
      if (time - lastMs > mostMs || time < lastMs) break;
      const dx = (lon - lon0) * scales.lon;
      const dy = (lat - lat0) * scales.lat;
      if (dx * dx + dy * dy >= near * near) {
        if (this.#sidesOf(lon, lat) !== 0 || Math.abs(lon - lon0) > halfWorldE7) break;
        lon0 = lon;
        lat0 = lat;
        this.#timeMs = time;
        this.#sink.vertex(this.#grid.x(lon), this.#grid.y(lat), time);
      }
      lastMs = time;
    }
    this.#lon = lon0;
    this.#lat = lat0;
    this.#lastMs = lastMs;
    return at;
  }

  /** Goes on with the middle of a box in which points lie that need not be told apart. */
  dot({ south, west, north, east }: BoxE7, firstMs: number, lastMs: number): void {
    this.#point((west + east) / 2, (south + north) / 2, firstMs);
    this.#lastMs = lastMs;
  }

  /** Goes on with a point, up to which nothing need be drawn. */
  jump({ lonE7, latE7, timeMs }: TrackPoint): void {
    this.lift();
    this.point({ lonE7, latE7, timeMs });
  }

  /** Goes on with a point, however far it is from the last one. */
  point({ lonE7, latE7, timeMs }: TrackPoint): void {
    this.#point(lonE7, latE7, timeMs);
  }

  /** Has times begin again; the line goes on. */
  forgetTime(): void {
    this.#lastMs = Number.NaN;
  }

  /** Whether enough is drawn in a box already. */
  isCovered({ south, west, north, east }: BoxE7): boolean {
    const grid = this.#grid;
    return this.#sink.covers?.(grid.x(west), grid.y(north), grid.x(east), grid.y(south)) ?? false;
  }

  #point(lon: number, lat: number, timeMs: number): void {
    if (this.#sides >= 0 && this.#isGap(timeMs)) this.lift();
    this.#lastMs = timeMs;
    if (this.#sides >= 0 && Math.abs(lon - this.#lon) > halfWorldE7)
      this.#crossAntimeridian(lon, lat, timeMs);
    this.#keep(lon, lat, timeMs);
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
