import { sql, type ExpressionBuilder } from 'kysely';
import type { ImportState } from '../../model/imports.ts';
import { openReader, orClosed, type Database } from '../database.ts';
import { prepare, prepareValue, type RowOf } from '../prepared.ts';
import { waypointTables, type WaypointsDb } from '../schema/waypoints.ts';
import type { RunKind } from './import-runs.ts';

/** A file that is to leave the library, its bytes kept, or to come back from the kept bytes. */
export interface FileStep extends Omit<RowOf<ReturnType<typeof prepareSteps>>, 'others'> {
  /** Whether no other file needs the kept bytes. */
  readonly areKeptBytesFree: boolean;
}

/** What the import worker asks the list of imported files, in its own thread; nothing is changed through it. */
export class ImportLookup {
  readonly #db: Database;
  readonly #statements: ReturnType<typeof prepareStatements>;

  constructor(waypointsPath: string) {
    this.#db = openReader(waypointsPath);
    this.#statements = orClosed(this.#db, prepareStatements);
  }

  /** The directory that the file at a path came from, if that is known. */
  folderOf(pathKey: string): { device: string; inode: string; path: string } | undefined {
    return this.#statements.folderOf.get(pathKey);
  }

  /** Whether the user removed a content, or perhaps undid what had brought it, and no path has it. */
  isRemoved(sha256: string, orUndone: boolean): boolean {
    const { isRemoved, isActive } = this.#statements;
    const found = isRemoved.get(sha256, Number(orUndone));
    return found !== undefined && isActive.get(sha256) === undefined;
  }

  /** How many bytes such files had. */
  removedSizes(orUndone: boolean): number[] {
    return this.#statements.removedSizes.all(Number(orUndone));
  }

  kindOf(run: number): RunKind | undefined {
    return this.#statements.kindOf.get(run);
  }

  /** What a run is to change: removals, the last first, since twins before them mostly show; then what comes back, in whose place none is removed. */
  stepsOf(run: number): FileStep[] {
    return this.#statements.stepsOf
      .all(run)
      .map(({ others, ...step }) => ({ ...step, areKeptBytesFree: others === 0 }));
  }

  close(): void {
    this.#db.close();
  }
}

function prepareStatements(db: Database) {
  const imports = waypointTables.selectFrom('imports');
  const withContent = (sha256: string) =>
    imports.select('id').where('sha256', '=', sha256).limit(1);
  const isOut = (orUndone: number) => (eb: ExpressionBuilder<WaypointsDb, 'imports'>) =>
    eb.or([
      eb('state', '=', 'removed'),
      eb.and([eb('is_undone', '=', 1), eb(eb.val(orUndone), '=', 1)]),
    ]);
  return {
    folderOf: prepare(db, (pathKey: string) =>
      imports
        .innerJoin('import_folders as f', 'f.id', 'imports.folder_id')
        .select(['f.device', 'f.inode', 'f.path'])
        .where('path_key', '=', pathKey)
        .where('state', '=', 'active'),
    ),
    isRemoved: prepareValue(db, (sha256: string, orUndone: number) =>
      withContent(sha256).where(isOut(orUndone)),
    ),
    isActive: prepareValue(db, (sha256: string) =>
      withContent(sha256).where('state', '=', 'active'),
    ),
    removedSizes: prepareValue(db, (orUndone: number) =>
      imports.select('bytes').distinct().where(isOut(orUndone)),
    ),
    kindOf: prepareValue(db, (run: number) =>
      waypointTables
        .selectFrom('import_runs')
        .select('kind')
        .$narrowType<{ kind: RunKind }>()
        .where('id', '=', run),
    ),
    stepsOf: prepareSteps(db),
  };
}

function prepareSteps(db: Database) {
  return prepare(db, (run: number) =>
    waypointTables
      .selectFrom('import_run_files as r')
      .innerJoin('imports as i', 'i.id', 'r.import_id')
      .select(['i.path', 'i.sha256', 'i.bytes', 'r.before', 'r.after'])
      .$narrowType<{ before: ImportState | null; after: ImportState }>()
      // When it was copied, ns since 1970; null for one that an older version has imported.
      .select('i.copied_ns as copiedNs')
      .select((eb) =>
        eb
          .selectFrom('imports as o')
          .select(eb.fn.countAll<number>().as('others'))
          .whereRef('o.sha256', '=', 'i.sha256')
          .whereRef('o.id', '!=', 'i.id')
          // Those that this run takes away need the bytes from then on.
          .where(
            sql<boolean>`(o.state != 'active' AND o.ended_at IS NOT NULL OR EXISTS (
              SELECT 1 FROM import_run_files c WHERE c.run_id = r.run_id AND c.import_id = o.id
                AND c.before = 'active' AND c.after != 'active'))`,
          )
          .as('others'),
      )
      .where('r.run_id', '=', run)
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('imports as p')
              .innerJoin('import_run_files as c', 'c.import_id', 'p.id')
              .select('p.id')
              .whereRef('p.path_key', '=', 'i.path_key')
              .whereRef('p.id', '!=', 'i.id')
              .whereRef('c.run_id', '=', 'r.run_id')
              .where('c.after', '=', 'active'),
          ),
        ),
      )
      .orderBy(sql`r.after = 'active'`)
      .orderBy(sql`iif(r.after = 'active', i.id, -i.id)`),
  );
}
