import { formatDate } from '../../model/calendar-date.ts';
import { formatTime } from '../../model/time.ts';
import { decodeDay, noElevation, pointColumns } from '../../storage/day-blob.ts';
import type { Period, TrackReader, TrackRow } from '../../storage/library/track-reader.ts';
import { boxesOf, unitsPerDegree, unitsPerMetre } from '../../storage/units.ts';
import { periodOf, type DayListTask, type PointListTask } from './task.ts';
import { firstNotBefore } from './walk-tracks.ts';

const [world] = boxesOf();

/** Writes the answer of `GET /api/tracks/days`. @throws errors of SQLite */
export function listDays(task: DayListTask, reader: TrackReader): string {
  const { limit } = task;
  const days = reader.pointsByDay(periodOf(task), limit + 1);
  const newest = days.slice(0, limit).toReversed();
  const texts = newest.map(({ day, points }) => `{"day":"${formatDate(day)}","points":${points}}`);
  return `{"days":[${texts.join(',')}],"truncated":${days.length > limit}}`;
}

interface Point {
  readonly timeMs: number;
  readonly text: string;
}

/**
 * Writes the answer of `GET /api/tracks/points`. Where there are too many points, the first of each equal stretch of time
 * stands for it, for each file.
 * @throws DayBlobCorrupt, errors of SQLite, what `look` throws
 */
export function listPoints(task: PointListTask, reader: TrackReader, look: () => void): string {
  const { importId, limit } = task;
  const period = periodOf(task);
  const rows = [...reader.days(world!, period)].filter(
    ({ fileId }) => importId === undefined || fileId === importId,
  );
  const total = rows.reduce((sum, row) => sum + row.points, 0);
  const stretchMs = total <= limit ? 0 : stretchOf(rows, period, limit);
  const points: Point[] = [];
  let passed = 0;
  let nextMs = -Infinity;
  for (const [at, row] of rows.entries()) {
    look();
    if (rows[at - 1]?.fileId !== row.fileId) nextMs = -Infinity;
    for (const { timeMs, text } of pointsOf(row, period, reader)) {
      passed += 1;
      if (timeMs < nextMs || points.length >= limit) continue;
      if (stretchMs > 0) nextMs = (Math.floor(timeMs / stretchMs) + 1) * stretchMs;
      points.push({ timeMs, text: text() });
    }
  }
  points.sort((a, b) => a.timeMs - b.timeMs);
  const texts = points.map(({ text }) => text);
  return `{"points":[${texts.join(',\n')}],"thinned":${passed > points.length}}`;
}

/** How long a stretch is, so that those of all files are at most so many. */
function stretchOf(rows: readonly TrackRow[], { fromMs, toMs }: Period, limit: number): number {
  const files = new Set(rows.map(({ fileId }) => fileId)).size;
  const first = rows.reduce((least, { firstMs }) => Math.min(least, firstMs), toMs);
  const last = rows.reduce((most, { lastMs }) => Math.max(most, lastMs), fromMs);
  const spanMs = Math.min(last, toMs) - Math.max(first, fromMs);
  // Stretches begin at round times, which may make one more.
  return Math.max(Math.ceil((spanMs + 1) / Math.max(Math.floor(limit / files) - 1, 1)), 1);
}

const columns = pointColumns();

function* pointsOf(row: TrackRow, { fromMs, toMs }: Period, reader: TrackReader) {
  const { timeMs, latE7, lonE7, eleDm } = columns;
  const count = decodeDay(reader.points(row), columns);
  const to = firstNotBefore(timeMs, count, toMs + 1);
  const importId = row.fileId;
  for (let at = firstNotBefore(timeMs, count, fromMs); at < to; at += 1)
    yield {
      timeMs: timeMs[at]!,
      text: (): string =>
        JSON.stringify({
          time: formatTime(timeMs[at]!),
          lat: latE7[at]! / unitsPerDegree,
          lon: lonE7[at]! / unitsPerDegree,
          ...(eleDm[at] !== noElevation && { ele: eleDm[at]! / unitsPerMetre }),
          import: importId,
        }),
    };
}
