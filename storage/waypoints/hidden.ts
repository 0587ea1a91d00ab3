import type { IdentityKey } from '../../model/identity.ts';
import type { Database } from '../database.ts';
import { identityColumns, toIdentityKey } from '../schema/identity-columns.ts';
import { prepare } from '../prepared.ts';
import { waypointTables } from '../schema/waypoints.ts';

/** Imported twins that stay hidden because the bookmark over them was renamed or moved away. */
export interface HiddenStore {
  all(): IdentityKey[];
  has(key: IdentityKey): boolean;
  hide(key: IdentityKey, bookmarkId: number): void;
  /** The bookmark is back: its twin counts as the bookmark again. */
  unhide(key: IdentityKey, bookmarkId: number): void;
  /** What one bookmark hides. */
  of(bookmarkId: number): IdentityKey[];
}

export function prepareHidden(db: Database): HiddenStore {
  const keys = waypointTables.selectFrom('hidden').select(['name', 'lat_e6', 'lon_e6']);
  const all = prepare(db, () => keys.distinct());
  const of = prepare(db, (bookmarkId: number) => keys.where('bookmark_id', '=', bookmarkId));
  const has = prepare(db, (key: IdentityKey) =>
    keys.where((eb) => eb.and(identityColumns(key))).limit(1),
  );
  const hide = prepare(db, (key: IdentityKey, bookmark_id: number) =>
    waypointTables
      .insertInto('hidden')
      .orIgnore()
      .values({ ...identityColumns(key), bookmark_id }),
  );
  const unhide = prepare(db, (key: IdentityKey, bookmark_id: number) =>
    waypointTables
      .deleteFrom('hidden')
      .where((eb) => eb.and({ ...identityColumns(key), bookmark_id })),
  );
  return {
    all: () => all.all().map(toIdentityKey),
    of: (bookmarkId) => of.all(bookmarkId).map(toIdentityKey),
    has: (key) => has.get(key) !== undefined,
    hide: (key, bookmarkId) => void hide.run(key, bookmarkId),
    unhide: (key, bookmarkId) => void unhide.run(key, bookmarkId),
  };
}
