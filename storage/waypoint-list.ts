import { longitudeRanges } from '../model/bbox.ts';
import { normalTag } from '../model/tag.ts';
import type { WaypointsQuery } from '../model/waypoint.ts';
import type { Database } from './database.ts';

/** Pieces of an answer are about this long: large enough to be cheap, small enough to be made in a few milliseconds. */
const pieceLength = 65_536;
/** The first one is short, so that the answer begins at once, however many readers ask for theirs together. */
const firstPieceLength = 8_192;

/** Rows looked at in one step, a few milliseconds of work: a filter that hits nothing must let others have their turn. */
const stepRows = 4_096;

/**
 * Makes the body of GET /api/waypoints piece by piece: JSON made by SQLite, each waypoint on a line of its own; bookmarks
 * in creation order, then imported waypoints by file and position, each identity once. Empty pieces only mark the end of
 * a step. The connection is a joined reader inside a read transaction, and is busy until the last piece.
 */
export function* waypointListPieces(joined: Database, query: WaypointsQuery): Generator<string> {
  const isGeojson = query.format === 'geojson';
  const head = isGeojson ? '{"type":"FeatureCollection","features":[' : '[';
  const tail = isGeojson ? ']}' : ']';
  let piece = head;
  let separator = '\n';
  let length = firstPieceLength;
  for (const row of waypointRows(joined, query)) {
    if (row !== endOfStep) {
      piece += separator + row;
      separator = ',\n';
      if (piece.length < length) continue;
      length = pieceLength;
    }
    // The head waits for the first row, because an empty list is `[]`.
    const isEmpty = piece === head && separator === '\n';
    yield isEmpty ? '' : piece;
    if (!isEmpty) piece = '';
  }
  yield separator === '\n' ? head + tail : `${piece}\n${tail}`;
}

/** No row is empty. */
const endOfStep = '';

function* waypointRows(joined: Database, query: WaypointsQuery): Generator<string> {
  const filter = filterOf(query);
  const bookmarks = joined
    .prepare<unknown[], string>(
      `SELECT ${waypointJson(query, true)} FROM bookmarks AS w
       WHERE w.id > ? AND w.id <= ? AND ${filter.sql} ORDER BY w.id`,
    )
    .pluck();
  const lastId = joined.prepare<[], number>('SELECT max(id) FROM bookmarks').pluck().get() ?? 0;
  for (let from = 0; from < lastId; from += stepRows) {
    yield* bookmarks.iterate(from, from + stepRows, ...filter.parameters);
    yield endOfStep;
  }
  if (query.bookmarksOnly !== true) yield* importedRows(joined, query, filter);
}

function* importedRows(
  joined: Database,
  query: WaypointsQuery,
  filter: Fragment,
): Generator<string> {
  const rows = joined
    .prepare<unknown[], string>(
      `SELECT ${waypointJson(query, false)} FROM library.waypoints AS w
       WHERE w.id >= ? AND w.id < ? AND +w.shown = 1 AND ${filter.sql}
         AND NOT EXISTS (SELECT 1 FROM bookmarks AS o WHERE ${isSame('o')})
         AND NOT EXISTS (SELECT 1 FROM hidden AS o WHERE ${isSame('o')})
       ORDER BY w.id`,
    )
    .pluck();
  const files = joined
    .prepare<[], { first: number; end: number }>(
      `SELECT first_waypoint AS first, first_waypoint + waypoints AS "end" FROM library.files
       WHERE waypoints > 0 ORDER BY path`,
    )
    .all();
  let looked = 0;
  for (const { first, end } of files) {
    for (let from = first; from < end; from += stepRows) {
      const to = Math.min(from + stepRows, end);
      yield* rows.iterate(from, to, ...filter.parameters);
      looked += to - from;
      if (looked < stepRows) continue;
      looked = 0;
      yield endOfStep;
    }
  }
}

/** A part of a statement with the values of its question marks. */
interface Fragment {
  readonly sql: string;
  readonly parameters: readonly (string | number)[];
}

/** Compares a row's identity with that of the waypoint `w`. */
function isSame(table: string): string {
  return `${table}.name = w.name AND ${table}.lat_e6 = w.lat_e6 AND ${table}.lon_e6 = w.lon_e6`;
}

function filterOf({ bbox, tag }: WaypointsQuery): Fragment {
  const conditions = ['true'];
  const parameters: (string | number)[] = [];
  if (bbox !== undefined) {
    const ranges = longitudeRanges(bbox).filter((range) => range !== undefined);
    const lons = ranges.map(() => 'w.lon BETWEEN ? AND ?').join(' OR ');
    conditions.push('w.lat BETWEEN ? AND ?', `(${lons})`);
    parameters.push(bbox[1], bbox[3], ...ranges.flat());
  }
  if (tag !== undefined) {
    conditions.push(`EXISTS (SELECT 1 FROM tags AS t WHERE t.normal = ? AND ${isSame('t')})`);
    parameters.push(normalTag(tag));
  }
  return { sql: conditions.join(' AND '), parameters };
}

/** The expression of one waypoint's JSON. Absent fields are left out, for which json_object has no way. */
function waypointJson({ emoji, format }: WaypointsQuery, isBookmark: boolean): string {
  const tag = emoji === true ? 't.enriched' : 'json_quote(t.raw)';
  const rest = `
    iif(w.ele IS NULL, '', ',"ele":' || json_quote(w.ele))
    || iif(w.time IS NULL, '', ',"time":' || json_quote(w.time))
    || iif(w.desc IS NULL, '', ',"desc":' || json_quote(w.desc))
    || ',"bookmark":${isBookmark}'
    || coalesce((SELECT ',"tags":[' || group_concat(${tag}, ',' ORDER BY t.id) || ']'
         FROM tags AS t WHERE ${isSame('t')}), '')`;
  if (format === 'geojson') {
    return `'{"type":"Feature","geometry":{"type":"Point","coordinates":[' || json_quote(w.lon) || ','
      || json_quote(w.lat) || iif(w.ele IS NULL, '', ',' || json_quote(w.ele))
      || ']},"properties":{"name":' || json_quote(w.name) || ${rest} || '}}'`;
  }
  return `'{"name":' || json_quote(w.name) || ',"lat":' || json_quote(w.lat) || ',"lon":'
    || json_quote(w.lon) || ${rest} || '}'`;
}
