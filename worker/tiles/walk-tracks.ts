import { pointColumns, type PointColumns } from '../../storage/day-blob.ts';
import { DayCursor } from '../../storage/day-cursor.ts';
import type { LineKind } from '../../model/recording.ts';
import { untimedColumns } from '../../storage/library/timed-points.ts';
import type {
  Period,
  TrackReader,
  TrackRow,
  UntimedRow,
} from '../../storage/library/track-reader.ts';
import { readRuns } from '../../storage/line-runs.ts';
import { gapMs, OutlineReader, outlineZooms } from '../../storage/outline.ts';
import { decodePoints } from '../../storage/point-blob.ts';
import { pixel, type TrackGrid } from './tile-grid.ts';
import type { TrackPen } from './track-pen.ts';

export interface TrackWalkOptions {
  readonly reader: TrackReader;
  readonly grid: TrackGrid;
  readonly pen: TrackPen;
  readonly period: Period;
  /** What is drawn need be no better than for this zoom. */
  readonly zoom: number;
  /** Is told of all points that are drawn; then nothing is left to a dot in the middle of a box. */
  readonly onPoints?: ((columns: PointColumns, from: number, to: number) => void) | undefined;
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
const untimed = untimedColumns();

/** Draws all that a pen's box shows, and says after each line what it was. */
export class TrackWalk {
  readonly #options: TrackWalkOptions;

  constructor(options: TrackWalkOptions) {
    this.#options = options;
  }

  /** Draws the timed points of a period. @throws DayBlobCorrupt, errors of SQLite, what `look` throws */
  *days(): Generator<WalkedLine> {
    const { reader, grid, pen, period, look } = this.#options;
    let points = 0;
    for (const [row, next] of withNext(reader.days(grid.box, period))) {
      look();
      this.#drawDay(row);
      points += row.points;
      const isSameFile = next?.fileId === row.fileId;
      if (isSameFile && next.day === row.day) continue;
      if (!isSameFile || next.firstMs - row.lastMs > gapMs) pen.lift();
      yield { kind: 'track', fileId: row.fileId, day: row.day, points, lastMs: row.lastMs };
      points = 0;
    }
  }

  /** Draws routes, or tracks as far as they have no times. @throws as `days` */
  *untimed(kind: LineKind): Generator<WalkedLine> {
    const { reader, grid, pen, look } = this.#options;
    let points = 0;
    for (const [row, next] of withNext(reader.untimed(grid.box, kind))) {
      look();
      this.#drawRuns(row);
      points += row.untimed;
      if (next?.lineId === row.lineId) continue;
      pen.lift();
      yield { kind, fileId: row.fileId, name: reader.textsOf(row).name, points };
      points = 0;
    }
  }

  #drawDay(row: TrackRow): void {
    const { reader, pen, period, zoom, onPoints } = this.#options;
    const isWhole = row.firstMs >= period.fromMs && row.lastMs <= period.toMs;
    if (isWhole && onPoints === undefined && this.#isDot(row)) {
      pen.dot(row, row.firstMs, row.lastMs);
      return;
    }
    if (isWhole && zoom <= outlineZooms.fine) {
      const name = zoom <= outlineZooms.coarse ? 'coarse' : 'fine';
      const outline = new OutlineReader(reader.outline(row, name), row.day, name);
      while (!outline.isOver) pen.draw(columns, 0, outline.read(columns), row);
      return;
    }
    const count = new DayCursor(reader.dayBlob(row)).read(columns);
    const from = isWhole ? 0 : firstNotBefore(columns.timeMs, count, period.fromMs);
    const to = isWhole ? count : firstNotBefore(columns.timeMs, count, period.toMs + 1);
    pen.draw(columns, from, to, row);
    onPoints?.(columns, from, to);
  }

  /** Whether all of a row lies within a pixel. */
  #isDot(row: TrackRow): boolean {
    const { lon, lat } = this.#options.grid.scales(row);
    return (row.east - row.west) * lon <= pixel && (row.north - row.south) * lat <= pixel;
  }

  #drawRuns(row: UntimedRow): void {
    const { reader, pen, onPoints } = this.#options;
    const blobs = reader.untimedBlobs(row);
    decodePoints(blobs.points, untimed);
    let from = 0;
    for (const { points, isTimed, beginsSegment } of readRuns(blobs.runs)) {
      if (isTimed || beginsSegment) pen.lift();
      if (isTimed) continue;
      pen.draw(untimed, from, from + points, row);
      onPoints?.(untimed, from, from + points);
      from += points;
    }
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
