import {
  dayMs,
  dayOf,
  decodePositions,
  pointColumns,
  type PositionColumns,
} from '../../../storage/day-blob.ts';
import type { DayReader, DayRow } from '../../../storage/library/day-reader.ts';

/** Gets points `from`…`to` (exclusive) of one source; the columns are valid during the call. */
export type TakePoints = (
  columns: PositionColumns,
  from: number,
  to: number,
  source: number,
  kind: number,
) => void;

/** Points of one day that overlap in time and are sorted at once, in 180 MB: 48 a second. */
const mostOverlapping = 2 ** 22;
/** Points handed on at once. */
const piecePoints = 8_192;
/** Used for every blob: a thread reads one at a time. */
const decoded = pointColumns();
const sorted = pointColumns(piecePoints);

/**
 * Hands on the points of a UTC day in order of time; equal times by source, kind and place in the file.
 * @throws DayBlobCorrupt, what the reader throws, and an error where more points overlap than fit into memory.
 */
export function mergeDay(
  reader: Reader,
  day: number,
  take: TakePoints,
  most = mostOverlapping,
): void {
  for (const group of overlapping(reader.rows(day)))
    if (group.length > 1) mergeRows(group, reader, take, most);
    else takeRow(group[0]!, reader, take);
}

type Reader = Pick<DayReader, 'rows' | 'blob'>;

function takeRow(row: DayRow, reader: Reader, take: TakePoints): void {
  const { count } = decodePositions(reader.blob(row), decoded);
  for (let from = 0; from < count; from += piecePoints)
    take(decoded, from, Math.min(from + piecePoints, count), row.source, row.kind);
}

/** Groups rows that overlap in time. */
function* overlapping(rows: readonly DayRow[]): Generator<readonly DayRow[]> {
  let group: DayRow[] = [];
  let lastMs = Number.NEGATIVE_INFINITY;
  for (const row of rows) {
    if (row.firstMs > lastMs && group.length > 0) {
      yield group;
      group = [];
    }
    group.push(row);
    lastMs = Math.max(lastMs, row.lastMs);
  }
  if (group.length > 0) yield group;
}

function mergeRows(group: readonly DayRow[], reader: Reader, take: TakePoints, most: number): void {
  const rows = group.toSorted((a, b) => a.source - b.source || a.kind - b.kind || a.part - b.part);
  const total = rows.reduce((sum, { points }) => sum + points, 0);
  if (total > most) throw new Error('Too many observations overlap within one day.');
  const lats = new Int32Array(total);
  const lons = new Int32Array(total);
  const rowOf = new Uint32Array(total);
  // Numbers that hold the time of day above the place: 27 bits and 22, of the 53 of a whole number.
  const keys = new Float64Array(total);
  const startMs = dayOf(group[0]!.firstMs) * dayMs;
  let end = 0;
  for (const [number, row] of rows.entries()) {
    const { count } = decodePositions(reader.blob(row), decoded);
    lats.set(decoded.latE7.subarray(0, count), end);
    lons.set(decoded.lonE7.subarray(0, count), end);
    rowOf.fill(number, end, end + count);
    for (let at = 0; at < count; at += 1)
      keys[end + at] = (decoded.timeMs[at]! - startMs) * mostOverlapping + end + at;
    end += count;
  }
  keys.sort();
  let taken = 0;
  let row = -1;
  const hand = (): void => {
    if (taken > 0) take(sorted, 0, taken, rows[row]!.source, rows[row]!.kind);
    taken = 0;
  };
  for (const key of keys) {
    const at = key % mostOverlapping;
    if (rowOf[at] !== row || taken === piecePoints) hand();
    row = rowOf[at]!;
    sorted.timeMs[taken] = startMs + (key - at) / mostOverlapping;
    sorted.latE7[taken] = lats[at]!;
    sorted.lonE7[taken] = lons[at]!;
    taken += 1;
  }
  hand();
}
