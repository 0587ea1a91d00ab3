import type { ChangeKind } from '../../model/change-words.ts';
import type { IdentityKey } from '../../model/identity.ts';
import type { Database } from '../database.ts';
import { prepareBookmarks, type BookmarkStore } from './bookmarks.ts';
import { prepareHidden, type HiddenStore } from './hidden.ts';
import {
  countOf,
  prepareJournal,
  type Journal,
  type PartsChange,
  type RowChange,
  type RunChange,
} from './journal.ts';
import { prepareMeta, type StoreMeta } from './meta.ts';
import { prepareTags, type TagStore } from './tags.ts';

/** What a change has made, and its row in the journal; undefined if nothing was changed after all. */
export interface Changed<T> {
  readonly result: T;
  readonly change: StoreChange | undefined;
}

/** A change as the index in memory and the answer need it. */
export interface StoreChange {
  readonly id: number;
  readonly rows: readonly RowChange[];
}

/** In `meta`: the {@link OpenChange}, if there is one. */
const openKey = 'open_change';

/** A long change that has not ended. */
interface OpenChange {
  /** Its first part; absent before that is written. */
  readonly first?: number;
  /** How much it concerns so far. */
  readonly count: number;
  /** The change that was cut off, where this one takes that back: cut off itself, it is gone on with. */
  readonly mends?: number;
}

/** Bookmarks, tags and hidden waypoints: what is written to them becomes a change in the journal, in the same transaction. */
export class JournaledRows {
  readonly bookmarks: BookmarkStore;
  readonly hidden: HiddenStore;
  readonly tags: TagStore;
  readonly journal: Journal;
  readonly meta: StoreMeta;
  readonly #db: Database;
  readonly #now: () => number;
  /** What the running transaction has done to rows. */
  readonly #noted: RowChange[] = [];

  constructor(db: Database, now: () => number) {
    this.#db = db;
    this.#now = now;
    const note = (row: RowChange): void => void this.#noted.push(row);
    this.bookmarks = prepareBookmarks(db, (pair) => note({ of: 'bookmark', ...pair }));
    this.hidden = prepareHidden(db, (pair) => note({ of: 'hidden', ...pair }));
    this.tags = prepareTags(db, (pair) => note({ of: 'tag', ...pair }));
    this.meta = prepareMeta(db);
    this.journal = prepareJournal(db, this.meta);
  }

  /**
   * Runs several writes as one durable transaction and one change of the journal; what touches no row is no change. Within
   * another transaction it becomes part of that one's change.
   * @param undoes the change that is taken back by this one.
   */
  transaction<T>(kind: ChangeKind, write: () => T, undoes: number | null = null): Changed<T> {
    const isNested = this.#db.inTransaction;
    return this.#atomic(() => {
      const result = write();
      return { result, change: isNested ? undefined : this.#record(kind, undoes) };
    });
  }

  /**
   * Writes and takes it all back, each as a change, in one transaction: the user can undo the second one.
   * @returns whether there was anything to write.
   */
  offer(kind: ChangeKind, write: () => void, takeBack: (rows: readonly RowChange[]) => void) {
    return this.#atomic(() => {
      write();
      const change = this.#record(kind, null);
      if (change === undefined) return false;
      takeBack(change.rows);
      this.#record('undo', change.id);
      return true;
    });
  }

  /**
   * Does writes as one change, each a transaction of its own that becomes a part, if it touches a row: between them others
   * have their turn.
   * What is cut off before its end is found by {@link endCutOff}.
   * @returns the number of the change; undefined when nothing was written.
   */
  *inParts(
    kind: ChangeKind,
    writes: Iterable<() => void>,
    undoes: number | null = null,
  ): Generator<StoreChange | undefined, number | undefined> {
    for (const write of writes) {
      const part = this.#atomic(() => {
        write();
        return this.#record(kind, null, 'part');
      });
      yield part;
    }
    return this.#atomic(() => this.#endParts(kind, undoes));
  }

  /**
   * Ends a long change where a crash, or a refusal, has cut it off, and begins the one that takes it back.
   * @returns the number of the one cut off, also where taking it back was cut off; undefined where none is open.
   */
  endCutOff(): number | undefined {
    return this.#atomic(() => {
      const { first, mends } = this.#open() ?? {};
      if (mends !== undefined) return mends;
      const part = first === undefined ? undefined : this.journal.get(first);
      const cutOff = part && this.#endParts(part.kind, null);
      if (cutOff !== undefined) this.#setOpen({ count: 0, mends: cutOff });
      return cutOff;
    });
  }

  #endParts(kind: ChangeKind, undoes: number | null): number | undefined {
    const { first: parts, count = 0 } = this.#open() ?? {};
    this.meta.set(openKey, '');
    return parts && this.recordWhole(kind, { parts, count }, undoes);
  }

  /** Tells of a long change, or of one of the library, in the transaction that ends it. @returns the number of the change. */
  recordWhole(kind: ChangeKind, what: RunChange | PartsChange, undoes: number | null): number {
    const revision = Number(this.meta.revision());
    return this.journal.record({ kind, at: this.#now(), revision, undoes }, what);
  }

  /** Tags that a waypoint has already: a change that gives it a bookmark knows them when it is taken back. */
  noteTags(key: IdentityKey): void {
    for (const row of this.tags.rows(key)) this.#noted.push({ of: 'tag', before: row, after: row });
  }

  #open(): OpenChange | undefined {
    const text = this.meta.get(openKey) ?? '';
    // Sound: written here alone.
    return text === '' ? undefined : (JSON.parse(text) as OpenChange);
  }

  #setOpen(open: OpenChange): void {
    this.meta.set(openKey, JSON.stringify(open));
  }

  /** As a whole or not at all; better-sqlite3 makes a nested one a savepoint. */
  #atomic<T>(write: () => T): T {
    const noted = this.#noted.length;
    try {
      return this.#db.transaction(write).immediate();
    } catch (error) {
      this.#noted.length = noted;
      throw error;
    }
  }

  #record(
    kind: ChangeKind,
    undoes: number | null,
    as: 'change' | 'part' = 'change',
  ): StoreChange | undefined {
    const rows = this.#noted.splice(0);
    if (rows.length === 0) return undefined;
    const change = { kind, at: this.#now(), revision: Number(this.meta.touch()), undoes };
    if (as === 'change') return { id: this.journal.record(change, rows), rows };
    const id = this.journal.recordPart(change, rows);
    const { count, ...open } = this.#open() ?? { count: 0 };
    this.#setOpen({ first: id, ...open, count: count + countOf(rows) });
    return { id, rows };
  }
}
