import { identityOf, type IdentityKey } from '../../model/identity.ts';
import type { Place } from '../../model/waypoint.ts';
import type { Database } from '../database.ts';
import { prepareIdentityLookup } from '../identity-lookup.ts';

/** A stored bookmark; lat and lon keep the full precision that was given. */
export interface Bookmark extends Place {
  readonly id: number;
  readonly ele?: number;
  readonly time?: string;
  readonly desc?: string;
}

/** What of a bookmark can be set. */
export type BookmarkFields = Omit<Bookmark, 'id'>;

export interface BookmarkStore {
  isEmpty(): boolean;
  /** All bookmarks in creation order. */
  all(): Bookmark[];
  /** The bookmark of this very identity, else the nearest of the neighbouring keys (contract C). */
  find(place: Place): Bookmark | undefined;
  findExact(key: IdentityKey): Bookmark | undefined;
  add(fields: BookmarkFields): Bookmark;
  update(id: number, fields: BookmarkFields): Bookmark;
  remove(id: number): void;
}

export interface BookmarkRow {
  id: number;
  name: string;
  lat: number;
  lon: number;
  ele: number | null;
  time: string | null;
  desc: string | null;
}

const columns = 'id, name, lat, lon, ele, time, desc';

export function prepareBookmarks(db: Database): BookmarkStore {
  const all = db.prepare<[], BookmarkRow>(`SELECT ${columns} FROM bookmarks ORDER BY id`);
  const lookup = prepareIdentityLookup<BookmarkRow>(db, `SELECT ${columns} FROM bookmarks`);
  const add = db
    .prepare(
      `INSERT INTO bookmarks (name, lat, lon, lat_e6, lon_e6, ele, time, desc)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
    )
    .pluck();
  const update = db.prepare(
    `UPDATE bookmarks SET name = ?, lat = ?, lon = ?, lat_e6 = ?, lon_e6 = ?, ele = ?, time = ?, desc = ?
     WHERE id = ?`,
  );
  const remove = db.prepare('DELETE FROM bookmarks WHERE id = ?');

  const any = db.prepare('SELECT 1 FROM bookmarks LIMIT 1');
  return {
    isEmpty: () => any.get() === undefined,
    all: () => all.all().map(toBookmark),
    find: (place) => optional(lookup.find(place)),
    findExact: (key) => optional(lookup.exact(key)),
    add: (fields) => ({ ...fields, id: add.get(...values(fields)) as number }),
    update(id, fields) {
      update.run(...values(fields), id);
      return { ...fields, id };
    },
    remove: (id) => void remove.run(id),
  };
}

function values({ name, lat, lon, ele, time, desc }: BookmarkFields): (string | number | null)[] {
  const key = identityOf(name, lat, lon);
  return [name, lat, lon, key.latE6, key.lonE6, ele ?? null, time ?? null, desc ?? null];
}

function optional(row: BookmarkRow | undefined): Bookmark | undefined {
  return row === undefined ? undefined : toBookmark(row);
}

function toBookmark({ id, name, lat, lon, ...optionals }: BookmarkRow): Bookmark {
  return { id, name, lat, lon, ...optionalFields(optionals) };
}

/** The optional fields that are there: null, undefined and an empty note are left out. */
export function optionalFields(fields: {
  ele?: number | null | undefined;
  time?: string | null | undefined;
  desc?: string | null | undefined;
}): Pick<Bookmark, 'ele' | 'time' | 'desc'> {
  const present = Object.entries(fields).filter(
    ([, value]) => value !== null && value !== undefined && value !== '',
  );
  return Object.fromEntries(present);
}
