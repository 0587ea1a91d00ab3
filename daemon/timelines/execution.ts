import type * as tasks from '../../worker/timeline-tasks.ts';
import type { TimelineOutcome, TimelineTask } from '../../worker/timeline-tasks.ts';
import { TimelineControl } from '../../worker/timeline/control.ts';
import type { WorkerPool } from '../pool.ts';
import type { Schedule } from '../schedule.ts';
import type { TimelineLimits } from './job.ts';

export type TimelineTasks = Pick<typeof tasks, 'buildTimeline'>;

export type ExecutionEnd =
  | Extract<TimelineOutcome, { state: 'completed' }>
  | { readonly state: 'failed'; readonly cause: unknown }
  | { readonly state: 'late' }
  | { readonly state: 'cancelled' };

export type PreparedTask = Omit<TimelineTask, 'control'>;

/**
 * Has the worker work on one job, which ends by itself, at the deadline or when it is cancelled; `ended` never rejects.
 * @param prepare is called when the time has begun to run, and counts.
 */
export function execute(
  pool: WorkerPool<TimelineTasks>,
  schedule: Schedule,
  { deadlineMs, graceMs }: TimelineLimits,
  prepare: () => Promise<PreparedTask>,
) {
  const control = new TimelineControl();
  const kill = new AbortController();
  const killed = Promise.withResolvers<never>();
  let stopped: 'late' | 'cancelled' | undefined;
  let cancelKill: (() => void) | undefined;
  function stop(why: 'late' | 'cancelled'): void {
    stopped = why;
    control.cancel();
    cancelKill ??= schedule(() => {
      kill.abort();
      killed.reject(new Error('The job was ended.'));
    }, graceMs);
  }
  async function work(): Promise<ExecutionEnd> {
    const input = await Promise.race([prepare(), killed.promise]);
    const task = { ...input, control: control.shared };
    const outcome = await pool.run('buildTimeline', task, kill.signal);
    if (outcome.state === 'completed') return outcome;
    throw new Error('The worker stopped by itself.');
  }
  const cancelDeadline = schedule(() => stop('late'), deadlineMs);
  const ended = work()
    .catch((cause: unknown) => ({ state: 'failed', cause }) as const)
    .then((end): ExecutionEnd => {
      cancelDeadline();
      cancelKill?.();
      // A job that was cancelled must not become completed.
      return stopped === undefined ? end : { state: stopped };
    });
  return { control, ended, cancel: () => stop('cancelled') };
}
