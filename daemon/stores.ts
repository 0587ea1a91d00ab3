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
  importsFault,
  lockFileFault,
  refusal,
  storeFault,
  unusable,
} from './faults.ts';
import { connectionMs, retryMs } from './listen.ts';
import { findLockHolder, heldSentence } from './lock-holder.ts';
import { createPrivateDirectory } from '../storage/private-directory.ts';
import { requirePrivateDirectory, type Paths } from './paths.ts';
import { tightenData } from './permissions.ts';
import { pause, type Schedule } from './schedule.ts';
import { ExitError } from '../model/exit-error.ts';

/** A data directory held and opened by this process. */
export type OpenedStores = ReturnType<typeof openLocked>;

export interface OpenStoresOptions {
  readonly paths: Paths;
  readonly clock: Clock;
  readonly log: Log;
  /** The user accepts a new store beside the remains of a lost one. */
  readonly newStore?: boolean;
  /** A daemon waits a while for a command that has the data open. */
  readonly handOver: boolean;
  readonly schedule?: Schedule;
  /** Ends the wait at once. */
  readonly signal?: AbortSignal;
}

/** @throws ExitError 65, 74, 75, 78 */
export async function openStores(options: OpenStoresOptions): Promise<OpenedStores> {
  const { paths, log } = options;
  requirePrivateDirectory(paths.data, '--data-dir');
  requirePrivateDirectory(paths.cache, '--cache-dir');
  let lock: DirectoryLock | undefined;
  try {
    const fault =
      tightenData(paths, log) ??
      dataAccessFault(paths) ??
      lockFileFault(paths) ??
      importsFault(paths);
    if (fault !== undefined) throw refusal(fault);
    lock = await lockWhenFree(options);
    return openLocked(options, lock);
  } catch (error) {
    lock?.release();
    throw error instanceof StoreRefused
      ? storeRefusal(error, paths)
      : unusable(error, paths.data, '--data-dir');
  }
}

function openLocked({ paths, clock, newStore = false }: OpenStoresOptions, lock: DirectoryLock) {
  const options = {
    path: paths.waypointsDatabase,
    backupsDirectory: paths.backups,
    companions: companionsOf(paths),
    acceptMissing: newStore,
    now: clock.now(),
  };
  return orClosed(openWaypointStore(options), (db) => {
    createPrivateDirectory(paths.imports);
    const folding = tryNameFolding(paths.imports);
    const library = prepareLibrary(paths.libraryDatabase, clock.now(), folding);
    const store = new WaypointStore(db, paths.libraryDatabase, () => clock.now());
    return {
      store,
      /** True when the library holds no file; then a worker need only look if `imports/` has one. */
      isLibraryEmpty: library.empty,
      /** False when the library is new: lists are complete only after `imports/` was read. */
      isLibraryWhole: library.whole,
      /** Closes the store, then lets go of the directory. */
      close() {
        store.close();
        lock.release();
      },
    };
  });
}

/** Waits for a command, which is soon done, so that a service does not stay down; does not wait for a daemon. */
async function lockWhenFree({
  paths,
  clock,
  log,
  handOver,
  schedule,
  signal,
}: OpenStoresOptions): Promise<DirectoryLock> {
  const end = clock.monotonic() + (handOver ? connectionMs : 0);
  for (let tries = 1; ; tries += 1) {
    const lock = lockDirectory(paths.lockDatabase);
    if (lock !== undefined) return lock;
    const running = await runningDaemon(paths);
    if (running !== undefined) throw new ExitError(running, 75);
    const holder = await findLockHolder(paths);
    const isDaemon = holder?.runtimeDirectory !== undefined;
    if (isDaemon || clock.monotonic() >= end) {
      throw new ExitError(heldSentence(paths.data, holder), 75);
    }
    if (tries === 1) log.info('daemon.data_awaited', {});
    signal?.throwIfAborted();
    await pause(retryMs, schedule, signal);
  }
}

async function runningDaemon(paths: Paths): Promise<string | undefined> {
  // The one in the runtime directory may be the daemon of another data directory.
  for await (const seen of seekDaemons(paths.handOverCandidates, paths.data)) {
    if (seen.state !== 'running') continue;
    const { pid, url } = seen.handOver;
    return `waypointd (process ${pid}) is already running at ${url} and holds ${paths.data}.`;
  }
  return undefined;
}

function storeRefusal(error: StoreRefused, paths: Paths): ExitError {
  const code = error.refusal === 'unavailable' ? ` (${errorCode(error.cause) ?? 'unknown'})` : '';
  return refusal(storeFault(error.refusal, paths, paths.waypointsDatabase, code), error);
}
