import { RequestFailure } from '../../client/waypoints/index.ts';
import type { TimelineResult } from '../../model/timeline-result.ts';
import { service } from './service.ts';

const firstPollMs = 40;
const longestPollMs = 1_000;

/**
 * The timeline of a period, in days of the places themselves.
 * @throws the signal's reason once it is aborted; a sentence when the daemon could not make it.
 */
export async function timelineOf(
  start: string,
  end: string,
  signal: AbortSignal,
  tell: (share: number) => void,
): Promise<TimelineResult> {
  const id = await service.submitTimeline(start, end, { time_zone: 'local' });
  for (let wait = firstPollMs; ; wait = Math.min(wait * 1.6, longestPollMs)) {
    await new Promise((next) => setTimeout(next, wait));
    const job = await service.getTimeline(id, !signal.aborted);
    const isGoingOn = job.state === 'queued' || job.state === 'running';
    // The daemon refuses to cancel a finished job, and the browser logs that as an error.
    if (signal.aborted && isGoingOn) await service.cancelTimeline(id);
    signal.throwIfAborted();
    if (job.result !== undefined) return job.result;
    if (!isGoingOn) throw new Error(job.error ?? 'The timeline was cancelled.');
    if (job.total_observations) tell(job.processed_observations / job.total_observations);
  }
}

/** Asks again while the daemon still makes what is asked for. */
export async function patiently<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    signal.throwIfAborted();
    const answer = await ask().catch((error: unknown) => {
      if (!(error instanceof RequestFailure && error.message.startsWith('timeout'))) throw error;
    });
    if (answer !== undefined) return answer as T;
  }
}
