import { readdir, stat } from 'node:fs/promises';
import { attempt } from '../../model/attempt.ts';
import { WaypointError } from '../../model/failure.ts';
import type { ImportRequest } from '../../model/import.ts';
import type { Clock, Log } from '../../model/process.ts';
import type { DaemonStatus } from '../../model/status.ts';
import { ImportProgress } from '../../worker/import/progress.ts';
import type { ImportFolder } from '../../storage/waypoints/imports.ts';
import { realPath } from '../../storage/real-path.ts';
import type { SearchIndexData } from '../../search/library-data.ts';
import type * as tasks from '../../worker/tasks.ts';
import type { FollowOutcome } from '../../worker/import/follow.ts';
import type {
  ImportOrigin,
  ImportOutcome,
  LibraryTask,
} from '../../worker/import/import-directory.ts';
import { WorkerPool } from '../pool.ts';
import type { ListSync } from './list-sync.ts';

export type ImportTasks = Pick<typeof tasks, 'importDirectory' | 'followList'>;

export interface LibraryWorkOptions {
  readonly libraryPath: string;
  /** The database that holds the list of imports. */
  readonly waypointsPath: string;
  readonly importsDirectory: string;
  /** As prepareLibrary says; then lists need not wait for the start-up. */
  readonly wasLibraryWhole?: boolean;
  readonly clock: Clock;
  readonly log: Log;
  /** Takes the new index of imported waypoints; a change of the library answers when it is in use. */
  readonly onIndex: (index: SearchIndexData) => unknown;
  /** What of ours is no source wherever it lies: the bookmarks file, and all copies of it and of what was removed. */
  readonly ownFiles: readonly string[];
  /** Takes new files into the list of imports. */
  readonly list: Pick<ListSync, 'settle' | 'begin' | 'retentionTime'>;
  /** Tests gate the worker. */
  readonly pool?: WorkerPool<ImportTasks>;
}

/** How often the files of a running import are listed: about once for each group of files that is committed. */
const listMs = 250;
/** A recorder or a person saves one file after the other, and most of a small import is the start of its thread. */
const warmMs = 60_000;

/** The worker that alone writes the library, what it has left unfinished, and the index of what it has written. */
export class LibraryWork {
  readonly #options: LibraryWorkOptions;
  readonly #pool: WorkerPool<ImportTasks>;
  #reconciling: Promise<void> = Promise.resolve();
  readonly #turns = new Turns();
  readonly #reconcileProgress = new ImportProgress();
  #isReconciling = false;
  #isWhole: boolean;
  /** Whether the index in use is the library's: not before the first one, nor after a task that ended badly. */
  #hasIndex = false;
  #isClosed = false;

  constructor(options: LibraryWorkOptions) {
    this.#options = options;
    this.#isWhole = options.wasLibraryWhole ?? false;
    this.#pool = options.pool ?? new WorkerPool({ file: 'tasks', idleMs: warmMs });
  }

  /** False while the library may lack what `imports/` has: until it is reconciled, unless it was whole before; after a worker has died. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Resolves when no file of `imports/` is missing in the library but one that could not be read. */
  get ready(): Promise<void> {
    return this.#options.wasLibraryWhole ? Promise.resolve() : this.listed;
  }

