import { Buffer } from 'node:buffer';
import { mark, type ColumnMarks } from './column-marks.ts';
import { fail, NumberReader, readColumn, readTimes, unzigzag } from './number-columns.ts';

export { DayBlobCorrupt } from './number-columns.ts';

/** Points in one blob at most, so that whoever reads one can keep buffers of a fixed size. */
export const dayBlobPoints = 65_536;
/** The value of `eleDm` for a point without elevation. */
export const noElevation = -2_147_483_648;

export const dayMs = 86_400_000;
const formatVersion = 1;
/** Times are stored in whole seconds: one byte instead of two for a logger at 1 Hz. */
const wholeSeconds = 1;
/** Elevations: absent for all points, there for all, or there where a bit says so. */
export const eleNone = 0;
const eleAll = 2;
export const eleSome = 4;
export const eleMode = 6;
export const latLimitE7 = 900_000_000;
export const lonLimitE7 = 1_800_000_000;
/** A header, then at most five bytes for each of four numbers, and a bit. */
const worstBytes = 16 + dayBlobPoints * 20 + dayBlobPoints / 8;

/** Points as columns, to be filled and used again. */
export interface PointColumns {
  /** Integer ms since 1970 UTC. */
  readonly timeMs: Float64Array;
  /** Units of 1e-7 degree. */
  readonly latE7: Int32Array;
  readonly lonE7: Int32Array;
  /** Units of 0.1 m, or {@link noElevation}. */
  readonly eleDm: Int32Array;
}

export const columnNames = ['timeMs', 'latE7', 'lonE7', 'eleDm'] as const;

/** Allocates columns; by default for the largest blob. */
export function pointColumns(capacity: number = dayBlobPoints): PointColumns {
  return {
    timeMs: new Float64Array(capacity),
    latE7: new Int32Array(capacity),
    lonE7: new Int32Array(capacity),
    eleDm: new Int32Array(capacity),
  };
}

/** The UTC day of an instant, counted from 1970-01-01; negative before. */
export function dayOf(timeMs: number): number {
  return Math.floor(timeMs / dayMs);
}

let scratch: Buffer | undefined;

/**
 * Encodes points `from`…`to` (exclusive): at least one, at most {@link dayBlobPoints}, all of one UTC day, in order of
 * time. The layout: version, flags, count, day; then the columns one after the other, each as differences to the value
 * before in variable-length integers (seven bits a byte, low first), signed ones zigzag.
 * @param marks are filled.
 */
export function encodeDay(
  points: PointColumns,
  from: number,
  to: number,
  marks?: ColumnMarks,
): Buffer {
  marks?.clear();
  const out = (scratch ??= Buffer.allocUnsafe(worstBytes));
  const day = dayOf(points.timeMs[from]!);
  const times = areWholeSeconds(points.timeMs, from, to) ? wholeSeconds : 0;
  const elevations = elevationMode(points.eleDm, from, to);
  out[0] = formatVersion;
  out[1] = times | elevations;
  let at = putNumber(out, 2, to - from);
  at = putNumber(out, at, zigzag(day));
  const unitMs = times === 0 ? 1 : 1_000;
  if (marks !== undefined) marks.unitMs = unitMs;
  at = putTimes(out, at, points.timeMs, { from, to, startMs: day * dayMs, unitMs }, marks?.times);
  at = putColumn(out, at, points.latE7, from, to, marks?.lats);
  at = putColumn(out, at, points.lonE7, from, to, marks?.lons);
  if (elevations === eleSome) at = putPresence(out, at, points.eleDm, from, to);
  if (elevations !== eleNone) at = putColumn(out, at, points.eleDm, from, to);
  return Buffer.from(out.subarray(0, at));
}

function areWholeSeconds(timeMs: Float64Array, from: number, to: number): boolean {
  for (let i = from; i < to; i += 1) if (timeMs[i]! % 1_000 !== 0) return false;
  return true;
}

export function elevationMode(eleDm: Int32Array, from: number, to: number): number {
  let absent = 0;
  for (let i = from; i < to; i += 1) if (eleDm[i] === noElevation) absent += 1;
  if (absent === 0) return eleAll;
  return absent === to - from ? eleNone : eleSome;
}

/** Differences wrap around at 32 bits, in both directions alike, so every difference of two coordinates fits. */
export function zigzag(value: number): number {
  return ((value << 1) ^ (value >> 31)) >>> 0;
}

