import type * as tasks from '../../worker/timeline-tasks.ts';
import type { TimelineOutcome, TimelineTask } from '../../worker/timeline-tasks.ts';
import { TimelineControl } from '../../worker/timeline/control.ts';
import type { WorkerPool } from '../pool.ts';
import type { Schedule } from '../schedule.ts';

/** The tasks of the timeline worker. */
export type TimelineTasks = Pick<typeof tasks, 'buildTimeline'>;

export interface ExecutionOptions {
  readonly pool: WorkerPool<TimelineTasks>;
  readonly schedule: Schedule;
  readonly deadlineMs: number;
  /** A worker that goes on for so long after it was told to stop is ended. */
  readonly graceMs: number;
}

export type ExecutionEnd =
  | Extract<TimelineOutcome, { state: 'completed' }>
  | { readonly state: 'failed'; readonly cause: unknown }
  | { readonly state: 'late' }
  | { readonly state: 'cancelled' };

/** The work of the worker on one job, which ends by itself, at the deadline or when it is cancelled. */
export class TimelineExecution {
  readonly control = new TimelineControl();
  /** Never rejects. */
  readonly ended: Promise<ExecutionEnd>;
  readonly #options: ExecutionOptions;
  readonly #kill = new AbortController();
  #cancelKill: (() => void) | undefined;
  #stopped: 'late' | 'cancelled' | undefined;

  /** @param task is asked for when the time has begun to run. */
  constructor(options: ExecutionOptions, task: () => Promise<Omit<TimelineTask, 'control'>>) {
    this.#options = options;
    this.ended = this.#run(task);
  }

  cancel(): void {
    this.#stop('cancelled');
  }

  async #run(task: () => Promise<Omit<TimelineTask, 'control'>>): Promise<ExecutionEnd> {
    const { schedule, deadlineMs } = this.#options;
    const cancelDeadline = schedule(() => this.#stop('late'), deadlineMs);
    const end = await this.#work(task);
    cancelDeadline();
    this.#cancelKill?.();
    // Whoever was told that it is cancelled must not find it completed.
    return this.#stopped === undefined ? end : { state: this.#stopped };
  }

  async #work(task: () => Promise<Omit<TimelineTask, 'control'>>): Promise<ExecutionEnd> {
    try {
      const input = { ...(await task()), control: this.control.shared };
      const outcome = await this.#options.pool.run('buildTimeline', input, this.#kill.signal);
      if (outcome.state === 'completed') return outcome;
      return { state: 'failed', cause: new Error('The worker stopped by itself.') };
    } catch (cause) {
      return { state: 'failed', cause };
    }
  }

  #stop(why: 'late' | 'cancelled'): void {
    this.#stopped = why;
    this.control.cancel();
    this.#cancelKill ??= this.#options.schedule(() => this.#kill.abort(), this.#options.graceMs);
  }
}
