import { Buffer } from 'node:buffer';
import { chunkPoints, type ColumnMarks } from './column-marks.ts';
import { dayMs, dayOf, latLimitE7, lonLimitE7, putNumber, zigzag } from './day-blob.ts';
import type { PositionColumns } from './day-cursor.ts';
import { encodeOutlines, stretchOf } from './outline.ts';
import { fail, NumberReader, readColumn, readTimes, unzigzag } from './number-columns.ts';

/** What boxes count in, in units of 1e-7 degree: 0.7 m. */
const boxUnitE7 = 64;
/** Ten numbers of at most five bytes. */
const worstBytes = 50;

/** What maps look at of the points of a blob before they decode it, or instead. */
export type MapForms = ReturnType<typeof encodeForms>;

/** @param marks of the blob, whose points are of one UTC day. @param box of them. */
export function encodeForms(
  points: PositionColumns,
  from: number,
  to: number,
  marks: ColumnMarks,
  { southE7, northE7 }: { readonly southE7: number; readonly northE7: number },
) {
  const outlines = encodeOutlines(points, from, to, stretchOf(southE7, northE7));
  return { ...outlines, chunks: encodeChunks(points, from, to, marks) };
}

let scratch = Buffer.allocUnsafe(4_096);

/**
 * Writes where the points of a blob are, so that a map decodes of a day only what is near. The layout, in variable-length
 * integers: the unit of time in ms; for each chunk how many bytes after that of the one before its times, latitudes and
 * longitudes begin, its first point as differences, and how far its box reaches from there to the south, west, north and
 * east; at last the last point.
 */
function encodeChunks(
  { timeMs, latE7, lonE7 }: PositionColumns,
  from: number,
  to: number,
  { times, lats, lons, unitMs }: ColumnMarks,
): Buffer {
  const most = (lats.length + 2) * worstBytes;
  if (most > scratch.length) scratch = Buffer.allocUnsafe(most * 2);
  let [length, time, lat, lon] = [
    putNumber(scratch, 0, unitMs),
    dayOf(timeMs[from]!) * dayMs,
    0,
    0,
  ];
  const putPoint = (at: number): void => {
    length = putNumber(scratch, length, (timeMs[at]! - time) / unitMs);
    length = putNumber(scratch, length, zigzag((latE7[at]! - lat) | 0));
    length = putNumber(scratch, length, zigzag((lonE7[at]! - lon) | 0));
    [time, lat, lon] = [timeMs[at]!, latE7[at]!, lonE7[at]!];
  };
  for (let chunk = 0; chunk < lats.length; chunk += 1) {
    for (const column of [times, lats, lons])
      length = putNumber(scratch, length, (column[chunk] ?? 0) - (column[chunk - 1] ?? 0));
    const first = from + chunk * chunkPoints;
    putPoint(first);
    let [south, west, north, east] = [lat, lon, lat, lon];
    for (let at = Math.min(first + chunkPoints, to - 1); at > first; at -= 1) {
      const [pointLat, pointLon] = [latE7[at]!, lonE7[at]!];
      if (pointLat < south) south = pointLat;
      else if (pointLat > north) north = pointLat;
      if (pointLon < west) west = pointLon;
      else if (pointLon > east) east = pointLon;
    }
    for (const reach of [lat - south, lon - west, north - lat, east - lon])
      length = putNumber(scratch, length, Math.ceil(reach / boxUnitE7));
  }
  putPoint(to - 1);
  return Buffer.from(scratch.subarray(0, length));
}

/** Reads the chunks of a blob one after the other; after the last one it stands at the last point. */
export class ChunkReader {
  /** The first point of the chunk. */
  timeMs: number;
  latE7 = 0;
  lonE7 = 0;
  /** All points of the chunk, and the first of the next one, lie in it. */
  readonly box = { south: 0, west: 0, north: 0, east: 0 };
  readonly #numbers: NumberReader;
  readonly #unitMs: number;
  readonly #points: number;
  #first = -chunkPoints;
  #times = 0;
  #lats = 0;
  #lons = 0;

  /** @param points of the blob. @throws DayBlobCorrupt */
  constructor(chunks: Uint8Array, day: number, points: number) {
    this.#numbers = new NumberReader(chunks, 0);
    this.#unitMs = this.#numbers.next();
    this.#points = points;
    this.timeMs = day * dayMs;
  }

  /** @returns whether there is one. @throws DayBlobCorrupt */
  next(): boolean {
    const numbers = this.#numbers;
    this.#first += chunkPoints;
    const isChunk = this.#first + 1 < this.#points;
    if (isChunk) {
      this.#times += numbers.next();
      this.#lats += numbers.next();
      this.#lons += numbers.next();
    }
    this.timeMs += numbers.next() * this.#unitMs;
    this.latE7 = (this.latE7 + unzigzag(numbers.next())) | 0;
    this.lonE7 = (this.lonE7 + unzigzag(numbers.next())) | 0;
    if (Math.abs(this.latE7) > latLimitE7 || Math.abs(this.lonE7) > lonLimitE7) fail();
    if (!isChunk) return false;
    const { box } = this;
    box.south = this.latE7 - numbers.next() * boxUnitE7;
    box.west = this.lonE7 - numbers.next() * boxUnitE7;
    box.north = this.latE7 + numbers.next() * boxUnitE7;
    box.east = this.lonE7 + numbers.next() * boxUnitE7;
    return true;
  }

  /**
   * Decodes the points after the first one up to the first of the next chunk into the beginning of columns.
   * @param clock the times of all points of a blob that has none.
   * @returns the number of points.
   * @throws DayBlobCorrupt
   */
  decode(blob: Uint8Array, columns: PositionColumns, clock?: Float64Array): number {
    const count = Math.min(chunkPoints, this.#points - 1 - this.#first);
    const { timeMs, latE7, lonE7 } = columns;
    if (clock === undefined)
      readTimes(new NumberReader(blob, this.#times), timeMs, count, this.timeMs, this.#unitMs);
    else timeMs.set(clock.subarray(this.#first + 1, this.#first + 1 + count));
    readColumn(new NumberReader(blob, this.#lats), latE7, count, this.latE7, latLimitE7);
    readColumn(new NumberReader(blob, this.#lons), lonE7, count, this.lonE7, lonLimitE7);
    return count;
  }
}
