import type { TimelineJobRecord } from '../../../model/timeline-job.ts';
import type {
  CorrectionAnswer,
  CorrectionsAnswer,
  NewCorrection,
} from '../../../model/correction.ts';
import { asList, asRecord, operation } from '../operation.ts';
import type { PlacesAnswer, Summary } from '../../../model/life.ts';
import type { CancelAnswer, DatePeriod, PlacesParams, TimelineOptions } from '../types.ts';

/** A result may have tens of megabytes. */
const resultTimeoutMs = 60_000;

/** `submitTimeline(start, end, options)`: both days `YYYY-MM-DD` and inclusive. Yields the id of the job. */
export function submitTimeline(
  requestId: number,
  start: string,
  end: string,
  options: TimelineOptions,
) {
  const { time_zone, sources, exclude_sources } = options;
  return operation<string>()({
    call: 'POST /api/timelines',
    body: { start_date: start, end_date: end, time_zone, sources, exclude_sources },
    read: (value) => asRecord<{ job_id?: string }>(value)?.job_id,
    succeeded: (jobId) => [['timelineSubmitted', requestId, jobId]],
    failed: (message) => ['timelineSubmitFailed', requestId, message],
  });
}

/** @param includeResult asks for the result of a completed job as well, with 60 s of time. */
export function getTimeline(id: string, includeResult = false) {
  return operation<TimelineJobRecord>()({
    call: `GET ${jobPath(id)}`,
    args: [id, includeResult],
    ...(includeResult ? { query: { result: true }, timeoutMs: resultTimeoutMs } : {}),
    succeeded: (status) => [['timelineStatusFetched', id, status]],
    failed: (message) => ['timelineStatusFailed', id, message, includeResult],
  });
}

export function cancelTimeline(id: string) {
  return operation<CancelAnswer>()({
    call: `DELETE ${jobPath(id)}`,
    read: () => ({ status: 'cancelling' }),
    succeeded: () => [['timelineCancelAccepted', id]],
    failed: (message) => ['timelineCancelFailed', id, message],
  });
}

/** The places of a period, those with most time first. Fails with 429 while they are being made: ask again. */
export function getPlaces(params: PlacesParams = {}) {
  return operation<PlacesAnswer>()({
    call: 'GET /api/places',
    query: params,
    read: (value) => ({ places: asList(asRecord<PlacesAnswer>(value)?.places) }),
    offline: () => ({ places: [] }),
    succeeded: (answer) => [['placesFetched', answer, params]],
    failed: (message) => ['placesFetchFailed', message, params],
  });
}

/** Sums a period up. Fails with 429 while the sums are being made: ask again. */
export function getSummary(period: DatePeriod = {}) {
  return operation<Summary>()({
    call: 'GET /api/summary',
    query: period,
    succeeded: (summary) => [['summaryFetched', summary, period]],
    failed: (message) => ['summaryFetchFailed', message, period],
  });
}

/** Corrections of timelines, the newest first. */
export function getCorrections() {
  return operation<CorrectionsAnswer>()({
    call: 'GET /api/corrections',
    read: (value) => ({ corrections: asList(asRecord<CorrectionsAnswer>(value)?.corrections) }),
    offline: () => ({ corrections: [] }),
    succeeded: (answer) => [['correctionsFetched', answer]],
    failed: (message) => ['correctionsFetchFailed', message],
  });
}

/** Corrects every later timeline. */
export function addCorrection(correction: NewCorrection) {
  return operation<CorrectionAnswer>()({
    call: 'POST /api/corrections',
    body: correction,
    succeeded: (added) => [['correctionAdded', added]],
    failed: (message) => ['correctionAddFailed', correction, message],
  });
}

/** Deletes a correction. Yields its id. */
export function deleteCorrection(id: number) {
  return operation<number>()({
    call: `DELETE /api/corrections/${encodeURIComponent(id)}`,
    read: () => id,
    succeeded: () => [['correctionDeleted', id]],
    failed: (message) => ['correctionDeleteFailed', id, message],
  });
}

/** An id is any text of the caller's: it must not lead to another route. */
function jobPath(id: string): string {
  return `/api/timelines/${encodeURIComponent(id)}`;
}
