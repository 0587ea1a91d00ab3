import type { Clock } from '../../model/process.ts';
import type { Schedule } from '../schedule.ts';
import type { TimelineJob } from './job.ts';

export interface TrackedJobsOptions {
  readonly clock: Clock;
  readonly schedule: Schedule;
  readonly maxJobs: number;
  /** After the end of a job. */
  readonly retentionMs: number;
  /** All results together, compressed. */
  readonly maxResultBytes: number;
}

/**
 * The jobs that clients may ask for, from their request to 15 minutes after their end. A job and its result go together:
 * a completed job always has one.
 */
export class TrackedJobs {
  readonly #options: TrackedJobsOptions;
  readonly #jobs = new Map<string, TimelineJob>();
  #cancelSweep: (() => void) | undefined;

  constructor(options: TrackedJobsOptions) {
    this.#options = options;
  }

  /**
   * Adds a job; where there are too many, the one that ended first goes.
   * @returns false when none of them has ended.
   */
  add(job: TimelineJob): boolean {
    this.#sweep();
    while (this.#jobs.size >= this.#options.maxJobs) {
      if (!this.#dropFirstEnded(() => true)) return false;
    }
    this.#jobs.set(job.id, job);
    return true;
  }

  find(id: string): TimelineJob | undefined {
    this.#sweep();
    return this.#jobs.get(id);
  }

  /**
   * Makes room for a result by dropping the jobs whose results are oldest.
   * @returns false for one that is larger than all may be together.
   */
  makeRoom(bytes: number): boolean {
    const { maxResultBytes } = this.#options;
    if (bytes > maxResultBytes) return false;
    while (this.#resultBytes() + bytes > maxResultBytes) {
      if (!this.#dropFirstEnded(({ result }) => result !== undefined)) break;
    }
    return true;
  }

  /** From now on the job's time runs. */
  ended(job: TimelineJob): void {
    job.endedMs = this.#options.clock.monotonic();
    this.#wakeUp();
  }

  /** Ends the timer. */
  close(): void {
    this.#cancelSweep?.();
    this.#cancelSweep = undefined;
  }

  #resultBytes(): number {
    return [...this.#jobs.values()].reduce((sum, { result }) => sum + (result?.length ?? 0), 0);
  }

  #dropFirstEnded(may: (job: TimelineJob) => boolean): boolean {
    let first: TimelineJob | undefined;
    for (const job of this.#jobs.values()) {
      if (may(job) && endOf(job) < endOf(first)) first = job;
    }
    return first !== undefined && this.#jobs.delete(first.id);
  }

  #sweep(): void {
    const endedBy = this.#options.clock.monotonic() - this.#options.retentionMs;
    for (const job of this.#jobs.values()) {
      if (endOf(job) <= endedBy) this.#jobs.delete(job.id);
    }
  }

  /** Where somebody was is not kept in memory until somebody happens to ask. One timer, and none without ended jobs. */
  #wakeUp(): void {
    if (this.#cancelSweep !== undefined) return;
    const first = Math.min(...[...this.#jobs.values()].map(endOf));
    if (first === Infinity) return;
    const { clock, schedule, retentionMs } = this.#options;
    this.#cancelSweep = schedule(
      () => {
        this.#cancelSweep = undefined;
        this.#sweep();
        this.#wakeUp();
      },
      // Timers may be early by a little.
      Math.max(1, Math.ceil(first + retentionMs - clock.monotonic())),
    );
  }
}

/** Infinity for a job that goes on. */
function endOf(job: TimelineJob | undefined): number {
  return job?.endedMs ?? Infinity;
}
