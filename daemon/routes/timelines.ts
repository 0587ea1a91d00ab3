import { createGunzip } from 'node:zlib';
import { route, type Answer, type Route } from '../../http/route.ts';
import {
  timelineAcceptedSchema,
  timelineCancelSchema,
  timelineJobSchema,
  timelineParams,
  timelineQuery,
  timelineRequestSchema,
  type TimelineJobRecord,
} from '../../model/timeline-job.ts';
import { recordOf } from '../timelines/job.ts';
import type { DaemonParts } from '../parts.ts';

const pieceBytes = 65_536;

/** `/api/timelines`: where the user stayed in a period, found by a job. */
export function timelineRoutes({ timelines: jobs }: DaemonParts): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/timelines',
      summary: 'Puts a timeline job of at most 7,320 UTC days in line.',
      body: timelineRequestSchema,
      answers: { 202: timelineAcceptedSchema },
      handle: ({ body }) => ({ status: 202, json: { job_id: jobs.submit(body) } }),
    }),
    route({
      method: 'GET',
      path: '/api/timelines/{id}',
      summary:
        'Tells how a timeline job is doing; with result=true, and once it is completed, what it found.',
      params: timelineParams,
      query: timelineQuery,
      answers: { 200: timelineJobSchema },
      handle({ params, query }): Answer {
        const job = jobs.find(params.id);
        if (query.result !== true || job.result === undefined) {
          return { status: 200, json: recordOf(job) };
        }
        return { status: 200, pieces: recordWithResult(recordOf(job), job.result) };
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/timelines/{id}',
      summary: 'Cancels a timeline job that is queued or running.',
      params: timelineParams,
      answers: { 202: timelineCancelSchema },
      handle({ params }) {
        jobs.cancel(params.id);
        return { status: 202, json: { status: 'cancelling' } };
      },
    }),
  ];
}

/**
 * Writes a job with its result in pieces: Node's threads inflate the result, which is never parsed.
 * @param result JSON, compressed with gzip.
 */
async function* recordWithResult(
  record: TimelineJobRecord,
  result: Uint8Array,
): AsyncGenerator<string | Uint8Array> {
  yield `${JSON.stringify(record).slice(0, -1)},"result":`;
  const inflated = createGunzip({ chunkSize: pieceBytes });
  inflated.end(result);
  // Leaving this loop early, because the client is gone, ends the inflating.
  yield* inflated as AsyncIterable<Buffer>;
  yield '}';
}
