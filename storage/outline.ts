import type { Buffer } from 'node:buffer';
import { dayMs, dayOf, latLimitE7, lonLimitE7, type PositionColumns } from './day-blob.ts';
import { fail, NumberReader, NumberWriter } from './number-columns.ts';
import { unitsPerDegree } from './units.ts';

/** A line is split where nothing was recorded for longer than this. */
export const gapMs = 30 * 60_000;
/** The zooms up to which outlines are as good as all points: they leave out points within half a pixel there. */
export const outlineZooms = { coarse: 3, fine: 10 } as const;
export type OutlineName = keyof typeof outlineZooms;

const secondMs = 1_000;
/** Beyond it latitudes are drawn at the edge of the world, where a degree is longest. */
const leastCosine = 0.086;

/** Half a pixel, where the world is 512 · 2^zoom pixels wide, in units of 1e-7 degree on the equator. */
function halfPixelE7(zoom: number): number {
  return 3_600_000_000 / (1_024 * 2 ** zoom);
}

/** Positions of an outline count in a power of two, a hundredth of half a pixel: 0.4 m for the fine one. */
function unitE7(zoom: number): number {
  return 2 ** (15 - zoom);
}

/** How many degrees of longitude are as long on the map as one of latitude, at most, between two latitudes. */
export function stretchOf(southE7: number, northE7: number): number {
  const farthest = Math.max(Math.abs(southE7), Math.abs(northE7)) / unitsPerDegree;
  return 1 / Math.max(Math.cos((farthest * Math.PI) / 180), leastCosine);
}

const writer = new NumberWriter();

/**
 * Thins points of one UTC day in order of time for maps up to a zoom: lines, split at gaps, of which the first and the last
 * point stay. The layout: for each line its number of vertices, then of each vertex the differences to the one before in
 * seconds, longitude and latitude.
 * @param stretch as {@link stretchOf} of all of them.
 */
export function encodeOutline(
  { timeMs, latE7, lonE7 }: PositionColumns,
  from: number,
  to: number,
  stretch: number,
  name: OutlineName,
): Buffer {
  const zoom = outlineZooms[name];
  const unit = unitE7(zoom);
  const near = halfPixelE7(zoom) ** 2;
  const startMs = dayOf(timeMs[from]!) * dayMs;
  let [second, lon, lat] = [0, 0, 0];
  for (let first = from; first < to;) {
    let end = first + 1;
    while (end < to && timeMs[end]! - timeMs[end - 1]! <= gapMs) end += 1;
    const kept = [first];
    for (let [at, last] = [first + 1, first]; at < end; at += 1) {
      const dx = lonE7[at]! - lonE7[last]!;
      const dy = (latE7[at]! - latE7[last]!) * stretch;
      if (at < end - 1 && dx * dx + dy * dy < near) continue;
      kept.push(at);
      last = at;
    }
    writer.add(kept.length);
    for (const at of kept) {
      const next = [
        Math.floor((timeMs[at]! - startMs) / secondMs),
        Math.round(lonE7[at]! / unit),
        Math.round(latE7[at]! / unit),
      ] as const;
      writer.add(next[0] - second);
      writer.addSigned(next[1] - lon);
      writer.addSigned(next[2] - lat);
      [second, lon, lat] = next;
    }
    first = end;
  }
  return writer.take();
}

/** Reads the lines of an outline one after the other. */
export class OutlineReader {
  readonly #numbers: NumberReader;
  readonly #unitE7: number;
  #timeMs: number;
  #lon = 0;
  #lat = 0;

  constructor(blob: Uint8Array, day: number, name: OutlineName) {
    this.#numbers = new NumberReader(blob);
    this.#unitE7 = unitE7(outlineZooms[name]);
    this.#timeMs = day * dayMs;
  }

  get isOver(): boolean {
    return this.#numbers.isOver;
  }

  /**
   * Decodes the next line into the beginning of columns that have room for all points of the day.
   * @returns the number of its vertices.
   * @throws DayBlobCorrupt
   */
  read({ timeMs, latE7, lonE7 }: PositionColumns): number {
    const reader = this.#numbers;
    const count = reader.next();
    if (count === 0 || count > timeMs.length || count * 3 > reader.blob.length) fail();
    for (let at = 0; at < count; at += 1) {
      this.#timeMs += reader.next() * secondMs;
      this.#lon += reader.nextSigned();
      this.#lat += reader.nextSigned();
      timeMs[at] = this.#timeMs;
      // Rounding may lead beyond the edge of the world.
      lonE7[at] = within(this.#lon * this.#unitE7, lonLimitE7);
      latE7[at] = within(this.#lat * this.#unitE7, latLimitE7);
    }
    return count;
  }
}

function within(value: number, limit: number): number {
  return Math.min(Math.max(value, -limit), limit);
}
