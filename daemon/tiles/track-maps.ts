import type * as tasks from '../../worker/tiles-tasks.ts';
import { SharedCounters } from '../../worker/shared-counters.ts';
import { WaypointError } from '../../model/failure.ts';
import { limits } from '../../model/limits.ts';
import { WorkerPool } from '../pool.ts';
import { scheduleTimeout, type Schedule } from '../schedule.ts';

type MapTasks = Omit<typeof tasks, 'prototype'>;

const threadOptions = {
  file: 'tiles-tasks',
  heapMb: 256,
  // Keeps the thread while a map is moved.
  idleMs: 60_000,
  keepsFilesOpen: true,
} as const;

/** The thread that reads tracks for maps: one task at a time, the others wait in its queue. */
export class TrackMaps {
  readonly #libraryPath: string;
  readonly #schedule: Schedule;
  readonly #pool: WorkerPool<MapTasks>;
  #asked = 0;

  /** Tests bring a clock and a thread of their own. */
  constructor(
    libraryPath: string,
    schedule: Schedule = scheduleTimeout,
    pool = new WorkerPool<MapTasks>(threadOptions),
  ) {
    this.#libraryPath = libraryPath;
    this.#schedule = schedule;
    this.#pool = pool;
  }

  /**
   * Runs a task.
   * @param signal ends it within some milliseconds; one that waits ends as soon as its turn comes.
   * @throws WaypointError busy when too many wait, when it takes too long, and for a client that has gone
   */
  async run<Name extends keyof MapTasks>(
    name: Name,
    input: Omit<Parameters<MapTasks[Name]>[0], 'control' | 'libraryPath'>,
    signal: AbortSignal,
  ): Promise<NonNullable<ReturnType<MapTasks[Name]>>> {
    if (this.#asked > limits.tilesWaiting) throw new WaypointError('busy');
    this.#asked += 1;
    const flag = new SharedCounters([]);
    const cancel = (): void => flag.cancel();
    if (signal.aborted) cancel();
    signal.addEventListener('abort', cancel);
    const stopDeadline = this.#schedule(cancel, limits.tileDeadlineMs);
    try {
      const task = { ...input, libraryPath: this.#libraryPath, control: flag.shared };
      // Sound: together they are the input of the task.
      const outcome = await this.#pool.run(name, task as Parameters<MapTasks[Name]>[0]);
      if (outcome === undefined) throw new WaypointError('busy');
      return outcome as NonNullable<ReturnType<MapTasks[Name]>>;
    } finally {
      stopDeadline();
      signal.removeEventListener('abort', cancel);
      this.#asked -= 1;
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
