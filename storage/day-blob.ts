import type { Buffer } from 'node:buffer';
import { fail, NumberReader, NumberWriter } from './number-columns.ts';

export { DayBlobCorrupt } from './number-columns.ts';

/** Points in one blob at most, so that readers can keep buffers of a fixed size. */
export const dayBlobPoints = 65_536;
/** The value of `eleDm` for a point without elevation. */
export const noElevation = -2_147_483_648;

export const dayMs = 86_400_000;
export const latLimitE7 = 900_000_000;
export const lonLimitE7 = 1_800_000_000;

const formatVersion = 1;
/** Flags. Times are in whole seconds: one byte instead of two for a logger at 1 Hz. */
const wholeSeconds = 1;
/** Elevations are absent for all points, there for all, or there where a bit says so. */
const elevations = { none: 0, all: 2, some: 4, mask: 6 } as const;
/** There are no times, and no day. */
const untimed = 8;

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

/** Points without elevations. */
export type PositionColumns = Pick<PointColumns, 'timeMs' | 'latE7' | 'lonE7'>;

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

const writer = new NumberWriter();

/**
 * Encodes points `from`…`to` (exclusive): at least one, at most {@link dayBlobPoints}, all of one UTC day, in order of
 * time. The layout: version, flags, count, day; then the columns one after the other.
 */
export function encodeDay(points: PointColumns, from: number, to: number): Buffer {
  const { timeMs } = points;
  const day = dayOf(timeMs[from]!);
  const isWhole = timeMs.subarray(from, to).every((time) => time % 1_000 === 0);
  const mode = elevationMode(points.eleDm, from, to);
  writer.add(formatVersion);
  writer.add((isWhole ? wholeSeconds : 0) | mode);
  writer.add(to - from);
  writer.addSigned(day);
  writer.addTimes(timeMs, from, to, day * dayMs, isWhole ? 1_000 : 1);
  return encodePositions(points, from, to, mode);
}

/** Encodes the first `count` points, at least one, as {@link encodeDay}, but without times and a day. */
export function encodeUntimed(points: PointColumns, count: number): Buffer {
  const mode = elevationMode(points.eleDm, 0, count);
  writer.add(formatVersion);
  writer.add(untimed | mode);
  writer.add(count);
  return encodePositions(points, 0, count, mode);
}

function encodePositions(points: PointColumns, from: number, to: number, mode: number): Buffer {
  const { latE7, lonE7, eleDm } = points;
  writer.addColumn(latE7, from, to);
  writer.addColumn(lonE7, from, to);
  if (mode === elevations.some) writer.addPresence(eleDm, from, to, noElevation);
  if (mode !== elevations.none) writer.addColumn(eleDm, from, to, noElevation);
  return writer.take();
}

function elevationMode(eleDm: Int32Array, from: number, to: number): number {
  let absent = 0;
  for (let i = from; i < to; i += 1) if (eleDm[i] === noElevation) absent += 1;
  if (absent === 0) return elevations.all;
  return absent === to - from ? elevations.none : elevations.some;
}

/**
 * Decodes a blob of {@link encodeDay} into the beginning of `points`, whose capacity is {@link dayBlobPoints}.
 * @returns the number of points.
 * @throws DayBlobCorrupt, after work in proportion to the size of the blob.
 */
export function decodeDay(blob: Uint8Array, points: PointColumns): number {
  const { count, mode, reader } = decodePositions(blob, points);
  decodeElevations(reader, points.eleDm, count, mode);
  return count;
}

/** Decodes a blob of {@link encodeUntimed}, otherwise as {@link decodeDay}; leaves times as they are. */
export function decodeUntimed(blob: Uint8Array, points: Omit<PointColumns, 'timeMs'>): number {
  const header = readHeader(blob, untimed);
  const { count, mode, reader } = header;
  readPlaces(header, points);
  decodeElevations(reader, points.eleDm, count, mode);
  return count;
}

/** Decodes as {@link decodeDay}, up to the elevations. @throws DayBlobCorrupt */
export function decodePositions(blob: Uint8Array, points: PositionColumns) {
  const header = readHeader(blob, 0);
  const { count, reader, unitMs } = header;
  const dayStartMs = reader.nextSigned() * dayMs;
  const lastMs = reader.times(points.timeMs, count, dayStartMs, unitMs);
  // Times only grow, so the last one is the largest.
  if (lastMs >= dayStartMs + dayMs) fail();
  readPlaces(header, points);
  return header;
}

function readPlaces(
  { count, reader }: { readonly count: number; readonly reader: NumberReader },
  { latE7, lonE7 }: Pick<PointColumns, 'latE7' | 'lonE7'>,
): void {
  reader.column(latE7, count, latLimitE7);
  reader.column(lonE7, count, lonLimitE7);
}

/** Reads all that stands before the day. @param kind 0 or `untimed`. @throws DayBlobCorrupt */
function readHeader(blob: Uint8Array, kind: number) {
  const flags = blob[1] ?? 0xff;
  const mode = flags & elevations.mask;
  const isOfKind = (flags & ~(wholeSeconds | elevations.mask)) === kind;
  if (blob[0] !== formatVersion || !isOfKind || mode === elevations.mask) fail();
  const reader = new NumberReader(blob, 2);
  const count = reader.next();
  // Every point has a byte of latitude and of longitude, and one of time.
  const least = count * (kind === untimed ? 2 : 3);
  if (count === 0 || count > dayBlobPoints || least > blob.length) fail();
  return { count, mode, reader, unitMs: (flags & wholeSeconds) === 0 ? 1 : 1_000 };
}

function decodeElevations(
  reader: NumberReader,
  eleDm: Int32Array,
  count: number,
  mode: number,
): void {
  const bits = mode === elevations.some ? reader.at : undefined;
  if (bits !== undefined) reader.at += Math.ceil(count / 8);
  let value = 0;
  for (let i = 0; i < count; i += 1) {
    const isPresent =
      mode === elevations.all ||
      (bits !== undefined && ((reader.blob[bits + (i >> 3)] ?? 0) >> (i & 7)) & 1);
    if (isPresent) value = (value + reader.nextSigned()) | 0;
    eleDm[i] = isPresent ? value : noElevation;
  }
  if (reader.at !== reader.blob.length) fail();
}
