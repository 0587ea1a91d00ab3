import { randomBytes } from 'node:crypto';
import { limits } from '../../model/limits.ts';
import {
  timelineErrors,
  type TimelineJobRecord,
  type TimelineRequest,
  type TimelineState,
} from '../../model/timeline-job.ts';
import { formatTime } from '../../model/time.ts';
import type { TimelineProgress } from '../../worker/timeline/control.ts';

/** One job; `…At` in ms of the wall clock. */
export interface TimelineJob {
  readonly id: string;
  readonly request: TimelineRequest;
  readonly createdAt: number;
  state: TimelineState;
  /** Progress in the worker. */
  progress: () => TimelineProgress;
  startedAt?: number;
  finishedAt?: number;
  error?: keyof typeof timelineErrors;
  /** The result as JSON, compressed with gzip. */
  result?: Uint8Array;
}

/** @param now ms of the wall clock. */
export function newJob(request: TimelineRequest, now: number): TimelineJob {
  return {
    id: randomBytes(16).toString('hex'),
    request,
    createdAt: now,
    state: 'queued',
    progress: () => ({ processed: 0, total: undefined }),
  };
}

/** Describes a job for the API, without its result. */
export function recordOf(job: TimelineJob): TimelineJobRecord {
  const { id, state, request, createdAt, startedAt, finishedAt, error } = job;
  const { processed, total } = job.progress();
  return {
    id,
    state,
    start_date: request.start_date,
    end_date: request.end_date,
    ...(request.time_zone === undefined ? {} : { time_zone: request.time_zone }),
    ...(request.sources === undefined ? {} : { sources: request.sources }),
    ...(request.exclude_sources === undefined ? {} : { exclude_sources: request.exclude_sources }),
    processed_observations: processed,
    ...(total === undefined ? {} : { total_observations: total }),
    created_at: formatTime(createdAt),
    ...(startedAt === undefined ? {} : { started_at: formatTime(startedAt) }),
    ...(finishedAt === undefined ? {} : { finished_at: formatTime(finishedAt) }),
    ...(error === undefined ? {} : { error: timelineErrors[error] }),
  };
}

/** The bounds of the queue; durations in ms. */
export const defaultLimits = {
  queued: limits.timelineQueued,
  tracked: limits.timelineTracked,
  retentionMs: limits.timelineRetentionMs,
  deadlineMs: limits.timelineDeadlineMs,
  // A worker looks at its flag every few ms; one that runs on for so long after a job was cancelled is killed.
  graceMs: 500,
  resultBytes: limits.timelineResultBytes,
};
export type TimelineLimits = Readonly<Record<keyof typeof defaultLimits, number>>;
