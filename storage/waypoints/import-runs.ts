import type { ImportState } from '../../model/imports.ts';
import type { InferResult } from 'kysely';
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

/** A change of the list of imported files, as schema/imports.ts says. */
export type Run = InferResult<typeof runRows>[number];

type NewRun = Omit<Run, 'id' | 'is_done'> & { readonly at: string };

/** Every change of the list of imported files, with the states before and after it; called within transactions. */
export class ImportRuns {
  readonly #statements: ReturnType<typeof prepareRuns> & ReturnType<typeof prepareFiles>;

  constructor(db: Database) {
    this.#statements = { ...prepareRuns(db), ...prepareFiles(db) };
  }

  /** The files that it is to change are written down next. */
  begin(run: NewRun): number {
    return Number(this.#statements.begin.run(run).lastInsertRowid);
  }

  /** All that a run is to change is written down. */
  setPlanned(run: number): void {
    this.#statements.setDone.run(0, run);
  }

  get(run: number): Run | undefined {
    return this.#statements.get.get(run);
  }

  /** Those that are not finished, oldest first. */
  open(): Run[] {
    return this.#statements.open.all();
  }

  /** Notes what a run does to a file, if that was not planned. */
  note(run: number, { id, before, after }: RunFile): void {
    this.#statements.note.run(run, id, before, after);
  }

  /** A file is not changed after all; then the run takes back only a part, and is a change of its own. */
  drop(run: number, id: number): void {
    this.#statements.drop.run(run, id);
    this.#statements.standAlone.run(run);
  }

  /** The files of a run in slices of a few milliseconds of work; what is done to one may drop it. */
  *slicesOf(run: number): Generator<readonly RunFile[]> {
    let after = 0;
    for (;;) {
      const slice = this.#statements.filesOf.all(run, after, sliceFiles);
      if (slice.length > 0) yield slice;
      if (slice.length < sliceFiles) return;
      after = slice.at(-1)!.id;
    }
  }

  isAsLeft(run: number): boolean {
    return this.#statements.changedSince.get(run) === undefined;
  }

  /** A run that has changed nothing is forgotten. */
  finish(run: number): void {
    this.#statements.setDone.run(1, run);
    this.#statements.forgetEmpty.run(run);
  }

  /** Forgets a slice of the runs of before a time, their files first. @returns how many rows it was. */
  purge(before: string): number {
    const { purgeFiles, purge } = this.#statements;
    return purgeFiles.run(before).changes || purge.run(before).changes;
  }
}

/** A list of changes asks this of each of them. */
const lookedAtFiles = 100;
/** With a durable commit about 3 ms of the main thread. */
export const sliceFiles = 100;

const runs = waypointTables.selectFrom('import_runs');
const endedRuns = (before: string) =>
  runs.select('id').where('is_done', '=', 1).where('at', '<', before);
const runRows = runs
  .select(['id', 'kind', 'folder_id', 'is_done', 'undoes'])
  .$narrowType<{ kind: RunKind }>();
const runFiles = waypointTables.selectFrom('import_run_files');

function prepareRuns(db: Database) {
  const change = waypointTables.updateTable('import_runs');
  const remove = waypointTables.deleteFrom('import_runs');
  return {
    begin: prepare(db, ({ kind, at, folder_id, undoes }: NewRun) =>
      waypointTables.insertInto('import_runs').values({ kind, at, is_done: -1, folder_id, undoes }),
    ),
    get: prepare(db, (id: number) => runRows.where('id', '=', id)),
    open: prepare(db, () => runRows.where('is_done', '!=', 1).orderBy('id')),
    setDone: prepare(db, (is_done: number, id: number) =>
      change.set({ is_done }).where('id', '=', id),
    ),
    standAlone: prepare(db, (id: number) => change.set({ undoes: null }).where('id', '=', id)),
    forgetEmpty: prepare(db, (id: number) =>
      remove
        .where('id', '=', id)
        .where((eb) => eb.not(eb.exists(runFiles.select('run_id').where('run_id', '=', id)))),
    ),
    purge: prepare(db, (before: string) =>
      remove.where('id', 'in', () => endedRuns(before).limit(sliceFiles)),
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
    purgeFiles: prepare(db, (before: string) =>
      waypointTables
        .deleteFrom('import_run_files')
        .where((eb) =>
          eb(
            eb.refTuple('run_id', 'import_id'),
            'in',
            runFiles
              .select(['run_id', 'import_id'])
              .where('run_id', 'in', endedRuns(before))
              .limit(sliceFiles)
              .$asTuple('run_id', 'import_id'),
          ),
        ),
    ),
    changedSince: prepareValue(db, (run: number) =>
      waypointTables
        .selectFrom(runFiles.selectAll().where('run_id', '=', run).limit(lookedAtFiles).as('r'))
        .innerJoin('imports as i', 'i.id', 'r.import_id')
        .select('i.id')
        .whereRef('i.state', '!=', 'r.after')
        .limit(1),
    ),
    filesOf: prepare(db, (run_id: number, after: number, limit: number) =>
      runFiles
        .select(['import_id as id', 'before', 'after'])
        .$narrowType<{ before: ImportState | null; after: ImportState }>()
        .where('run_id', '=', run_id)
        .where('import_id', '>', after)
        .orderBy('import_id')
        .limit(limit),
    ),
  };
}
