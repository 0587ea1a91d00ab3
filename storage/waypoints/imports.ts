import { foldName } from '../../model/fold.ts';
import {
  cursorPattern,
  type ImportedFile,
  type ImportsQuery,
  type ImportState,
  type ImportSummary,
} from '../../model/imports.ts';
import type { ChangeKind } from '../../model/change-words.ts';
import type { Database } from '../database.ts';
import type { SyncedFile } from '../library/synced-files.ts';
import { ImportRuns, sliceFiles, type RunFile, type RunKind } from './import-runs.ts';
import type { RunChange } from './journal.ts';
import {
  prepareImportStatements,
  type ImportFolder,
  type ImportRow,
  type PageOf,
  type PlaceInList,
} from './import-statements.ts';

export type { RunFile, RunKind } from './import-runs.ts';
export type { ImportFolder } from './import-statements.ts';

/** One imported file, with what its place is found by. */
export interface LedgerFile extends ImportedFile {
  readonly pathKey: string;
}

/** What a run is to be. */
export interface Intent {
  /** The directory that it imports. */
  readonly folder?: ImportFolder | undefined;
  /** The files that it is to change. */
  readonly planned?: readonly RunFile[];
  /** The change that it takes back, all of it. */
  readonly undoes?: number | undefined;
}

/** Work in slices of a few milliseconds; between them others have their turn, and a crash leaves what the next start mends. */
export type Slices<T> = Generator<void, T>;

/** In one slice of a walk through all of them, some milliseconds. */
const lookedAtFiles = 4_096;

const nothingKnown: ImportSummary = {
  waypoints: 0,
  track_points: 0,
  route_points: 0,
  observations: 0,
  untimed_points: 0,
  unusable_points: 0,
};

/** Writes a run into the journal of changes. @returns the number of the change. */
type RecordRun = (kind: ChangeKind, what: RunChange, undoes: number | null) => number;

const changeKindOf = {
  import: 'import',
  remove: 'import_remove',
  erase: 'import_remove',
  restore: 'import_restore',
  undo: 'undo',
} as const satisfies Record<RunKind, ChangeKind>;

interface Bringer {
  readonly run: number | undefined;
  readonly folder: number | null;
  readonly at: string;
}

/**
 * The list of all files that were imported, and of every change of it. A change is begun here (the intent), then the
 * library changes, then it is finished here, and becomes a change of the journal: what a crash leaves between the two is
 * settled at the next start.
 */
export class ImportLedger {
  readonly #db: Database;
  readonly runs: ImportRuns;
  readonly #statements: ReturnType<typeof prepareImportStatements>;
  readonly #recordRun: RecordRun;

  constructor(db: Database, recordRun: RecordRun) {
    this.#db = db;
    this.#recordRun = recordRun;
    this.#statements = prepareImportStatements(db);
    this.runs = new ImportRuns(db);
  }

  /** A page of files, newest first: what is looked for may be nowhere. @param limit how many at most. */
  *page(query: ImportsQuery, limit: number): Slices<{ files: LedgerFile[]; next?: string }> {
    const [, at = '9', id = '0'] = cursorPattern.exec(query.cursor ?? '') ?? [];
    const words = query.q === undefined ? null : foldName(query.q);
    // One more tells whether there is another page.
    const wanted = { state: query.state ?? null, words, limit: limit + 1 };
    const rows = yield* this.#find({ at, id: Number(id) }, wanted);
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    return {
      files: rows.slice(0, limit).map(toFile),
      ...(last && { next: `${last.imported_at}_${last.id}` }),
    };
  }

