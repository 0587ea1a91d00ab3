import { sql } from 'kysely';
import type { ImportState } from '../../model/imports.ts';
import type { Database } from '../database.ts';
import type { ListedSource } from '../library/library-files.ts';
import { prepare, prepareValue, type RowOf } from '../prepared.ts';
import { waypointTables } from '../schema/waypoints.ts';

/** The directory that files came from. */
export interface ImportFolder {
  readonly device: string;
  readonly inode: string;
  /** A real path; in no answer and no log. */
  readonly path: string;
}

/** Files and search words of a page. */
interface PageOf {
  readonly state: string | null;
  readonly words: string | null;
  readonly limit: number;
}

interface NewImport extends Omit<ListedSource, 'copiedAt' | 'summary'> {
  readonly folded: string;
  readonly importedAt: string;
  readonly folder: number | null;
  readonly summary: string;
}

const imports = waypointTables.selectFrom('imports');
const rows = imports
  .select(['id', 'path', 'path_key', 'format', 'sha256', 'bytes', 'imported_at', 'state'])
  .$narrowType<{ state: ImportState }>()
  .select('summary');

export type ImportRow = RowOf<ReturnType<typeof prepareImportStatements>['byId']>;

/** Queries and changes of the list of imports. */
export function prepareImportStatements(db: Database) {
  return {
    ...prepareQueries(db),
    ...prepareChanges(db),
    ...prepareStates(db),
  };
}

function prepareQueries(db: Database) {
  return {
    page: preparePage(db),
    byId: prepare(db, (id: number) => rows.where('id', '=', id)),
    activeAt: prepare(db, (pathKey: string) =>
      rows.where('path_key', '=', pathKey).where('state', '=', 'active'),
    ),
    /** The id of a folder, which is added if it is new. */
    folderId: prepareValue(db, ({ device, inode, path }: ImportFolder) =>
      waypointTables
        .insertInto('import_folders')
        .values({ device, inode, path })
        .onConflict((known) => known.columns(['device', 'inode', 'path']).doUpdateSet({ path }))
        .returning('id'),
    ),
  };
}

function prepareChanges(db: Database) {
  const update = waypointTables.updateTable('imports');
  return {
    insert: prepare(db, (row: NewImport) =>
      waypointTables.insertInto('imports').values({
        id: row.id,
        path: row.path,
        path_key: row.pathKey,
        folded: row.folded,
        sha256: row.sha256,
        bytes: row.size,
        format: row.format,
        imported_at: row.importedAt,
        state: 'active',
        folder_id: row.folder,
        summary: row.summary,
      }),
    ),
    // More content than before, and all that it had.
    grow: prepare(db, (row: Omit<NewImport, 'folded' | 'folder'>) =>
      update
        .set({ sha256: row.sha256, bytes: row.size, format: row.format, summary: row.summary })
        .set({ imported_at: row.importedAt })
        .where('id', '=', row.id),
    ),
    refresh: prepare(db, (summary: string, id: number) =>
      update.set({ summary }).where('id', '=', id).where('summary', '!=', summary),
    ),
    // Only its hash is kept, so that its content does not come in again.
    scrub: prepare(db, (summary: string, id: number) =>
      update.set({ summary, ended_at: null }).where('id', '=', id),
    ),
    purge: prepare(db, (before: string) =>
      waypointTables
        .deleteFrom('imports')
        .where('state', '=', 'replaced')
        .where('is_undone', 'is', null)
        .where('ended_at', '<', before),
    ),
  };
}

/** Rows of `import_states` that a list of changes looks at. */
const comparedStates = 100;

/** 0 or 1 for `is_undone`; null leaves it as it is. */
const undoneOr = (isUndone: number | null) =>
  sql<number>`nullif(ifnull(${isUndone}, is_undone), 0)`;

function prepareStates(db: Database) {
  const update = waypointTables.updateTable('imports');
  const states = waypointTables.selectFrom('import_states');
  return {
    // It stays noted that it was taken out once, for when this is undone.
    activate: prepare(db, (id: number) =>
      update.set({ state: 'active', ended_at: null }).where('id', '=', id),
    ),
    setFolder: prepare(db, (folder_id: number, id: number) =>
      update.set({ folder_id }).where('id', '=', id),
    ),
    leave: prepare(
      db,
      (state: ImportState, ended_at: string, isUndone: number | null, id: number) =>
        update.set({ state, ended_at, is_undone: undoneOr(isUndone) }).where('id', '=', id),
    ),
    noteState: prepare(
      db,
      (change_id: number, import_id: number, before: ImportState | null, after: ImportState) =>
        waypointTables
          .insertInto('import_states')
          .values({ change_id, import_id, before, after })
          .onConflict((known) => known.doNothing()),
    ),
    /** Counts the files that became active, else all. */
    countStates: prepare(db, (change: number) =>
      waypointTables
        .updateTable('changes')
        .set({
          count: states
            .select(sql<number>`coalesce(nullif(sum(after = 'active'), 0), count(*))`.as('count'))
            .where('change_id', '=', change),
        })
        .where('id', '=', change),
    ),
    statesOf: prepare(db, (change: number) =>
      states
        .select(['import_id as id', 'before', 'after'])
        .$narrowType<{ before: ImportState | null; after: ImportState }>()
        .where('change_id', '=', change)
        .orderBy('import_id'),
    ),
    pathsOf: prepareValue(db, (change: number, limit: number) =>
      states
        .innerJoin('imports as i', 'i.id', 'import_id')
        .select('i.path')
        .where('change_id', '=', change)
        .orderBy('import_id')
        .limit(limit),
    ),
    changedSince: prepareValue(db, (change: number) =>
      waypointTables
        .selectFrom(
          states.selectAll().where('change_id', '=', change).limit(comparedStates).as('s'),
        )
        .innerJoin('imports as i', 'i.id', 's.import_id')
        .select('i.id')
        .whereRef('i.state', '!=', 's.after')
        .limit(1),
    ),
  };
}

/** The ids come from a covering index, so that a search without hits is fast. */
function preparePage(db: Database) {
  return prepare(db, (at: string, id: number, { state, words, limit }: PageOf) =>
    rows
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('imports')
          .select('id')
          .where(sql<boolean>`(imported_at, id) < (${at}, ${id})`)
          .where(sql<boolean>`(${state} IS NULL OR state = ${state})`)
          .where(sql<boolean>`(${words} IS NULL OR instr(folded, ${words}) > 0)`)
          .orderBy('imported_at', 'desc')
          .orderBy('id', 'desc')
          .limit(limit),
      )
      .orderBy('imported_at', 'desc')
      .orderBy('id', 'desc'),
  );
}
