import { opendir, readdir, realpath } from 'node:fs/promises';
import { isAbsolute, sep } from 'node:path';
import { errorCode, restoreCode } from '../../model/error-code.ts';
import { isStorageFault, toFailure, WaypointError } from '../../model/failure.ts';
import type { ImportRequest, ImportResult, ImportStatus } from '../../model/import.ts';
import type { Clock, Log } from '../../model/process.ts';
import type { DaemonStatus } from '../../model/status.ts';
import { formatTime } from '../../model/time.ts';
import type { ImportOutcome } from '../../worker/import/import-directory.ts';
import { requestPaths } from '../../worker/import/copy-path.ts';
import { ImportProgress } from '../../worker/import/progress.ts';
import { Tally } from '../../worker/import/tally.ts';
import type { SearchIndexData } from '../../search/index/data.ts';
import type * as tasks from '../../worker/tasks.ts';
import { WorkerPool } from '../pool.ts';
import { waitAtMost } from '../schedule.ts';

/** The tasks of the import worker. */
export type ImportTasks = Pick<typeof tasks, 'importDirectory' | 'reconcileLibrary'>;

export interface ImportRunOptions {
  readonly libraryPath: string;
  readonly importsDirectory: string;
  /** Files of ours that are no sources wherever they lie: the bookmarks file. */
  readonly ownFiles: readonly string[];
  /** As prepareLibrary says; then lists need not wait for the start-up. */
  readonly wasLibraryWhole?: boolean;
  readonly clock: Clock;
  readonly log: Log;
  /** Takes the new index of imported waypoints; the import answers when it is in use. */
  readonly onIndex: (index: SearchIndexData) => unknown;
  /** Counts the waypoints of the whole store, each identity once. */
  readonly countWaypoints: () => number | Promise<number>;
  /** Tests gate the worker. */
  readonly pool?: WorkerPool<ImportTasks>;
}

interface Running {
  readonly startedAt: number;
  readonly progress: ImportProgress;
  /** Resolves when somebody cancels. */
  readonly cancelled: PromiseWithResolvers<void>;
  /** Settles, never throwing, when the import is over. */
  readonly over: Promise<unknown>;
}

/** A recorder or a person saves one file after the other, and most of a small import is the start of its thread. */
const warmMs = 60_000;

/** At shutdown the file in progress is undone; a disk that takes longer than this is left to the next start. */
const closeMs = 3_000;

/**
 * The imports of a daemon, one at a time, in a worker of their own that is the only writer of the library. A request
 * that hangs up does not stop its import.
 */
export class ImportRun {
  readonly #options: ImportRunOptions;
  readonly #pool: WorkerPool<ImportTasks>;
  #running: Running | undefined;
  #reconciling: Promise<void> = Promise.resolve();
  readonly #reconcileProgress = new ImportProgress();
  #isReconciling = false;
  #counters = new ImportProgress().read();
  #last: ImportStatus['last'] = null;
  #isLibraryWhole = false;
  /** Whether the index in use is the library's: not before the first one, nor after an import that ended badly. */
  #hasIndex = false;
  #isClosed = false;

  constructor(options: ImportRunOptions) {
    this.#options = options;
    this.#pool = options.pool ?? new WorkerPool({ file: 'tasks', idleMs: warmMs });
  }

  /** False while the library may lack what `imports/` has: until it is reconciled, and after a worker has died. */
  get isLibraryWhole(): boolean {
    return this.#isLibraryWhole;
  }

  /** Resolves when no file of `imports/` is missing in the library but one that could not be read. */
  get libraryReady(): Promise<void> {
    return this.#options.wasLibraryWhole ? Promise.resolve() : this.#reconciling.catch(() => {});
  }

  /** Settles when the first index is in use; rejects when there is none, until an import has mended the library. */
  get indexReady(): Promise<void> {
    return this.#reconciling;
  }

