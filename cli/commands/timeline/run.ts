import { setTimeout as delay } from 'node:timers/promises';
import {
  timelineAcceptedSchema,
  timelineCancelSchema,
  timelineJobSchema,
  type TimelineJobRecord,
  type TimelineRequest,
} from '../../../model/timeline-job.ts';
import type { TimelineResult } from '../../../model/timeline-result.ts';
import type { ApiClient } from '../../../client/waypoints/node/api-client.ts';
import { RequestFailure } from '../../../client/waypoints/request-failure.ts';
import { ExitError } from '../../../model/exit-error.ts';
import { note } from '../../terminal/output.ts';
import { TimelineProgressBar } from './progress.ts';

/** Most jobs take less than a second; for the others twice a second is often enough. */
const firstPauseMs = 20;
const longestPauseMs = 500;
/** The client timeout of the specification for a result. */
const resultTimeoutMs = 60_000;

/** One job of a command: put in line, watched, and cancelled when its user interrupts it. */
export class TimelineRun {
  stoppedBy: NodeJS.Signals | undefined;
  #id: string | undefined;

  /**
   * @returns undefined when it was stopped.
   * @throws ExitError when there will be no result.
   */
  async result(client: ApiClient, request: TimelineRequest): Promise<TimelineResult | undefined> {
    try {
      return await this.#run(client, request);
    } catch (error) {
      throw this.#id !== undefined && isGone(error) ? new ExitError(goneSentence) : explain(error);
    }
  }

  /** Cancels the job; the result that is waited for is then undefined. */
  stop(client: ApiClient, signal: NodeJS.Signals): void {
    this.stoppedBy = signal;
    note('Stopping …');
    this.#cancel(client);
  }

  #cancel(client: ApiClient): void {
    if (this.#id === undefined) return;
    // That it is over is all that can be wrong here.
    client.ask(timelineCancelSchema, 'DELETE', this.#path).catch(() => undefined);
  }

  async #run(client: ApiClient, body: TimelineRequest): Promise<TimelineResult | undefined> {
    const accepted = await client.ask(timelineAcceptedSchema, 'POST', '/api/timelines', { body });
    this.#id = accepted.job_id;
    if (this.stoppedBy !== undefined) this.#cancel(client);
    const { state, error } = await this.#untilOver(client);
    if (this.stoppedBy !== undefined) return undefined;
    if (state === 'cancelled') throw new ExitError('This timeline was cancelled from elsewhere.');
    if (state === 'failed') throw new ExitError(error ?? 'The timeline failed.');
    const input = { query: { result: true }, timeoutMs: resultTimeoutMs };
    const { result } = await client.ask(timelineJobSchema, 'GET', this.#path, input);
    return this.stoppedBy === undefined ? result : undefined;
  }

  get #path(): string {
    return `/api/timelines/${this.#id ?? ''}`;
  }

  async #untilOver(client: ApiClient): Promise<TimelineJobRecord> {
    const bar = new TimelineProgressBar();
    try {
      for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
        const job = await client.ask(timelineJobSchema, 'GET', this.#path);
        if (job.finished_at !== undefined) return job;
        await bar.show(job);
        await delay(pauseMs);
      }
    } finally {
      bar.remove();
    }
  }
}

const goneSentence =
  'The daemon has gone, and the timeline with it. Start the daemon again, then ask for it once more.';

/** Whether the daemon that had the job has ended; another one at its port does not know its token. */
function isGone(error: unknown): boolean {
  if (!(error instanceof RequestFailure)) return false;
  return error.status === 401 || error.code === 'refused' || error.code === 'reset';
}

function explain(error: unknown): unknown {
  if (!(error instanceof RequestFailure)) return error;
  if (error.status === 429) {
    return new ExitError('Too many timelines are waiting already. Try again when some are done.');
  }
  if (error.status === 404) {
    return new ExitError('The daemon has dropped this timeline in favour of others. Try again.');
  }
  return error;
}
