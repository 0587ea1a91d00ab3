import type { PositionColumns } from '../../../storage/day-cursor.ts';
import { Point, waypointKind } from '../detect/point.ts';

/** Takes observations that are no repeats. */
export interface IntakeSink {
  /** The object is used again. */
  take(point: Point): void;
  /** See TrackFilter.takeSteady. */
  takeSteady(columns: PositionColumns, from: number, to: number, source: number): number;
}

/** Positions of one instant that are told apart. */
const keptPositions = 256;

/** Lets each observation through once: the same track is often imported in several files. */
export class Intake {
  readonly #sink: IntakeSink;
  readonly #lats = new Int32Array(keptPositions);
  readonly #lons = new Int32Array(keptPositions);
  readonly #point = new Point();
  #positions = 0;
  #timeMs = Number.NaN;

  constructor(sink: IntakeSink) {
    this.#sink = sink;
  }

  /**
   * Takes points in order of time.
   * @returns how many of them were repeats.
   */
  takeAll(
    columns: PositionColumns,
    from: number,
    to: number,
    source: number,
    kind: number,
  ): number {
    let repeats = 0;
    let at = from;
    while (at < to) {
      const end = kind === waypointKind ? at : this.#takeSteady(columns, at, to, source);
      if (end > at) {
        at = end;
        continue;
      }
      const point = this.#point;
      point.timeMs = columns.timeMs[at]!;
      point.latE7 = columns.latE7[at]!;
      point.lonE7 = columns.lonE7[at]!;
      point.source = source;
      point.kind = kind;
      if (this.#isNew(point)) this.#sink.take(point);
      else repeats += 1;
      at += 1;
    }
    return repeats;
  }

  #takeSteady(columns: PositionColumns, from: number, to: number, source: number): number {
    if (!(columns.timeMs[from]! > this.#timeMs)) return from;
    const end = this.#sink.takeSteady(columns, from, to, source);
    if (end === from) return from;
    this.#timeMs = columns.timeMs[end - 1]!;
    this.#lats[0] = columns.latE7[end - 1]!;
    this.#lons[0] = columns.lonE7[end - 1]!;
    this.#positions = 1;
    return end;
  }

  #isNew({ timeMs, latE7, lonE7 }: Point): boolean {
    if (timeMs !== this.#timeMs) {
      this.#timeMs = timeMs;
      this.#positions = 0;
    }
    for (let i = 0; i < this.#positions; i += 1) {
      if (this.#lats[i] === latE7 && this.#lons[i] === lonE7) return false;
    }
    if (this.#positions < keptPositions) {
      this.#lats[this.#positions] = latE7;
      this.#lons[this.#positions] = lonE7;
      this.#positions += 1;
    }
    return true;
  }
}
