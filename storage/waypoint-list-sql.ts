import { sql, type SelectQueryBuilder } from 'kysely';
import { longitudeRanges } from '../model/bbox.ts';
import { normalTag } from '../model/tag.ts';
import type { WaypointsQuery } from '../model/waypoint.ts';
import type { Query } from './prepared.ts';
import {
  bookmarkOver,
  hiddenBy,
  joinedTables,
  tagsOf,
  waypointsOf,
  type JoinedDb,
  type Listed,
} from './schema/joined.ts';

/** The values that narrow a list; of no meaning where its query does not ask for that. */
export interface ListFilter {
  readonly south: number;
  readonly north: number;
  readonly west: number;
  readonly east: number;
  /** The other side of the antimeridian, else the same again. */
  readonly otherWest: number;
  readonly otherEast: number;
  /** A normal form. */
  readonly tag: string;
}

export function listFilter({ bbox = [0, 0, 0, 0], tag = '' }: WaypointsQuery): ListFilter {
  const [first, [otherWest, otherEast] = first] = longitudeRanges(bbox);
  const [west, east] = first;
  const [, south, , north] = bbox;
  return { south, north, west, east, otherWest, otherEast, tag: normalTag(tag) };
}

type ListQuery = (from: number, to: number, filter: ListFilter) => Query<{ json: string }>;

/** How the rows of a list are found, `from` included and `to` not, in order of their ids. */
export function listQueries(query: WaypointsQuery): Record<'bookmarks' | 'imported', ListQuery> {
  return {
    bookmarks: (from, to, filter) =>
      asJson(between(joinedTables.selectFrom(waypointsOf.bookmark), from, to), query, filter, true),
    imported: (from, to, filter) => asJson(importedRows(from, to), query, filter, false),
  };
}

/** Imported waypoints that neither a bookmark nor a hidden twin stands for. */
function importedRows(from: number, to: number): Rows {
  return between(joinedTables.selectFrom(waypointsOf.waypoint), from, to)
    .where((eb) => eb.not(eb.exists(bookmarkOver())))
    .where((eb) => eb.not(eb.exists(hiddenBy())));
}

function between(rows: Rows, from: number, to: number): Rows {
  return rows.where('w.id', '>=', from).where('w.id', '<', to);
}

type Rows = SelectQueryBuilder<JoinedDb & { w: Listed }, 'w', unknown>;

function narrowed(rows: Rows, { bbox, tag }: WaypointsQuery, filter: ListFilter): Rows {
  let narrow = rows;
  if (bbox !== undefined)
    narrow = narrow
      .where((eb) => eb.between('w.lat', filter.south, filter.north))
      .where((eb) =>
        eb.or([
          eb.between('w.lon', filter.west, filter.east),
          eb.between('w.lon', filter.otherWest, filter.otherEast),
        ]),
      );
  if (tag === undefined) return narrow;
  // The limit keeps SQLite from making a join of it, which it would plan anew for each file.
  return narrow.where((eb) =>
    eb.exists(tagsOf().select('t.id').where('t.normal', '=', filter.tag).limit(1)),
  );
}

/** One column: each row's JSON. Absent fields are left out, for which json_object has no way. */
function asJson(rows: Rows, query: WaypointsQuery, filter: ListFilter, isBookmark: boolean) {
  const { emoji, format } = query;
  return narrowed(rows, query, filter)
    .orderBy('w.id')
    .select((eb) => {
      const tags = tagsOf().select((of) => {
        const tag = emoji === true ? of.ref('t.enriched') : sql`json_quote(${of.ref('t.raw')})`;
        return sql<string>`',"tags":[' || group_concat(${tag}, ',' ORDER BY ${of.ref('t.id')}) || ']'`.as(
          'tags',
        );
      });
      const quoted = (column: 'name' | 'lat' | 'lon') => sql`json_quote(${eb.ref(`w.${column}`)})`;
      const fields = eb.ref('w.fields');
      const rest = sql`iif(${fields} IS NULL, '', ',' || substr(${fields}, 2, length(${fields}) - 2))
      || ${sql.lit(`,"bookmark":${isBookmark}`)} || coalesce(${tags}, '')`;
      const json =
        format === 'geojson'
          ? sql<string>`'{"type":"Feature","geometry":{"type":"Point","coordinates":[' || ${quoted('lon')} || ','
            || ${quoted('lat')} || coalesce(',' || (${fields} -> 'ele'), '') || ']},"properties":{"name":' || ${quoted('name')}
            || ${rest} || '}}'`
          : sql<string>`'{"name":' || ${quoted('name')} || ',"lat":' || ${quoted('lat')} || ',"lon":'
            || ${quoted('lon')} || ${rest} || '}'`;
      return json.as('json');
    });
}
