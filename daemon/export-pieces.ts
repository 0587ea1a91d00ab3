import { exportContents, type ExportContent, type ExportQuery } from '../model/export.ts';
import { formatTime, parseTime } from '../model/time.ts';
import type { Waypoint } from '../model/waypoint.ts';
import { exportWriter } from '../formats/export/formats.ts';
import type { Database } from '../storage/database.ts';
import { readLines } from '../storage/library/line-reader.ts';
import { waypointRows } from '../storage/waypoint-list.ts';

/** Pieces are about this long. */
const pieceLength = 65_536;
/** Waypoints are the only ones that are bookmarks or have tags. */
const waypointsOnly: readonly ExportContent[] = ['waypoints'];

/**
 * Makes an export piece by piece, each some milliseconds of work; empty pieces mark the end of a step. The connection is a
 * joined reader inside a read transaction, and is busy until the last piece.
 * @param now ms since 1970.
 */
export function* exportPieces(
  joined: Database,
  query: ExportQuery,
  now: number,
): Generator<string> {
  const writer = exportWriter(query.format ?? 'gpx', formatTime(now));
  let piece = writer.head;
  for (const text of texts(joined, query, writer)) {
    piece += text;
    const isLong = piece.length >= pieceLength;
    if (!isLong && text !== '') continue;
    yield isLong ? piece : '';
    if (isLong) piece = '';
  }
  yield piece;
}

function* texts(
  joined: Database,
  query: ExportQuery,
  writer: ReturnType<typeof exportWriter>,
): Generator<string> {
  const contents = contentsOf(query);
  if (contents.includes('waypoints')) {
    const { bookmarksOnly, bbox, tag } = query;
    for (const row of waypointRows(joined, { bookmarksOnly, bbox, tag })) {
      // Sound: the rows are those of GET /api/waypoints.
      const waypoint = row === '' ? undefined : (JSON.parse(row) as Waypoint);
      yield waypoint !== undefined && isInPeriod(waypoint, query) ? writer.waypoint(waypoint) : '';
    }
  }
  const filter = { fromMs: query.from, toMs: query.to, bbox: query.bbox };
  for (const kind of ['route', 'track'] as const) {
    if (!contents.includes(`${kind}s`)) continue;
    for (const points of readLines(joined, kind, filter))
      yield* points === undefined ? [''] : writer.points(points);
  }
  yield* writer.end();
}

export function needsLibrary(query: ExportQuery): boolean {
  return query.bookmarksOnly !== true || contentsOf(query).length > 1;
}

function contentsOf({ contents, bookmarksOnly, tag }: ExportQuery): readonly ExportContent[] {
  const isOfWaypoints = bookmarksOnly === true || tag !== undefined;
  return contents ?? (isOfWaypoints ? waypointsOnly : exportContents);
}

function isInPeriod({ time }: Waypoint, { from, to }: ExportQuery): boolean {
  if (from === undefined && to === undefined) return true;
  const timeMs = time === undefined ? undefined : parseTime(time);
  return timeMs !== undefined && timeMs >= (from ?? -Infinity) && timeMs <= (to ?? Infinity);
}
