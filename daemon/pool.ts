import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Piscina } from 'piscina';
import { threadModule } from '../model/program-files.ts';

/** The tasks that a file in worker/ exports. */
type Tasks<Module> = { [Name in keyof Module]: (input: never) => unknown };

export interface WorkerPoolOptions {
  /** Name of the file in worker/, without its ending. */
  readonly file: string;
  /** The most the heap of a thread may grow; one that needs more fails alone, not the daemon. In MB. */
  readonly heapMb?: number;
  /** How much of what a thread has just made may wait to be collected; three times that stays with it. In MB. */
  readonly youngMb?: number;
  /** How long the thread waits for another task, ms. */
  readonly idleMs?: number;
}

/** Keeps pools of daemons that have ended for those that begin. */
export interface SparePools {
  /** Gives one that was made with the same options. */
  take(options: WorkerPoolOptions): Piscina | undefined;
  /** @returns whether it takes the pool, in which nothing runs. */
  leave(options: WorkerPoolOptions, pool: Piscina): boolean;
}

/** Ending an idle thread gives its memory back; starting one costs 50 to 100 ms. */
const shortIdleMs = 5_000;

/**
 * One thread for the tasks of one file: a second task waits for the first. Nothing is loaded, and no thread runs, until
 * the first task comes.
 * @typeParam Module `typeof import` of the file
 */
export class WorkerPool<Module extends Tasks<Module>> {
  /** Of tests, which start hundreds of daemons in one process. */
  static spare: SparePools | undefined;
  readonly #options: WorkerPoolOptions;
  #pool: Promise<Piscina> | undefined;
  #running = 0;
  #isClosed = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  /**
   * Runs a task in the thread.
   * @param signal ends the thread, whatever it is doing, or takes the task out of the line; the next task gets a new one.
   * @throws what the task throws, with its message but without its class; or an error of the thread when that dies.
   */
  async run<Name extends keyof Module & string>(
    name: Name,
    input: Parameters<Module[Name]>[0],
    signal?: AbortSignal,
  ): Promise<Awaited<ReturnType<Module[Name]>>> {
    if (this.#isClosed) throw new Error('The worker pool is closed.');
    this.#pool ??= this.#open();
    this.#running += 1;
    try {
      const pool = await this.#pool;
      return await pool.run(input, signal === undefined ? { name } : { name, signal });
    } finally {
      this.#running -= 1;
    }
  }

  /** Ends the thread; a task that is running fails. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const pool = await this.#pool?.catch(() => undefined);
    const isIdle = pool !== undefined && this.#running === 0;
    if (isIdle && WorkerPool.spare?.leave(this.#options, pool)) pool.removeAllListeners('error');
    else await this.#drop();
  }

  async #open(): Promise<Piscina> {
    const pool = WorkerPool.spare?.take(this.#options) ?? (await this.#start());
    // A thread that dies before it is ready leaves its task waiting for ever; a new pool lets the task fail.
    pool.on('error', () => void this.#drop());
    return pool;
  }

  async #start(): Promise<Piscina> {
    const { Piscina: Pool } = await import('piscina');
    const { file, heapMb = 1_024, youngMb = 16, idleMs = shortIdleMs } = this.#options;
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

  async #drop(): Promise<void> {
    const pool = await this.#pool?.catch(() => undefined);
    this.#pool = undefined;
    await pool?.destroy();
  }
}

/** A thread does not inherit the compile cache, only the variable that asks for one: it starts in a third of the time. */
function threadEnvironment(): NodeJS.ProcessEnv {
  const directory = getCompileCacheDir();
  // The directory in use is one below the one that was asked for.
  return directory === undefined
    ? process.env
    : { ...process.env, NODE_COMPILE_CACHE: dirname(directory) };
}
