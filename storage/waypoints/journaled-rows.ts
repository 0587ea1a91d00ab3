import type { ChangeKind } from '../../model/change.ts';
import type { IdentityKey } from '../../model/identity.ts';
import type { Database } from '../database.ts';
import { prepareBookmarks, type BookmarkStore } from './bookmarks.ts';
import { prepareHidden, type HiddenStore } from './hidden.ts';
import { prepareJournal, type Journal, type RowChange, type RunChange } from './journal.ts';
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

  /** Tells of a change of the library, in the transaction that ends its run. @returns the number of the change. */
  recordRun(kind: ChangeKind, what: RunChange, undoes: number | null): number {
    const revision = Number(this.meta.revision());
    return this.journal.record({ kind, at: this.#now(), revision, undoes }, what);
  }

  /** Tags that a waypoint has already: a change that gives it a bookmark knows them when it is taken back. */
  noteTags(key: IdentityKey): void {
    for (const row of this.tags.rows(key)) this.#noted.push({ of: 'tag', before: row, after: row });
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

  #record(kind: ChangeKind, undoes: number | null): StoreChange | undefined {
    const rows = this.#noted.splice(0);
    if (rows.length === 0) return undefined;
    const revision = Number(this.meta.touch());
    const id = this.journal.record({ kind, at: this.#now(), revision, undoes }, rows);
    return { id, rows };
  }
}