  *#find(from: PlaceInList, { state, words, limit }: PageOf): Slices<ImportRow[]> {
    const { page, sliceEnd } = this.#statements;
    const end = (words ?? state) === null ? undefined : sliceEnd.get(from);
    const rows = page.all(from, end ?? { at: '', id: 0 }, { state, words, limit });
    if (end === undefined || rows.length === limit) return rows;
    yield;
    return [...rows, ...(yield* this.#find(end, { state, words, limit: limit - rows.length }))];
  }

  find(id: number): LedgerFile | undefined {
    const row = this.#statements.byId.get(id);
    return row === undefined ? undefined : toFile(row);
  }

  /** Whether a file with this content was replaced or removed. */
  isOut(sha256: string): boolean {
    return this.#statements.isOut.get(sha256) !== undefined;
  }

  /** The file that is active at a place. */
  activeAt(pathKey: string): number | undefined {
    return this.#statements.activeAt.get(pathKey)?.id;
  }

  /** Begins a change; one whose plan is cut off is none. @returns its number. */
  *begin(kind: RunKind, at: string, { folder, planned = [], undoes }: Intent): Slices<number> {
    let run = 0;
    for (let from = 0; ; from += sliceFiles) {
      const isLast = from + sliceFiles >= planned.length;
      this.#change(() => {
        const folder_id = folder === undefined ? null : this.#statements.folderId.get(folder)!;
        run ||= this.runs.begin({ kind, at, folder_id, undoes: undoes ?? null });
        for (const file of planned.slice(from, from + sliceFiles)) this.runs.note(run, file);
        if (isLast) this.runs.setPlanned(run);
      });
      if (isLast) return run;
      yield;
    }
  }

  /**
   * Notes files of the library as active; what was active at their paths is replaced.
   * @param run that has brought them; undefined for files that were found at a start.
   * @param at when they came, which files found at a start tell by their copies.
   * @param grown keys of paths whose content has only grown: that is no change, the one that brought the file has all of it.
   */
  record(
    run: number | undefined,
    files: readonly SyncedFile[],
    at: string,
    grown: ReadonlySet<string> = new Set(),
  ): void {
    this.#change(() => {
      const folder = (run === undefined ? null : this.runs.get(run)?.folder_id) ?? null;
      for (const file of files)
        if (!grown.has(file.pathKey) || !this.#grow(file, at))
          this.#recordFile({ run, folder, at }, file);
    });
  }

  /** Files that are no longer in the library, without what tells why: other content has taken their place, or none. */
  noteGone(ids: readonly number[], at: string): void {
    this.#change(() => {
      for (const id of ids) this.#statements.setState.run('replaced', at, id);
    });
  }

  /** Of the files that a run is to remove, those that left the library get their states. */
  *noteRemoved(run: number, isGone: (file: LedgerFile) => boolean, at: string): Slices<void> {
    const { setState, setUndone } = this.#statements;
    const { undoes } = this.runs.get(run)!;
    for (const slice of this.runs.slicesOf(run)) {
      this.#change(() => {
        for (const { id, before, after } of slice) {
          const file = after === 'active' ? undefined : this.find(id);
          if (file?.state !== before || !isGone(file)) continue;
          setState.run(after, at, id);
          setUndone.run(id, undoes);
        }
      });
      yield;
    }
  }

  /**
   * Ends a run of which all that came and went is recorded; what was planned and did not is dropped.
   * @returns the number of the change that it is; undefined when nothing was changed.
   */
  *finish(run: number): Slices<number | undefined> {
    const { kind, is_done } = this.runs.get(run)!;
    let [changed, brought] = [0, 0];
    for (const slice of this.runs.slicesOf(run)) {
      this.#change(() => {
        for (const { id, after } of slice) {
          if (is_done === -1 || this.find(id)?.state !== after) {
            this.runs.drop(run, id);
            continue;
          }
          changed += 1;
          if (after === 'active') brought += 1;
          if (kind === 'erase') this.#statements.scrub.run(JSON.stringify(nothingKnown), id);
        }
      });
      yield;
    }
    return this.#change(() => {
      const { undoes } = this.runs.get(run)!;
      this.runs.finish(run);
      const what = { run, count: brought || changed };
      return changed === 0 ? undefined : this.#recordRun(changeKindOf[kind], what, undoes);
    });
  }

  kindOf(run: number): RunKind | undefined {
    return this.runs.get(run)?.kind;
  }

  /** Whether a run can be taken back as far as its first files tell: they are as it has left them. */
  isAsLeft(run: number): boolean {
    const kind = this.kindOf(run);
    return kind !== undefined && kind !== 'erase' && this.runs.isAsLeft(run);
  }

  /** Forgets runs of before a time, and files that were replaced before it: their bytes are gone. */
  *purge(before: string): Slices<void> {
    while (this.runs.purge(before)) yield;
    let from = 0;
    while (from < this.lastId()) {
      const { changes } = this.#statements.purge.run(before, from, from + lookedAtFiles);
      if (changes === 0) from += lookedAtFiles;
      yield;
    }
  }

  /** The newest file; 0 for none. */
  lastId(): number {
    return this.#statements.lastId.get() ?? 0;
  }

  /** @returns false where nothing is active, or that content was there before. */
  #grow(file: SyncedFile, importedAt: string): boolean {
    const { activeAt, byContent, grow } = this.#statements;
    const active = activeAt.get(file.pathKey);
    if (active === undefined || byContent.get(file.pathKey, file.sha256) !== undefined)
      return false;
    grow.run({ ...file, importedAt, summary: JSON.stringify(file.summary) }, active.id);
    return true;
  }

  #recordFile(by: Bringer, file: SyncedFile): void {
    const { run, folder, at } = by;
    const { activeAt, byContent, insert, activate, setState, refresh } = this.#statements;
    const note = (id: number, before: ImportState | null, after: ImportState): void => {
      if (run !== undefined) this.runs.note(run, { id, before, after });
    };
    const active = activeAt.get(file.pathKey);
    const summary = JSON.stringify(file.summary);
    if (active?.sha256 === file.sha256) {
      if (active.summary !== summary || active.copied_ns !== file.copiedNs)
        refresh.run(summary, file.copiedNs, active.id);
      return;
    }
    if (active !== undefined) {
      setState.run('replaced', at, active.id);
      note(active.id, 'active', 'replaced');
    }
    const known = byContent.get(file.pathKey, file.sha256);
    if (known !== undefined) {
      activate.run({ folder, summary, copiedNs: file.copiedNs }, known.id);
      note(known.id, known.state, 'active');
      return;
    }
    const isPast = Date.parse(file.copiedAt) < Date.parse(at);
    const importedAt = run === undefined && isPast ? file.copiedAt : at;
    const row = { ...file, folded: foldName(file.path), importedAt, folder, summary };
    note(Number(insert.run(row).lastInsertRowid), null, 'active');
  }

  #change<T>(change: () => T): T {
    return this.#db.transaction(change).immediate();
  }
}

function toFile({ path_key, imported_at, summary, ...row }: ImportRow): LedgerFile {
  // Sound: only summaries are written there.
  return {
    ...row,
    pathKey: path_key,
    imported_at,
    ...(JSON.parse(summary) as ImportSummary),
  };
}
