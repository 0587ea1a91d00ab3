import { errorCode } from '../model/error-code.ts';
import type { Clock, Log } from '../model/process.ts';
import { orClosed } from '../storage/database.ts';
import { lockDirectory, type DirectoryLock } from '../storage/lock.ts';
import { tryNameFolding } from '../storage/name-folding.ts';
import { prepareLibrary } from '../storage/library/prepare.ts';
import { WaypointStore } from '../storage/store.ts';
import { openWaypointStore, StoreRefused } from '../storage/waypoints/open.ts';
import { seekDaemons } from '../client/waypoints/node/seek-daemons.ts';
import {
  companionsOf,
  dataAccessFault,
  lockFileFault,
  refusal,
  storeFault,
  unusable,
} from './faults.ts';
import { findLockHolder, heldSentence } from './lock-holder.ts';
import { createPrivateDirectory } from '../storage/private-directory.ts';
import { requirePrivateDirectory, type Paths } from './paths.ts';
import { tightenData } from './permissions.ts';
import { ExitError } from '../model/exit-error.ts';

/** A data directory held and opened by this process. */
export interface OpenedStores {
  readonly store: WaypointStore;
  /** True when the library holds no file; then a worker need only look if `imports/` has one. */
  readonly isLibraryEmpty: boolean;
  /** False when the library is new: what `imports/` has must be read before a list is complete. */
  readonly isLibraryWhole: boolean;
  /** Closes the store, then lets go of the directory. */
  close(): void;
}

export interface OpenStoresOptions {
  readonly paths: Paths;
  readonly clock: Clock;
  readonly log: Log;
  /** The user accepts a new store beside the remains of a lost one. */
  readonly acceptMissing: boolean;
}

/** @throws ExitError 65, 74, 75, 78 */
export async function openStores(options: OpenStoresOptions): Promise<OpenedStores> {
  const { paths, log } = options;
  requirePrivateDirectory(paths.data, '--data-dir');
  requirePrivateDirectory(paths.cache, '--cache-dir');
  let lock: DirectoryLock | undefined;
  try {
    const fault = tightenData(paths, log) ?? dataAccessFault(paths) ?? lockFileFault(paths);
    if (fault !== undefined) throw refusal(fault);
    lock = lockDirectory(paths.lockDatabase);
    if (lock === undefined) throw await heldByAnother(paths);
    return openLocked(options, lock);
  } catch (error) {
    lock?.release();
    throw error instanceof StoreRefused
      ? storeRefusal(error, paths)
      : unusable(error, paths.data, '--data-dir');
  }
}

function openLocked(
  { paths, clock, acceptMissing }: OpenStoresOptions,
  lock: DirectoryLock,
): OpenedStores {
  const options = {
    path: paths.waypointsDatabase,
    backupsDirectory: paths.backups,
    companions: companionsOf(paths),
    acceptMissing,
    now: clock.now(),
  };
  return orClosed(openWaypointStore(options), (db) => {
    createPrivateDirectory(paths.imports);
    const folding = tryNameFolding(paths.imports);
    const library = prepareLibrary(paths.libraryDatabase, clock.now(), folding);
    const store = new WaypointStore(db, paths.libraryDatabase, () => clock.now());
    const mending = store.longChanges.mend();
    while (mending.next().done !== true);
    return {
      store,
      isLibraryEmpty: library.empty,
      isLibraryWhole: library.whole,
      close() {
        store.close();
        lock.release();
      },
    };
  });
}

async function heldByAnother(paths: Paths): Promise<ExitError> {
  // The one in the runtime directory may be the daemon of another data directory.
  for await (const seen of seekDaemons(paths.handOverCandidates, paths.data)) {
    if (seen.state !== 'running') continue;
    const { pid, url } = seen.handOver;
    return new ExitError(
      `waypointd (process ${pid}) is already running at ${url} and holds ${paths.data}.`,
      75,
    );
  }
  const holder = await findLockHolder(paths);
  return new ExitError(heldSentence(paths.data, holder), 75);
}

function storeRefusal(error: StoreRefused, paths: Paths): ExitError {
  const code = error.refusal === 'unavailable' ? ` (${errorCode(error.cause) ?? 'unknown'})` : '';
  return refusal(storeFault(error.refusal, paths, paths.waypointsDatabase, code), error);
}
