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
import { prepareRows, type NoteRow, type RowStore, type RowTable } from './row-change.ts';

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
  addAll(key: IdentityKey, raws: readonly string[]): number;
  removeAll(key: IdentityKey): void;
  /** Gives all tags of one identity to another; what that one has already stays as it is. */
  move(from: IdentityKey, to: IdentityKey): void;
  has(key: IdentityKey, normal: string): boolean;
  /** Rows of a normal form, in the order of their identities. */
  spelled(normal: string): TagRow[];
}

const stored = ['id', 'name', 'lat_e6', 'lon_e6', 'raw'] as const;

const table: RowTable<'tags', TagRow> = {
  name: 'tags',
  columns: ['name', 'lat_e6', 'lon_e6', 'raw', 'normal', 'enriched'],
  toRow: toTagRow,
  toColumns({ raw, ...key }) {
    const tag = enrichTag(raw);
    return { ...identityColumns(key), raw, normal: tag.normal, enriched: JSON.stringify(tag) };
  },
};

export function prepareTags(db: Database, note: NoteRow<TagRow>): TagStore {
  const { list, rows, has, ofForm } = prepareStatements(db);
  const store: TagStore = {
    ...prepareRows(db, table, note),
    list: (key) => list.all(key).map(parseTag),
    has: (key, normal) => has.get(key, normal) !== undefined,
    spelled: (normal) => ofForm.all(normal).map(toTagRow),
    rows: (key) => rows.all(key).map(toTagRow),
    addAll(key, raws) {
      const added = raws.filter((raw) => {
        const isNew = !store.has(key, normalTag(raw));
        if (isNew) store.add({ ...key, raw });
        return isNew;
      });
      return added.length;
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
  return store;
}

function prepareStatements(db: Database) {
  const tags = waypointTables.selectFrom('tags');
  const ofWaypoint = (key: IdentityKey) => tags.where((eb) => eb.and(identityColumns(key)));
  return {
    list: prepareValue(db, (key: IdentityKey) => ofWaypoint(key).select('enriched').orderBy('id')),
    rows: prepare(db, (key: IdentityKey) => ofWaypoint(key).select(stored).orderBy('id')),
    has: prepareValue(db, (key: IdentityKey, normal: string) =>
      ofWaypoint(key).select('id').where('normal', '=', normal),
    ),
    ofForm: prepare(db, (normal: string) =>
      tags
        .select(stored)
        .where('normal', '=', normal)
        .orderBy('name')
        .orderBy('lat_e6')
        .orderBy('lon_e6'),
    ),
  };
}

function toTagRow({ id, raw, ...key }: IdentityColumns & { id: number; raw: string }): TagRow {
  return { id, ...toIdentityKey(key), raw };
}

/** Sound: the column is written here alone. */
export function parseTag(enriched: string): Tag {
  return JSON.parse(enriched) as Tag;
}
