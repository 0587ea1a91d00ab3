import { isSameIdentity, type IdentityKey } from '../../model/identity.ts';
import { enrichTag, normalTag, type Tag } from '../../model/tag.ts';
import type { Database } from '../database.ts';

/** The tags of waypoints, by identity; within one waypoint each normal form once, in the order they were added. */
export interface TagStore {
  list(key: IdentityKey): Tag[];
  /** @returns how many were new. */
  add(key: IdentityKey, raws: readonly string[]): number;
  /** @returns whether it was there. */
  remove(key: IdentityKey, raw: string): boolean;
  removeAll(key: IdentityKey): void;
  /** Gives all tags of one identity to another; what that one has already stays as it is. */
  move(from: IdentityKey, to: IdentityKey): void;
  /** One representative of each normal form (most used, then first made) with its count, sorted by raw form. */
  vocabulary(): Tag[];
}

type KeyRow = [name: string, latE6: number, lonE6: number];

function keyRow({ name, latE6, lonE6 }: IdentityKey): KeyRow {
  return [name, latE6, lonE6];
}

const byIdentity = 'name = ? AND lat_e6 = ? AND lon_e6 = ?';

export function prepareTags(db: Database): TagStore {
  const list = db
    .prepare<KeyRow, string>(`SELECT enriched FROM tags WHERE ${byIdentity} ORDER BY id`)
    .pluck();
  const add = db.prepare(
    `INSERT INTO tags (name, lat_e6, lon_e6, raw, normal, enriched) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const remove = db.prepare(`DELETE FROM tags WHERE ${byIdentity} AND normal = ?`);
  const removeAll = db.prepare(`DELETE FROM tags WHERE ${byIdentity}`);
  const move = db.prepare(
    `UPDATE OR IGNORE tags SET name = ?, lat_e6 = ?, lon_e6 = ? WHERE ${byIdentity}`,
  );
  const vocabulary = db.prepare<[], { enriched: string; count: number }>(vocabularySql);

  return {
    list: (key) => list.all(...keyRow(key)).map(parseTag),
    add(key, raws) {
      let added = 0;
      for (const raw of raws) {
        const tag = enrichTag(raw);
        added += add.run(...keyRow(key), raw, tag.normal, JSON.stringify(tag)).changes;
      }
      return added;
    },
    remove: (key, raw) => remove.run(...keyRow(key), normalTag(raw)).changes > 0,
    removeAll: (key) => void removeAll.run(...keyRow(key)),
    move(from, to) {
      move.run(...keyRow(to), ...keyRow(from));
      // What could not be moved was there already.
      if (!isSameIdentity(from, to)) removeAll.run(...keyRow(from));
    },
    vocabulary: () =>
      vocabulary
        .all()
        .map(({ enriched, count }) => ({ ...parseTag(enriched), count }))
        .toSorted(byRawForm),
  };
}

/** Of the spellings of a normal form the one most used, the first made on a tie, with the uses of all of them. */
const vocabularySql = `
  SELECT enriched, count FROM (
    SELECT enriched, sum(uses) OVER (PARTITION BY normal) AS count,
      row_number() OVER (PARTITION BY normal ORDER BY uses DESC, first_id) AS rank
    FROM tag_spellings
  ) WHERE rank = 1`;

/** Sound: the column is written by `add` alone. */
function parseTag(enriched: string): Tag {
  return JSON.parse(enriched) as Tag;
}

function byRawForm(a: Tag, b: Tag): number {
  return compareText(a.raw.toLowerCase(), b.raw.toLowerCase()) || compareText(a.raw, b.raw);
}

/** By code unit: an order that no machine's locale changes. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
