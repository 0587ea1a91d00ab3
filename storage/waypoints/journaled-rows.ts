import type { ChangeKind } from '../../model/change-words.ts';
import type { IdentityKey } from '../../model/identity.ts';
import type { Database } from '../database.ts';
import { prepareBookmarks, type BookmarkStore } from './bookmarks.ts';
import { prepareCorrections, type CorrectionStore } from './corrections.ts';
import { prepareHidden, type HiddenStore } from './hidden.ts';
import { prepareJournal, type Journal, type RowChange } from './journal.ts';
import { prepareMeta, type StoreMeta } from './meta.ts';
import { prepareStamps, type Stamps } from './stamps.ts';
import { prepareTags, type TagStore } from './tags.ts';

/** Result of a change, and its number in the journal; undefined if nothing changed. */
export interface Changed<T> {
  readonly result: T;
  readonly change: number | undefined;
}

/** A change as those that follow the store need it. */
export interface StoreChange {
  readonly id: number;
  readonly kind: ChangeKind;
  readonly rows: readonly RowChange[];
}

/** Bookmarks, tags, hidden waypoints and corrections: what is written to them becomes a change in the journal, in the same transaction. */
export class JournaledRows {
  readonly bookmarks: BookmarkStore;
  readonly corrections: CorrectionStore;
  readonly hidden: HiddenStore;
  readonly tags: TagStore;
  readonly journal: Journal;
  readonly meta: StoreMeta;
  readonly stamps: Stamps;
  readonly #db: Database;
  readonly #now: () => number;
  readonly #onChange: (change: StoreChange) => void;
  /** Row changes of the running transaction. */
  readonly #noted: RowChange[] = [];

  /** @param onChange called after each change, when it is on the disk. */
  constructor(db: Database, now: () => number, onChange: (change: StoreChange) => void) {
    this.#db = db;
    this.#now = now;
    this.#onChange = onChange;
    const note = (row: RowChange): void => void this.#noted.push(row);
    this.bookmarks = prepareBookmarks(db, (pair) => note({ of: 'bookmark', ...pair }));
    this.corrections = prepareCorrections(db, (pair) => note({ of: 'correction', ...pair }));
    this.hidden = prepareHidden(db, (pair) => note({ of: 'hidden', ...pair }));
    this.tags = prepareTags(db, (pair) => note({ of: 'tag', ...pair }));
    this.meta = prepareMeta(db);
    this.stamps = prepareStamps(db);
    this.journal = prepareJournal(db, this.meta);
  }

  /**
   * Runs several writes as one durable transaction and one change of the journal; what touches no row is no change. Within
   * another transaction it becomes part of that one's change.
   * @param undoes the change that is taken back by this one.
   * @param stamp called last in the transaction: sets stamps that are not those of now.
   */
  transaction<T>(
    kind: ChangeKind,
    write: () => T,
    { undoes = null, stamp }: { readonly undoes?: number | null; readonly stamp?: () => void } = {},
  ): Changed<T> {
    const isNested = this.#db.inTransaction;
    const { result, change } = this.#atomic(() => {
      const written = write();
      const recorded = isNested ? undefined : this.#record(kind, undoes);
      stamp?.();
      return { result: written, change: recorded };
    });
    if (change !== undefined) this.#onChange(change);
    return { result, change: change?.id };
  }

  /**
   * Records a change of the list of imports, in the transaction that makes it.
   * @param count of files, for a change that keeps no states and cannot be undone.
   * @returns the number of the change.
   */
  recordImports(kind: ChangeKind, undoes: number | null, count?: number): number {
    const revision = Number(this.meta.revision());
    return this.journal.record({ kind, at: this.#now(), revision, undoes }, { count });
  }

  /** Notes the tags that a waypoint has before it becomes a bookmark, unchanged: an undo must not take them for later ones. */
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
    const change = { kind, at: this.#now(), revision: Number(this.meta.touch()), undoes };
    this.stamps.stampRows(rows, change.at, change.revision);
    return { id: this.journal.record(change, rows), kind, rows };
  }
}
