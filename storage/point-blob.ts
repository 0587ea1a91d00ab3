import { Buffer } from 'node:buffer';
import type { ColumnMarks } from './column-marks.ts';
import {
  dayBlobPoints,
  eleMode,
  eleNone,
  eleSome,
  elevationMode,
  latLimitE7,
  lonLimitE7,
  putColumn,
  putNumber,
  putPresence,
  readElevations,
  type PointColumns,
} from './day-blob.ts';
import { fail, NumberReader, readColumn } from './number-columns.ts';

const formatVersion = 1;
/** A header, then at most five bytes for each of three numbers, and a bit. */
const worstBytes = 16 + dayBlobPoints * 15 + dayBlobPoints / 8;

type UntimedColumns = Pick<PointColumns, 'latE7' | 'lonE7' | 'eleDm'>;

let scratch: Buffer | undefined;

/**
 * Encodes the first `count` points, at least one, as a day blob does, but without times. The layout: version, which
 * elevations there are, count; then the columns.
 * @param marks are filled.
 */
export function encodePoints(points: UntimedColumns, count: number, marks: ColumnMarks): Buffer {
  marks.clear();
  const out = (scratch ??= Buffer.allocUnsafe(worstBytes));
  const elevations = elevationMode(points.eleDm, 0, count);
  out[0] = formatVersion;
  out[1] = elevations;
  let at = putNumber(out, 2, count);
  at = putColumn(out, at, points.latE7, 0, count, marks.lats);
  at = putColumn(out, at, points.lonE7, 0, count, marks.lons);
  if (elevations === eleSome) at = putPresence(out, at, points.eleDm, 0, count);
  if (elevations !== eleNone) at = putColumn(out, at, points.eleDm, 0, count);
  return Buffer.from(out.subarray(0, at));
}

/**
 * Decodes a blob into the beginning of `points`, whose capacity is {@link dayBlobPoints}.
 * @returns the number of points.
 * @throws DayBlobCorrupt
 */
export function decodePoints(blob: Uint8Array, points: UntimedColumns): number {
  const mode = blob[1] ?? eleMode;
  if (blob[0] !== formatVersion || (mode & ~eleMode) !== 0 || mode === eleMode) fail();
  const reader = new NumberReader(blob, 2);
  const count = reader.next();
  if (count === 0 || count > dayBlobPoints || count * 2 > blob.length) fail();
  readColumn(reader, points.latE7, count, 0, latLimitE7);
  readColumn(reader, points.lonE7, count, 0, lonLimitE7);
  readElevations(reader, points.eleDm, count, mode);
  if (reader.at !== blob.length) fail();
  return count;
}
