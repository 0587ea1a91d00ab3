import { Buffer } from 'node:buffer';
import { chunkPoints, type ColumnMarks } from './column-marks.ts';
import { dayMs, dayOf, latLimitE7, lonLimitE7, putNumber, zigzag } from './day-blob.ts';
import type { PositionColumns } from './day-cursor.ts';
import { encodeOutlines, stretchOf } from './outline.ts';
import { fail, NumberReader, rangeOf, readTimes, unzigzag } from './number-columns.ts';

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

/**
 * Writes where the points of a blob are, so that a map decodes of a day only what is near. The layout, in variable-length
 * integers: the unit of time in ms; for each chunk how many bytes after that of the one before its times, latitudes and
 * longitudes begin, its first point as differences, and how far its box reaches from there to the south, west, north and
 * east; at last the last point.
 */
function encodeChunks(
  points: PositionColumns,
  from: number,
  to: number,
  { times, lats, lons, unitMs }: ColumnMarks,
): Buffer {
  writer.begin(lats.length, dayOf(points.timeMs[from]!) * dayMs, unitMs);
  for (let chunk = 0; chunk < lats.length; chunk += 1) {
    writer.offset(times, chunk);
    writer.offset(lats, chunk);
    writer.offset(lons, chunk);
    const first = from + chunk * chunkPoints;
    writer.point(points, first);
    writer.reach(points, first, Math.min(first + chunkPoints + 1, to));
  }
  writer.point(points, to - 1);
  return writer.finish();
}

/** Of small methods: V8 took 90 ms to compile a function of all of this. */
class ChunkWriter {
  #out = Buffer.allocUnsafe(4_096);
  #length = 0;
  #unitMs = 1;
  #timeMs = 0;
  #latE7 = 0;
  #lonE7 = 0;

  begin(chunks: number, startMs: number, unitMs: number): void {
    const most = (chunks + 2) * worstBytes;
    if (most > this.#out.length) this.#out = Buffer.allocUnsafe(most * 2);
    this.#length = this.#latE7 = this.#lonE7 = 0;
    this.#timeMs = startMs;
    this.#unitMs = unitMs;
    this.#add(unitMs);
  }

  offset(column: readonly number[], chunk: number): void {
    if (column.length === 0) this.#add(0);
    else this.#add(column[chunk]! - (chunk === 0 ? 0 : column[chunk - 1]!));
  }

  point({ timeMs, latE7, lonE7 }: PositionColumns, at: number): void {
    this.#add((timeMs[at]! - this.#timeMs) / this.#unitMs);
    this.#add(zigzag((latE7[at]! - this.#latE7) | 0));
    this.#add(zigzag((lonE7[at]! - this.#lonE7) | 0));
    this.#timeMs = timeMs[at]!;
    this.#latE7 = latE7[at]!;
    this.#lonE7 = lonE7[at]!;
  }

  /** How far points `from`…`to` (exclusive) are from the last one at most. */
  reach({ latE7, lonE7 }: PositionColumns, from: number, to: number): void {
    const [south, north] = rangeOf(latE7, from, to);
    const [west, east] = rangeOf(lonE7, from, to);
    this.#add(Math.ceil((this.#latE7 - south) / boxUnitE7));
    this.#add(Math.ceil((this.#lonE7 - west) / boxUnitE7));
    this.#add(Math.ceil((north - this.#latE7) / boxUnitE7));
    this.#add(Math.ceil((east - this.#lonE7) / boxUnitE7));
  }

  finish(): Buffer {
    return Buffer.from(this.#out.subarray(0, this.#length));
  }

  #add(number: number): void {
    this.#length = putNumber(this.#out, this.#length, number);
  }
}

/** Used for every blob: a thread writes one at a time. */
const writer = new ChunkWriter();

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

  /** When the first point of the next chunk was, or the last one of all. @throws DayBlobCorrupt */
  lastMs(): number {
    const ahead = new NumberReader(this.#numbers.blob, this.#numbers.at);
    const offsets = this.#first + chunkPoints + 1 < this.#points ? 3 : 0;
    for (let at = 0; at < offsets; at += 1) ahead.next();
    return this.timeMs + ahead.next() * this.#unitMs;
  }

  /**
   * Decodes the positions after the first one up to the first of the next chunk into the beginning of columns.
   * @returns how many.
   * @throws DayBlobCorrupt
   */
  decode(blob: Uint8Array, { latE7, lonE7 }: PositionColumns): number {
    const count = this.#count();
    const reader = new NumberReader(blob, 0);
    let { latE7: lat, lonE7: lon } = this;
    let latAt = this.#lats;
    let lonAt = this.#lons;
    // As readColumn, both at once: neither waits until it is known how long a number of the other is.
    for (let at = 0; at < count; at += 1) {
      const latFirst = blob[latAt]!;
      const lonFirst = blob[lonAt]!;
      const latMore = latFirst >> 7;
      const lonMore = lonFirst >> 7;
      const latSecond = blob[latAt + latMore]!;
      const lonSecond = blob[lonAt + lonMore]!;
      let latStep = (latFirst & 127) | ((latSecond << 7) & -latMore);
      let lonStep = (lonFirst & 127) | ((lonSecond << 7) & -lonMore);
      if (latSecond < 128 && lonSecond < 128) {
        latAt += 1 + latMore;
        lonAt += 1 + lonMore;
      } else {
        latStep = reader.long(latAt);
        latAt = reader.at;
        lonStep = reader.long(lonAt);
        lonAt = reader.at;
      }
      lat = (lat + unzigzag(latStep)) | 0;
      lon = (lon + unzigzag(lonStep)) | 0;
      if (lat > latLimitE7 || lat < -latLimitE7 || lon > lonLimitE7 || lon < -lonLimitE7) fail();
      latE7[at] = lat;
      lonE7[at] = lon;
    }
    return count;
  }

  /**
   * Decodes their times.
   * @param clock the times of all points of a blob that has none.
   * @throws DayBlobCorrupt
   */
  decodeTimes(blob: Uint8Array, { timeMs }: PositionColumns, clock?: Float64Array): void {
    const count = this.#count();
    if (clock === undefined)
      readTimes(new NumberReader(blob, this.#times), timeMs, count, this.timeMs, this.#unitMs);
    else timeMs.set(clock.subarray(this.#first + 1, this.#first + 1 + count));
  }

  #count(): number {
    return Math.min(chunkPoints, this.#points - 1 - this.#first);
  }
}
