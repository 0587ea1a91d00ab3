import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Piscina } from 'piscina';
import { threadModule } from '../model/program-files.ts';

/** The tasks that a file in worker/ exports. */
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
}

/** Ending an idle thread gives its memory back; starting one costs 50 to 100 ms. */
const shortIdleMs = 5_000;

/**
 * One thread for the tasks of one file: a second task waits for the first. Nothing is loaded, and no thread runs, until
 * the first task comes.
 * @typeParam Module `typeof import` of the file
 */
export class WorkerPool<Module extends Tasks<Module>> {
  readonly #options: WorkerPoolOptions;
  #pool: Promise<Piscina> | undefined;
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
    const pool = await (this.#pool ??= this.#start());
    return pool.run(input, signal === undefined ? { name } : { name, signal });
  }

  /** Ends the thread; a task that is running fails. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#drop();
  }

  async #start(): Promise<Piscina> {
    const { Piscina: Pool } = await import('piscina');
    const { file, heapMb = 1_024, idleMs = shortIdleMs } = this.#options;
    const pool = new Pool({
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
    // A thread that dies before it is ready leaves its task waiting for ever; a new pool lets the task fail.
    pool.on('error', () => void this.#drop());
    return pool;
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
