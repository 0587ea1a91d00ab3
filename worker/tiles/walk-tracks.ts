import type { LineKind } from '../../model/recording.ts';
import { dayBlobPoints, decodePositions, pointColumns } from '../../storage/day-blob.ts';
import type { PositionColumns } from '../../storage/day-cursor.ts';
import type {
  BoxE7,
  Period,
  TrackReader,
  TrackRow,
  UntimedRow,
} from '../../storage/library/track-reader.ts';
import { fillClock } from '../../storage/line-runs.ts';
import { gapMs, OutlineReader, outlineZooms, type OutlineName } from '../../storage/outline.ts';
import { ChunkReader } from '../../storage/track-chunks.ts';
import { pixel, type TrackGrid } from './tile-grid.ts';
import type { TrackPen } from './track-pen.ts';

export interface TrackWalkOptions {
  readonly reader: TrackReader;
  readonly grid: TrackGrid;
  readonly pen: TrackPen;
  readonly period: Period;
  /** What is drawn need be no better than for this zoom. */
  readonly zoom: number;
  /** Whether all vertices have to have their times; where there is no gap, they can go without. */
  readonly needsTimes: boolean;
  /** Called between steps of a millisecond or so; may throw. */
  readonly look: () => void;
}

/** What has been drawn: points of one UTC day of a file, or without `day` a track or route of it without times. */
export interface WalkedLine {
  readonly kind: LineKind;
  readonly fileId: number;
  readonly day?: number;
  readonly name?: string | undefined;
  readonly points: number;
  /** Of the last of them, where they have times. */
  readonly lastMs?: number;
}

/** Used for every walk: a thread does one at a time. */
const columns = pointColumns();
const clock = new Float64Array(dayBlobPoints);

/** Draws all that a pen's box shows, and says after each line what it was. */
export class TrackWalk {
  readonly #options: TrackWalkOptions;

  constructor(options: TrackWalkOptions) {
    this.#options = options;
  }

  /** Draws the timed points of a period. @throws DayBlobCorrupt, errors of SQLite, what `look` throws */
  *days(): Generator<WalkedLine> {
    const { reader, grid, period, look } = this.#options;
    let points = 0;
    for (const [row, next] of withNext(reader.days(grid.box, period))) {
      look();
      this.#drawDay(row);
      points += row.points;
      const isSameFile = next?.fileId === row.fileId;
      const goesOn = isSameFile && next.id === row.id + 1 && next.firstMs - row.lastMs <= gapMs;
      if (!goesOn) this.#end(row);
      if (isSameFile && next.day === row.day) continue;
      yield { kind: 'track', fileId: row.fileId, day: row.day, points, lastMs: row.lastMs };
      points = 0;
    }
  }

  /** Draws routes, or tracks as far as they have no times. @throws as `days` */
  *untimed(kind: LineKind): Generator<WalkedLine> {
    const { reader, grid, look } = this.#options;
    let points = 0;
    for (const [row, next] of withNext(reader.untimed(grid.box, kind))) {
      look();
      this.#drawUntimed(row);
      points += row.points;
      const isSameLine = next?.lineId === row.lineId;
      if (!isSameLine || next.id !== row.id - 1) this.#end(row);
      if (isSameLine) continue;
      yield { kind, fileId: row.fileId, name: reader.textsOf(row).name, points };
      points = 0;
    }
  }

