import type { PositionColumns } from '../../../storage/day-cursor.ts';
import type { DayRow } from '../../../storage/library/day-reader.ts';
import { DayStream } from './day-stream.ts';
import { mostOverlappingBytes, StreamHeap } from './stream-heap.ts';

/** Takes points `from`…`to` (exclusive) of one source; the columns are valid during the call. */
export type TakePoints = (
  columns: PositionColumns,
  from: number,
  to: number,
  source: number,
  kind: number,
) => void;

/**
 * Hands on the points of a day in order of time; equal times by source, kind and place in the file. A blob is read when
 * its first point is due, and let go after its last.
 * @param rows by the time of their first point.
 * @throws DayBlobCorrupt, what `load` throws, and an error where more blobs overlap than fit into memory.
 */
export function mergeDay(
  rows: readonly DayRow[],
  load: (row: DayRow) => Uint8Array,
  take: TakePoints,
  mostBytes = mostOverlappingBytes,
): void {
  const heap = new StreamHeap(mostBytes);
  let next = 0;
  const isDue = (row: DayRow): boolean =>
    heap.first === undefined || row.firstMs <= heap.first.timeMs;
  for (;;) {
    for (let row = rows[next]; row !== undefined && isDue(row); row = rows[next]) {
      next += 1;
      const stream = new DayStream(row, load(row));
      if (stream.fill()) heap.add(stream);
    }
    const { first } = heap;
    if (first === undefined) return;
    const untilMs = Math.min(heap.secondMs, rows[next]?.firstMs ?? Number.POSITIVE_INFINITY);
    const end = endOfRun(first, untilMs);
    take(first.columns, first.at, end, first.source, first.kind);
    first.at = end;
    heap.settleFirst();
  }
}

/** Where the points end that come before all others; there is at least one. */
function endOfRun(stream: DayStream, untilMs: number): number {
  const { timeMs } = stream.columns;
  const { at, end } = stream;
  if (timeMs[end - 1]! < untilMs) return end;
  let to = at + 1;
  while (to < end && timeMs[to]! < untilMs) to += 1;
  return to;
}
