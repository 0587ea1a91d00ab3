import type * as tasks from '../../worker/tiles-tasks.ts';
import type { TrackTask } from '../../worker/tiles-tasks.ts';
import { SharedCounters } from '../../worker/shared-counters.ts';
import { WaypointError } from '../../model/failure.ts';
import { limits } from '../../model/limits.ts';
import type { Paths } from '../paths.ts';
import { WorkerPool } from '../pool.ts';
import { scheduleTimeout, type Schedule } from '../schedule.ts';

type MapTasks = Omit<typeof tasks, 'prototype'>;

type StorePaths = Pick<Paths, 'waypointsDatabase' | 'libraryDatabase'>;

/** A map asks again and again. */
const idleMs = 60_000;
const heapMb = 256;
const youngMb = 8;

/** The thread that reads tracks for maps: one task at a time, the others in line, as long as their clients wait. */
export class TrackMaps {
  readonly #paths: StorePaths;
  readonly #schedule: Schedule;
  readonly #pool: WorkerPool<MapTasks>;
  readonly #waiting: (() => void)[] = [];
  #isBusy = false;

  /** Tests bring a clock and a thread of their own. */
  constructor(
    paths: StorePaths,
    schedule: Schedule = scheduleTimeout,
    pool = new WorkerPool<MapTasks>({ file: 'tiles-tasks', heapMb, youngMb, idleMs }),
  ) {
    this.#paths = paths;
    this.#schedule = schedule;
    this.#pool = pool;
  }

  /**
   * Runs a task.
   * @param signal ends it within some milliseconds.
   * @throws WaypointError busy when too many wait, when it takes too long, and for a client that has gone
   */
  async run<Name extends keyof MapTasks>(
    name: Name,
    input: Omit<
      Parameters<MapTasks[Name]>[0],
      keyof Pick<TrackTask, 'control' | 'waypointsPath' | 'libraryPath'>
    >,
    signal: AbortSignal,
  ): Promise<NonNullable<ReturnType<MapTasks[Name]>>> {
    await this.#turn(signal);
    const flag = new SharedCounters([]);
    const cancel = (): void => flag.cancel();
    signal.addEventListener('abort', cancel);
    const stopWaiting = this.#schedule(cancel, limits.tileDeadlineMs);
    try {
      if (signal.aborted) cancel();
      const { waypointsDatabase: waypointsPath, libraryDatabase: libraryPath } = this.#paths;
      const task = { ...input, waypointsPath, libraryPath, control: flag.shared };
      // Sound: together they are the input of the task.
      const outcome = await this.#pool.run(name, task as Parameters<MapTasks[Name]>[0]);
      if (outcome === undefined) throw new WaypointError('busy');
      return outcome as NonNullable<ReturnType<MapTasks[Name]>>;
    } finally {
      stopWaiting();
      signal.removeEventListener('abort', cancel);
      this.#isBusy = false;
      this.#waiting.shift()?.();
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  /** Resolves when the thread is free for the caller. */
  async #turn(signal: AbortSignal): Promise<void> {
    while (this.#isBusy) {
      if (this.#waiting.length >= limits.tilesWaiting) throw new WaypointError('busy');
      await this.#place(signal);
      if (signal.aborted) {
        // It may have been woken in place of the next one.
        if (!this.#isBusy) this.#waiting.shift()?.();
        throw new WaypointError('busy');
      }
    }
    this.#isBusy = true;
  }

  #place(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const go = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(go), 1);
        resolve();
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push(go);
    });
  }
}
