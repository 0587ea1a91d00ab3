import { Buffer } from 'node:buffer';
import { dayMs, dayOf, latLimitE7, lonLimitE7, putNumber, zigzag } from './day-blob.ts';
import type { PositionColumns } from './day-cursor.ts';
import { fail, NumberReader, readColumn, readTimes } from './number-columns.ts';

/** A line is split where nothing was recorded for longer than this. */
export const gapMs = 30 * 60_000;
/** The zooms up to which outlines are as good as all points: they leave out what is within half a pixel there. */
export const outlineZooms = { coarse: 3, fine: 10 } as const;
export type OutlineName = keyof typeof outlineZooms;
const secondMs = 1_000;
/** Half a pixel, where the world is 512 · 2^zoom pixels wide, in units of 1e-7 degree on the equator. */
function halfPixelE7(zoom: number): number {
  return 3_600_000_000 / (1_024 * 2 ** zoom);
}

/** What positions of an outline count in is a power of two, a hundredth of that: 0.4 m for the fine ones. */
function unitBits(zoom: number): number {
  return 15 - zoom;
}

/** Beyond it latitudes are drawn at the edge of the world, where a degree is longest. */
const leastCosine = 0.086;
/** Four numbers, as a line of one vertex has. */
const worstBytes = 20;

/** How many degrees of longitude are as long on the map as one of latitude, at most, between two latitudes. */
export function stretchOf(southE7: number, northE7: number): number {
  const farthest = Math.max(Math.abs(southE7), Math.abs(northE7)) / 10_000_000;
  return 1 / Math.max(Math.cos((farthest * Math.PI) / 180), leastCosine);
}

/**
 * Thins points of one UTC day in order of time for low zooms: lines, split at gaps, of which the first and the last point
 * stay. The layout: for each line its number of vertices, then columns of seconds, longitudes and latitudes, as differences to
 * the vertex before in variable-length integers. The coarse one is made of what the fine one keeps.
 * @param stretch as {@link stretchOf} of all of them.
 */
export function encodeOutlines(
  { timeMs, latE7, lonE7 }: PositionColumns,
  from: number,
  to: number,
  stretch: number,
): Record<OutlineName, Buffer> {
  const startMs = dayOf(timeMs[from]!) * dayMs;
  coarse.begin(startMs);
  fine.begin(startMs);
  const near = halfPixelE7(outlineZooms.fine) ** 2;
  const coarseNear = halfPixelE7(outlineZooms.coarse) ** 2;
  for (let first = from; first < to;) {
    const last = endOfLine(timeMs, first, to) - 1;
    for (let at = first; at <= last; at += 1) {
      const lon = lonE7[at]!;
      const lat = latE7[at]!;
      const isEnd = at === first || at === last;
      if (!isEnd && fine.squaredTo(lon, lat, stretch) < near) continue;
      fine.vertex(timeMs[at]!, lon, lat);
      if (isEnd || coarse.squaredTo(lon, lat, stretch) >= coarseNear)
        coarse.vertex(timeMs[at]!, lon, lat);
    }
    fine.endLine();
    coarse.endLine();
    first = last + 1;
  }
  return { coarse: coarse.finish(), fine: fine.finish() };
}

function endOfLine(timeMs: Float64Array, from: number, to: number): number {
  let end = from + 1;
  while (end < to && timeMs[end]! - timeMs[end - 1]! <= gapMs) end += 1;
  return end;
}

class OutlineWriter {
  readonly #bits: number;
  readonly #half: number;
  #out = Buffer.allocUnsafe(4_096);
  #length = 0;
  #startMs = 0;
  #second = 0;
  #lon = 0;
  #lat = 0;
  /** The last vertex as it came. */
  #lonE7 = 0;
  #latE7 = 0;
  /** Vertices of the open line, and of each of them the differences. */
  #count = 0;
  #seconds = new Int32Array(1_024);
  #lons = new Int32Array(1_024);
  #lats = new Int32Array(1_024);

  constructor(name: OutlineName) {
    this.#bits = unitBits(outlineZooms[name]);
    this.#half = 2 ** (this.#bits - 1);
  }

