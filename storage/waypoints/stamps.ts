import { createHash, randomUUID } from 'node:crypto';
import { identityText, keyOf, type IdentityKey } from '../../model/identity.ts';
import { limits } from '../../model/limits.ts';
import type { Database } from '../database.ts';
import { prepare } from '../prepared.ts';
import { identityColumns } from '../schema/identity-columns.ts';
import { waypointTables } from '../schema/waypoints.ts';
import type { Journal, RecordedChange, RowChange } from './journal.ts';
import type { StoreMeta } from './meta.ts';

/** When a bookmark was last changed, as the bookmarks file tells other machines. */
export interface Stamp {
  readonly uuid: string;
  /** The row of the bookmark; null for a bookmark deleted elsewhere that was never here. */
  readonly bookmark_id: number | null;
  /** Milliseconds since 1970. */
  readonly changed: number;
  /** Revision of the store with the last change made here. */
  readonly revision: number;
  readonly is_deleted: number;
}

/** The stamps of bookmarks and, for `limits.tombstoneMs`, of deleted ones. */
export type Stamps = ReturnType<typeof prepareStamps>;

export function prepareStamps(db: Database) {
  const { all, touch, bookmarkAt, put, forget } = prepareStatements(db);
  /** Gives a bookmark of this row a new stamp: now, or 1 ms after its old one. */
  const stampRow = (id: number, changed: number, revision: number, isDeleted: boolean): void => {
    const is_deleted = Number(isDeleted);
    touch.run({ uuid: randomUUID(), bookmark_id: id, changed, revision, is_deleted });
  };
  return {
    all: () => all.all() as Stamp[],
    /** Stamps what a change of rows has touched: bookmarks, and those whose tags it changed. */
    stampRows(rows: readonly RowChange[], now: number, revision: number): void {
      const touched = new Map<number, boolean>();
      for (const { of, before, after } of rows) {
        if (of === 'bookmark') touched.set((after ?? before)!.id, after === null);
        else if (of === 'tag' && before !== after) {
          const found = bookmarkAt.get((after ?? before)!);
          if (found !== undefined) touched.set(found.id, false);
        }
      }
      for (const [id, isDeleted] of touched) stampRow(id, now, revision, isDeleted);
    },
    /** Sets the stamp that a bookmark has in a merged file. */
    put: (stamp: Stamp) => void put.run(stamp),
    rowAt: (key: IdentityKey) => bookmarkAt.get(key)?.id,
    /** Drops stamps of bookmarks deleted long ago. */
    forgetOld(now: number): void {
      forget.run(now - limits.tombstoneMs, limits.tombstones);
    },
  };
}

function prepareStatements(db: Database) {
  const all = prepare(db, () =>
    waypointTables.selectFrom('bookmark_stamps').selectAll().orderBy('uuid'),
  );
  const touch = prepare(db, ({ uuid, bookmark_id, changed, revision, is_deleted }: Stamp) =>
    waypointTables
      .insertInto('bookmark_stamps')
      .values({ uuid, bookmark_id, changed, revision, is_deleted })
      .onConflict((conflict) =>
        conflict.column('bookmark_id').doUpdateSet((eb) => ({
          changed: eb.fn('max', [
            eb.ref('excluded.changed'),
            eb('bookmark_stamps.changed', '+', 1),
          ]),
          revision: eb.ref('excluded.revision'),
          is_deleted: eb.ref('excluded.is_deleted'),
        })),
      ),
  );
  const bookmarkAt = prepare(db, (key: IdentityKey) =>
    waypointTables
      .selectFrom('bookmarks')
      .select('id')
      .where((eb) => eb.and(identityColumns(key))),
  );
  // In place of those of this id or this row.
  const put = prepare(db, ({ uuid, bookmark_id, changed, revision, is_deleted }: Stamp) =>
    waypointTables
      .insertInto('bookmark_stamps')
      .orReplace()
      .values({ uuid, bookmark_id, changed, revision, is_deleted }),
  );
  const forget = prepare(db, (before: number, kept: number) =>
    waypointTables
      .deleteFrom('bookmark_stamps')
      .where('is_deleted', '=', 1)
      .where((eb) =>
        eb.or([
          eb('changed', '<', before),
          eb(
            'uuid',
            'in',
            eb
              .selectFrom('bookmark_stamps')
              .select('uuid')
              .where('is_deleted', '=', 1)
              .orderBy('changed', 'desc')
              .limit(-1)
              .offset(kept),
          ),
        ]),
      ),
  );
  return { all, touch, bookmarkAt, put, forget };
}

