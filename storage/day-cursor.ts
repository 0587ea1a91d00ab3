import { dayMs, latLimitE7, lonLimitE7, readHeader, type PointColumns } from './day-blob.ts';
import { DayBlobCorrupt, NumberReader, readColumn, readTimes } from './number-columns.ts';

/** The columns that a cursor fills. */
export type PositionColumns = Pick<PointColumns, 'timeMs' | 'latE7' | 'lonE7'>;

/**
 * Reads the times and positions of a blob piece by piece, so that many can be read side by side without all of their
 * points in memory. Elevations are not looked at.
 */
export class DayCursor {
  readonly #times: NumberReader;
  readonly #lats: NumberReader;
  readonly #lons: NumberReader;
  readonly #unitMs: number;
  readonly #endMs: number;
  #left: number;
  #timeMs: number;
  #latE7 = 0;
  #lonE7 = 0;

  /** @throws DayBlobCorrupt */
  constructor(blob: Uint8Array) {
    const { count, dayStartMs, unitMs, at } = readHeader(blob);
    this.#left = count;
    this.#unitMs = unitMs;
    this.#timeMs = dayStartMs;
    this.#endMs = dayStartMs + dayMs;
    const lats = columnEnd(blob, at, count);
    this.#times = new NumberReader(blob, at);
    this.#lats = new NumberReader(blob, lats);
    this.#lons = new NumberReader(blob, columnEnd(blob, lats, count));
  }

  /**
   * Decodes the next points into the beginning of the columns, as many as fit.
   * @returns the number of points; 0 when there are no more.
   * @throws DayBlobCorrupt
   */
  read({ timeMs, latE7, lonE7 }: PositionColumns): number {
    const count = Math.min(this.#left, timeMs.length);
    this.#left -= count;
    this.#timeMs = readTimes(this.#times, timeMs, count, this.#timeMs, this.#unitMs);
    if (this.#timeMs >= this.#endMs) throw new DayBlobCorrupt();
    this.#latE7 = readColumn(this.#lats, latE7, count, this.#latE7, latLimitE7);
    this.#lonE7 = readColumn(this.#lons, lonE7, count, this.#lonE7, lonLimitE7);
    return count;
  }
}

/** Where the column of `count` numbers that begins at `from` ends. */
function columnEnd(blob: Uint8Array, from: number, count: number): number {
  let left = count;
  let at = from;
  // Every number has one byte below 128. A branch for that would often be guessed wrong, at ten times the price.
  while (left > 0) {
    left -= 1 - (blob[at]! >> 7);
    at += 1;
  }
  if (at > blob.length) throw new DayBlobCorrupt();
  return at;
}
