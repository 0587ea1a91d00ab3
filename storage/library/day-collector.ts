import type { Buffer } from 'node:buffer';
import {
  columnNames,
  dayBlobPoints,
  dayMs,
  dayOf,
  encodeDay,
  noElevation,
  pointColumns,
  type PointColumns,
} from '../day-blob.ts';
import { ColumnMarks } from '../column-marks.ts';
import { rangeOf } from '../number-columns.ts';
import { encodeOrder } from '../point-order.ts';
import { encodeForms, type MapForms } from '../track-chunks.ts';

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

/**
 * Takes a part and gives its row.
 * @param forms makes what maps look at of its points, while the call lasts.
 */
export type EmitPart = (part: DayPart, forms: () => MapForms) => number;

export const unitsPerDegree = 10_000_000;
const unitsPerMetre = 10;
const maxEleDm = 2_147_483_647;
/**
 * Points gathered at most once they are out of order: when dates jump from point to point, each batch makes a part of
 * every day. The larger, the fewer and longer those are; a power of two, 5 MB.
 */
const unorderedPoints = 2 ** 18;

/**
 * Gathers the observations of one file, in file order, and hands them on by UTC day, sorted by time (equal times in
 * file order). Memory is bounded, whatever the file.
 */
export class DayCollector {
  readonly #emit: EmitPart;
  readonly #emitOrder: ((firstRow: number, order: Buffer) => void) | undefined;
  #points = pointColumns();
  #capacity = dayBlobPoints;
  #sorted: PointColumns | undefined;
  #count = 0;
  #part = 0;
  #isSorted = true;

  /**
   * @param emitOrder hears of parts that follow each other from `firstRow` on and are not in file order: point-order.ts.
   */
  constructor(emit: EmitPart, emitOrder?: (firstRow: number, order: Buffer) => void) {
    this.#emit = emit;
    this.#emitOrder = emitOrder;
  }

  /** Forgets what was gathered, for the next file. */
  reset(): void {
    this.#count = 0;
    this.#part = 0;
    this.#isSorted = true;
  }

  /** @param ele in metres; NaN, or what no number of 0.1 m says, means none. */
  add(lat: number, lon: number, ele: number, timeMs: number): void {
    if (this.#count >= dayBlobPoints) this.#makeRoom();
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
    if (this.#isSorted) this.#emitSorted();
    else this.#emitUnsorted();
    // Numbering by batch instead of by day: as ordered, and no table of the days of a hostile file is needed.
    this.#part += 1;
    this.#count = 0;
    this.#isSorted = true;
  }

  #makeRoom(): void {
    if (this.#isSorted || this.#count === unorderedPoints) this.flush();
    else if (this.#count === this.#capacity) this.#grow();
  }

  #grow(): void {
    const points = pointColumns(unorderedPoints);
    for (const name of columnNames) points[name].set(this.#points[name]);
    this.#points = points;
    this.#capacity = unorderedPoints;
  }

  #emitSorted(): void {
    for (let from = 0; from < this.#count;) {
      const to = endOfDay(this.#points.timeMs, from, this.#count);
      this.#emitPart(this.#points, from, to);
      from = to;
    }
  }

  #emitPart(points: PointColumns, from: number, to: number): number {
    const part = dayPart(points, from, to, this.#part);
    return this.#emit(part, () => encodeForms(points, from, to, marks, part));
  }

  #emitUnsorted(): void {
    const sorted = (this.#sorted ??= pointColumns());
    const fileOrder = new Uint32Array(this.#count);
    let emitted = 0;
    let firstRow: number | undefined;
    for (const order of dayOrders(this.#points.timeMs, this.#count)) {
      // Only a day of a batch larger than a blob has several parts in it.
      for (let from = 0; from < order.length; from += dayBlobPoints) {
        if (from > 0) this.#part += 1;
        const part = order.subarray(from, from + dayBlobPoints);
        copyPoints(this.#points, part, sorted);
        const row = this.#emitPart(sorted, 0, part.length);
        firstRow ??= row;
        fileOrder.set(part, emitted);
        emitted += part.length;
      }
    }
    if (firstRow !== undefined) this.#emitOrder?.(firstRow, encodeOrder(fileOrder));
  }
}

/**
 * Which points belong to each day, days in ascending order, points by time, then by place. Numbers that hold the key
 * above the place are sorted, because that takes a fifth of the time of a function that compares: 28 bits of day, or 27
 * of a time in it, and 18 of place are less than the 53 of a whole number.
 */
function* dayOrders(timeMs: Float64Array, count: number): Generator<Uint32Array> {
  const packed = new Float64Array(count);
  const order = new Uint32Array(count);
  for (let at = 0; at < count; at += 1) packed[at] = dayOf(timeMs[at]!) * unorderedPoints + at;
  packed.sort();
  for (let from = 0; from < count;) {
    const day = Math.floor(packed[from]! / unorderedPoints);
    let to = from;
    for (; to < count; to += 1) {
      const at = packed[to]! - day * unorderedPoints;
      if (at >= unorderedPoints) break;
      packed[to] = (timeMs[at]! - day * dayMs) * unorderedPoints + at;
    }
    packed.subarray(from, to).sort();
    for (let i = from; i < to; i += 1) {
      const key = packed[i]!;
      order[i] = key - Math.floor(key / unorderedPoints) * unorderedPoints;
    }
    yield order.subarray(from, to);
    from = to;
  }
}

function copyPoints(points: PointColumns, order: Uint32Array, target: PointColumns): void {
  for (let to = 0; to < order.length; to += 1) {
    const from = order[to]!;
    target.timeMs[to] = points.timeMs[from]!;
    target.latE7[to] = points.latE7[from]!;
    target.lonE7[to] = points.lonE7[from]!;
    target.eleDm[to] = points.eleDm[from]!;
  }
}

/** Whole decimetres; none for NaN and what no number of them says. */
export function eleDmOf(ele: number): number {
  const eleDm = Math.round(ele * unitsPerMetre);
  return Math.abs(eleDm) <= maxEleDm ? eleDm : noElevation;
}

function endOfDay(timeMs: Float64Array, from: number, count: number): number {
  const day = dayOf(timeMs[from]!);
  let to = from + 1;
  while (to < count && dayOf(timeMs[to]!) === day) to += 1;
  return to;
}

/** Of the last part. */
const marks = new ColumnMarks();

function dayPart(points: PointColumns, from: number, to: number, part: number): DayPart {
  const [southE7, northE7] = rangeOf(points.latE7, from, to);
  const [westE7, eastE7] = rangeOf(points.lonE7, from, to);
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
    blob: encodeDay(points, from, to, marks),
  };
}