/** The id that every machine gives to a bookmark made before ids were kept: a UUID (version 8) of its identity. */
export function identityUuid(key: IdentityKey): string {
  const hex = createHash('sha256').update(identityText(key)).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

const takenOver = 'bookmarks_stamped';

/**
 * Gives stamps to the bookmarks of a store made before they had some: the time of their last change in the journal, else
 * the oldest. Bookmarks that the journal knows as deleted get one, too, so that no other machine brings them back.
 */
export function stampOldBookmarks(
  db: Database,
  meta: StoreMeta,
  journal: Pick<Journal, 'get' | 'list'>,
): void {
  if (meta.get(takenOver) !== undefined) return;
  db.transaction(() => {
    const stamps = prepareStamps(db);
    const { changedAt, deleted } = readJournal(journal);
    const rows = prepare(db, () =>
      waypointTables.selectFrom('bookmarks').select(['id', 'name', 'lat', 'lon']),
    ).all();
    const used = new Set<string>();
    for (const { id, ...place } of rows) {
      const uuid = identityUuid(keyOf(place));
      used.add(uuid);
      stamps.put({
        uuid,
        bookmark_id: id,
        changed: changedAt.get(id) ?? 0,
        revision: 0,
        is_deleted: 0,
      });
    }
    for (const [id, { uuid, at }] of deleted) {
      if (used.has(uuid)) continue;
      used.add(uuid);
      stamps.put({ uuid, bookmark_id: id, changed: at, revision: 0, is_deleted: 1 });
    }
    meta.set(takenOver, '1');
  }).immediate();
}

/** Reads the time of each bookmark's last change from the journal, and which ones were deleted. */
function readJournal(journal: Pick<Journal, 'get' | 'list'>) {
  const changedAt = new Map<number, number>();
  const deleted = new Map<number, { readonly uuid: string; readonly at: number }>();
  for (const { at, rows } of newestFirst(journal)) {
    for (const { of, before, after } of rows.toReversed()) {
      const id = (after ?? before)!.id;
      if (of !== 'bookmark' || changedAt.has(id)) continue;
      changedAt.set(id, at);
      if (after === null) deleted.set(id, { uuid: identityUuid(keyOf(before!)), at });
    }
  }
  return { changedAt, deleted };
}

function* newestFirst({ get, list }: Pick<Journal, 'get' | 'list'>): Generator<RecordedChange> {
  for (let before: number | undefined; ;) {
    const page = list(limits.changesMax, before);
    for (const { id } of page) yield get(id)!;
    before = page.at(-1)?.id;
    if (before === undefined) return;
  }
}

/** Name in `meta` of what a restore leaves to the first start after it: a RestoredMark as JSON. */
export const restoredKey = 'restored';

export interface RestoredMark {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Stamps that the store had before the restore: ids with their times; of an older version ids alone. */
  readonly before: readonly (readonly [uuid: string, changed: number] | string)[];
}

/** Gives everything a restore has changed a new stamp, so that a shared bookmarks file does not undo the restore. */
export function stampRestored(db: Database, meta: StoreMeta): void {
  const text = meta.get(restoredKey);
  if (text === undefined || text === '') return;
  // Sound: written by storage/backup/restore.ts.
  const { at, before } = JSON.parse(text) as RestoredMark;
  db.transaction(() => {
    const stamps = prepareStamps(db);
    const known = stamps.all();
    const replaced = new Map(
      before.map((stamp) => (typeof stamp === 'string' ? [stamp, 0] : stamp)),
    );
    for (const stamp of known) {
      const newest = Math.max(stamp.changed, replaced.get(stamp.uuid) ?? 0);
      stamps.put({ ...stamp, changed: Math.max(at, newest + 1) });
      replaced.delete(stamp.uuid);
    }
    for (const [uuid, newest] of replaced) {
      const changed = Math.max(at, newest + 1);
      stamps.put({ uuid, bookmark_id: null, changed, revision: 0, is_deleted: 1 });
    }
    meta.set(restoredKey, '');
  }).immediate();
}
