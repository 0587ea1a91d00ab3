import { randomUUID } from 'node:crypto';
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Piscina } from 'piscina';
import { retryAfterSeconds, WaypointError } from '../model/failure.ts';
import { threadModule } from '../model/program-files.ts';

type Tasks<Module> = { [Name in keyof Module]: (input: never) => unknown };

/** Young objects of a thread; three times that stays with it. */
const youngMb = 16;

export interface WorkerPoolOptions {
  /** Name of the file in worker/, without its ending. */
  readonly file: string;
  /** The most the heap of a thread may grow; one that needs more fails alone, not the daemon. In MB. */
  readonly heapMb?: number;
  /** How long the thread waits for another task, ms. */
  readonly idleMs?: number;
  /** The tasks keep files open between them: the thread ends with this pool. */
  readonly keepsFilesOpen?: true;
}

/** Ending an idle thread gives its memory back; starting one costs 50 to 100 ms. */
const shortIdleMs = 5_000;

/** Threads belong to the process, one for each file: they end when they are idle, and keep no process alive. */
const threads = new Map<string, Promise<Piscina>>();
/** The last task of each thread. One at a time: Piscina forgets those that wait behind a task that is ended. */
const lastTasks = new Map<string, Promise<unknown>>();

/**
 * Runs the tasks of one file in its thread: a second task waits for the first. Nothing is loaded, and no thread runs, until
 * the first task comes.
 * @typeParam Module `typeof import` of the file
 */
export class WorkerPool<Module extends Tasks<Module>> {
  readonly #options: WorkerPoolOptions;
  readonly #name: string;
  /** How to end each task that runs or waits. */
  readonly #ends = new Set<() => void>();
  /** The thread that runs a task of this pool. */
  #running: Piscina['threads'] = [];
  #isClosed = false;
  #busyMs = 0;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#name = options.keepsFilesOpen === true ? `${options.file} ${randomUUID()}` : options.file;
  }

  /** How long tasks of this pool have had the thread, ms: without their wait in line. */
  get busyMs(): number {
    return this.#busyMs;
  }

  /**
   * Runs a task in the thread.
   * @param signal ends the thread, whatever it is doing, or has the task fail when its turn comes; the next task gets a new one.
   * @throws what the task throws, with its message but without its class; or an error of the thread when that dies.
   */
  async run<Name extends keyof Module & string>(
    name: Name,
    input: Parameters<Module[Name]>[0],
    signal?: AbortSignal,
  ): Promise<Awaited<ReturnType<Module[Name]>>> {
    if (this.#isClosed) throw new Error('The worker pool is closed.');
    const ending = new AbortController();
    const end = (): void => ending.abort();
    if (signal?.aborted === true) end();
    signal?.addEventListener('abort', end);
    this.#ends.add(end);
    const before = lastTasks.get(this.#name);
    const task = Promise.resolve(before).then(async () => {
      const pool = await this.#thread().catch(unavailable);
      const begin = performance.now();
      try {
        const result = pool.run(input, { name, signal: ending.signal });
        this.#running = pool.threads;
        return await result;
      } finally {
        if (!this.#isClosed) this.#running = [];
        this.#busyMs += performance.now() - begin;
      }
    });
    lastTasks.set(
      this.#name,
      task.catch(() => undefined),
    );
    try {
      return await task;
    } finally {
      this.#ends.delete(end);
      signal?.removeEventListener('abort', end);
    }
  }

  /** Has the tasks that run or wait fail; over when no thread runs any of them. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const running = this.#running;
    const isOwn = this.#options.keepsFilesOpen === true;
    // The next task of the file gets another thread: one that ends while it starts would leave it waiting for ever.
    const dropped = isOwn || running.length > 0 ? drop(this.#name) : undefined;
    for (const end of this.#ends) end();
    await Promise.all([dropped, ...running.map((thread) => thread.terminate())]);
    if (isOwn) lastTasks.delete(this.#name);
  }

  #thread(): Promise<Piscina> {
    const running = threads.get(this.#name);
    if (running !== undefined) return running;
    const started = startThread(this.#options);
    threads.set(this.#name, started);
    started.then(
      // A thread that dies before it is ready leaves its task waiting for ever; without the pool the task fails.
      (pool) => pool.on('error', () => void drop(this.#name, started)),
      // The next task tries again.
      () => threads.delete(this.#name),
    );
    return started;
  }
}

async function startThread({
  file,
  heapMb = 1_024,
  idleMs = shortIdleMs,
}: WorkerPoolOptions): Promise<Piscina> {
  const { Piscina: Pool } = await import('piscina');
  return new Pool({
    filename: fileURLToPath(threadModule(`worker/${file}`)),
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: idleMs,
    // A thread that waits in Atomics.wait never frees the statements that V8 has let go: that is work of its event loop.
    atomics: 'disabled',
    env: threadEnvironment(),
    // Small young generations keep the memory of an import the same whatever the size of its files.
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: youngMb },
  });
}

/** @throws WaypointError, for a thread whose modules cannot be loaded now, as where no more files can be opened. */
function unavailable(cause: unknown): never {
  throw new WaypointError('storage_unavailable', { cause, retryAfterSeconds });
}

/** Ends a thread; the tasks of its line fail. */
async function drop(name: string, started = threads.get(name)): Promise<void> {
  if (threads.get(name) === started) threads.delete(name);
  const pool = await started?.catch(() => undefined);
  await pool?.destroy();
}

/** A thread does not inherit the compile cache, only the variable that asks for one: it starts in a third of the time. */
function threadEnvironment(): NodeJS.ProcessEnv {
  const directory = getCompileCacheDir();
  // The directory in use is one below the one that was asked for.
  return directory === undefined
    ? process.env
    : { ...process.env, NODE_COMPILE_CACHE: dirname(directory) };
}
