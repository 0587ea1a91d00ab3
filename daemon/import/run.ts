import { opendir } from 'node:fs/promises';
import { isAbsolute, sep } from 'node:path';
import { errorCode } from '../../model/error-code.ts';
import { isStorageFault, toFailure, WaypointError } from '../../model/failure.ts';
import type { ImportRequest, ImportResult, ImportStatus } from '../../model/import.ts';
import type { Clock, Log } from '../../model/process.ts';
import { formatTime } from '../../model/time.ts';
import { realPath } from '../../storage/real-path.ts';
import { requestPaths } from '../../worker/import/copy-path.ts';
import { ImportProgress } from '../../worker/import/progress.ts';
import { Tally, type DirectoryResult } from '../../worker/import/tally.ts';
import type { ImportOutcome } from '../../worker/import/import-directory.ts';
import { waitAtMost } from '../schedule.ts';
import type { LibraryWork } from './library-work.ts';

export interface ImportRunOptions {
  readonly library: LibraryWork;
  readonly importsDirectory: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Counts the waypoints of the whole store, each identity once. */
  readonly countWaypoints: () => number | Promise<number>;
}

/** Result of an import, and the number of its change; undefined if nothing changed. */
export interface Imported {
  readonly result: ImportResult;
  readonly change: number | undefined;
}

interface Running {
  readonly startedAt: number;
  readonly progress: ImportProgress;
  readonly cancelled: PromiseWithResolvers<void>;
}

/** Entries of a list in the result of the last import: a status is asked for again and again. */
const statusEntries = 1_000;
/** At shutdown the file in progress is undone; a disk that takes longer than this is left to the next start. */
const closeMs = 3_000;

/**
 * The imports of a daemon, one at a time, in a worker of their own that is the only writer of the library. A request
 * that hangs up does not stop its import.
 */
export class ImportRun {
  readonly #options: ImportRunOptions;
  #running: (Running & { readonly imported: Promise<Imported> }) | undefined;
  #counters = new ImportProgress().read();
  #last: ImportStatus['last'] = null;

  constructor(options: ImportRunOptions) {
    this.#options = options;
  }

  /**
   * Imports a directory.
   * @throws WaypointError import_running, import_directory, own_imports, invalid (files, into), disk_full, unavailable
   */
  async start(request: ImportRequest): Promise<Imported> {
    if (this.#options.library.isClosed) throw new WaypointError('unavailable');
    if (this.#running !== undefined) throw new WaypointError('import_running');
    const running = {
      startedAt: this.#options.clock.now(),
      progress: new ImportProgress(),
      cancelled: Promise.withResolvers<void>(),
    };
    const imported = this.#import(request, running).finally(() => {
      this.#counters = running.progress.read();
      this.#running = undefined;
    });
    this.#running = { ...running, imported };
    return imported;
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
    const { library } = this.#options;
    library.cancel();
    if (this.#running !== undefined) this.cancel();
    await waitAtMost(closeMs, Promise.allSettled([this.#running?.imported, library.indexReady]));
    await library.close();
  }

  async #import(request: ImportRequest, running: Running): Promise<Imported> {
    requestPaths(request);
    await this.#checkDirectory(request.dir);
    const outcome = await this.#importInTurn(request, running);
    const { result, isDiskFull, change } = outcome;
    const whole = { ...result, dedup_count: await this.#options.countWaypoints() };
    const now = this.#options.clock.now();
    this.#last = { finished_at: formatTime(now), ...shortened(whole) };
    this.#logImport(result, isDiskFull, now - running.startedAt);
    if (isDiskFull) throw new WaypointError('disk_full');
    return { result: whole, change };
  }

  async #importInTurn(
    request: ImportRequest,
    running: Running,
  ): Promise<Pick<ImportOutcome, 'result' | 'isDiskFull'> & Pick<Imported, 'change'>> {
    const { library } = this.#options;
    const { progress, cancelled } = running;
    const waiting = library.turn(true);
    using turn = (await Promise.race([waiting, cancelled.promise])) ?? undefined;
    if (turn === undefined) void waiting.then((later) => later[Symbol.dispose]());
    // Not even begun: the worker may be busy for minutes with what came before.
    if (progress.isCancelled) {
      const result = new Tally().result(request.dir, undefined, true);
      return { result, isDiskFull: false, change: undefined };
    }
    try {
      return await library.import(request, progress);
    } catch (error) {
      throw error instanceof WaypointError ? error : importFailure(error);
    }
  }

  /** Only tells what the user could mend; the worker meets the directory as it is then. */
  async #checkDirectory(dir: string): Promise<void> {
    try {
      if (!isAbsolute(dir)) throw new WaypointError('import_directory', { field: 'dir' });
      const [directory, imports] = await Promise.all([
        realPath(dir),
        realPath(this.#options.importsDirectory).catch(() => undefined),
      ]);
      if (imports !== undefined && `${directory}${sep}`.startsWith(`${imports}${sep}`)) {
        throw new WaypointError('own_imports', { field: 'dir' });
      }
      await (await opendir(directory)).close();
    } catch (error) {
      if (isStorageFault(error) || error instanceof WaypointError) throw error;
      throw new WaypointError('import_directory', { field: 'dir', cause: error });
    }
  }

  #logImport(result: DirectoryResult, isDiskFull: boolean, durationMs: number): void {
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

/** What ended an import as a whole; a place that this user may not open is one of ours then. */
function importFailure(error: unknown): WaypointError {
  const isClosed = ['EACCES', 'EPERM'].includes(errorCode(error) ?? '');
  return isClosed ? new WaypointError('imports_closed', { cause: error }) : toFailure(error);
}

function shortened(result: ImportResult): ImportResult {
  const fields = Object.entries(result).map(([name, value]: [string, unknown]) => [
    name,
    Array.isArray(value) ? value.slice(0, statusEntries) : value,
  ]);
  // Sound: lists have become shorter lists.
  return Object.fromEntries(fields) as ImportResult;
}
