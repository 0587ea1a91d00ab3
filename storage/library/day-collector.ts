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
  type PositionColumns,
} from '../day-blob.ts';
import { rangeOf } from '../number-columns.ts';
import { encodeOutline, gapMs, stretchOf, type OutlineName } from '../outline.ts';
import { encodeOrder } from '../point-order.ts';
import type { NewRow } from '../schema/library.ts';
import { inUnits, unitsPerMetre } from '../units.ts';

/**
 * One row of `days`, without the file it belongs to. Its number ascends in file order within a file, day and kind: parts of
 * one day may overlap in time.
 */
export type DayPart = Omit<NewRow<'days'>, 'id' | 'file_id' | 'kind'>;

/** A part for maps. Its box reaches to the first point of the next part, if that goes on with the line. */
type Outline = Omit<NewRow<'outlines'>, 'id' | 'file_id'>;

type BoxedPart = Pick<DayPart, 'south_e7' | 'west_e7' | 'north_e7' | 'east_e7'>;
export type Point = Readonly<Record<'timeMs' | 'latE7' | 'lonE7', number>>;

/**
 * Stores a part.
 * @returns its row.
 * @param outline makes its form for maps, while the call lasts.
 */
export type EmitPart = (part: DayPart, outline: () => Outline) => number;

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
  /** Empty until the first point: most collectors of a file get none. */
  #points = pointColumns(0);
  #room = 0;
  #sorted: PointColumns | undefined;
  #count = 0;
  #part = 0;
  #isSorted = true;

  /**
   * @param emitOrder called for successive parts from `firstRow` on that are not in file order: point-order.ts.
   */
  constructor(emit: EmitPart, emitOrder?: (firstRow: number, order: Buffer) => void) {
    this.#emit = emit;
    this.#emitOrder = emitOrder;
  }

  /** Forgets all points, for the next file. */
  reset(): void {
    this.#count = 0;
    this.#part = 0;
    this.#isSorted = true;
  }

  /** @param ele in metres; NaN, or what no number of 0.1 m says, means none. */
  add(lat: number, lon: number, ele: number, timeMs: number): void {
    const latE7 = inUnits(lat);
    const lonE7 = inUnits(lon);
    if (this.#count >= this.#room) this.#makeRoom({ timeMs, latE7, lonE7 });
    const points = this.#points;
    const at = this.#count;
    points.timeMs[at] = timeMs;
    points.latE7[at] = latE7;
    points.lonE7[at] = lonE7;
    points.eleDm[at] = eleDmOf(ele);
    if (at > 0 && timeMs < points.timeMs[at - 1]!) this.#isSorted = false;
    this.#count += 1;
  }

  /** Hands on all points that are left. @param next the point after them. */
  flush(next?: Point): void {
    if (this.#isSorted) this.#emitSorted(next);
    else this.#emitUnsorted();
    // Numbering by batch instead of by day: as ordered, and no table of the days of a hostile file is needed.
    this.#part += 1;
    this.#count = 0;
    this.#isSorted = true;
  }

  #makeRoom(next: Point): void {
    this.#room = dayBlobPoints;
    const capacity = this.#points.timeMs.length;
    if (capacity === 0) this.#grow(dayBlobPoints);
    else if (this.#isSorted || this.#count === unorderedPoints) this.flush(next);
    else if (this.#count === capacity) this.#grow(unorderedPoints);
  }

  #grow(capacity: number): void {
    const points = pointColumns(capacity);
    for (const name of columnNames) points[name].set(this.#points[name]);
    this.#points = points;
  }

  #emitSorted(next?: Point): void {
    const [points, count] = [this.#points, this.#count];
    for (let from = 0; from < count;) {
      const to = endOfDay(points.timeMs, from, count);
      this.#emitPart(points, from, to, to < count ? pointAt(points, to) : next);
      from = to;
    }
  }

  #emitPart(points: PointColumns, from: number, to: number, next?: Point): number {
    const part = dayPart(points, from, to, this.#part);
    return this.#emit(part, () => ({
      ...part,
      ...reachOf(part, part.last_ms, next),
      ...outlinesOf(points, from, to, part),
    }));
  }

  #emitUnsorted(): void {
    const sorted = (this.#sorted ??= pointColumns());
    const fileOrder = new Uint32Array(this.#count);
    let emitted = 0;
    let firstRow: number | undefined;
    const days = [...dayOrders(this.#points.timeMs, this.#count)];
    for (const [day, order] of days.entries()) {
      // Only a day of a batch larger than a blob has several parts in it.
      for (let from = 0; from < order.length; from += dayBlobPoints) {
        if (from > 0) this.#part += 1;
        const part = order.subarray(from, from + dayBlobPoints);
        copyPoints(this.#points, part, sorted);
        const after = order[from + dayBlobPoints] ?? days[day + 1]?.[0];
        const next = after === undefined ? undefined : pointAt(this.#points, after);
        const row = this.#emitPart(sorted, 0, part.length, next);
        firstRow ??= row;
        fileOrder.set(part, emitted);
        emitted += part.length;
      }
    }
    if (firstRow !== undefined) this.#emitOrder?.(firstRow, encodeOrder(fileOrder));
  }
}

/**
 * Which points belong to each day, days in ascending order, points by time, then by place. Sorts numbers that hold the key
 * above the place, five times as fast as a compare function: 28 bits of day, or 27 of the time of day, and 18 of place
 * fit the 53 of a whole number.
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

/** To the next point, so that the step there is found wherever it is. @param lastMs when the last point of the part was. */
export function reachOf(part: BoxedPart, lastMs: number, next: Point | undefined) {
  const passedMs = (next?.timeMs ?? Infinity) - lastMs;
  if (next === undefined || passedMs < 0 || passedMs > gapMs)
    return { next_ms: null, next_lat_e7: 0, next_lon_e7: 0 };
  const { timeMs: next_ms, latE7: next_lat_e7, lonE7: next_lon_e7 } = next;
  return {
    south_e7: Math.min(part.south_e7, next_lat_e7),
    west_e7: Math.min(part.west_e7, next_lon_e7),
    north_e7: Math.max(part.north_e7, next_lat_e7),
    east_e7: Math.max(part.east_e7, next_lon_e7),
    next_ms,
    next_lat_e7,
    next_lon_e7,
  };
}

function pointAt({ timeMs, latE7, lonE7 }: PointColumns, at: number): Point {
  return { timeMs: timeMs[at]!, latE7: latE7[at]!, lonE7: lonE7[at]! };
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

/** Thins points for maps. @param box that they lie in. */
export function outlinesOf(
  points: PositionColumns,
  from: number,
  to: number,
  { south_e7, north_e7 }: BoxedPart,
): Record<OutlineName, Buffer> {
  const stretch = stretchOf(south_e7, north_e7);
  const outline = (name: OutlineName): Buffer => encodeOutline(points, from, to, stretch, name);
  return { coarse: outline('coarse'), fine: outline('fine') };
}

function dayPart(points: PointColumns, from: number, to: number, part: number): DayPart {
  const [south_e7, north_e7] = rangeOf(points.latE7, from, to);
  const [west_e7, east_e7] = rangeOf(points.lonE7, from, to);
  return {
    day: dayOf(points.timeMs[from]!),
    part,
    points: to - from,
    first_ms: points.timeMs[from]!,
    last_ms: points.timeMs[to - 1]!,
    south_e7,
    west_e7,
    north_e7,
    east_e7,
    blob: encodeDay(points, from, to),
  };
}