  begin(startMs: number): void {
    this.#startMs = startMs;
    this.#length = this.#second = this.#lon = this.#lat = 0;
  }

  /** How far a position is from the last vertex, squared. */
  squaredTo(lonE7: number, latE7: number, stretch: number): number {
    const dx = lonE7 - this.#lonE7;
    const dy = (latE7 - this.#latE7) * stretch;
    return dx * dx + dy * dy;
  }

  vertex(timeMs: number, lonE7: number, latE7: number): void {
    this.#lonE7 = lonE7;
    this.#latE7 = latE7;
    const second = Math.floor((timeMs - this.#startMs) / secondMs);
    const lon = (lonE7 + this.#half) >> this.#bits;
    const lat = (latE7 + this.#half) >> this.#bits;
    if (this.#count === this.#seconds.length) this.#grow();
    this.#seconds[this.#count] = second - this.#second;
    this.#lons[this.#count] = zigzag(lon - this.#lon);
    this.#lats[this.#count] = zigzag(lat - this.#lat);
    this.#count += 1;
    this.#second = second;
    this.#lon = lon;
    this.#lat = lat;
  }

  endLine(): void {
    const count = this.#count;
    const most = this.#length + (count + 1) * worstBytes;
    if (most > this.#out.length) {
      const longer = Buffer.allocUnsafe(most * 2);
      longer.set(this.#out.subarray(0, this.#length));
      this.#out = longer;
    }
    this.#length = putNumber(this.#out, this.#length, count);
    this.#put(this.#seconds);
    this.#put(this.#lons);
    this.#put(this.#lats);
    this.#count = 0;
  }

  finish(): Buffer {
    return Buffer.from(this.#out.subarray(0, this.#length));
  }

  #put(column: Int32Array): void {
    let length = this.#length;
    for (let at = 0; at < this.#count; at += 1) length = putNumber(this.#out, length, column[at]!);
    this.#length = length;
  }

  #grow(): void {
    this.#seconds = longer(this.#seconds);
    this.#lons = longer(this.#lons);
    this.#lats = longer(this.#lats);
  }
}

function longer(column: Int32Array): Int32Array<ArrayBuffer> {
  const twice = new Int32Array(column.length * 2);
  twice.set(column);
  return twice;
}

/** Used for every day: a thread thins one at a time. */
const coarse = new OutlineWriter('coarse');
const fine = new OutlineWriter('fine');

/** Reads the lines of an outline one after the other. */
export class OutlineReader {
  readonly #numbers: NumberReader;
  readonly #unitE7: number;
  #timeMs: number;
  #lon = 0;
  #lat = 0;

  constructor(blob: Uint8Array, day: number, name: OutlineName) {
    this.#numbers = new NumberReader(blob, 0);
    this.#unitE7 = 2 ** unitBits(outlineZooms[name]);
    this.#timeMs = day * dayMs;
  }

  get isOver(): boolean {
    return this.#numbers.at >= this.#numbers.blob.length;
  }

  /**
   * Decodes the next line into the beginning of columns that have room for all points of the day.
   * @returns the number of its vertices.
   * @throws DayBlobCorrupt
   */
  read({ timeMs, latE7, lonE7 }: PositionColumns): number {
    const reader = this.#numbers;
    const unit = this.#unitE7;
    const count = reader.next();
    if (count === 0 || count > timeMs.length || count * 3 > reader.blob.length) fail();
    this.#timeMs = readTimes(reader, timeMs, count, this.#timeMs, secondMs);
    // Rounding may lead beyond the edge of the world.
    this.#lon = readColumn(reader, lonE7, count, this.#lon, lonLimitE7 / unit + 1);
    this.#lat = readColumn(reader, latE7, count, this.#lat, latLimitE7 / unit + 1);
    for (let at = 0; at < count; at += 1) {
      lonE7[at] = within(lonE7[at]! * unit, lonLimitE7);
      latE7[at] = within(latE7[at]! * unit, latLimitE7);
    }
    return count;
  }
}

function within(value: number, limit: number): number {
  return Math.min(Math.max(value, -limit), limit);
}
