import type { ImportState } from '../../model/imports.ts';
import type { Database } from '../database.ts';
import { prepare, prepareValue } from '../prepared.ts';
import { waypointTables } from '../schema/waypoints.ts';

/** What a run does to the list of imported files; `erase` removes for good, `undo` takes another run back. */
export type RunKind = 'import' | 'remove' | 'erase' | 'restore' | 'undo';

/** A file that a run changes; null for one that was not there before. */
export interface RunFile {
  readonly id: number;
  readonly before: ImportState | null;
  readonly after: ImportState;
}

/** Every change of the list of imported files, with the states before and after it; called within transactions. */
export class ImportRuns {
  readonly #statements: ReturnType<typeof prepareRuns> & ReturnType<typeof prepareFiles>;

  constructor(db: Database) {
    this.#statements = { ...prepareRuns(db), ...prepareFiles(db) };
  }

  begin(kind: RunKind, at: string, folder: number | null): number {
    return Number(this.#statements.begin.run(kind, at, folder).lastInsertRowid);
  }

  /** What a run does, and the number of the folder that it imports from. */
  get(run: number): { kind: RunKind; folder_id: number | null } | undefined {
    return this.#statements.get.get(run);
  }

  /** Those that are not finished, oldest first. */
  open(): { id: number; kind: RunKind }[] {
    return this.#statements.open.all();
  }

  /** Notes what a run does to a file, if that was not planned. */
  note(run: number, { id, before, after }: RunFile): void {
    this.#statements.note.run(run, id, before, after);
  }

  drop(run: number, id: number): void {
    this.#statements.drop.run(run, id);
  }

  filesOf(run: number): RunFile[] {
    return this.#statements.filesOf.all(run);
  }

  isAsLeft(run: number): boolean {
    return this.#statements.changedSince.get(run) === undefined;
  }

  /** A run that has changed nothing is forgotten. */
  finish(run: number): void {
    this.#statements.finish.run(run);
    this.#statements.forgetEmpty.run(run);
  }

  /** Forgets some runs of before a time. */
  purge(before: string): void {
    this.#statements.purge.run(before);
  }
}

/** A list of changes asks this of each of them. */
const lookedAtFiles = 100;

const runs = waypointTables.selectFrom('import_runs');
const runFiles = waypointTables.selectFrom('import_run_files');

function prepareRuns(db: Database) {
  const change = waypointTables.updateTable('import_runs');
  const remove = waypointTables.deleteFrom('import_runs');
  return {
    begin: prepare(db, (kind: RunKind, at: string, folder_id: number | null) =>
      waypointTables.insertInto('import_runs').values({ kind, at, is_done: 0, folder_id }),
    ),
    get: prepare(db, (id: number) =>
      runs.select(['kind', 'folder_id']).$narrowType<{ kind: RunKind }>().where('id', '=', id),
    ),
    open: prepare(db, () =>
      runs.select(['id', 'kind']).$narrowType<{ kind: RunKind }>().where('is_done', '=', 0),
    ),
    finish: prepare(db, (id: number) => change.set({ is_done: 1 }).where('id', '=', id)),
    forgetEmpty: prepare(db, (id: number) =>
      remove
        .where('id', '=', id)
        .where((eb) => eb.not(eb.exists(runFiles.select('run_id').where('run_id', '=', id)))),
    ),
    purge: prepare(db, (before: string) =>
      remove.where('id', 'in', () =>
        runs.select('id').where('is_done', '=', 1).where('at', '<', before).limit(100),
      ),
    ),
  };
}

function prepareFiles(db: Database) {
  return {
    note: prepare(
      db,
      (run_id: number, import_id: number, before: ImportState | null, after: ImportState) =>
        waypointTables
          .insertInto('import_run_files')
          .values({ run_id, import_id, before, after })
          .onConflict((conflict) => conflict.doNothing()),
    ),
    drop: prepare(db, (run_id: number, import_id: number) =>
      waypointTables.deleteFrom('import_run_files').where((eb) => eb.and({ run_id, import_id })),
    ),
    changedSince: prepareValue(db, (run: number) =>
      waypointTables
        .selectFrom(runFiles.selectAll().where('run_id', '=', run).limit(lookedAtFiles).as('r'))
        .innerJoin('imports as i', 'i.id', 'r.import_id')
        .select('i.id')
        .whereRef('i.state', '!=', 'r.after')
        .limit(1),
    ),
    filesOf: prepare(db, (run_id: number) =>
      runFiles
        .select(['import_id as id', 'before', 'after'])
        .$narrowType<{ before: ImportState | null; after: ImportState }>()
        .where('run_id', '=', run_id),
    ),
  };
}
