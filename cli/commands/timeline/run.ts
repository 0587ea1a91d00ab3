import { addAbortListener } from 'node:events';
import type { TimelineJobRecord, TimelineRequest } from '../../../model/timeline-job.ts';
import { bookmarksNear } from '../../../model/near-bookmark.ts';
import type { Bbox } from '../../../model/schema.ts';
import type { TimelineResult, TimelineStop } from '../../../model/timeline-result.ts';
import { formatDate } from '../../../model/calendar-date.ts';
import { limits } from '../../../model/limits.ts';
import { dayOf } from '../../../storage/day-blob.ts';
import { RequestFailure } from '../../../client/waypoints/request-failure.ts';
import { ExitError } from '../../../model/exit-error.ts';
import { inWords, withDaemon } from '../../program/connection.ts';
import type { CommandContext } from '../../program/context.ts';
import type { DaemonClient } from '../../program/daemon-client.ts';
import { askUntil } from '../../program/polling.ts';
import { endAsStopped } from '../../terminal/interrupts.ts';
import { note } from '../../terminal/output.ts';
import { progressBar, type ProgressBar } from '../../terminal/progress-bar.ts';
import { counted } from '../../terminal/text.ts';
import { withLocalTimes } from './clock.ts';

/** A bar that is there for a blink only irritates. */
const patienceMs = 300;

/**
 * Has the daemon make a timeline; Ctrl-C cancels it.
 * @returns undefined when it was stopped, which the exit code then says.
 * @throws ExitError when there will be no result.
 */
export function timelineOf(
  context: CommandContext,
  request: TimelineRequest | WholePeriod,
): Promise<TimelineResult | undefined> {
  return withDaemon(
    { context, endsInOrder: true, needsLibrary: 'isAll' in request },
    async (client, { stopped }) => runTimeline(client, await filledIn(client, request), stopped),
  );
}

/** From the first observation to the last. */
export interface WholePeriod extends Omit<TimelineRequest, 'start_date' | 'end_date'> {
  readonly isAll: true;
}

/** Twenty years at most: the latest ones. What a clock ahead of time has dated must not push them out. */
export async function filledIn(
  client: DaemonClient,
  request: TimelineRequest | WholePeriod,
): Promise<TimelineRequest> {
  if (!('isAll' in request)) return request;
  const { imported } = await client.getStatus();
  if (imported?.first_time === undefined || imported.last_time === undefined) {
    throw new ExitError('No tracks with times have been imported yet.');
  }
  const [first, last] = [imported.first_time, imported.last_time].map((time) =>
    dayOf(Date.parse(time)),
  ) as [number, number];
  const { isAll: _, ...choice } = request;
  const tomorrow = dayOf(Date.now()) + 1;
  const newest = first > tomorrow ? last : Math.min(last, tomorrow);
  // A day of another zone may lie beside that of UTC.
  const start = Math.max(first - 1, newest + 2 - limits.timelineDays);
  const [start_date, end_date] = [formatDate(start), formatDate(newest + 1)];
  if (start > first || newest < last) {
    note(
      `Left out: what is dated before ${start_date} or after ${end_date}; name a period to see it.`,
    );
  }
  return { start_date, end_date, ...choice };
}

/** Says that visits and trips are missing, where stops are. */
export function noteCut({ timeline_truncated: isCut, summary }: TimelineResult): void {
  if (!isCut) return;
  const { stops_found: found, stops_returned: returned } = summary;
  note(
    `Only ${returned.toLocaleString('en-US')} of ${counted(found, 'stop')} are looked at: the longest, and the last of each place. Some visits and trips are missing here.`,
  );
}

/** {@link timelineOf} for a daemon that was found already. Stops and trips have the times of their clocks, too. */
export async function runTimeline(
  client: DaemonClient,
  { start_date, end_date, ...options }: TimelineRequest,
  stopped: AbortSignal,
): Promise<TimelineResult | undefined> {
  let id: string | undefined;
  try {
    id = await client.submitTimeline(start_date, end_date, options);
    const result = await resultOf(client, id, stopped);
    if (!stopped.aborted) return result && withLocalTimes(await withBookmarks(client, result));
  } catch (error) {
    throw id !== undefined && isGone(error)
      ? new ExitError(goneSentence)
      : inWords(error, refusals);
  }
  endAsStopped(stopped);
  return undefined;
}

