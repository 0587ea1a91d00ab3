import { isSameIdentity, type IdentityKey } from '../../model/identity.ts';
import { enrichTag, normalTag, type Tag } from '../../model/tag.ts';
import type { Database } from '../database.ts';
import { identityColumns } from '../schema/identity-columns.ts';
import { prepare, prepareValue } from '../prepared.ts';
import { waypointTables } from '../schema/waypoints.ts';

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

export function prepareTags(db: Database): TagStore {
  const list = prepareValue(db, (key: IdentityKey) =>
    waypointTables
      .selectFrom('tags')
      .select('enriched')
      .where((eb) => eb.and(identityColumns(key)))
      .orderBy('id'),
  );
  const add = prepare(db, (key: IdentityKey, raw: string, normal: string, enriched: string) =>
    waypointTables
      .insertInto('tags')
      .values({ ...identityColumns(key), raw, normal, enriched })
      .onConflict((conflict) => conflict.doNothing()),
  );
  const remove = prepare(db, (key: IdentityKey, normal: string) =>
    waypointTables.deleteFrom('tags').where((eb) => eb.and({ ...identityColumns(key), normal })),
  );
  const removeAll = prepare(db, (key: IdentityKey) =>
    waypointTables.deleteFrom('tags').where((eb) => eb.and(identityColumns(key))),
  );
  const move = prepare(db, (from: IdentityKey, to: IdentityKey) =>
    waypointTables
      .updateTable('tags')
      .set(identityColumns(to))
      .where((eb) => eb.and(identityColumns(from)))
      .where('normal', 'not in', (eb) =>
        eb
          .selectFrom('tags as present')
          .select('present.normal')
          .where((present) => present.and(identityColumns(to))),
      ),
  );
  const vocabulary = prepareVocabulary(db);

  return {
    list: (key) => list.all(key).map(parseTag),
    add(key, raws) {
      let added = 0;
      for (const raw of raws) {
        const tag = enrichTag(raw);
        added += add.run(key, raw, tag.normal, JSON.stringify(tag)).changes;
      }
      return added;
    },
    remove: (key, raw) => remove.run(key, normalTag(raw)).changes > 0,
    removeAll: (key) => void removeAll.run(key),
    move(from, to) {
      move.run(from, to);
      // What was not moved is there already.
      if (!isSameIdentity(from, to)) removeAll.run(from);
    },
    vocabulary: () =>
      vocabulary
        .all()
        .map(({ enriched, count }) => ({ ...parseTag(enriched), count }))
        .toSorted(byRawForm),
  };
}

/** Of the spellings of a normal form the one most used, the first made on a tie, with the uses of all of them. */
function prepareVocabulary(db: Database) {
  return prepare(db, () =>
    waypointTables
      .selectFrom((eb) =>
        eb
          .selectFrom('tag_spellings')
          .select(({ fn }) => [
            'enriched',
            fn
              .sum<number>('uses')
              .over((over) => over.partitionBy('normal'))
              .as('count'),
            fn
              .agg<number>('row_number')
              .over((over) =>
                over.partitionBy('normal').orderBy('uses', 'desc').orderBy('first_id'),
              )
              .as('rank'),
          ])
          .as('ranked'),
      )
      .select(['enriched', 'count'])
      .where('rank', '=', 1),
  );
}

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