  /**
   * Brings the library in line with `imports/` and hands over the first index; to be called once, at start-up. An import
   * that comes meanwhile waits. Starts no worker when both are empty.
   * @param isLibraryEmpty as prepareLibrary says.
   */
  reconcile(isLibraryEmpty: boolean): Promise<void> {
    this.#isReconciling = true;
    this.#reconciling = this.#reconcile(isLibraryEmpty).finally(() => {
      this.#isReconciling = false;
    });
    return this.#reconciling;
  }

  /**
   * Imports a directory.
   * @throws WaypointError import_running, import_directory, invalid (files, into), disk_full, unavailable
   */
  async start(request: ImportRequest): Promise<ImportResult> {
    if (this.#isClosed) throw new WaypointError('unavailable');
    if (this.#running !== undefined) throw new WaypointError('import_running');
    const over = Promise.withResolvers<void>();
    const running = {
      startedAt: this.#options.clock.now(),
      progress: new ImportProgress(),
      cancelled: Promise.withResolvers<void>(),
      over: over.promise,
    };
    this.#running = running;
    try {
      return await this.#import(request, running);
    } finally {
      this.#counters = running.progress.read();
      this.#running = undefined;
      over.resolve();
    }
  }

  /** How far the comparison with `imports/` is; incomplete after one that could not read everything. */
  libraryStatus(): DaemonStatus['library'] {
    const { filesDone, filesTotal } = this.#reconcileProgress.read();
    const settled = this.#isLibraryWhole ? 'ready' : 'incomplete';
    return {
      state: this.#isReconciling ? 'reading' : settled,
      files_done: filesDone,
      files_total: filesTotal,
    };
  }

  status(): ImportStatus {
    const running = this.#running;
    const counters = running === undefined ? this.#counters : running.progress.read();
    return {
      state: running === undefined ? 'idle' : 'running',
      files_total: counters.filesTotal,
      files_done: counters.filesDone,
      bytes_total: counters.bytesTotal,
      bytes_done: counters.bytesDone,
      waypoints: counters.waypoints,
      observations: counters.observations,
      ...(running === undefined ? {} : { started_at: formatTime(running.startedAt) }),
      last: this.#last,
    };
  }

  /** @throws WaypointError no_import */
  cancel(): void {
    if (this.#running === undefined) throw new WaypointError('no_import');
    this.#running.progress.cancel();
    this.#running.cancelled.resolve();
  }

  /** Cancels what is running, waits for it and ends the worker. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#reconcileProgress.cancel();
    if (this.#running !== undefined) this.cancel();
    await waitAtMost(closeMs, Promise.allSettled([this.#running?.over, this.#reconciling]));
    await this.#pool.close();
  }

  async #import(request: ImportRequest, running: Running): Promise<ImportResult> {
    requestPaths(request);
    await this.#checkDirectory(request.dir);
    const { progress, cancelled } = running;
    await Promise.race([this.#libraryReady(), cancelled.promise]);
    // Not even begun: the worker may be busy for minutes with what came before.
    const outcome = progress.isCancelled
      ? { result: new Tally().result(request.dir, undefined, true), isDiskFull: false }
      : await this.#runImport(request, progress);
    if (outcome.index !== undefined) await this.#useIndex(outcome.index);
    const result = { ...outcome.result, dedup_count: await this.#options.countWaypoints() };
    this.#last = { finished_at: formatTime(this.#options.clock.now()), ...shortened(result) };
    this.#logImport(result, outcome.isDiskFull, this.#options.clock.now() - running.startedAt);
    if (outcome.isDiskFull) throw new WaypointError('disk_full');
    return result;
  }

  /** Waits for the start-up; what a worker that died has left half done is mended before anything is added to it. */
  async #libraryReady(): Promise<void> {
    await this.#reconciling.catch(() => {});
    if (!this.#isLibraryWhole) await this.reconcile(false).catch(() => {});
  }

  async #runImport(request: ImportRequest, progress: ImportProgress): Promise<ImportOutcome> {
    const { ownFiles } = this.#options;
    const task = { ...this.#task(progress), request, ownFiles, hasIndex: this.#hasIndex };
    try {
      return await this.#pool.run('importDirectory', task);
    } catch (error) {
      this.#isLibraryWhole = false;
      this.#hasIndex = false;
      throw this.#isClosed
        ? new WaypointError('unavailable', { cause: error })
        : importFailure(error);
    }
  }

  async #reconcile(isLibraryEmpty: boolean): Promise<void> {
    const { log, importsDirectory } = this.#options;
    if (isLibraryEmpty && (await hasNoFiles(importsDirectory))) {
      this.#isLibraryWhole = true;
      this.#hasIndex = true;
      return;
    }
    try {
      const task = this.#task(this.#reconcileProgress);
      const { index, isWhole, ...counts } = await this.#pool.run('reconcileLibrary', task);
      await this.#useIndex(index);
      this.#isLibraryWhole = isWhole;
      log.info('library.reconciled', { ...counts, complete: isWhole });
    } catch (error) {
      if (this.#isClosed) return;
      log.error('library.not_reconciled', describe(error));
      throw error;
    }
  }

  async #useIndex(index: SearchIndexData): Promise<void> {
    this.#hasIndex = false;
    await this.#options.onIndex(index);
    this.#hasIndex = true;
  }

  #task(progress: ImportProgress) {
    const { libraryPath, importsDirectory, clock } = this.#options;
    return { libraryPath, importsDirectory, progress: progress.shared, now: clock.now() };
  }

  /** Only tells what the user could mend; the worker meets the directory as it is then. */
  async #checkDirectory(dir: string): Promise<void> {
    try {
      if (!isAbsolute(dir)) throw new WaypointError('import_directory', { field: 'dir' });
      const [directory, imports] = await Promise.all([
        realpath(dir),
        realpath(this.#options.importsDirectory).catch(() => undefined),
      ]);
      if (imports !== undefined && `${directory}${sep}`.startsWith(`${imports}${sep}`)) {
        throw new WaypointError('import_directory', { field: 'dir' });
      }
      await (await opendir(directory)).close();
    } catch (error) {
      if (isStorageFault(error)) throw error;
      throw new WaypointError('import_directory', { field: 'dir', cause: error });
    }
  }

  #logImport(result: ImportResult, isDiskFull: boolean, durationMs: number): void {
    const { added, replaced, duplicates, unsupported, failed, count, observations } = result;
    const counts = { added, replaced, duplicates, unsupported, failed, waypoints: count };
    this.#options.log.info(isDiskFull ? 'import.disk_full' : 'import.finished', {
      ...counts,
      observations,
      cancelled: result.cancelled === true,
      duration_ms: Math.round(durationMs),
    });
  }
}

