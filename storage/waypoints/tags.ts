import { sql } from 'kysely';
import type { IdentityKey } from '../../model/identity.ts';
import { enrichTag, normalTag, type Tag } from '../../model/tag.ts';
import type { Database } from '../database.ts';
import {
  identityColumns,
  toIdentityKey,
  type IdentityColumns,
} from '../schema/identity-columns.ts';
import { prepare, prepareValue } from '../prepared.ts';
import { waypointTables } from '../schema/waypoints.ts';
import { notedRows, type NoteRow, type RowStore } from './row-change.ts';

/** One tag of one waypoint. */
export interface TagRow extends IdentityKey {
  readonly id: number;
  readonly raw: string;
}

/** The tags of waypoints, by identity; within one waypoint each normal form once, in the order they were added. */
export interface TagStore extends RowStore<TagRow> {
  list(key: IdentityKey): Tag[];
  rows(key: IdentityKey): TagRow[];
  /** @returns how many were new. */
  add(key: IdentityKey, raws: readonly string[]): number;
  removeAll(key: IdentityKey): void;
  /** Gives all tags of one identity to another; what that one has already stays as it is. */
  move(from: IdentityKey, to: IdentityKey): void;
  has(key: IdentityKey, normal: string): boolean;
  /** Rows of a normal form in the order of their identities, after one if one is given; `limit` at most. */
  spelled(normal: string, limit: number, after?: IdentityKey): TagRow[];
  /** One representative of each normal form (most used, then first made) with its count, sorted by raw form. */
  vocabulary(): Tag[];
}

const stored = ['id', 'name', 'lat_e6', 'lon_e6', 'raw'] as const;

export function prepareTags(db: Database, note: NoteRow<TagRow>): TagStore {
  const { list, rows, has, ofForm, get, add, insert, update, remove } = prepareStatements(db);
  const vocabulary = prepareVocabulary(db);
  const written = notedRows<TagRow>(
    {
      get(id) {
        const row = get.get(id);
        return row && toTagRow(row);
      },
      insert: (row) => insert.run(row, ...spelled(row.raw)),
      update: (row) => update.run(row, ...spelled(row.raw)),
      remove: (id) => remove.run(id),
    },
    note,
  );
  const store: Omit<TagStore, 'vocabulary'> = {
    ...written,
    list: (key) => list.all(key).map(parseTag),
    has: (key, normal) => has.get(key, normal) !== undefined,
    spelled: (normal, limit, after = { name: '', latE6: -1e9, lonE6: 0 }) =>
      ofForm.all(normal, after, limit).map(toTagRow),
    rows: (key) => rows.all(key).map(toTagRow),
    add(key, raws) {
      let added = 0;
      for (const raw of raws) {
        const id = add.get(key, raw, ...spelled(raw));
        if (id === undefined) continue;
        note({ before: null, after: { id, ...key, raw } });
        added += 1;
      }
      return added;
    },
    removeAll(key) {
      for (const row of store.rows(key)) store.remove(row);
    },
    move(from, to) {
      const present = new Set(store.list(to).map(({ normal }) => normal));
      for (const row of store.rows(from))
        if (present.has(normalTag(row.raw))) store.remove(row);
        else store.update(row, { ...row, ...to });
    },
  };
  return {
    ...store,
    vocabulary: () =>
      vocabulary
        .all()
        .map(({ enriched, count }) => ({ ...parseTag(enriched), count }))
        .toSorted(byRawForm),
  };
}

function prepareStatements(db: Database) {
  const list = prepareValue(db, (key: IdentityKey) =>
    waypointTables
      .selectFrom('tags')
      .select('enriched')
      .where((eb) => eb.and(identityColumns(key)))
      .orderBy('id'),
  );
  const rows = prepare(db, (key: IdentityKey) =>
    waypointTables
      .selectFrom('tags')
      .select(stored)
      .where((eb) => eb.and(identityColumns(key)))
      .orderBy('id'),
  );
  const has = prepareValue(db, (key: IdentityKey, normal: string) =>
    waypointTables
      .selectFrom('tags')
      .select('id')
      .where((eb) => eb.and({ ...identityColumns(key), normal })),
  );
  const ofForm = prepare(db, (normal: string, after: IdentityKey, limit: number) =>
    waypointTables
      .selectFrom('tags')
      .select(stored)
      .where('normal', '=', normal)
      .where(sql<boolean>`(name, lat_e6, lon_e6) > (${after.name}, ${after.latE6}, ${after.lonE6})`)
      .orderBy('name')
      .orderBy('lat_e6')
      .orderBy('lon_e6')
      .limit(limit),
  );
  const get = prepare(db, (id: number) =>
    waypointTables.selectFrom('tags').select(stored).where('id', '=', id),
  );
  const add = prepareValue(db, (key: IdentityKey, raw: string, normal: string, enriched: string) =>
    waypointTables
      .insertInto('tags')
      .values({ ...identityColumns(key), raw, normal, enriched })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id'),
  );
  const insert = prepare(db, (row: TagRow, normal: string, enriched: string) =>
    waypointTables
      .insertInto('tags')
      .values({ id: row.id, ...identityColumns(row), raw: row.raw, normal, enriched }),
  );
  const update = prepare(db, (row: TagRow, normal: string, enriched: string) =>
    waypointTables
      .updateTable('tags')
      .set({ ...identityColumns(row), raw: row.raw, normal, enriched })
      .where('id', '=', row.id),
  );
  const remove = prepare(db, (id: number) =>
    waypointTables.deleteFrom('tags').where('id', '=', id),
  );
  return { list, rows, has, ofForm, get, add, insert, update, remove };
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

function spelled(raw: string): [normal: string, enriched: string] {
  const tag = enrichTag(raw);
  return [tag.normal, JSON.stringify(tag)];
}

function toTagRow({ id, raw, ...key }: IdentityColumns & { id: number; raw: string }): TagRow {
  return { id, ...toIdentityKey(key), raw };
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
