import type { Buffer } from 'node:buffer';
import {
  dayBlobPoints,
  dayOf,
  encodeDay,
  noElevation,
  pointColumns,
  type PointColumns,
} from '../day-blob.ts';

/** One row of `days`, without the file it belongs to. */
export interface DayPart {
  readonly day: number;
  /** Ascends in file order within a file, day and kind: parts of one day may overlap in time. */
  readonly part: number;
  readonly points: number;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly southE7: number;
  readonly westE7: number;
  readonly northE7: number;
  readonly eastE7: number;
  readonly blob: Buffer;
}

const unitsPerDegree = 10_000_000;
const unitsPerMetre = 10;
const maxEleDm = 2_147_483_647;

/**
 * Gathers the observations of one file, in file order, and hands them on by UTC day, sorted by time (equal times in
 * file order). Memory is that of two blobs, whatever the file.
 */
export class DayCollector {
  readonly #emit: (part: DayPart) => void;
  readonly #points = pointColumns();
  #sorted: PointColumns | undefined;
  #count = 0;
  #part = 0;
  #isSorted = true;

  constructor(emit: (part: DayPart) => void) {
    this.#emit = emit;
  }

  /** Forgets what was gathered, for the next file. */
  reset(): void {
    this.#count = 0;
    this.#part = 0;
    this.#isSorted = true;
  }

  /** @param ele in metres; NaN, or what no number of 0.1 m says, means none. */
  add(lat: number, lon: number, ele: number, timeMs: number): void {
    if (this.#count === dayBlobPoints) this.flush();
    const { timeMs: times, latE7, lonE7, eleDm } = this.#points;
    const at = this.#count;
    times[at] = timeMs;
    latE7[at] = Math.round(lat * unitsPerDegree);
    lonE7[at] = Math.round(lon * unitsPerDegree);
    eleDm[at] = eleDmOf(ele);
    if (at > 0 && timeMs < times[at - 1]!) this.#isSorted = false;
    this.#count += 1;
  }

  /** Hands on what is left. */
  flush(): void {
    const points = this.#isSorted ? this.#points : this.#sort();
    let from = 0;
    while (from < this.#count) {
      const to = endOfDay(points.timeMs, from, this.#count);
      this.#emit(dayPart(points, from, to, this.#part));
      from = to;
    }
    // Numbering by batch instead of by day: as ordered, and no table of the days of a hostile file is needed.
    this.#part += 1;
    this.#count = 0;
    this.#isSorted = true;
  }

  #sort(): PointColumns {
    const { timeMs, latE7, lonE7, eleDm } = this.#points;
    const sorted = (this.#sorted ??= pointColumns());
    const order = Uint32Array.from({ length: this.#count }, (_, index) => index);
    order.sort((a, b) => timeMs[a]! - timeMs[b]! || a - b);
    for (let to = 0; to < order.length; to += 1) {
      const from = order[to]!;
      sorted.timeMs[to] = timeMs[from]!;
      sorted.latE7[to] = latE7[from]!;
      sorted.lonE7[to] = lonE7[from]!;
      sorted.eleDm[to] = eleDm[from]!;
    }
    return sorted;
  }
}

function eleDmOf(ele: number): number {
  const eleDm = Math.round(ele * unitsPerMetre);
  return Math.abs(eleDm) <= maxEleDm ? eleDm : noElevation;
}

function endOfDay(timeMs: Float64Array, from: number, count: number): number {
  const day = dayOf(timeMs[from]!);
  let to = from + 1;
  while (to < count && dayOf(timeMs[to]!) === day) to += 1;
  return to;
}

function dayPart(points: PointColumns, from: number, to: number, part: number): DayPart {
  const [southE7, northE7] = range(points.latE7, from, to);
  const [westE7, eastE7] = range(points.lonE7, from, to);
  return {
    day: dayOf(points.timeMs[from]!),
    part,
    points: to - from,
    firstMs: points.timeMs[from]!,
    lastMs: points.timeMs[to - 1]!,
    southE7,
    westE7,
    northE7,
    eastE7,
    blob: encodeDay(points, from, to),
  };
}

function range(column: Int32Array, from: number, to: number): [min: number, max: number] {
  let min = column[from]!;
  let max = min;
  for (let i = from + 1; i < to; i += 1) {
    const value = column[i]!;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return [min, max];
}
