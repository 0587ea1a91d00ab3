import { sql, type SelectQueryBuilder } from 'kysely';
import { longitudeRanges } from '../model/bbox.ts';
import { normalTag } from '../model/tag.ts';
import type { WaypointsQuery } from '../model/waypoint.ts';
import {
  bookmarkOver,
  hiddenBy,
  joinedTables,
  tagsOf,
  waypointsOf,
  type JoinedDb,
  type Listed,
} from './tables.ts';

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

/** Bookmarks from one id on to another one, as JSON. */
export function bookmarksJson(
  query: WaypointsQuery,
  after: number,
  last: number,
  filter: ListFilter,
) {
  const rows = joinedTables.selectFrom(waypointsOf.bookmark);
  return asJson(narrowed(rows, query, filter), query, true)
    .where('w.id', '>', after)
    .where('w.id', '<=', last);
}

/** Imported waypoints from one id on, as JSON: those that neither a bookmark nor a hidden twin stands for. */
export function importedJson(query: WaypointsQuery, from: number, to: number, filter: ListFilter) {
  const rows = joinedTables
    .selectFrom(waypointsOf.waypoint)
    .where('w.id', '>=', from)
    .where('w.id', '<', to)
    // The sign keeps SQLite from looking for an index.
    .where((eb) => eb(sql`+${eb.ref('w.shown')}`, '=', 1));
  const shown = narrowed(rows, query, filter)
    .where((eb) => eb.not(eb.exists(bookmarkOver())))
    .where((eb) => eb.not(eb.exists(hiddenBy())));
  return asJson(shown, query, false);
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
  return narrow.where((eb) =>
    eb.exists(tagsOf().select('t.id').where('t.normal', '=', filter.tag)),
  );
}

/** One column: each row's JSON. Absent fields are left out, for which json_object has no way. */
function asJson(rows: Rows, { emoji, format }: WaypointsQuery, isBookmark: boolean) {
  return rows.orderBy('w.id').select((eb) => {
    const tags = tagsOf().select((of) => {
      const tag = emoji === true ? of.ref('t.enriched') : sql`json_quote(${of.ref('t.raw')})`;
      return sql<string>`',"tags":[' || group_concat(${tag}, ',' ORDER BY ${of.ref('t.id')}) || ']'`.as(
        'tags',
      );
    });
    const quoted = (column: 'name' | 'lat' | 'lon') => sql`json_quote(${eb.ref(`w.${column}`)})`;
    const optional = (column: 'ele' | 'time' | 'desc', before: string) =>
      sql`iif(${eb.ref(`w.${column}`)} IS NULL, '', ${sql.lit(before)} || json_quote(${eb.ref(`w.${column}`)}))`;
    const rest = sql`${optional('ele', ',"ele":')} || ${optional('time', ',"time":')}
      || ${optional('desc', ',"desc":')} || ${sql.lit(`,"bookmark":${isBookmark}`)} || coalesce(${tags}, '')`;
    const json =
      format === 'geojson'
        ? sql<string>`'{"type":"Feature","geometry":{"type":"Point","coordinates":[' || ${quoted('lon')} || ','
            || ${quoted('lat')} || ${optional('ele', ',')} || ']},"properties":{"name":' || ${quoted('name')}
            || ${rest} || '}}'`
        : sql<string>`'{"name":' || ${quoted('name')} || ',"lat":' || ${quoted('lat')} || ',"lon":'
            || ${quoted('lon')} || ${rest} || '}'`;
    return json.as('json');
  });
}
