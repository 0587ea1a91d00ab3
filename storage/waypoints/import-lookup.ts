import { openReader, orClosed, type Database } from '../database.ts';
import { prepare, prepareValue } from '../prepared.ts';
import { waypointTables } from '../schema/waypoints.ts';

/** What an import asks the list of imported files, in its own thread; nothing is changed through it. */
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

  /** Whether the user removed a content, and no path has it. */
  isRemoved(sha256: string): boolean {
    const { isRemoved, isActive } = this.#statements;
    return isRemoved.get(sha256) !== undefined && isActive.get(sha256) === undefined;
  }

  /** How many bytes removed files had. */
  removedSizes(): number[] {
    return this.#statements.removedSizes.all();
  }

  close(): void {
    this.#db.close();
  }
}

function prepareStatements(db: Database) {
  const imports = waypointTables.selectFrom('imports');
  const withContent = (sha256: string) =>
    imports.select('id').where('sha256', '=', sha256).limit(1);
  return {
    folderOf: prepare(db, (pathKey: string) =>
      imports
        .innerJoin('import_folders as f', 'f.id', 'imports.folder_id')
        .select(['f.device', 'f.inode', 'f.path'])
        .where('path_key', '=', pathKey)
        .where('state', '=', 'active'),
    ),
    isRemoved: prepareValue(db, (sha256: string) =>
      withContent(sha256).where('state', '=', 'removed'),
    ),
    isActive: prepareValue(db, (sha256: string) =>
      withContent(sha256).where('state', '=', 'active'),
    ),
    removedSizes: prepareValue(db, () =>
      imports.select('bytes').distinct().where('state', '=', 'removed'),
    ),
  };
}
