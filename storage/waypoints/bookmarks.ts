import type { Selectable } from 'kysely';
import {
  identityOf,
  nearestIdentity,
  neighbourKeys,
  type IdentityKey,
  type NeighbourKeys,
} from '../../model/identity.ts';
import type { Place } from '../../model/waypoint.ts';
import type { Database } from '../database.ts';
import { moreText, optionalFields, readMore, type OptionalFields } from '../more-fields.ts';
import { identityColumns } from '../schema/identity-columns.ts';
import { prepare, prepareValue } from '../prepared.ts';
import { waypointTables, type BookmarkRow, type WaypointsDb } from '../schema/waypoints.ts';
import { notedRows, type NoteRow, type RowStore } from './row-change.ts';

/** A stored bookmark; lat and lon keep the full precision that was given. */
export interface Bookmark extends Place, Readonly<OptionalFields> {
  readonly id: number;
}

/** What of a bookmark can be set. */
export type BookmarkFields = Omit<Bookmark, 'id'>;

export interface BookmarkStore extends RowStore<Bookmark> {
  isEmpty(): boolean;
  /** All bookmarks in creation order. */
  all(): Bookmark[];
  /** The bookmark of this very identity, else the nearest of the neighbouring keys (contract C). */
  find(place: Place): Bookmark | undefined;
  findExact(key: IdentityKey): Bookmark | undefined;
  add(fields: BookmarkFields): Bookmark;
}

const readable = ['id', 'name', 'lat', 'lon', 'ele', 'time', 'desc', 'more'] as const;

export function prepareBookmarks(db: Database, note: NoteRow<Bookmark>): BookmarkStore {
  const rows = waypointTables.selectFrom('bookmarks').select(readable);
  const all = prepare(db, () => rows.orderBy('id'));
  const any = prepare(db, () => rows.limit(1));
  const exact = prepare(db, (key: IdentityKey) => rows.where((eb) => eb.and(identityColumns(key))));
  const near = prepare(
    db,
    ({ name, latE6Min, latE6Max }: NeighbourKeys, lonE6: NeighbourKeys['lonE6']) =>
      rows
        .where('name', '=', name)
        .where((eb) => eb.between('lat_e6', latE6Min, latE6Max))
        .where('lon_e6', 'in', [lonE6[0], lonE6[1], lonE6[2]]),
  );
  const add = prepareValue(db, (fields: StoredFields) =>
    waypointTables.insertInto('bookmarks').values(columnsOf(fields)).returning('id'),
  );
  const get = prepare(db, (id: number) => rows.where('id', '=', id));
  const insert = prepare(db, (fields: StoredFields, id: number) =>
    waypointTables.insertInto('bookmarks').values({ id, ...columnsOf(fields) }),
  );
  const update = prepare(db, (fields: StoredFields, id: number) =>
    waypointTables.updateTable('bookmarks').set(columnsOf(fields)).where('id', '=', id),
  );
  const remove = prepare(db, (id: number) =>
    waypointTables.deleteFrom('bookmarks').where('id', '=', id),
  );

  const written = notedRows<Bookmark>(
    {
      get: (id) => optional(get.get(id)),
      insert: (bookmark) => insert.run(stored(bookmark), bookmark.id),
      update: (bookmark) => update.run(stored(bookmark), bookmark.id),
      remove: (id) => remove.run(id),
    },
    note,
  );
  return {
    ...written,
    isEmpty: () => any.get() === undefined,
    all: () => all.all().map(toBookmark),
    find(place) {
      const key = identityOf(place.name, place.lat, place.lon);
      const keys = neighbourKeys(key);
      const row =
        exact.get(key) ?? nearestIdentity(place.lat, place.lon, near.all(keys, keys.lonE6));
      return optional(row);
    },
    findExact: (key) => optional(exact.get(key)),
    add(fields) {
      const bookmark = { ...fields, id: add.get(stored(fields))! };
      note({ before: null, after: bookmark });
      return bookmark;
    },
  };
}

type StoredFields = Omit<Selectable<WaypointsDb['bookmarks']>, 'id'>;

function stored({ name, lat, lon, ele, time, desc, ...others }: BookmarkFields): StoredFields {
  const key = identityColumns(identityOf(name, lat, lon));
  const optionals = { ele: ele ?? null, time: time ?? null, desc: desc ?? null };
  return { ...key, lat, lon, ...optionals, more: moreText(others) };
}

/** Each column by its name: placeholders cannot be spread. */
function columnsOf({
  name,
  lat_e6,
  lon_e6,
  lat,
  lon,
  ele,
  time,
  desc,
  more,
}: StoredFields): StoredFields {
  return { name, lat_e6, lon_e6, lat, lon, ele, time, desc, more };
}

function optional(row: BookmarkRow | undefined): Bookmark | undefined {
  return row === undefined ? undefined : toBookmark(row);
}

function toBookmark({ id, name, lat, lon, more, ...optionals }: BookmarkRow): Bookmark {
  return { id, name, lat, lon, ...optionalFields(optionals), ...readMore(more) };
}
