import {
  identityOf,
  nearestIdentity,
  neighbourKeys,
  type IdentityKey,
  type NeighbourKeys,
} from '../../model/identity.ts';
import type { Place } from '../../model/waypoint.ts';
import type { Database } from '../database.ts';
import { identityColumns, toIdentityKey } from '../schema/identity-columns.ts';
import { prepare } from '../prepared.ts';
import { waypointTables } from '../schema/waypoints.ts';
import { notedRows, type NoteRow, type RowStore } from './row-change.ts';

/** Why an imported waypoint does not show. */
export interface HiddenRow extends Place {
  readonly id: number;
  /** The bookmark that was renamed or moved away from it, else {@link theUser}. */
  readonly bookmarkId: number;
  /** Its tags as they were, raw: it has them again once it shows. */
  readonly tags: readonly string[];
}

/** Imported waypoints that do not show, by identity, whatever file they come from. */
export interface HiddenStore extends RowStore<HiddenRow> {
  all(): IdentityKey[];
  has(key: IdentityKey): boolean;
  add(row: Omit<HiddenRow, 'id'>): void;
  /** What hides one identity. */
  at(key: IdentityKey): HiddenRow[];
  /** What one bookmark hides. */
  of(bookmarkId: number): HiddenRow[];
  /** What has tags. */
  tagged(): HiddenRow[];
  /** What the user has hidden, the newest first, before a number if one is given. */
  byUser(limit: number, before?: number): HiddenRow[];
  /** What the user has hidden of this very identity, else the nearest of the neighbouring keys (contract C). */
  find(place: Place): HiddenRow | undefined;
}

/** The bookmark that stands for the user. */
export const theUser = 0;

const stored = ['id', 'name', 'lat', 'lon', 'bookmark_id', 'tags'] as const;

export function prepareHidden(db: Database, note: NoteRow<HiddenRow>): HiddenStore {
  const { all, get, at, of, tagged, byUser, near, has, add, insert, update, remove } =
    prepareStatements(db);
  const written = notedRows<HiddenRow>(
    {
      get(id) {
        const row = get.get(id);
        return row && toRow(row);
      },
      insert: (row) => insert.run(keyOf(row), row, JSON.stringify(row.tags)),
      update: (row) => update.run(keyOf(row), row, JSON.stringify(row.tags)),
      remove: (id) => remove.run(id),
    },
    note,
  );
  return {
    ...written,
    all: () => all.all().map(toIdentityKey),
    at: (key) => at.all(key).map(toRow),
    of: (bookmarkId) => of.all(bookmarkId).map(toRow),
    tagged: () => tagged.all().map(toRow),
    byUser: (limit, before = Number.MAX_SAFE_INTEGER) => byUser.all(before, limit).map(toRow),
    find(place) {
      const keys = neighbourKeys(keyOf(place));
      return nearestIdentity(place.lat, place.lon, near.all(keys, keys.lonE6).map(toRow));
    },
    has: (key) => has.get(key) !== undefined,
    add(row) {
      const { id } = add.get(keyOf(row), row, JSON.stringify(row.tags))!;
      note({ before: null, after: { id, ...row } });
    },
  };
}

function prepareStatements(db: Database) {
  const rows = waypointTables.selectFrom('hidden').select(stored).orderBy('id');
  const all = prepare(db, () =>
    waypointTables.selectFrom('hidden').select(['name', 'lat_e6', 'lon_e6']).distinct(),
  );
  const get = prepare(db, (id: number) => rows.where('id', '=', id));
  const at = prepare(db, (key: IdentityKey) => rows.where((eb) => eb.and(identityColumns(key))));
  const of = prepare(db, (bookmarkId: number) => rows.where('bookmark_id', '=', bookmarkId));
  const tagged = prepare(db, () => rows.where('tags', '<>', '[]'));
  const byUser = prepare(db, (before: number, limit: number) =>
    waypointTables
      .selectFrom('hidden')
      .select(stored)
      .where('bookmark_id', '=', theUser)
      .where('id', '<', before)
      .orderBy('id', 'desc')
      .limit(limit),
  );
  const near = prepare(
    db,
    ({ name, latE6Min, latE6Max }: NeighbourKeys, lonE6: NeighbourKeys['lonE6']) =>
      rows
        .where('name', '=', name)
        .where((eb) => eb.between('lat_e6', latE6Min, latE6Max))
        .where('lon_e6', 'in', [lonE6[0], lonE6[1], lonE6[2]])
        .where('bookmark_id', '=', theUser),
  );
  const has = prepare(db, (key: IdentityKey) =>
    waypointTables
      .selectFrom('hidden')
      .select('bookmark_id')
      .where((eb) => eb.and(identityColumns(key)))
      .limit(1),
  );
  const add = prepare(db, (key: IdentityKey, row: Omit<HiddenRow, 'id'>, tags: string) =>
    waypointTables
      .insertInto('hidden')
      .values({ ...columnsOf(key, row), tags })
      .returning('id'),
  );
  const insert = prepare(db, (key: IdentityKey, row: HiddenRow, tags: string) =>
    waypointTables.insertInto('hidden').values({ id: row.id, ...columnsOf(key, row), tags }),
  );
  const update = prepare(db, (key: IdentityKey, row: HiddenRow, tags: string) =>
    waypointTables
      .updateTable('hidden')
      .set({ ...columnsOf(key, row), tags })
      .where('id', '=', row.id),
  );
  const remove = prepare(db, (id: number) =>
    waypointTables.deleteFrom('hidden').where('id', '=', id),
  );
  return { all, get, at, of, tagged, byUser, near, has, add, insert, update, remove };
}

type Stored = Omit<HiddenRow, 'bookmarkId' | 'tags'> & { bookmark_id: number; tags: string };

function toRow({ bookmark_id, tags, ...row }: Stored): HiddenRow {
  // Sound: the column is written here alone.
  return { ...row, bookmarkId: bookmark_id, tags: JSON.parse(tags) as string[] };
}

function columnsOf(key: IdentityKey, { lat, lon, bookmarkId }: Omit<HiddenRow, 'id'>) {
  return { ...identityColumns(key), lat, lon, bookmark_id: bookmarkId };
}

function keyOf({ name, lat, lon }: Place): IdentityKey {
  return identityOf(name, lat, lon);
}
