import { join } from 'node:path';
import type { Clock, Log } from '../../model/process.ts';
import type { WaypointIndex } from '../../search/waypoint-index.ts';
import type { WaypointStore } from '../../storage/store.ts';
import type { Paths } from '../paths.ts';
import { ImportedFiles } from './imported-files.ts';
import { LibraryWork } from './library-work.ts';
import { ListSync } from './list-sync.ts';
import { ImportRun } from './run.ts';
import { Uploads } from './uploads.ts';

export interface OpenImportsOptions {
  readonly store: WaypointStore;
  readonly index: WaypointIndex;
  /** As prepareLibrary says. */
  readonly wasLibraryWhole: boolean;
  readonly paths: Paths;
  readonly clock: Clock;
  readonly log: Log;
}

/** Builds what writes the library and what has it write. */
export function openImports({
  store,
  index,
  wasLibraryWhole,
  paths,
  clock,
  log,
}: OpenImportsOptions) {
  const importsDirectory = paths.imports;
  const sync = new ListSync(store, clock);
  const library = new LibraryWork({
    libraryPath: paths.libraryDatabase,
    waypointsPath: paths.waypointsDatabase,
    importsDirectory,
    ownFiles: [paths.bookmarksFile, paths.backups],
    wasLibraryWhole,
    list: sync,
    clock,
    log,
    onIndex: (data) => index.replaceLibrary(data),
  });
  const countWaypoints = () => index.count();
  const imports = new ImportRun({ library, importsDirectory, clock, log, countWaypoints });
  const files = new ImportedFiles({
    library,
    sync,
    list: store.imports,
    importsDirectory,
    dataDirectory: paths.data,
  });
  const directory = join(importsDirectory, '.incoming');
  const uploads = new Uploads({ library, directory, countWaypoints });
  return { library, imports, files, uploads };
}
