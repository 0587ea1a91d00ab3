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
import type { ListedSource } from '../library/library-files.ts';
import { prepareImportStatements, type ImportFolder, type ImportRow } from './import-statements.ts';
import type { JournaledRows } from './journaled-rows.ts';

export type { ImportFolder } from './import-statements.ts';

/** One imported file, with the form in which its path is compared. */
export interface ListedFile extends ImportedFile {
  readonly pathKey: string;
}

/** A file and the state that it gets. */
export interface NewState {
  readonly id: number;
  readonly after: ImportState;
}

/** The states of a file before and after a change; `before` is null for a new one. */
export interface StateChange extends NewState {
  readonly before: ImportState | null;
}

export type ImportChangeKind = ChangeKind & ('import' | `import_${string}` | 'undo');

/** An import while its files come in. */
export interface ListedImport {
  readonly folder?: ImportFolder | undefined;
  /** Its change in the journal; undefined until a file has come. */
  change?: number | undefined;
}

interface NewFile {
  readonly at: string;
  readonly importedAt: string;
  readonly folder: number | null;
  /** Whether the watched folder that has what it replaces does not bring that back: 0 or 1. */
  readonly isPut: number;
}

const nothingKnown: ImportSummary = {
  waypoints: 0,
  track_points: 0,
  route_points: 0,
  observations: 0,
  untimed_points: 0,
  unusable_points: 0,
};

/**
 * The list of imports, which is the truth about them: it is changed first, in one transaction with the journal, and the library
 * and `imports/` follow. New files come the other way: they are listed once the library has them.
 */
export class ImportList {
  readonly #db: Database;
  readonly #rows: Pick<JournaledRows, 'recordImports' | 'journal'>;
  readonly #statements: ReturnType<typeof prepareImportStatements>;

  constructor(db: Database, rows: Pick<JournaledRows, 'recordImports' | 'journal'>) {
    this.#db = db;
    this.#rows = rows;
    this.#statements = prepareImportStatements(db);
  }

  /** A page of files, newest first. */
  page(query: ImportsQuery, limit: number): { files: ListedFile[]; next?: string } {
    const [, at = '9', id = '0'] = cursorPattern.exec(query.cursor ?? '') ?? [];
    const words = query.q === undefined ? null : foldName(query.q);
    // One more tells whether there is another page.
    const wanted = { state: query.state ?? null, words, limit: limit + 1 };
    const rows = this.#statements.page.all(at, Number(id), wanted);
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    return {
      files: rows.slice(0, limit).map(toFile),
      ...(last && { next: `${last.imported_at}_${last.id}` }),
    };
  }

  find(id: number): ListedFile | undefined {
    const row = this.#statements.byId.get(id);
    return row === undefined ? undefined : toFile(row);
  }

  activeAt(pathKey: string): number | undefined {
    return this.#statements.activeAt.get(pathKey)?.id;
  }

  statesOf(change: number): StateChange[] {
    return this.#statements.statesOf.all(change);
  }

  /** Paths of the first files of a change. */
  pathsOf(change: number, limit: number): string[] {
    return this.#statements.pathsOf.all(change, limit);
  }

  /** Whether the first files of a change are as it has left them: a list of changes asks this of each. */
  isAsLeft(change: number): boolean {
    return this.#statements.changedSince.get(change) === undefined;
  }

