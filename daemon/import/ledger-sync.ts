import { limits } from '../../model/limits.ts';
import type { Clock } from '../../model/process.ts';
import { formatTime } from '../../model/time.ts';
import type { SyncReader } from '../../storage/library/synced-files.ts';
import type { ImportLedger, Intent, RunKind } from '../../storage/waypoints/imports.ts';
import type { StoreMeta } from '../../storage/waypoints/meta.ts';
import { retentionTime } from '../../storage/waypoints/retention-time.ts';
import { inSlices, othersTurn } from '../in-slices.ts';

/** What the list of imported files is kept in, and what it is compared with. */
export interface LedgerStore {
  readonly imports: ImportLedger;
  readonly libraryFiles: SyncReader;
  readonly meta: Pick<StoreMeta, 'get' | 'set'>;
}

/** Files taken over in one transaction, a few milliseconds of work. */
const pageFiles = 100;
/** Files looked at in one turn for whether they are gone: all of them may be. */
const comparedFiles = 512;
/** The runs that files may come by. */
const bringing: ReadonlySet<RunKind> = new Set(['import', 'restore', 'undo']);
/** Names the library that the list was last brought in line with. */
export const revisionKey = 'imports_library';

/** Brings the list of imported files in line with the library, in slices that stop no request for long. */
export class LedgerSync {
  readonly #store: LedgerStore;
  readonly #clock: Clock;
  /** The newest file of the library that the list knows. */
  #newest = 0;

  constructor(store: LedgerStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Begins a run, before the library changes. @returns its number. */
  begin(kind: RunKind, intent: Intent = {}): Promise<number> {
    return inSlices(this.#store.imports.begin(kind, this.#now(), intent));
  }

  /**
   * Takes over what a run has removed and brought, and ends the run.
   * @param grown as ImportLedger.record.
   * @returns as ImportLedger.finish.
   */
  async finish(run: number, grown?: ReadonlySet<string>): Promise<number | undefined> {
    await this.#noteRemoved(run);
    await this.#takeOver(run, grown);
    const change = await inSlices(this.#store.imports.finish(run));
    this.#noteRevision();
    return change;
  }

  /** Whether a file that is out of the library has this content, so that its bytes have to be kept. */
  needs(sha256: string): boolean {
    return this.#store.imports.isOut(sha256);
  }

  /** Runs that a crash has cut off and that say what they are to change. */
  get unfinished(): number[] {
    const open = this.#store.imports.runs.open();
    return open.filter((run) => run.kind !== 'import' && run.is_done === 0).map(({ id }) => id);
  }

  /**
   * Compares all files, as at a start: finishes what was begun, and takes over what the files say.
   * @param isWhole whether the library has all files of `imports/`.
   */
  async settle(isWhole: boolean): Promise<void> {
    const { imports, libraryFiles } = this.#store;
    const longAgo = formatTime(this.retentionTime() - limits.replacedRetentionMs);
    await inSlices(imports.purge(longAgo));
    if (this.#isCurrent()) {
      this.#newest = libraryFiles.lastId();
      return;
    }
    const open = imports.runs.open();
    for (const { id, is_done } of open) if (is_done === 0) await this.#noteRemoved(id);
    this.#newest = 0;
    await this.#takeOver(open.findLast(({ kind }) => bringing.has(kind))?.id);
    if (isWhole) await this.#noteGone();
    for (const { id } of open) await inSlices(imports.finish(id));
    if (isWhole) this.#noteRevision();
  }

  /** Whether the list says what the library holds. */
  #isCurrent(): boolean {
    const { imports, libraryFiles, meta } = this.#store;
    return imports.runs.open().length === 0 && meta.get(revisionKey) === libraryFiles.revision();
  }

  /** What a run was to remove and the library no longer has is removed. */
  #noteRemoved(run: number): Promise<void> {
    const { imports, libraryFiles } = this.#store;
    const isGone = ({ pathKey, sha256 }: { pathKey: string; sha256: string }): boolean =>
      !libraryFiles.has(pathKey, sha256);
    return inSlices(imports.noteRemoved(run, isGone, this.#now()));
  }

  async #takeOver(run: number | undefined, grown?: ReadonlySet<string>): Promise<void> {
    const { imports, libraryFiles } = this.#store;
    for (;;) {
      const files = libraryFiles.filesAfter(this.#newest, pageFiles);
      const last = files.at(-1);
      if (last === undefined) return;
      imports.record(run, files, this.#now(), grown);
      this.#newest = last.libraryId;
      if (files.length < pageFiles) return;
      await othersTurn();
    }
  }

  async #noteGone(): Promise<void> {
    const { imports, libraryFiles } = this.#store;
    for (let from = 0; from < imports.lastId(); from += comparedFiles) {
      const gone = libraryFiles.goneAmong(from, from + comparedFiles);
      if (gone.length > 0) imports.noteGone(gone, this.#now());
      await othersTurn();
    }
  }

  #noteRevision(): void {
    const { libraryFiles, meta } = this.#store;
    meta.set(revisionKey, libraryFiles.revision());
  }

  /** See {@link retentionTime}. */
  retentionTime(): number {
    return retentionTime(this.#store.meta, this.#clock.now());
  }

  /** Where the clock has gone back, the time by which things grow old: else they would be old at once when it is right. */
  #now(): string {
    return formatTime(Math.max(this.#clock.now(), this.retentionTime()));
  }
}
