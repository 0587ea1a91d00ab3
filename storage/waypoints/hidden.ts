import type { Selectable } from 'kysely';
import { keyOf, type IdentityKey, type NeighbourKeys } from '../../model/identity.ts';
import type { Place } from '../../model/waypoint.ts';
import type { Database } from '../database.ts';
import {
  findNearest,
  identityColumns,
  isNeighbour,
  toIdentityKey,
} from '../schema/identity-columns.ts';
import { prepare } from '../prepared.ts';
import { waypointTables, type WaypointsDb } from '../schema/waypoints.ts';
import { prepareRows, type NoteRow, type RowTable } from './row-change.ts';

/** Why an imported waypoint does not show. */
export interface HiddenRow extends Place {
  readonly id: number;
  /** The bookmark that was renamed or moved away from it, else {@link theUser}. */
  readonly bookmarkId: number;
  /** Its tags as they were, raw: it has them again once it shows. */
  readonly tags: readonly string[];
}

/** Imported waypoints that do not show, by identity, whatever file they come from. */
export type HiddenStore = ReturnType<typeof prepareHidden>;

/** The bookmark that stands for the user. */
export const theUser = 0;

const stored = ['id', 'name', 'lat', 'lon', 'bookmark_id', 'tags'] as const;

const table: RowTable<'hidden', HiddenRow> = {
  name: 'hidden',
  columns: ['name', 'lat_e6', 'lon_e6', 'lat', 'lon', 'bookmark_id', 'tags'],
  toRow,
  toColumns({ name, lat, lon, bookmarkId, tags }) {
    const key = identityColumns(keyOf({ name, lat, lon }));
    return { ...key, lat, lon, bookmark_id: bookmarkId, tags: JSON.stringify(tags) };
  },
};

export function prepareHidden(db: Database, note: NoteRow<HiddenRow>) {
  const { all, at, of, tagged, byUser, near, has } = prepareStatements(db);
  return {
    ...prepareRows(db, table, note),
    all: () => all.all().map(toIdentityKey),
    /** Rows that hide one identity. */
    at: (key: IdentityKey) => at.all(key).map(toRow),
    /** Rows that one bookmark hides. */
    of: (bookmarkId: number) => of.all(bookmarkId).map(toRow),
    /** Those with tags. */
    tagged: () => tagged.all().map(toRow),
    /** Rows that the user has hidden, newest first, before an id if one is given. */
    byUser: (limit: number, before = Number.MAX_SAFE_INTEGER) =>
      byUser.all(before, limit).map(toRow),
    /** The row that the user has hidden of this very identity, else the nearest of the neighbouring keys (contract C). */
    find(place: Place): HiddenRow | undefined {
      const row = findNearest(place, near);
      return row && toRow(row);
    },
    has: (key: IdentityKey) => has.get(key) !== undefined,
  };
}

function prepareStatements(db: Database) {
  const hidden = waypointTables.selectFrom('hidden');
  const rows = hidden.select(stored).orderBy('id');
  return {
    all: prepare(db, () => hidden.select(['name', 'lat_e6', 'lon_e6']).distinct()),
    at: prepare(db, (key: IdentityKey) => rows.where((eb) => eb.and(identityColumns(key)))),
    of: prepare(db, (bookmarkId: number) => rows.where('bookmark_id', '=', bookmarkId)),
    tagged: prepare(db, () => rows.where('tags', '<>', '[]')),
    byUser: prepare(db, (before: number, limit: number) =>
      hidden
        .select(stored)
        .where('bookmark_id', '=', theUser)
        .where('id', '<', before)
        .orderBy('id', 'desc')
        .limit(limit),
    ),
    near: prepare(db, (keys: NeighbourKeys, lonE6: NeighbourKeys['lonE6']) =>
      rows.where(isNeighbour(keys, lonE6)).where('bookmark_id', '=', theUser),
    ),
    has: prepare(db, (key: IdentityKey) =>
      hidden
        .select('bookmark_id')
        .where((eb) => eb.and(identityColumns(key)))
        .limit(1),
    ),
  };
}

type Stored = Pick<Selectable<WaypointsDb['hidden']>, (typeof stored)[number]>;

function toRow({ id, name, lat, lon, bookmark_id, tags }: Stored): HiddenRow {
  // Sound: the column is written here alone.
  return { id, name, lat, lon, bookmarkId: bookmark_id, tags: JSON.parse(tags) as string[] };
}
