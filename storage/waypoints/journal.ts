import type { ChangeKind } from '../../model/change-words.ts';
import { limits } from '../../model/limits.ts';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { prepare, prepareValue, type RowOf } from '../prepared.ts';
import { waypointTables } from '../schema/waypoints.ts';
import type { Bookmark } from './bookmarks.ts';
import type { CorrectionRow } from './corrections.ts';
import type { HiddenRow } from './hidden.ts';
import type { StoreMeta } from './meta.ts';
import { retentionTime } from './retention-time.ts';
import type { RowPair } from './row-change.ts';
import type { TagRow } from './tags.ts';

/** Change of one row. If before and after are equal, undoing only requires that the row is still the same. */
export type RowChange =
  | ({ readonly of: 'bookmark' } & RowPair<Bookmark>)
  | ({ readonly of: 'correction' } & RowPair<CorrectionRow>)
  | ({ readonly of: 'tag' } & RowPair<TagRow>)
  | ({ readonly of: 'hidden' } & RowPair<HiddenRow>);

/** One change of the user's data. */
export interface Change {
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly kind: ChangeKind;
  /** The revision of the store (StoreMeta.revision) that it led to: each change of rows counts it up by one. */
  readonly revision: number;
  /** Bookmarks, else hidden waypoints, else corrections, else tags, else imported files that it touched. */
  readonly count: number;
  /** The change that it took back. */
  readonly undoes: number | null;
  /** The change that took it back. */
  readonly undoneBy: number | null;
  /** The size of what is kept of it. */
  readonly bytes: number;
}

/** A change with the rows it touched, in the order of the writes; none for a change of imports. */
export interface RecordedChange extends Change {
  readonly rows: readonly RowChange[];
  /** Whether it is a change of imports whose states are kept (ImportList.statesOf). */
  readonly hasImports: boolean;
}

/** A change of imports; `count` is given where no states are kept. */
interface ImportsChange {
  readonly count: number | undefined;
}

type NewChange = Pick<Change, 'at' | 'kind' | 'revision' | 'undoes'>;

/** The changes of limits.journalMs, at most limits.journalChanges; written in the transaction of what they tell. */
export type Journal = ReturnType<typeof prepareJournal>;

const head = [
  'id',
  'at',
  'kind',
  'revision',
  'count',
  'undoes',
  'undone_by',
  // Reads no more than the length.
  sql<number>`octet_length(${sql.ref('details')})`.as('bytes'),
] as const;

export function prepareJournal(db: Database, meta: Pick<StoreMeta, 'get' | 'set'>) {
  const { add, get, list, oldest, forget, setUndone, undoesOf } = prepareStatements(db);

  const forgetOld = (id: number, now: number): void => {
    if (id > limits.journalChanges) forget.run(id - limits.journalChanges);
    // Each change makes room for itself; a few more than one, so that old ones go even so.
    for (let i = 0; i < 4; i += 1) {
      const last = oldest.get();
      if (last === undefined || last.id === id || last.at >= now - limits.journalMs) return;
      forget.run(last.id);
    }
  };

  return {
    /** @returns the number of the change. */
    record(
      { at, kind, revision, undoes }: NewChange,
      what: readonly RowChange[] | ImportsChange,
    ): number {
      const isOfRows = !('count' in what);
      const count = isOfRows ? countOf(what) : (what.count ?? 0);
      const details = isOfRows ? what : { imports: what.count === undefined };
      const id = add.get({ at, kind, revision, undoes, count }, JSON.stringify(details))!;
      // An undone undo lets its change stand again, and so on along the chain.
      let [by, isUndone] = [id, true];
      for (let of = undoes; of !== null; isUndone = !isUndone) {
        setUndone.run(isUndone ? by : null, of);
        [by, of] = [of, undoesOf.get(of) ?? null];
      }
      forgetOld(id, retentionTime(meta, at));
      return id;
    },
    get(id: number) {
      const row = get.get(id);
      return row && recorded(row);
    },
    /** The newest changes, those before a number if one is given, newest first. */
    list: (limit: number, before = Number.MAX_SAFE_INTEGER) =>
      list.all(before, limit).map(toChange),
  };
}

interface Stored extends Pick<Change, 'at' | 'revision' | 'count' | 'undoes'> {
  readonly kind: string;
}

function prepareStatements(db: Database) {
  const changes = waypointTables.selectFrom('changes').select(head).orderBy('id', 'desc');
  return {
    add: prepareValue(db, ({ at, kind, revision, count, undoes }: Stored, details: string) =>
      waypointTables
        .insertInto('changes')
        .values({ at, kind, revision, count, undoes, details })
        .returning('id'),
    ),
    get: prepare(db, (id: number) => changes.select('details').where('id', '=', id)),
    list: prepare(db, (before: number, limit: number) =>
      changes.where('id', '<', before).limit(limit),
    ),
    oldest: prepare(db, () =>
      waypointTables.selectFrom('changes').select(['id', 'at']).orderBy('id').limit(1),
    ),
    forget: prepare(db, (id: number) => waypointTables.deleteFrom('changes').where('id', '<=', id)),
    undoesOf: prepareValue(db, (id: number) =>
      waypointTables.selectFrom('changes').select('undoes').where('id', '=', id),
    ),
    setUndone: prepare(db, (undone_by: number | null, id: number) =>
      waypointTables.updateTable('changes').set({ undone_by }).where('id', '=', id),
    ),
  };
}

type Statements = ReturnType<typeof prepareStatements>;

function toChange({ kind, undone_by, ...rest }: RowOf<Statements['list']>): Change {
  // Sound: written here alone.
  return { ...rest, kind: kind as ChangeKind, undoneBy: undone_by };
}

function recorded({ details: text, ...row }: RowOf<Statements['get']>): RecordedChange {
  // Sound: written here alone.
  const details = JSON.parse(text) as RowChange[] | { imports: boolean };
  return Array.isArray(details)
    ? { ...toChange(row), rows: details, hasImports: false }
    : { ...toChange(row), rows: [], hasImports: details.imports };
}

function countOf(rows: readonly RowChange[]): number {
  const kind = (['bookmark', 'hidden', 'correction'] as const).find((of) =>
    rows.some((row) => row.of === of),
  );
  return rows.filter((row) => row.of === (kind ?? 'tag')).length;
}