export function putNumber(out: Buffer, start: number, number: number): number {
  let at = start;
  let rest = number;
  while (rest > 127) {
    out[at] = (rest & 127) | 128;
    at += 1;
    rest >>>= 7;
  }
  out[at] = rest;
  return at + 1;
}

function putTimes(
  out: Buffer,
  start: number,
  timeMs: Float64Array,
  { from, to, startMs, unitMs }: Readonly<Record<'from' | 'to' | 'startMs' | 'unitMs', number>>,
  marks?: number[],
): number {
  let at = start;
  let before = startMs;
  for (let i = from; i < to; i += 1) {
    mark(marks, i - from, at);
    const time = timeMs[i]!;
    at = putNumber(out, at, (time - before) / unitMs);
    before = time;
  }
  return at;
}

/** Points without elevation are left out; no other column holds {@link noElevation}. */
export function putColumn(
  out: Buffer,
  start: number,
  column: Int32Array,
  from: number,
  to: number,
  marks?: number[],
): number {
  let at = start;
  let before = 0;
  for (let i = from; i < to; i += 1) {
    mark(marks, i - from, at);
    const value = column[i]!;
    if (value === noElevation) continue;
    at = putNumber(out, at, zigzag((value - before) | 0));
    before = value;
  }
  return at;
}

export function putPresence(
  out: Buffer,
  start: number,
  eleDm: Int32Array,
  from: number,
  to: number,
): number {
  const end = start + Math.ceil((to - from) / 8);
  out.fill(0, start, end);
  for (let i = from; i < to; i += 1) {
    if (eleDm[i] !== noElevation) out[start + ((i - from) >> 3)]! |= 1 << ((i - from) & 7);
  }
  return end;
}

/**
 * Decodes a blob into the beginning of `points`, whose capacity is {@link dayBlobPoints}.
 * @returns the number of points.
 * @throws DayBlobCorrupt, after work in proportion to the size of the blob.
 */
export function decodeDay(blob: Uint8Array, points: PointColumns): number {
  const { count, mode, reader } = decodePositions(blob, points);
  readElevations(reader, points.eleDm, count, mode);
  if (reader.at !== blob.length) fail();
  return count;
}

/** As {@link decodeDay}, but for elevations, before which the reader stands. @throws DayBlobCorrupt */
export function decodePositions(blob: Uint8Array, points: PointColumns) {
  const { count, dayStartMs, unitMs, mode, at } = readHeader(blob);
  const reader = new NumberReader(blob, at);
  const lastMs = readTimes(reader, points.timeMs, count, dayStartMs, unitMs);
  // Times only grow, so the last one is the largest.
  if (lastMs >= dayStartMs + dayMs) fail();
  readColumn(reader, points.latE7, count, 0, latLimitE7);
  readColumn(reader, points.lonE7, count, 0, lonLimitE7);
  return { count, mode, reader };
}

/** What stands before the columns. */
export interface DayHeader {
  readonly count: number;
  readonly dayStartMs: number;
  /** What the differences of time count in. */
  readonly unitMs: number;
  readonly mode: number;
  /** Where the columns begin. */
  readonly at: number;
}

/** @throws DayBlobCorrupt */
export function readHeader(blob: Uint8Array): DayHeader {
  const flags = blob[1] ?? 0xff;
  const mode = flags & eleMode;
  if (blob[0] !== formatVersion || flags > (wholeSeconds | eleMode) || mode === eleMode) fail();
  const reader = new NumberReader(blob, 2);
  const count = reader.next();
  // Every point has a byte of time, of latitude and of longitude.
  if (count === 0 || count > dayBlobPoints || count * 3 > blob.length) fail();
  const dayStartMs = unzigzag(reader.next()) * dayMs;
  const unitMs = (flags & wholeSeconds) === 0 ? 1 : 1_000;
  return { count, dayStartMs, unitMs, mode, at: reader.at };
}

export function readElevations(
  reader: NumberReader,
  eleDm: Int32Array,
  count: number,
  mode: number,
): void {
  if (mode === eleNone) {
    eleDm.fill(noElevation, 0, count);
    return;
  }
  const bits = mode === eleSome ? reader.at : undefined;
  if (mode === eleSome) reader.at += Math.ceil(count / 8);
  let value = 0;
  for (let i = 0; i < count; i += 1) {
    const isPresent = bits === undefined || ((reader.blob[bits + (i >> 3)] ?? 0) >> (i & 7)) & 1;
    if (isPresent) value = (value + unzigzag(reader.next())) | 0;
    eleDm[i] = isPresent ? value : noElevation;
  }
}
