import { sql } from 'kysely';
import { belongsTo, columns, createIndex, createTables, refined, table } from '../create-table.ts';
import type { Migration } from '../migrate.ts';

const { integer, numbered, optionalInteger, optionalText, text } = columns;

const folderId = refined(optionalInteger, (column) => column.references('import_folders.id'));

/** Tables of the first version with a list of imports. */
const firstTables = {
  // The directories that files came from; never in an answer or a log.
  import_folders: table(
    { id: numbered, device: text, inode: text, path: text },
    { unique: ['device', 'inode', 'path'] },
  ),
  // One row for each content that a path below `imports/` has or had; ids are the order of imports. `path_key` is the path as
  // paths are compared, `folded` as it is searched. `state` is an ImportState. `summary`: counts, times and box, as JSON.
  // `ended_at`: since when it is not active; null for a removed one whose bytes were not to be kept.
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
      folder_id: folderId,
      summary: text,
    },
    { unique: ['path_key', 'sha256'] },
  ),
  import_runs: table({
    id: numbered,
    kind: text,
    at: text,
    is_done: integer,
    folder_id: folderId,
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

/**
 * The list of imports in `waypoints.sqlite`. It is the truth: `library.sqlite` and `imports/` are made equal to it
 * (worker/import/follow.ts).
 */
export const importTables = {
  import_folders: firstTables.import_folders,
  // `is_undone` is 1 for a file that the user took out by undoing its import or by putting another one in its place: a watched
  // folder does not bring it back.
  imports: table(
    { ...firstTables.imports.columns, is_undone: optionalInteger },
    { unique: ['path_key', 'sha256'] },
  ),
  // The states that a change of the journal set, with those before (null for a new file).
  import_states: table(
    {
      change_id: belongsTo('changes'),
      import_id: belongsTo('imports'),
      before: optionalText,
      after: text,
    },
    { key: ['change_id', 'import_id'] },
  ),
};

/** Makes the first of these tables. */
export const importsSchema: Migration = () => [
  ...createTables(firstTables),
  sql`CREATE UNIQUE INDEX imports_active ON imports (path_key) WHERE state = 'active'`,
  // Covers searches through the list.
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

/** Planned files of runs that a crash has cut off, but for imports: their files are found in `imports/`. */
const planned = sql.raw(`(
  SELECT f.run_id, f.import_id, f.before, f.after, r.at, r.kind, undone.kind AS undone, i.path_key
    FROM import_run_files AS f JOIN import_runs AS r ON r.id = f.run_id
    JOIN imports AS i ON i.id = f.import_id AND i.state IS f.before
    LEFT JOIN changes AS undone ON undone.id = r.undoes
    WHERE r.is_done = 0 AND r.kind <> 'import')`);

/**
 * Sets the states that cut-off runs planned, then replaces runs (the intents of an earlier version) by the states that changes
 * set. Library and folder follow at the start.
 */
export const followedImports: Migration = () => [
  sql`
    INSERT OR IGNORE INTO import_run_files
      SELECT p.run_id, i.id, 'active', 'replaced' FROM ${planned} AS p
        JOIN imports AS i ON i.path_key = p.path_key AND i.id <> p.import_id AND i.state = 'active'
        WHERE p.after = 'active'`,
  sql`DELETE FROM import_run_files WHERE run_id IN (SELECT id FROM import_runs WHERE is_done <> 1)
    AND (run_id, import_id) NOT IN (SELECT run_id, import_id FROM ${planned})`,
  sql`
    INSERT INTO changes (at, kind, revision, count, undoes, details)
      SELECT CAST(unixepoch(at, 'subsec') * 1000 AS INTEGER),
        CASE kind WHEN 'restore' THEN 'import_restore' WHEN 'undo' THEN kind ELSE 'import_remove' END,
        (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'revision'),
        (SELECT coalesce(nullif(sum(f.after = 'active'), 0), count(*))
          FROM import_run_files AS f WHERE f.run_id = r.id),
        undoes, json_object('run', id)
        FROM import_runs AS r
        WHERE is_done = 0 AND EXISTS (SELECT 1 FROM import_run_files AS f WHERE f.run_id = r.id)
        ORDER BY id`,
  sql`
    UPDATE changes SET undone_by = u.id
      FROM changes AS u JOIN import_runs AS r ON r.id = u.details ->> 'run' AND r.is_done = 0
      WHERE u.details LIKE '{"run"%' AND u.undoes = changes.id`,
  sql`
    UPDATE imports SET state = p.after, ended_at = iif(p.kind = 'erase', NULL, p.at),
      is_undone = iif(p.undone = 'import', 1, is_undone)
      FROM ${planned} AS p WHERE p.import_id = imports.id AND p.after <> 'active'`,
  sql`
    UPDATE imports SET state = 'active', ended_at = NULL, is_undone = NULL
      FROM ${planned} AS p WHERE p.import_id = imports.id AND p.after = 'active'`,
  sql`
    UPDATE imports SET summary = '{"waypoints":0,"track_points":0,"route_points":0,"observations":0,"untimed_points":0,"unusable_points":0}'
      WHERE state = 'removed' AND ended_at IS NULL`,
  ...createTables({ import_states: importTables.import_states }),
  createIndex('import_states_by_file', 'import_states', ['import_id']),
  sql`
    INSERT INTO import_states
      SELECT c.id, f.import_id, f.before, f.after FROM changes AS c
        JOIN import_runs AS r ON r.id = c.details ->> 'run' AND r.kind <> 'erase'
        JOIN import_run_files AS f ON f.run_id = r.id
        WHERE c.details LIKE '{"run"%'`,
  sql`
    UPDATE changes SET details = iif(
      EXISTS (SELECT 1 FROM import_states WHERE change_id = changes.id), '{"imports":true}', '{"imports":false}')
      WHERE details LIKE '{"run"%'`,
  sql`DROP TABLE import_run_files`,
  sql`DROP TABLE import_runs`,
  sql`ALTER TABLE imports DROP COLUMN copied_ns`,
  sql`DELETE FROM meta WHERE key = 'imports_library'`,
];
