import {
  DummyDriver,
  Kysely,
  sql,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type CompiledQuery,
  type RawBuilder,
} from 'kysely';
import { longitudeRanges } from '../model/bbox.ts';
import { normalTag } from '../model/tag.ts';
import type { WaypointsQuery } from '../model/waypoint.ts';
import type { Database } from './database.ts';

/** Pieces of an answer are about this long: large enough to be cheap, small enough to be made in a few milliseconds. */
const pieceLength = 65_536;

interface IdentityColumns {
  name: string;
  lat_e6: number;
  lon_e6: number;
}

interface PlaceColumns extends IdentityColumns {
  lat: number;
  lon: number;
  ele: number | null;
  time: string | null;
  desc: string | null;
}

interface Tables {
  bookmarks: PlaceColumns & { id: number };
  hidden: IdentityColumns;
  tags: IdentityColumns & { normal: string };
  'library.files': { id: number; path: string };
  'library.waypoints': PlaceColumns & { file_id: number; position: number; shown: number };
}

/** Composes SQL with checked names; it never runs anything itself (that costs 20 times a prepared statement). */
const builder = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

/**
 * Makes the body of GET /api/waypoints piece by piece: JSON made by SQLite, each waypoint on a line of its own; bookmarks
 * in creation order, then imported waypoints by file and position, each identity once. The connection is a joined reader
 * inside a read transaction, and is busy until the last piece.
 */
export function* waypointListPieces(joined: Database, query: WaypointsQuery): Generator<string> {
  const isGeojson = query.format === 'geojson';
  let piece = isGeojson ? '{"type":"FeatureCollection","features":[' : '[';
  const emptyLength = piece.length;
  let isFirst = true;
  for (const part of listQueries(query)) {
    const rows = joined
      .prepare<unknown[], string>(part.sql)
      .pluck()
      .iterate(...part.parameters);
    for (const row of rows) {
      piece += isFirst ? `\n${row}` : `,\n${row}`;
      isFirst = false;
      if (piece.length < pieceLength) continue;
      yield piece;
      piece = '';
    }
  }
  const end = isGeojson ? ']}' : ']';
  yield isFirst && piece.length === emptyLength ? `${piece}${end}` : `${piece}\n${end}`;
}

function listQueries(query: WaypointsQuery): CompiledQuery[] {
  const bookmarks = bookmarkQuery(query);
  return query.bookmarksOnly === true ? [bookmarks] : [bookmarks, importedQuery(query)];
}

function bookmarkQuery(query: WaypointsQuery): CompiledQuery {
  return builder
    .selectFrom('bookmarks as w')
    .select(waypointJson(query, true).as('json'))
    .where(filters(query))
    .orderBy('w.id')
    .compile();
}

function importedQuery(query: WaypointsQuery): CompiledQuery {
  const isSame = sql<boolean>`o.name = w.name AND o.lat_e6 = w.lat_e6 AND o.lon_e6 = w.lon_e6`;
  return (
    builder
      // CROSS JOIN fixes the order of the loops: files by path, then their waypoints by primary key, without a sort.
      .selectFrom('library.files as f')
      .crossJoin('library.waypoints as w')
      .select(waypointJson(query, false).as('json'))
      .whereRef('w.file_id', '=', 'f.id')
      .where('w.shown', '=', 1)
      .where(filters(query))
      .where(sql<boolean>`NOT EXISTS (SELECT 1 FROM bookmarks AS o WHERE ${isSame})`)
      .where(sql<boolean>`NOT EXISTS (SELECT 1 FROM hidden AS o WHERE ${isSame})`)
      .orderBy('f.path')
      .orderBy('w.position')
      .compile()
  );
}

function filters({ bbox, tag }: WaypointsQuery): RawBuilder<boolean> {
  const conditions: RawBuilder<boolean>[] = [sql`true`];
  if (bbox !== undefined) {
    const ranges = longitudeRanges(bbox)
      .filter((range) => range !== undefined)
      .map(([west, east]) => sql`w.lon BETWEEN ${west} AND ${east}`);
    conditions.push(
      sql`w.lat BETWEEN ${bbox[1]} AND ${bbox[3]}`,
      sql`(${sql.join(ranges, sql` OR `)})`,
    );
  }
  if (tag !== undefined) {
    conditions.push(sql`(w.name, w.lat_e6, w.lon_e6) IN (
      SELECT name, lat_e6, lon_e6 FROM tags WHERE normal = ${normalTag(tag)})`);
  }
  return sql.join(conditions, sql` AND `);
}

function waypointJson({ emoji, format }: WaypointsQuery, isBookmark: boolean): RawBuilder<string> {
  const tag = emoji === true ? sql`t.enriched` : sql`json_quote(t.raw)`;
  const tags = sql`coalesce((
    SELECT ',"tags":[' || group_concat(${tag}, ',' ORDER BY t.id) || ']' FROM tags AS t
    WHERE t.name = w.name AND t.lat_e6 = w.lat_e6 AND t.lon_e6 = w.lon_e6), '')`;
  const rest = sql`
    iif(w.ele IS NULL, '', ',"ele":' || json_quote(w.ele))
    || iif(w.time IS NULL, '', ',"time":' || json_quote(w.time))
    || iif(w.desc IS NULL, '', ',"desc":' || json_quote(w.desc))
    || ',"bookmark":' || ${sql.lit(String(isBookmark))} || ${tags}`;
  if (format === 'geojson') {
    return sql`'{"type":"Feature","geometry":{"type":"Point","coordinates":[' || json_quote(w.lon) || ','
      || json_quote(w.lat) || iif(w.ele IS NULL, '', ',' || json_quote(w.ele))
      || ']},"properties":{"name":' || json_quote(w.name) || ${rest} || '}}'`;
  }
  return sql`'{"name":' || json_quote(w.name) || ',"lat":' || json_quote(w.lat) || ',"lon":'
    || json_quote(w.lon) || ${rest} || '}'`;
}
