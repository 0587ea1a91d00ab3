import type { Schedule } from '../schedule.ts';
import type { TimelineJob, TimelineLimits } from './job.ts';

/**
 * The jobs that clients may ask for, from their request to 15 minutes after their end. A job and its result go together:
 * a completed job always has one.
 */
export class TrackedJobs {
  readonly #schedule: Schedule;
  readonly #limits: TimelineLimits;
  readonly #jobs = new Map<string, TimelineJob>();
  /** In the order in which they ended, each with what cancels its timer: where the user was is not kept until a request. */
  readonly #ended = new Map<TimelineJob, () => void>();

  constructor(schedule: Schedule, limits: TimelineLimits) {
    this.#schedule = schedule;
    this.#limits = limits;
  }

  /**
   * Adds a job; where there are too many, the one that ended first goes.
   * @returns false when none of them has ended.
   */
  add(job: TimelineJob): boolean {
    while (this.#jobs.size >= this.#limits.tracked) {
      if (!this.#dropFirstEnded(() => true)) return false;
    }
    this.#jobs.set(job.id, job);
    return true;
  }

  find(id: string): TimelineJob | undefined {
    return this.#jobs.get(id);
  }

  /**
   * Makes room for a result by dropping the jobs whose results are oldest.
   * @returns false for one that is larger than all may be together.
   */
  makeRoom(bytes: number): boolean {
    const { resultBytes } = this.#limits;
    if (bytes > resultBytes) return false;
    while (this.#resultBytes() + bytes > resultBytes) {
      if (!this.#dropFirstEnded(({ result }) => result !== undefined)) break;
    }
    return true;
  }

  /** From now on the job's time runs. */
  ended(job: TimelineJob): void {
    const cancelTimer = this.#schedule(() => this.#drop(job), this.#limits.retentionMs);
    this.#ended.set(job, cancelTimer);
  }

  close(): void {
    for (const cancelTimer of this.#ended.values()) cancelTimer();
  }

  #resultBytes(): number {
    return [...this.#jobs.values()].reduce((sum, { result }) => sum + (result?.length ?? 0), 0);
  }

  #dropFirstEnded(may: (job: TimelineJob) => boolean): boolean {
    const first = [...this.#ended.keys()].find(may);
    if (first !== undefined) this.#drop(first);
    return first !== undefined;
  }

  #drop(job: TimelineJob): void {
    this.#ended.get(job)?.();
    this.#ended.delete(job);
    this.#jobs.delete(job.id);
  }
}
