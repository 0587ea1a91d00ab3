import type { IdentityKey } from '../../model/identity.ts';
import type { Database } from '../database.ts';

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

interface HiddenRow {
  name: string;
  lat_e6: number;
  lon_e6: number;
}

export function prepareHidden(db: Database): HiddenStore {
  const columns = 'name, lat_e6, lon_e6';
  const byIdentity = 'name = ? AND lat_e6 = ? AND lon_e6 = ?';
  const all = db.prepare<[], HiddenRow>(`SELECT DISTINCT ${columns} FROM hidden`);
  const of = db.prepare<[number], HiddenRow>(`SELECT ${columns} FROM hidden WHERE bookmark_id = ?`);
  const has = db.prepare(`SELECT 1 FROM hidden WHERE ${byIdentity}`);
  const hide = db.prepare('INSERT OR IGNORE INTO hidden VALUES (?, ?, ?, ?)');
  const unhide = db.prepare(`DELETE FROM hidden WHERE ${byIdentity} AND bookmark_id = ?`);
  return {
    all: () => all.all().map(toKey),
    of: (bookmarkId) => of.all(bookmarkId).map(toKey),
    has: ({ name, latE6, lonE6 }) => has.get(name, latE6, lonE6) !== undefined,
    hide: ({ name, latE6, lonE6 }, bookmarkId) => void hide.run(name, latE6, lonE6, bookmarkId),
    unhide: ({ name, latE6, lonE6 }, bookmarkId) => void unhide.run(name, latE6, lonE6, bookmarkId),
  };
}

function toKey({ name, lat_e6: latE6, lon_e6: lonE6 }: HiddenRow): IdentityKey {
  return { name, latE6, lonE6 };
}
