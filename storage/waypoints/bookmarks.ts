import { keyOf, type IdentityKey, type NeighbourKeys } from '../../model/identity.ts';
import type { Place } from '../../model/waypoint.ts';
import type { Database } from '../database.ts';
import type { WaypointFields } from '../../model/waypoint-fields.ts';
import { fromFieldColumns, toFieldColumns } from '../more-fields.ts';
import { findNearest, identityColumns, isNeighbour } from '../schema/identity-columns.ts';
import { prepare } from '../prepared.ts';
import { waypointTables, type BookmarkRow } from '../schema/waypoints.ts';
import { prepareRows, type NoteRow, type RowTable } from './row-change.ts';

/** A stored bookmark; lat and lon keep the full precision that was given. */
export interface Bookmark extends Place, Readonly<WaypointFields> {
  readonly id: number;
}

/** Settable fields of a bookmark. */
export type BookmarkFields = Omit<Bookmark, 'id'>;

export type BookmarkStore = ReturnType<typeof prepareBookmarks>;

const readable = ['id', 'name', 'lat', 'lon', 'ele', 'time', 'desc', 'more'] as const;

const table: RowTable<'bookmarks', Bookmark> = {
  name: 'bookmarks',
  columns: ['name', 'lat_e6', 'lon_e6', 'lat', 'lon', 'ele', 'time', 'desc', 'more'],
  toRow: toBookmark,
  toColumns({ name, lat, lon, ...fields }) {
    const key = identityColumns(keyOf({ name, lat, lon }));
    return { ...key, lat, lon, ...toFieldColumns(fields) };
  },
};

export function prepareBookmarks(db: Database, note: NoteRow<Bookmark>) {
  const rows = waypointTables.selectFrom('bookmarks').select(readable);
  const all = prepare(db, () => rows.orderBy('id'));
  const exact = prepare(db, (key: IdentityKey) => rows.where((eb) => eb.and(identityColumns(key))));
  const near = prepare(db, (keys: NeighbourKeys, lonE6: NeighbourKeys['lonE6']) =>
    rows.where(isNeighbour(keys, lonE6)),
  );
  return {
    ...prepareRows(db, table, note),
    /** All bookmarks in creation order. */
    all: () => all.all().map(toBookmark),
    /** The bookmark of this very identity, else the nearest of the neighbouring keys (contract C). */
    find(place: Place): Bookmark | undefined {
      const row = exact.get(keyOf(place)) ?? findNearest(place, near);
      return row && toBookmark(row);
    },
    findExact(key: IdentityKey): Bookmark | undefined {
      const row = exact.get(key);
      return row && toBookmark(row);
    },
  };
}

function toBookmark({ id, name, lat, lon, ...columns }: BookmarkRow): Bookmark {
  return { id, name, lat, lon, ...fromFieldColumns(columns) };
}
