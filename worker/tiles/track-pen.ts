import type { PositionColumns } from '../../storage/day-cursor.ts';
import type { BoxE7 } from '../../storage/library/track-reader.ts';
import { gapMs } from '../../storage/outline.ts';
import type { TrackGrid } from './tile-grid.ts';

/** What takes the vertices of lines, in units of a grid. */
export interface VertexSink {
  /** Ends the line, at which a time passed; the next vertex begins another one. */
  lift(lastMs: number): void;
  vertex(x: number, y: number, timeMs: number): void;
  /** Adds those of columns, one after the other. */
  vertices(columns: PositionColumns, from: number, to: number): void;
  /** Whether all that could be drawn in a box lies beside what is drawn. */
  covers?(west: number, north: number, east: number, south: number): boolean;
}

/** A point by itself; its time is NaN where it has none. */
export interface TrackPoint {
  readonly lonE7: number;
  readonly latE7: number;
  readonly timeMs: number;
}

const halfWorldE7 = 1_800_000_000;

/**
 * Makes lines of points: split at gaps and at the antimeridian. Only steps that may touch the box of the grid are handed
 * on.
 */
export class TrackPen {
  readonly #sink: VertexSink;
  readonly #grid: TrackGrid;
  readonly #left: number;
  readonly #right: number;
  readonly #least: number;
  readonly #most: number;
  readonly #worldLeft: number;
  readonly #worldRight: number;
  readonly #halfWorld: number;
  #x = 0;
  #y = 0;
  /** On which sides of the box the last point lies; −1 when the next one begins a line. */
  #sides = -1;
  #isHanded = false;
  #timeMs = Number.NaN;
  /** When the last point was, as far as gaps are told by it. */
  #lastMs = Number.NaN;

  constructor(grid: TrackGrid, sink: VertexSink) {
    this.#grid = grid;
    this.#sink = sink;
    const { south, west, north, east } = grid.box;
    [this.#left, this.#right] = [grid.x(west), grid.x(east)];
    const [top, bottom] = [grid.y(north), grid.y(south)];
    [this.#least, this.#most] = [Math.min(top, bottom), Math.max(top, bottom)];
    [this.#worldLeft, this.#worldRight] = [grid.x(-halfWorldE7), grid.x(halfWorldE7)];
    this.#halfWorld = (this.#worldRight - this.#worldLeft) / 2;
  }

  /** Ends the line; the next point begins another one. */
  lift(): void {
    if (this.#sides === 0 && !this.#isHanded) this.#hand();
    this.#sides = -1;
    this.#isHanded = false;
    this.#sink.lift(this.#lastMs);
  }

  /**
   * Goes on with points of columns, which it overwrites; times that are NaN are no gaps.
   * @param thinnedMs they are one line, of which points are left out already, up to this time: however much time lies between
   *   two, it is no gap.
   */
  draw(columns: PositionColumns, from: number, to: number, thinnedMs?: number): void {
    this.#grid.project(columns, from, to);
    const { timeMs, latE7: ys, lonE7: xs } = columns;
    const isThinned = thinnedMs !== undefined;
    for (let at = from; at < to; at += 1) {
      if (isThinned && at > from) this.forgetTime();
      this.#point(xs[at]!, ys[at]!, timeMs[at]!);
      if (this.#isHanded && this.#sides === 0) at = this.#drawInside(columns, at, to, isThinned);
    }
    if (isThinned) this.#lastMs = thinnedMs;
  }

  /** As draw, after a point up to the last one that lies inside and goes on with the line: those need no calls. */
  #drawInside(columns: PositionColumns, after: number, to: number, isLine: boolean): number {
    const { timeMs, latE7: ys, lonE7: xs } = columns;
    let at = after + 1;
    for (; at < to; at += 1) {
      if (!isLine && isGap(timeMs[at - 1]!, timeMs[at]!)) break;
      const x = xs[at]!;
      const y = ys[at]!;
      if (x < this.#left || x > this.#right || y < this.#least || y > this.#most) break;
      if (Math.abs(x - xs[at - 1]!) > this.#halfWorld) break;
    }
    const last = at - 1;
    if (last === after) return last;
    this.#sink.vertices(columns, after + 1, at);
    this.#x = xs[last]!;
    this.#y = ys[last]!;
    this.#timeMs = this.#lastMs = timeMs[last]!;
    return last;
  }

  /** Goes on with the middle of a box in which points lie that need not be told apart. */
  dot({ south, west, north, east }: BoxE7, firstMs: number, lastMs: number): void {
    this.point({ lonE7: (west + east) / 2, latE7: (south + north) / 2, timeMs: firstMs });
    this.#lastMs = lastMs;
  }

  /** Goes on with a point, up to which nothing need be drawn. */
  jump(point: TrackPoint): void {
    this.lift();
    this.point(point);
  }

  /** Goes on with a point, however far it is from the last one. */
  point({ lonE7, latE7, timeMs }: TrackPoint): void {
    this.#point(this.#grid.x(lonE7), this.#grid.y(latE7), timeMs);
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

  #point(x: number, y: number, timeMs: number): void {
    if (this.#sides >= 0 && isGap(this.#lastMs, timeMs)) this.lift();
    this.#lastMs = timeMs;
    if (this.#sides >= 0 && Math.abs(x - this.#x) > this.#halfWorld)
      this.#crossAntimeridian(x, y, timeMs);
    this.#keep(x, y, timeMs);
  }

  #keep(x: number, y: number, timeMs: number): void {
    const sides = this.#sidesOf(x, y);
    const isSeen = this.#sides >= 0 && (sides & this.#sides) === 0;
    if (isSeen && !this.#isHanded) this.#hand();
    if (!isSeen && this.#isHanded) this.#sink.lift(this.#timeMs);
    this.#x = x;
    this.#y = y;
    this.#timeMs = timeMs;
    this.#sides = sides;
    this.#isHanded = isSeen;
    if (isSeen) this.#hand();
  }

  #hand(): void {
    this.#sink.vertex(this.#x, this.#y, this.#timeMs);
  }

  #sidesOf(x: number, y: number): number {
    const beside = x < this.#left ? 1 : x > this.#right ? 2 : 0;
    return beside + (y < this.#least ? 4 : y > this.#most ? 8 : 0);
  }

  /** Ends the line at the antimeridian, and begins another one at its other side. */
  #crossAntimeridian(x: number, y: number, timeMs: number): void {
    const [near, far] =
      x < this.#x ? [this.#worldRight, this.#worldLeft] : [this.#worldLeft, this.#worldRight];
    const whole = x - far + near - this.#x;
    const share = whole === 0 ? 0 : (near - this.#x) / whole;
    const crossing = Math.round(this.#y + share * (y - this.#y));
    this.#keep(near, crossing, timeMs);
    this.lift();
    this.#keep(far, crossing, timeMs);
  }
}

function isGap(fromMs: number, toMs: number): boolean {
  return toMs - fromMs > gapMs || toMs < fromMs;
}
