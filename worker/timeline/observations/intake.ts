import type { PositionColumns } from '../../../storage/day-blob.ts';
import { Point } from '../detect/point.ts';

/** Gets observations that are no repeats. */
export interface IntakeSink {
  /** The object is used again. */
  take(point: Point): void;
}

/** Positions of one instant that are remembered. */
const keptPositions = 256;

/** Passes each observation on once: the same track is often imported in several files. */
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
   * Adds points in order of time.
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
    const point = this.#point;
    for (let at = from; at < to; at += 1) {
      point.timeMs = columns.timeMs[at]!;
      point.latE7 = columns.latE7[at]!;
      point.lonE7 = columns.lonE7[at]!;
      point.source = source;
      point.kind = kind;
      if (this.#isNew(point)) this.#sink.take(point);
      else repeats += 1;
    }
    return repeats;
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
