import { sql } from 'kysely';
import { belongsTo, columns, createIndex, createTables, refined, table } from '../create-table.ts';
import type { Migration } from '../migrate.ts';

const { integer, numbered, optionalInteger, optionalText, text } = columns;

/** What the first version made. */
const firstTables = {
  // The directories that files came from; never told in an answer or a log.
  import_folders: table(
    { id: numbered, device: text, inode: text, path: text },
    { unique: ['device', 'inode', 'path'] },
  ),
  // One row for each content that a path below `imports/` has or had. `path_key` is the path as paths are compared,
  // `folded` as it is searched.
  // `state`: `active`; `replaced` by other content, or gone; `removed` by the user, which later imports respect.
  // `summary` is what listings tell of it beside: counts, times and box, as JSON. `ended_at`: since when it is not active; null
  // for a removed one whose bytes were not to be kept.
  imports: table(
    {
      id: numbered,
      path: text,
      path_key: text,
      folded: text,
      sha256: text,
      bytes: integer,
      format: text,
      imported_at: text,
      state: text,
      ended_at: optionalText,
      folder_id: refined(optionalInteger, (column) => column.references('import_folders.id')),
      summary: text,
    },
    { unique: ['path_key', 'sha256'] },
  ),
  import_runs: table({
    id: numbered,
    kind: text,
    at: text,
    is_done: integer,
    folder_id: refined(optionalInteger, (column) => column.references('import_folders.id')),
  }),
  import_run_files: table(
    {
      run_id: belongsTo('import_runs'),
      import_id: belongsTo('imports'),
      before: optionalText,
      after: text,
    },
    { key: ['run_id', 'import_id'] },
  ),
};

/** The part of `waypoints.sqlite` that tells what was imported: ids and states outlive `library.sqlite`, which is only derived from the files. */
export const importTables = {
  ...firstTables,
  // `copied_ns` is the modification time of its copy, which says which import is newer; `is_undone` is 1 for one that is not
  // active since the change that had brought it was taken back: by itself it does not come again.
  imports: table(
    { ...firstTables.imports.columns, copied_ns: optionalText, is_undone: optionalInteger },
    { unique: ['path_key', 'sha256'] },
  ),
  // Every change of the above, written before the library changes. `is_done` is 1 when both have it, and -1 until all files
  // that it is to change are written down. `kind` is a RunKind; `undoes` the change that it is to take back.
  import_runs: table({ ...firstTables.import_runs.columns, undoes: optionalInteger }),
  // The files that a run changes: their states before (null for none) and after.
  import_run_files: firstTables.import_run_files,
};

/** Makes the first of these tables. */
export const importsSchema: Migration = () => [
  ...createTables(firstTables),
  sql`CREATE UNIQUE INDEX imports_active ON imports (path_key) WHERE state = 'active'`,
  // Holds all that a search through the listing looks at.
  createIndex('imports_listed', 'imports', ['imported_at', 'id', 'state', 'folded']),
  createIndex('imports_by_content', 'imports', ['sha256', 'state']),
  createIndex('import_runs_by_file', 'import_run_files', ['import_id']),
];

export const undoneImports: Migration = () => [
  sql`ALTER TABLE imports ADD COLUMN is_undone INTEGER`,
];

export const undoingRuns: Migration = () => [
  sql`ALTER TABLE import_runs ADD COLUMN undoes INTEGER`,
  sql`ALTER TABLE imports ADD COLUMN copied_ns TEXT`,
];
