import { sql } from 'kysely';
import type { ImportState } from '../../model/imports.ts';
import type { Database } from '../database.ts';
import type { SyncedFile } from '../library/synced-files.ts';
import { prepare, prepareValue, type RowOf } from '../prepared.ts';
import { sliceFiles } from './import-runs.ts';
import { waypointTables } from '../schema/waypoints.ts';

/** The directory that files came from. */
export interface ImportFolder {
  readonly device: string;
  readonly inode: string;
  /** A real path; in no answer and no log. */
  readonly path: string;
}

/** A place in the list of files; what comes after it is older. */
export interface PlaceInList {
  readonly at: string;
  readonly id: number;
}

/** Which files a page has. */
export interface PageOf {
  readonly state: string | null;
  readonly words: string | null;
  readonly limit: number;
}

/** Files that a search looks at in one slice, some 3 ms. */
const searchedFiles = 16_384;

interface NewImport extends Omit<SyncedFile, 'libraryId' | 'copiedAt' | 'summary'> {
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

/** What the list of imported files asks and changes. */
export function prepareImportStatements(db: Database) {
  return {
    page: preparePage(db),
    /** Where a slice that begins after a place ends; undefined where that is the end of the list. */
    sliceEnd: prepare(db, (from: PlaceInList) =>
      imports
        .select(['imported_at as at', 'id'])
        .where(isAfter(from))
        .orderBy('imported_at', 'desc')
        .orderBy('id', 'desc')
        .limit(1)
        .offset(searchedFiles - 1),
    ),
    ...prepareChanges(db),
    /** Of a folder that is known, or is noted by this. */
    folderId: prepareValue(db, ({ device, inode, path }: ImportFolder) =>
      waypointTables
        .insertInto('import_folders')
        .values({ device, inode, path })
        .onConflict((known) => known.columns(['device', 'inode', 'path']).doUpdateSet({ path }))
        .returning('id'),
    ),
    ...prepareStates(db),
    byId: prepare(db, (id: number) => rows.where('id', '=', id)),
    lastId: prepareValue(db, () => imports.select((eb) => eb.fn.max('id').as('id'))),
    activeAt: prepare(db, (pathKey: string) =>
      rows.where('path_key', '=', pathKey).where('state', '=', 'active').select('copied_ns'),
    ),
    isOut: prepareValue(db, (sha256: string) =>
      imports.select('id').where('sha256', '=', sha256).where('state', '!=', 'active').limit(1),
    ),
    byContent: prepare(db, (pathKey: string, sha256: string) =>
      rows.where('path_key', '=', pathKey).where('sha256', '=', sha256),
    ),
  };
}

function prepareChanges(db: Database) {
  const update = waypointTables.updateTable('imports');
  return {
    insert: prepare(db, (row: NewImport) =>
      waypointTables.insertInto('imports').values({
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
        copied_ns: row.copiedNs,
      }),
    ),
    // Has more content than before, and all that it had.
    grow: prepare(db, (row: Omit<NewImport, 'folded' | 'folder'>, id: number) =>
      update
        .set({ sha256: row.sha256, bytes: row.size, format: row.format, summary: row.summary })
        .set({ copied_ns: row.copiedNs, imported_at: row.importedAt })
        .where('id', '=', id),
    ),
    refresh: prepare(db, (summary: string, copiedNs: string, id: number) =>
      update.set({ summary, copied_ns: copiedNs }).where('id', '=', id),
    ),
    // Nothing is kept of it but that its content is not to come in again.
    scrub: prepare(db, (summary: string, id: number) =>
      update.set({ summary, ended_at: null }).where('id', '=', id),
    ),
    purge: prepare(db, (before: string, after: number, until: number) =>
      waypointTables
        .deleteFrom('imports')
        .where('id', 'in', () =>
          imports
            .select('id')
            .where('id', '>', after)
            .where('id', '<=', until)
            .where('state', '=', 'replaced')
            .where('is_undone', 'is', null)
            .where('ended_at', '<', before)
            .limit(sliceFiles),
        ),
    ),
  };
}

function prepareStates(db: Database) {
  const update = waypointTables.updateTable('imports');
  const undone = waypointTables.selectFrom('changes');
  return {
    activate: prepare(db, (row: Pick<NewImport, 'folder' | 'summary' | 'copiedNs'>, id: number) =>
      update
        .set((eb) => ({ folder_id: eb.fn.coalesce(sql<number>`${row.folder}`, 'folder_id') }))
        .set({ summary: row.summary, copied_ns: row.copiedNs })
        .set({ state: 'active', ended_at: null, is_undone: null })
        .where('id', '=', id),
    ),
    setState: prepare(db, (state: ImportState, ended_at: string, id: number) =>
      update.set({ state, ended_at }).where('id', '=', id),
    ),
    /** Where the change that is taken back is an import. */
    setUndone: prepare(db, (id: number, undoes: number | null) =>
      update
        .set({ is_undone: 1 })
        .where('id', '=', id)
        .where(undone.select('kind').where('id', '=', undoes), '=', 'import'),
    ),
  };
}

function isAfter({ at, id }: PlaceInList) {
  return sql<boolean>`(imported_at, id) < (${at}, ${id})`;
}

/** The ids come from an index that holds all that is asked for, so that words that are nowhere cost little. */
function preparePage(db: Database) {
  return prepare(db, (from: PlaceInList, end: PlaceInList, { state, words, limit }: PageOf) =>
    rows
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('imports')
          .select('id')
          .where(isAfter(from))
          .where(sql<boolean>`(imported_at, id) >= (${end.at}, ${end.id})`)
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