  /** Resolves when the list of imported files says what the library holds. */
  get listed(): Promise<void> {
    return this.#reconciling.catch(() => {});
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
   * Resolves when it is the caller's turn to change the library, until what it gives is disposed of. That waits for the start-up, and what a worker that died
   * has left half done is mended before.
   * @param isUrgent goes before those that wait and are not.
   * @param onWanted is called when others wait for the turn to end.
   */
  async turn(isUrgent: boolean, onWanted?: () => void): Promise<Disposable> {
    const turn = await this.#turns.take(isUrgent, onWanted);
    await this.#reconciling.catch(() => {});
    if (!this.#isWhole) await this.reconcile(false).catch(() => {});
    return turn;
  }

  /** How far the comparison with `imports/` is; incomplete after one that could not read everything. */
  status(): DaemonStatus['library'] {
    const { filesDone, filesTotal } = this.#reconcileProgress.read();
    const settled = this.#isWhole ? 'ready' : 'incomplete';
    return {
      state: this.#isReconciling ? 'reading' : settled,
      files_done: filesDone,
      files_total: filesTotal,
    };
  }

  /**
   * Imports a directory; to be called in a turn.
   * @throws what the worker throws; WaypointError unavailable when it was ended.
   */
  async import(
    request: ImportRequest,
    progress: ImportProgress,
    origin: ImportOrigin = 'person',
  ): Promise<ImportOutcome & { readonly change: number | undefined }> {
    const { list, ownFiles } = this.#options;
    const task = { request, ownFiles, origin };
    if (request.dry_run === true)
      return { ...(await this.#run('importDirectory', progress, task)), change: undefined };
    const run = list.begin(origin === 'upload' ? undefined : await folderOf(request.dir));
    // A failure now is made up for at the end.
    const timer = setInterval(() => attempt(run.list), listMs);
    let change: number | undefined;
    const writing = { ...task, isWhole: this.#isWhole };
    const outcome = await this.#run('importDirectory', progress, writing).finally(() => {
      clearInterval(timer);
      change = run.end();
    });
    return { ...outcome, change };
  }

  /** Makes library and folder equal to the list for some files; to be called in a turn. @throws as import. */
  async follow(ids: readonly number[]): Promise<FollowOutcome> {
    const outcome = await this.#run('followList', new ImportProgress(), { ids });
    this.#options.list.settle(false);
    return outcome;
  }

  /**
   * Runs a task that changes the library, and takes its index into use; to be called in a turn.
   * @throws as import.
   */
  async #run<Name extends keyof ImportTasks>(
    name: Name,
    progress: ImportProgress,
    task: Omit<Parameters<ImportTasks[Name]>[0], keyof LibraryTask | 'hasIndex'>,
  ): Promise<ReturnType<ImportTasks[Name]>> {
    const whole = { ...task, ...this.#task(progress), hasIndex: this.#hasIndex };
    let outcome;
    try {
      // Sound: what was left out of the task's type is what is added here.
      outcome = await this.#pool.run(name, whole as Parameters<ImportTasks[Name]>[0]);
    } catch (error) {
      this.#isWhole = false;
      this.#hasIndex = false;
      throw this.#isClosed ? new WaypointError('unavailable', { cause: error }) : error;
    }
    // What was undone has its bytes, and another time than the library says.
    if (outcome.isDiskFull) this.#isWhole = false;
    if (outcome.index !== undefined) await this.#useIndex(outcome.index);
    return outcome;
  }

  /** Has the comparison of the start-up stop. */
  cancel(): void {
    this.#isClosed = true;
    this.#reconcileProgress.cancel();
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  async #reconcile(isLibraryEmpty: boolean): Promise<void> {
    const { log, importsDirectory, list } = this.#options;
    if (isLibraryEmpty && (await hasNoFiles(importsDirectory))) {
      list.settle(true);
      this.#isWhole = true;
      this.#hasIndex = true;
      return;
    }
    try {
      const task = this.#task(this.#reconcileProgress);
      const { index, isWhole, isDiskFull, ...counts } = await this.#pool.run('followList', task);
      if (index !== undefined) await this.#useIndex(index);
      list.settle(isWhole);
      this.#isWhole = isWhole;
      log.info('library.reconciled', { ...counts, complete: isWhole, disk_full: isDiskFull });
    } catch (error) {
      if (this.#isClosed) return;
      this.#isWhole = false;
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
    const { libraryPath, waypointsPath, importsDirectory, clock, list } = this.#options;
    return {
      libraryPath,
      waypointsPath,
      importsDirectory,
      progress: progress.shared,
      now: clock.now(),
      retentionTime: list.retentionTime(),
    };
  }
}

/** Lets works run one after the other, urgent ones before those that wait. */
class Turns {
  #isTaken = false;
  /** Tells the holder of the turn that another one waits. */
  #onWanted: (() => void) | undefined;
  readonly #urgent: (() => void)[] = [];
  readonly #others: (() => void)[] = [];

  /**
   * Resolves when it is the caller's turn: at once where no other has it. What it gives, disposed of exactly once, ends that.
   * @param onWanted is called when others wait meanwhile.
   */
  async take(isUrgent: boolean, onWanted?: () => void): Promise<Disposable> {
    if (this.#isTaken) {
      this.#onWanted?.();
      await new Promise<void>((begin) => (isUrgent ? this.#urgent : this.#others).push(begin));
    }
    this.#isTaken = true;
    this.#onWanted = onWanted;
    if (this.#urgent.length + this.#others.length > 0) onWanted?.();
    return { [Symbol.dispose]: () => this.#end() };
  }

  #end(): void {
    this.#onWanted = undefined;
    const next = this.#urgent.shift() ?? this.#others.shift();
    if (next === undefined) this.#isTaken = false;
    else next();
  }
}

/** What tells a directory from others; undefined for one that is gone. */
async function folderOf(dir: string): Promise<ImportFolder | undefined> {
  try {
    const path = await realPath(dir);
    const { dev, ino } = await stat(path, { bigint: true });
    return { device: dev.toString(), inode: ino.toString(), path };
  } catch {
    return undefined;
  }
}

async function hasNoFiles(directory: string): Promise<boolean> {
  const names = await readdir(directory).catch(() => []);
  return names.every((name) => name.startsWith('.'));
}

/** The worker's errors hold no paths. */
function describe(error: unknown): Record<string, string> {
  return { error: error instanceof Error ? error.message : String(error) };
}
