import type { LineKind } from '../../model/recording.ts';
import {
  dayBlobPoints,
  decodePositions,
  decodeUntimed,
  pointColumns,
} from '../../storage/day-blob.ts';
import type {
  Period,
  TrackReader,
  TrackRow,
  UntimedRow,
} from '../../storage/library/track-reader.ts';
import { fillClock } from '../../storage/line-runs.ts';
import type { BoxE7 } from '../../storage/units.ts';
import { OutlineReader, outlineZooms, stretchOf } from '../../storage/outline.ts';
import { LineCutter, pixel, unitsPerE7, type CutLine } from './line-cutter.ts';

export interface TrackWalkOptions {
  readonly reader: TrackReader;
  readonly box: BoxE7;
  readonly period: Period;
  /** Level of detail. */
  readonly zoom: number;
  /** Called between steps of a millisecond or so; may throw. */
  readonly look: () => void;
}

/** Points of one UTC day of a file, or without `day` a track or route of it without times. */
export interface WalkedLine {
  readonly kind: LineKind;
  readonly fileId: number;
  readonly day?: number;
  readonly name?: string | undefined;
  readonly points: number;
  readonly lines: readonly CutLine[];
}

/** Used for every walk: a thread does one at a time. */
const columns = pointColumns();
const clock = new Float64Array(dayBlobPoints);

/** Reads the lines of a box from outlines, or from all points at high zooms. */
export class TrackWalk {
  readonly #options: TrackWalkOptions;
  readonly #cutter: LineCutter;

  constructor(options: TrackWalkOptions) {
    this.#options = options;
    this.#cutter = new LineCutter(options.box, options.zoom);
  }

  /** The timed tracks of a period. @throws DayBlobCorrupt, errors of SQLite, what `look` throws */
  *days(): Generator<WalkedLine> {
    const { reader, box, period, look } = this.#options;
    let points = 0;
    for (const [row, next] of withNext(reader.days(box, period))) {
      look();
      this.#addDay(row);
      points += row.points;
      if (row.nextMs === null || next?.id !== row.id + 1) this.#end(row);
      if (next?.fileId === row.fileId && next.day === row.day) continue;
      const { fileId, day } = row;
      yield { kind: 'track', fileId, day, points, lines: this.#cutter.take() };
      points = 0;
    }
  }

  /** Routes, or tracks as far as they have no times. @throws as `days` */
  *untimed(kind: LineKind): Generator<WalkedLine> {
    const { reader, box, look } = this.#options;
    let points = 0;
    for (const [row, next] of withNext(reader.untimed(box, kind))) {
      look();
      this.#addUntimed(row);
      points += row.points;
      if (row.nextMs === null || next?.id !== row.id - 1) this.#end(row);
      if (next?.lineId === row.lineId) continue;
      const { name } = reader.textsOf(row);
      yield { kind, fileId: row.fileId, name, points, lines: this.#cutter.take() };
      points = 0;
    }
  }

  /** Ends a line after a row, with the step to the next row: that one is not near. */
  #end({ nextMs, nextLatE7, nextLonE7 }: TrackRow): void {
    const { period } = this.#options;
    if (nextMs !== null && nextMs <= period.toMs) this.#cutter.point(nextLonE7, nextLatE7, nextMs);
    this.#cutter.lift();
  }

  #addDay(row: TrackRow): void {
    const { reader, period } = this.#options;
    const isWhole = row.firstMs >= period.fromMs && row.lastMs <= period.toMs;
    if (isWhole && this.#addThinned(row)) return;
    const { count } = decodePositions(reader.points(row), columns);
    const from = firstNotBefore(columns.timeMs, count, period.fromMs);
    const to = firstNotBefore(columns.timeMs, count, period.toMs + 1);
    this.#cutter.add(columns, from, to, stretchOf(row.south, row.north));
  }

  #addUntimed(row: UntimedRow): void {
    const { reader } = this.#options;
    const { beginsAnew, endsCut } = fillClock(reader.runs(row), clock);
    if (beginsAnew) this.#cutter.lift();
    this.#cutter.forgetTime();
    if (!this.#addThinned(row)) {
      const count = decodeUntimed(reader.points(row), columns);
      columns.timeMs.set(clock.subarray(0, count));
      this.#cutter.add(columns, 0, count, stretchOf(row.south, row.north));
    }
    if (endsCut) this.#cutter.lift();
  }

  /** Adds a row without reading all of its points. @returns whether that is good enough at this zoom. */
  #addThinned(row: TrackRow): boolean {
    const { reader, zoom } = this.#options;
    const { south, west, north, east } = row;
    const stretch = stretchOf(south, north);
    const most = pixel / unitsPerE7(zoom);
    if (east - west <= most && (north - south) * stretch <= most) {
      // All of it is one pixel.
      const [lon, lat] = [Math.round((west + east) / 2), Math.round((south + north) / 2)];
      this.#cutter.point(lon, lat, row.firstMs, row.lastMs);
      return true;
    }
    if (zoom > outlineZooms.fine) return false;
    const name = zoom <= outlineZooms.coarse ? 'coarse' : 'fine';
    const outline = new OutlineReader(reader.outline(row, name), row.day, name);
    for (let isFirst = true; !outline.isOver; isFirst = false) {
      if (!isFirst) this.#cutter.lift();
      this.#cutter.add(columns, 0, outline.read(columns), stretch, true);
    }
    return true;
  }
}

/** Each with the one after it; the last one with none. */
function* withNext<T>(rows: Iterable<T>): Generator<[row: T, next: T | undefined]> {
  let before: T | undefined;
  for (const row of rows) {
    if (before !== undefined) yield [before, row];
    before = row;
  }
  if (before !== undefined) yield [before, undefined];
}

/** Finds the first of ascending times that is not before a moment. */
export function firstNotBefore(timeMs: Float64Array, count: number, momentMs: number): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (timeMs[middle]! < momentMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
