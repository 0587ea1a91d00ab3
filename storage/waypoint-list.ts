import { longitudeRanges } from '../model/bbox.ts';
import { normalTag } from '../model/tag.ts';
import type { WaypointsQuery } from '../model/waypoint.ts';
import type { Database } from './database.ts';

/** Pieces of an answer are about this long: large enough to be cheap, small enough to be made in a few milliseconds. */
const pieceLength = 65_536;

/**
 * Makes the body of GET /api/waypoints piece by piece: JSON made by SQLite, each waypoint on a line of its own; bookmarks
 * in creation order, then imported waypoints by file and position, each identity once. The connection is a joined reader
 * inside a read transaction, and is busy until the last piece.
 */
export function* waypointListPieces(joined: Database, query: WaypointsQuery): Generator<string> {
  const isGeojson = query.format === 'geojson';
  const head = isGeojson ? '{"type":"FeatureCollection","features":[' : '[';
  const tail = isGeojson ? ']}' : ']';
  let piece = head;
  let separator = '\n';
  for (const { sql, parameters } of listQueries(query)) {
    const rows = joined.prepare<unknown[], string>(sql).pluck();
    for (const row of rows.iterate(...parameters)) {
      piece += separator + row;
      separator = ',\n';
      if (piece.length < pieceLength) continue;
      yield piece;
      piece = '';
    }
  }
  yield piece === head ? head + tail : `${piece}\n${tail}`;
}

/** A part of a statement with the values of its question marks. */
interface Fragment {
  readonly sql: string;
  readonly parameters: readonly (string | number)[];
}

function listQueries(query: WaypointsQuery): Fragment[] {
  const { sql: filter, parameters } = filterOf(query);
  const bookmarks = `SELECT ${waypointJson(query, true)} FROM bookmarks AS w WHERE ${filter} ORDER BY w.id`;
  // CROSS JOIN fixes the order of the loops: files by path, then their waypoints by primary key, without a sort.
  const imported = `
    SELECT ${waypointJson(query, false)} FROM library.files AS f CROSS JOIN library.waypoints AS w
    WHERE w.file_id = f.id AND w.shown = 1 AND ${filter}
      AND NOT EXISTS (SELECT 1 FROM bookmarks AS o WHERE ${isSame('o')})
      AND NOT EXISTS (SELECT 1 FROM hidden AS o WHERE ${isSame('o')})
    ORDER BY f.path, w.position`;
  const statements = query.bookmarksOnly === true ? [bookmarks] : [bookmarks, imported];
  return statements.map((sql) => ({ sql, parameters }));
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
    conditions.push(
      '(w.name, w.lat_e6, w.lon_e6) IN (SELECT name, lat_e6, lon_e6 FROM tags WHERE normal = ?)',
    );
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