  /** Ends a line after a row, with the step to the next one: of that nothing else is near. */
  #end({ nextMs, nextLatE7: latE7, nextLonE7: lonE7 }: TrackRow): void {
    const { pen, period } = this.#options;
    if (nextMs !== null && nextMs <= period.toMs) pen.point({ lonE7, latE7, timeMs: nextMs });
    pen.lift();
  }

  #drawDay(row: TrackRow): void {
    const { reader, pen, period } = this.#options;
    if (row.firstMs >= period.fromMs && row.lastMs <= period.toMs) {
      this.#drawWhole(row);
      return;
    }
    const { count } = decodePositions(reader.points(row), columns);
    const from = firstNotBefore(columns.timeMs, count, period.fromMs);
    const to = firstNotBefore(columns.timeMs, count, period.toMs + 1);
    pen.draw(columns, from, to);
  }

  #drawUntimed(row: UntimedRow): void {
    const { reader, pen } = this.#options;
    const { beginsAnew, endsCut } = fillClock(reader.runs(row), clock);
    if (beginsAnew) pen.lift();
    pen.forgetTime();
    this.#drawWhole(row, clock);
    if (endsCut) pen.lift();
  }

  /** @param times of points that have none in their blob. */
  #drawWhole(row: TrackRow, times?: Float64Array): void {
    const { pen, zoom } = this.#options;
    if (this.#isDot(row)) pen.dot(row, row.firstMs, row.lastMs);
    else if (zoom > outlineZooms.fine) this.#drawChunks(row, times);
    else this.#drawOutline(row, zoom <= outlineZooms.coarse ? 'coarse' : 'fine');
  }

  #drawOutline(row: TrackRow, name: OutlineName): void {
    const { reader, pen, grid, zoom } = this.#options;
    const outline = new OutlineReader(reader.form(row, name), row.day, name);
    for (let isFirst = true; !outline.isOver; isFirst = false) {
      if (!isFirst) pen.lift();
      const near = zoom > outlineZooms[name] - 1 ? pixel / 4 : pixel / 2;
      const all = outline.read(columns);
      const lastMs = columns.timeMs[all - 1]!;
      pen.draw(columns, 0, thin(columns, all, grid.scales(row), near), lastMs);
    }
  }

  /** Decodes only the chunks that show something. */
  #drawChunks(row: TrackRow, times?: Float64Array): void {
    const { reader, pen, needsTimes } = this.#options;
    const chunks = new ChunkReader(reader.form(row, 'chunks'), row.day, row.points);
    let bytes: Uint8Array | undefined;
    let isThere = false;
    for (let isFirst = true; chunks.next(); isFirst = false) {
      if (isFirst) pen.point(chunks);
      const wasThere = isThere || isFirst;
      isThere = this.#shows(chunks.box);
      if (!isThere) continue;
      if (!wasThere) pen.jump(chunks);
      bytes ??= reader.points(row);
      const count = chunks.decode(bytes, columns);
      const lastMs = chunks.lastMs();
      const isLine = !needsTimes && lastMs - chunks.timeMs <= gapMs;
      if (isLine) pen.forgetTime();
      else chunks.decodeTimes(bytes, columns, times);
      pen.draw(columns, 0, count, isLine ? lastMs : undefined);
    }
    if (row.points === 1) pen.point(chunks);
    else if (!isThere) pen.jump(chunks);
  }

  #shows(box: BoxE7): boolean {
    const { grid, pen } = this.#options;
    const { south, west, north, east } = grid.box;
    const isNear = box.south <= north && box.north >= south && box.west <= east && box.east >= west;
    return isNear && !pen.isCovered(box);
  }

  /** Whether all of a row lies within a pixel, or less where a canvas leaves out more of what is near. */
  #isDot(row: BoxE7): boolean {
    const { grid, zoom } = this.#options;
    const { lon, lat } = grid.scales(row);
    const most = zoom > outlineZooms.fine ? pixel / 4 : pixel;
    return (row.east - row.west) * lon <= most && (row.north - row.south) * lat <= most;
  }
}

/**
 * Leaves out what is nearer to the last point that stays, in units of a tile; most of a day at low zooms.
 * @returns how many stay, at the beginning.
 */
function thin(
  { timeMs, latE7, lonE7 }: PositionColumns,
  count: number,
  { lon, lat }: { readonly lon: number; readonly lat: number },
  near: number,
): number {
  let stay = 1;
  for (let at = 1; at < count; at += 1) {
    const dx = (lonE7[at]! - lonE7[stay - 1]!) * lon;
    const dy = (latE7[at]! - latE7[stay - 1]!) * lat;
    if (dx * dx + dy * dy < near * near) continue;
    timeMs[stay] = timeMs[at]!;
    latE7[stay] = latE7[at]!;
    lonE7[stay] = lonE7[at]!;
    stay += 1;
  }
  return stay;
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

/** Where times, in order, are no longer before one. */
export function firstNotBefore(timeMs: Float64Array, count: number, momentMs: number): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (timeMs[middle]! < momentMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
