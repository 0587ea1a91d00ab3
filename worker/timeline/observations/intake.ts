import type { PositionColumns } from '../../../storage/day-cursor.ts';

/** Takes observations that are no repeats. */
export type TakeObservation = (
  timeMs: number,
  latE7: number,
  lonE7: number,
  source: number,
  kind: number,
) => void;

/** Positions of one instant that are told apart. */
const keptPositions = 256;

/** Lets each observation through once: the same track is often imported in several files. */
export class Intake {
  readonly #take: TakeObservation;
  readonly #lats = new Int32Array(keptPositions);
  readonly #lons = new Int32Array(keptPositions);
  #positions = 0;
  #timeMs = Number.NaN;

  constructor(take: TakeObservation) {
    this.#take = take;
  }

  /**
   * Takes points in order of time.
   * @returns how many of them were repeats.
   */
  takeAll(
    { timeMs, latE7, lonE7 }: PositionColumns,
    from: number,
    to: number,
    source: number,
    kind: number,
  ): number {
    let repeats = 0;
    for (let i = from; i < to; i += 1) {
      const time = timeMs[i]!;
      const lat = latE7[i]!;
      const lon = lonE7[i]!;
      if (this.#isNew(time, lat, lon)) this.#take(time, lat, lon, source, kind);
      else repeats += 1;
    }
    return repeats;
  }

  #isNew(timeMs: number, latE7: number, lonE7: number): boolean {
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