  /**
   * Sets the states of files, as one change; what is active at the path of a file that becomes active is replaced.
   * @param undoes the change that is undone by it.
   * @returns the number of the change.
   */
  setStates(
    kind: ImportChangeKind,
    states: readonly NewState[],
    at: string,
    undoes: number | null = null,
  ): number {
    const isUndoneImport = undoes !== null && this.#rows.journal.get(undoes)?.kind === 'import';
    // Any other undo leaves the mark of the files that it takes out as it was.
    const isUndone = isUndoneImport || kind === 'import_restore' ? 1 : null;
    return this.#transaction(() => {
      const given = new Set(states.map(({ id }) => id));
      const changes = states.flatMap(({ id, after }): StateChange[] => {
        const { state: before, pathKey } = this.find(id)!;
        const active = after === 'active' ? this.activeAt(pathKey) : undefined;
        const isInTheWay = active !== undefined && !given.has(active);
        const replaced = { id: active!, before: 'active', after: 'replaced' } as const;
        return [...(isInTheWay ? [replaced] : []), { id, before, after }];
      });
      const { leave, activate } = this.#statements;
      for (const { id, after } of changes)
        if (after !== 'active') leave.run(after, at, isUndone, id);
      for (const { id, after } of changes) if (after === 'active') activate.run(id);
      return this.#recordStates(kind, changes, { undoes });
    });
  }

  /** Removes a file for good, which cannot be undone. @returns the number of the change. */
  erase(id: number, at: string): number {
    const { leave, scrub } = this.#statements;
    return this.#transaction(() => {
      leave.run('removed', at, 0, id);
      scrub.run(JSON.stringify(nothingKnown), id);
      return this.#rows.recordImports('import_remove', null, 1);
    });
  }

  /**
   * Lists files of the library as active; what was active at their paths is replaced. Files without an import were found in
   * `imports/`, and their coming is no change.
   * @param at the time of the import; a file that was found has that of its copy.
   */
  add(files: readonly ListedSource[], at: string, by?: ListedImport): void {
    if (files.length === 0) return;
    this.#transaction(() => {
      const folder = by?.folder && this.#statements.folderId.get(by.folder);
      // Files that the user puts at a place of their own, or uploads, come from no folder.
      const isPut = Number(by !== undefined && folder === undefined);
      const changes = files.flatMap((file) => {
        const isPast = by === undefined && Date.parse(file.copiedAt) < Date.parse(at);
        const importedAt = isPast ? file.copiedAt : at;
        return this.#addFile(file, { at, importedAt, folder: folder ?? null, isPut });
      });
      if (by !== undefined && changes.length > 0)
        by.change = this.#recordStates('import', changes, { change: by.change });
    });
  }

  /** Notes that the library has no such files: they are missing in `imports/`. */
  noteMissing(ids: readonly number[], at: string): void {
    if (ids.length === 0) return;
    this.#transaction(() => {
      for (const id of ids) this.#statements.leave.run('missing', at, 0, id);
    });
  }

  /** Forgets files that were replaced before a time: their bytes are gone. */
  purge(before: string): void {
    this.#statements.purge.run(before);
  }

  #addFile(file: ListedSource, { at, importedAt, folder, isPut }: NewFile): StateChange[] {
    const { byId, activeAt, insert, activate, setFolder, leave, grow, refresh } = this.#statements;
    const { id } = file;
    const summary = JSON.stringify(file.summary);
    const known = byId.get(id);
    if (known?.state === 'active') {
      if (known.sha256 !== file.sha256) grow.run({ ...file, importedAt, summary });
      return [];
    }
    const changes: StateChange[] = [];
    const active = activeAt.get(file.pathKey);
    if (active !== undefined) {
      leave.run('replaced', at, isPut, active.id);
      changes.push({ id: active.id, before: 'active', after: 'replaced' });
    }
    if (known === undefined)
      insert.run({ ...file, folded: foldName(file.path), importedAt, folder, summary });
    else {
      activate.run(id);
      refresh.run(summary, id);
      if (folder !== null) setFolder.run(folder, id);
    }
    return [...changes, { id, before: known?.state ?? null, after: 'active' }];
  }

  /** Records a change with its states, or adds them to one. @returns the number of the change. */
  #recordStates(
    kind: ImportChangeKind,
    changes: readonly StateChange[],
    { undoes = null, change }: { undoes?: number | null; change?: number | undefined },
  ): number {
    const { noteState, countStates } = this.#statements;
    const number = change ?? this.#rows.recordImports(kind, undoes);
    for (const { id, before, after } of changes) noteState.run(number, id, before, after);
    countStates.run(number);
    return number;
  }

  #transaction<T>(change: () => T): T {
    return this.#db.transaction(change).immediate();
  }
}

function toFile({ path_key, imported_at, summary, ...row }: ImportRow): ListedFile {
  // Sound: only summaries are written there.
  return {
    ...row,
    pathKey: path_key,
    imported_at,
    ...(JSON.parse(summary) as ImportSummary),
  };
}