/** Degrees around stops in which a bookmark may be that names one of them. */
const margin = 0.01;

/** Names the stops after the nearest bookmarks: a timeline itself has no names of the user's. */
async function withBookmarks(
  client: DaemonClient,
  result: TimelineResult,
): Promise<TimelineResult> {
  if (!result.timeline.some(({ kind }) => kind === 'stay')) return result;
  const bookmarks = await client.getWaypoints({
    bookmarksOnly: true,
    ...boxAround(result.timeline),
  });
  const bookmarkAt = bookmarksNear(bookmarks);
  const timeline = result.timeline.map((stop) => {
    const bookmark = stop.kind === 'stay' ? bookmarkAt(stop.lat, stop.lon) : undefined;
    return bookmark === undefined ? stop : { ...stop, bookmark: { name: bookmark.name } };
  });
  return { ...result, timeline };
}

/** Stops on both sides of the antimeridian have no box. */
function boxAround(stops: readonly TimelineStop[]): { readonly bbox?: Bbox } {
  let [west, south, east, north] = [180, 90, -180, -90];
  for (const { lat, lon } of stops) {
    [west, east] = [Math.min(west, lon), Math.max(east, lon)];
    [south, north] = [Math.min(south, lat), Math.max(north, lat)];
  }
  const isBox = east - west < 180 && west - margin > -180 && east + margin < 180;
  if (!isBox) return {};
  const [low, high] = [Math.max(-90, south - margin), Math.min(90, north + margin)];
  return { bbox: [west - margin, low, east + margin, high] };
}

async function resultOf(
  client: DaemonClient,
  id: string,
  stopped: AbortSignal,
): Promise<TimelineResult | undefined> {
  addAbortListener(stopped, () => {
    // That it is over is all that can be wrong here.
    client.cancelTimeline(id).catch(() => undefined);
  });
  const { state, error } = await untilOver(client, id);
  if (stopped.aborted) return undefined;
  if (state === 'cancelled') throw new ExitError('This timeline was cancelled from elsewhere.');
  if (state === 'failed') throw new ExitError(error ?? 'The timeline failed.');
  return (await client.getTimeline(id, true)).result;
}

async function untilOver(client: DaemonClient, id: string): Promise<TimelineJobRecord> {
  const startedAt = performance.now();
  const waiting = await progressBar('Waiting for other timelines to be done …');
  const bar = await progressBar('Reading [{bar}] {percentage}% | {points} points');
  try {
    return await askUntil(
      () => client.getTimeline(id),
      (job) => job.finished_at !== undefined,
      (job) => performance.now() - startedAt >= patienceMs && show(job, waiting, bar),
    );
  } finally {
    waiting.hide();
    bar.hide();
  }
}

function show(job: TimelineJobRecord, waiting: ProgressBar, bar: ProgressBar): void {
  const { state, processed_observations: done, total_observations: total = 0 } = job;
  if (state === 'queued') return waiting.show(0, 1);
  waiting.hide();
  if (total === 0) return;
  const points = `${done.toLocaleString('en-US')}/${total.toLocaleString('en-US')}`;
  bar.show(done, total, { points });
}

const goneSentence =
  'The daemon has gone, and the timeline with it. Start the daemon again, then ask for it once more.';

/** Whether the daemon that had the job has ended; another one at its port does not know its token. */
function isGone(error: unknown): boolean {
  if (!(error instanceof RequestFailure)) return false;
  return error.status === 401 || error.code === 'refused' || error.code === 'reset';
}

const refusals: Readonly<Record<number, string>> = {
  404: 'The daemon has dropped this timeline in favour of others. Try again.',
  429: 'Too many timelines are waiting already. Try again when some are done.',
};