async function hasNoFiles(directory: string): Promise<boolean> {
  const names = await readdir(directory).catch(() => []);
  return names.every((name) => name.startsWith('.'));
}

/** What ended an import as a whole; a place that this user may not open is one of ours then. */
function importFailure(thrown: unknown): WaypointError {
  const error = restoreCode(thrown);
  const isClosed = ['EACCES', 'EPERM'].includes(errorCode(error) ?? '');
  return isClosed ? new WaypointError('imports_closed', { cause: error }) : toFailure(error);
}

/** The worker's errors hold no paths. */
function describe(error: unknown): Record<string, string> {
  return { error: error instanceof Error ? error.message : String(error) };
}

/** Lists of the last result beyond this are cut: a status is asked for again and again. The numbers stay true. */
const lastEntries = 1_000;

function shortened(result: ImportResult): ImportResult {
  return {
    ...result,
    skipped_files: result.skipped_files.slice(0, lastEntries),
    duplicate_files: result.duplicate_files.slice(0, lastEntries),
    unsupported_files: result.unsupported_files.slice(0, lastEntries),
    failed_files: result.failed_files.slice(0, lastEntries),
    replaced_files: result.replaced_files.slice(0, lastEntries),
    failures: result.failures.slice(0, lastEntries),
  };
}
