import type * as tasks from '../../worker/timeline-tasks.ts';
import type { TimelineOutcome, TimelineTask } from '../../worker/timeline-tasks.ts';
import { TimelineControl } from '../../worker/timeline/control.ts';
import type { WorkerPool } from '../pool.ts';
import type { Schedule } from '../schedule.ts';

export type TimelineTasks = Pick<typeof tasks, 'buildTimeline'>;

export interface ExecutionOptions {
  readonly pool: WorkerPool<TimelineTasks>;
  readonly schedule: Schedule;
  readonly deadlineMs: number;
  /** A worker that runs on for so long after its job was cancelled is killed. */
  readonly graceMs: number;
}

export type ExecutionEnd =
  | Extract<TimelineOutcome, { state: 'completed' }>
  | { readonly state: 'failed'; readonly cause: unknown }
  | { readonly state: 'late' }
  | { readonly state: 'cancelled' };

export type PreparedTask = Omit<TimelineTask, 'control'>;

/** The work of the worker on one job, which ends by itself, at the deadline or when it is cancelled. */
export class TimelineExecution {
  readonly control = new TimelineControl();
  /** Never rejects. */
  readonly ended: Promise<ExecutionEnd>;
  readonly #options: ExecutionOptions;
  readonly #kill = new AbortController();
  #cancelKill: (() => void) | undefined;
  #stopped: 'late' | 'cancelled' | undefined;

  /** @param prepare is called when the time has begun to run, and counts. */
  constructor(options: ExecutionOptions, prepare: () => Promise<PreparedTask>) {
    this.#options = options;
    this.ended = this.#run(prepare());
  }

  cancel(): void {
    this.#stop('cancelled');
  }

  async #run(prepared: Promise<PreparedTask>): Promise<ExecutionEnd> {
    const { schedule, deadlineMs } = this.#options;
    const cancelDeadline = schedule(() => this.#stop('late'), deadlineMs);
    const end = await this.#work(prepared).catch((cause: unknown) => failed(cause));
    cancelDeadline();
    this.#cancelKill?.();
    // A job that was cancelled must not become completed.
    return this.#stopped === undefined ? end : { state: this.#stopped };
  }

  async #work(prepared: Promise<PreparedTask>): Promise<ExecutionEnd> {
    const { signal } = this.#kill;
    const killed = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error('The job was ended.')));
    });
    const input = await Promise.race([prepared, killed]);
    const task = { ...input, control: this.control.shared };
    const outcome = await this.#options.pool.run('buildTimeline', task, signal);
    return outcome.state === 'completed'
      ? outcome
      : failed(new Error('The worker stopped by itself.'));
  }

  #stop(why: 'late' | 'cancelled'): void {
    this.#stopped = why;
    this.control.cancel();
    this.#cancelKill ??= this.#options.schedule(() => this.#kill.abort(), this.#options.graceMs);
  }
}

function failed(cause: unknown): ExecutionEnd {
  return { state: 'failed', cause };
}
