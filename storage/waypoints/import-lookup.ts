import { sql, type ExpressionBuilder } from 'kysely';
import type { ImportState } from '../../model/imports.ts';
import { openReader, orClosed, type Database } from '../database.ts';
import { prepare, prepareValue, type RowOf } from '../prepared.ts';
import { waypointTables, type WaypointsDb } from '../schema/waypoints.ts';

/** A file that the list wants in the library. */
export type WantedFile = RowOf<ReturnType<typeof prepareStatements>['active']>;

/** The list of imports as the import worker reads it, in its own thread. */
export type ImportLookup = ReturnType<typeof openImportLookup>;

export function openImportLookup(waypointsPath: string) {
  return orClosed(openReader(waypointsPath), (db) => {
    const { folderOf, isRemoved, isActive, active, activeAt, byContent, byId, uses, lastId } =
      prepareStatements(db);
    return {
      /** The directory that the file at a path came from, if that is known. */
      folderOf: (pathKey: string) => folderOf.get(pathKey),
      /** Whether the user removed a content, or perhaps undid its import, and no path has it. */
      isRemoved: (sha256: string, orUndone: boolean) =>
        isRemoved.get(sha256, Number(orUndone)) !== undefined && isActive.get(sha256) === undefined,
      active: () => active.all(),
      activeAt: (pathKey: string) => activeAt.get(pathKey),
      /** A content that a path has or had. */
      find: (pathKey: string, sha256: string) => byContent.get(pathKey, sha256),
      byId: (id: number) => byId.get(id),
      /** Files with a content: whether they are active, and whether their bytes are to be kept if not. */
      uses: (sha256: string) =>
        uses.all(sha256).map(({ state, ended_at }) => ({
          isActive: state === 'active',
          isKept: ended_at !== null,
        })),
      /** The highest id that was ever listed. */
      lastId: () => lastId.get() ?? 0,
      close: () => db.close(),
    };
  });
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
  // 1 where only what is before the damage is wanted.
  const salvaged = sql<number>`summary ->> '$.salvaged' IS NOT NULL`.as('salvaged');
  const files = imports
    .select(['id', 'path', 'path_key as pathKey', 'sha256', 'bytes as size'])
    .select(salvaged);
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
    active: prepare(db, () => files.where('state', '=', 'active')),
    activeAt: prepare(db, (pathKey: string) =>
      files.where('path_key', '=', pathKey).where('state', '=', 'active'),
    ),
    byId: prepare(db, (id: number) => files.where('id', '=', id)),
    byContent: prepare(db, (pathKey: string, sha256: string) =>
      imports
        .select(['id', 'state'])
        .select(salvaged)
        .$narrowType<{ state: ImportState }>()
        .where('path_key', '=', pathKey)
        .where('sha256', '=', sha256),
    ),
    uses: prepare(db, (sha256: string) =>
      imports.select(['state', 'ended_at']).where('sha256', '=', sha256),
    ),
    lastId: prepareValue(
      db,
      () => sql<{ seq: number }>`SELECT seq FROM sqlite_sequence WHERE name = 'imports'`,
    ),
  };
}
