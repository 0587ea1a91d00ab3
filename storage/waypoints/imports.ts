import { foldName } from '../../model/fold.ts';
import {
  cursorPattern,
  type ImportedFile,
  type ImportsQuery,
  type ImportState,
  type ImportSummary,
} from '../../model/imports.ts';
import type { Database } from '../database.ts';
import type { SyncedFile } from '../library/synced-files.ts';
import { ImportRuns, type RunFile, type RunKind } from './import-runs.ts';
import { prepareImportStatements, type ImportFolder, type ImportRow } from './import-statements.ts';

export type { RunFile, RunKind } from './import-runs.ts';
export type { ImportFolder } from './import-statements.ts';

/** One imported file, with what its place is found by. */
export interface LedgerFile extends ImportedFile {
  readonly pathKey: string;
}

/** What a run is to change: a file and the state that it gets. */
export interface PlannedChange {
  readonly id: number;
  readonly after: ImportState;
}

const nothingKnown: ImportSummary = {
  waypoints: 0,
  track_points: 0,
  route_points: 0,
  observations: 0,
  untimed_points: 0,
  unusable_points: 0,
};

interface Bringer {
  readonly run: number | undefined;
  readonly folder: number | null;
  readonly at: string;
}

/**
 * The list of all files that were imported, and of every change of it. A change is begun here (the intent), then the
 * library changes, then it is finished here: what a crash leaves between the two is settled at the next start.
 */
export class ImportLedger {
  readonly #db: Database;
  readonly #statements: ReturnType<typeof prepareImportStatements>;
  readonly #runs: ImportRuns;

  constructor(db: Database) {
    this.#db = db;
    this.#statements = prepareImportStatements(db);
    this.#runs = new ImportRuns(db);
  }

  /** A page of files, newest first. @param limit how many at most. */
  page(query: ImportsQuery, limit: number): { files: LedgerFile[]; next: string | undefined } {
    const [, at = '9', id = '0'] = cursorPattern.exec(query.cursor ?? '') ?? [];
    const rows = this.#statements.page.all({
      at,
      id: Number(id),
      state: query.state ?? null,
      words: query.q === undefined ? null : foldName(query.q),
      // One more tells whether there is another page.
      limit: limit + 1,
    });
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    return {
      files: rows.slice(0, limit).map(toFile),
      next: last === undefined ? undefined : `${last.imported_at}_${last.id}`,
    };
  }

  find(id: number): LedgerFile | undefined {
    const row = this.#statements.byId.get(id);
    return row === undefined ? undefined : toFile(row);
  }

  /** The files that need the kept bytes of a content: those that are not active. */
  keptWith(sha256: string): number[] {
    return this.#statements.keptWith.all(sha256);
  }

  /** Begins a change. @returns its number. */
  begin(
    kind: RunKind,
    at: string,
    folder: ImportFolder | undefined,
    changes: readonly PlannedChange[],
  ): number {
    return this.#change(() => {
      const run = this.#runs.begin(kind, at, folder === undefined ? null : this.#folderId(folder));
      for (const { id, after } of changes)
        this.#runs.note(run, { id, before: this.find(id)?.state ?? null, after });
      return run;
    });
  }

  /**
   * Notes files of the library as active; what was active at their paths is replaced.
   * @param run that has brought them; undefined for files that were found at a start.
   * @param at when they came, which files found at a start tell by their copies.
   */
  record(run: number | undefined, files: readonly SyncedFile[], at: string): void {
    this.#change(() => {
      const folder = run === undefined ? null : this.#runs.folderOf(run);
      for (const file of files) this.#recordFile({ run, folder, at }, file);
    });
  }

  /** Files that are no longer in the library, without what tells why: other content has taken their place, or none. */
  noteGone(ids: readonly number[], at: string): void {
    this.#change(() => {
      for (const id of ids) this.#statements.setState.run('replaced', at, id);
    });
  }

  /** Ends a run of removals: the files that left the library get their states; the others were not changed. */
  finishRemoval(run: number, isGone: (file: LedgerFile) => boolean, at: string): number[] {
    return this.#change(() => {
      const gone: number[] = [];
      for (const { id, after } of this.#runs.filesOf(run)) {
        const file = this.find(id);
        if (file !== undefined && isGone(file)) {
          this.#statements.setState.run(after, at, id);
          gone.push(id);
        } else this.#runs.drop(run, id);
      }
      this.#runs.finish(run);
      return gone;
    });
  }

  /** Ends a run of which all that came in is recorded; what did not is dropped. */
  finish(run: number): void {
    this.#change(() => {
      for (const { id, after } of this.#runs.filesOf(run))
        if (this.find(id)?.state !== after) this.#runs.drop(run, id);
      this.#runs.finish(run);
    });
  }

  /** The runs that were begun and not finished, oldest first. */
  openRuns(): { id: number; kind: RunKind }[] {
    return this.#runs.open();
  }

  /** The files of a run, with their states before and after it. */
  filesOfRun(run: number): RunFile[] {
    return this.#runs.filesOf(run);
  }

  /** Forgets runs of before a time, and files that were replaced before it: their bytes are gone. A thousand at most. */
  purge(before: string): void {
    this.#change(() => {
      this.#runs.purge(before);
      this.#statements.purge.run(before);
    });
  }

  /** Keeps no more of a file than that its content is not to come in again. */
  scrub(id: number, at: string): void {
    this.#change(() => {
      this.#statements.setState.run('removed', at, id);
      this.#statements.refresh.run(JSON.stringify(nothingKnown), id);
    });
  }

  #recordFile(by: Bringer, file: SyncedFile): void {
    const { run, folder, at } = by;
    const { activeAt, byContent, insert, activate, setState, refresh } = this.#statements;
    const note = (id: number, before: ImportState | null, after: ImportState): void => {
      if (run !== undefined) this.#runs.note(run, { id, before, after });
    };
    const active = activeAt.get(file.pathKey);
    const summary = JSON.stringify(file.summary);
    if (active?.sha256 === file.sha256) {
      if (active.summary !== summary) refresh.run(summary, active.id);
      return;
    }
    if (active !== undefined) {
      setState.run('replaced', at, active.id);
      note(active.id, 'active', 'replaced');
    }
    const known = byContent.get(file.pathKey, file.sha256);
    if (known !== undefined) {
      activate.run({ folder, summary }, known.id);
      note(known.id, known.state, 'active');
      return;
    }
    const importedAt = run === undefined ? file.copiedAt : at;
    const row = { ...file, folded: foldName(file.path), importedAt, folder, summary };
    note(Number(insert.run(row).lastInsertRowid), null, 'active');
  }

  #folderId({ device, inode, path }: ImportFolder): number {
    const { folderId, addFolder } = this.#statements;
    const folder = { device, inode, path };
    return folderId.get(folder) ?? Number(addFolder.run(folder).lastInsertRowid);
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
