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
import { prepareRows, type NoteRow, type RowTable } from './row-change.ts';

/** One tag of one waypoint. */
export interface TagRow extends IdentityKey {
  readonly id: number;
  readonly raw: string;
}

/** The tags of waypoints, by identity; within one waypoint each normal form once, in the order they were added. */
export type TagStore = ReturnType<typeof prepareTags>;

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

export function prepareTags(db: Database, note: NoteRow<TagRow>) {
  const statements = prepareStatements(db);
  const store = prepareRows(db, table, note);
  const list = (key: IdentityKey): Tag[] => statements.list.all(key).map(parseTag);
  const rows = (key: IdentityKey): TagRow[] => statements.rows.all(key).map(toTagRow);
  const has = (key: IdentityKey, normal: string): boolean =>
    statements.has.get(key, normal) !== undefined;
  return {
    ...store,
    list,
    rows,
    /** Rows of a normal form, in the order of their identities. */
    spelled: (normal: string) => statements.ofForm.all(normal).map(toTagRow),
    /** @returns how many were new. */
    addAll(key: IdentityKey, raws: readonly string[]): number {
      const added = raws.filter((raw) => {
        const isNew = !has(key, normalTag(raw));
        if (isNew) store.add({ ...key, raw });
        return isNew;
      });
      return added.length;
    },
    removeAll(key: IdentityKey): void {
      for (const row of rows(key)) store.remove(row);
    },
    /** Gives all tags of one identity to another; what that one has already stays as it is. */
    move(from: IdentityKey, to: IdentityKey): void {
      const present = new Set(list(to).map(({ normal }) => normal));
      for (const row of rows(from))
        if (present.has(normalTag(row.raw))) store.remove(row);
        else store.update(row, { ...row, ...to });
    },
  };
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
