import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseDate } from '../../model/calendar-date.ts';
import { timelineAcceptedSchema, timelineJobSchema } from '../../model/timeline-job.ts';
import type { ProbeResult } from '../measure/latency-probe.ts';
import { forgetPeak } from '../measure/process-cost.ts';
import { median, percentile } from '../measure/statistics.ts';
import type { Bar, Figure } from '../report/figure.ts';
import type { Scenario, Session } from '../session.ts';
import type { ServerProcess } from '../subjects/server-process.ts';
import { fillLongLibrary } from '../timelines/long-library.ts';
import { longRecording } from '../timelines/long-recording.ts';
import { pureComputeMs } from '../timelines/pure-compute.ts';

const name = 'timeline-speed';
const small = '/api/version';
const probeEveryMs = 5;
const lookEveryMs = 25;
const lookSoonMs = 1;
const startDay = parseDate('2004-01-01')!;
const mostCpuMs = 2_000;
const mostTimesPure = 3;
const mostMb = 250;
const slowestSmallMs = 25;
const slowestCancelMs = 100;
/** What the daemon answers to whoever cancels a job that has just ended by itself. */
const alreadyOver = 409;
/** The bars of size are those of the specification's largest period and of a million observations. */
const million = 117;

/** What a timeline costs, and whether the daemon answers others meanwhile. */
export const timelineSpeed: Scenario = {
  name,
  title: 'timelines of many observations',
  async *run(session) {
    for (const days of session.plan.timelineDays) yield* await measure(session, days);
  },
};

interface Ran {
  readonly cpuMs: number | undefined;
  readonly wallMs: number;
  /** The most it held above what it held before. */
  readonly grownMb: number | undefined;
  readonly own: ProbeResult;
  /** A bare server asked at the same moments: what the machine itself did to answers. */
  readonly bare: ProbeResult;
}

async function measure(session: Session, days: number): Promise<Figure[]> {
  const root = session.directory();
  // The daemon makes its stores itself.
  await session.stop(await session.daemon(root));
  const observations = fillLongLibrary(join(root, 'data'), startDay, days);
  session.say(`${observations.toLocaleString('en')} observations are stored`);
  const pureMs = pureComputeMs(longRecording(startDay, days), startDay, days);
  const daemon = await session.daemon(root);
  const bare = await session.bareServer();
  // The first requests of a process pay for code that was never run before.
  for (const server of [daemon, bare]) for (let i = 0; i < 50; i += 1) await server.get(small);
  const ran = await runWatched(session, { daemon, bare, days });
  const cancels: number[] = [];
  for (let round = 0; round < session.plan.rounds * 3; round += 1) {
    cancels.push(await cancelMs(daemon, days));
  }
  for (const server of [daemon, bare]) await session.stop(server);
  session.discard(root);
  return figuresOf(session, { days, observations, pureMs, ran, cancels });
}

interface Watch {
  readonly daemon: ServerProcess;
  readonly bare: ServerProcess;
  readonly days: number;
}

async function runWatched(session: Session, { daemon, bare, days }: Watch): Promise<Ran> {
  const before = daemon.cost();
  const beforeMb = forgetPeak(daemon.pid);
  const probes = [daemon, bare].map((server) => session.probe(server, small, probeEveryMs));
  const started = performance.now();
  const id = await submit(daemon, days);
  while ((await stateOf(daemon, id)) !== 'completed') await wait(lookEveryMs);
  const wallMs = performance.now() - started;
  const after = daemon.cost();
  const [own, other] = await Promise.all(probes.map((running) => running.finish()));
  if (own === undefined || other === undefined) throw new Error('a probe is missing');
  const result = await daemon.get(`/api/timelines/${id}?result=true`);
  if (result.bodyBytes < 1_000) throw new Error('the timeline is empty');
  return {
    cpuMs: before && after && after.cpuMs - before.cpuMs,
    wallMs,
    grownMb: beforeMb && after && after.peakResidentMb - beforeMb,
    own,
    bare: other,
  };
}

async function submit(daemon: ServerProcess, days: number): Promise<string> {
  const date = (day: number): string =>
    new Date((startDay + day) * 86_400_000).toISOString().slice(0, 10);
  const body = { start_date: date(0), end_date: date(days - 1) };
  return timelineAcceptedSchema.parse(await daemon.call('POST', '/api/timelines', body)).job_id;
}

/** @throws Error for a job that failed. */
async function stateOf(daemon: ServerProcess, id: string): Promise<string> {
  const { body } = await daemon.get(`/api/timelines/${id}`, { keepBody: true });
  const { state } = timelineJobSchema.parse(JSON.parse(body));
  if (state === 'failed') throw new Error('a timeline failed');
  return state;
}

/** From asking until the job is seen to be cancelled; a job that is over before counts as at once. */
async function cancelMs(daemon: ServerProcess, days: number): Promise<number> {
  const id = await submit(daemon, days);
  while ((await stateOf(daemon, id)) === 'queued') await wait(lookSoonMs);
  await wait(lookEveryMs);
  const asked = performance.now();
  const status = await daemon.statusOf('DELETE', `/api/timelines/${id}`);
  if (status === alreadyOver) return 0;
  if (status >= 400) throw new Error(`a timeline could not be cancelled: ${status}`);
  while ((await stateOf(daemon, id)) === 'cancelling') await wait(lookSoonMs);
  return performance.now() - asked;
}

interface Measured {
  readonly days: number;
  readonly observations: number;
  readonly pureMs: number;
  readonly ran: Ran;
  readonly cancels: readonly number[];
}

function figuresOf({ plan }: Session, measured: Measured): Figure[] {
  const { days, observations, pureMs, ran, cancels } = measured;
  const subject = `${observations.toLocaleString('en')} observations, ${days.toLocaleString('en')} days`;
  const line = { scenario: name, subject };
  const bar = (wanted: Bar): Bar | undefined => (plan.isQuick ? undefined : wanted);
  const ms = (what: string, value: number | undefined, atMost?: number): Figure => ({
    ...line,
    what,
    unit: 'ms',
    value,
    bar: atMost === undefined ? undefined : bar({ of: 'figure', atMost }),
  });
  const late = (which: string, field: keyof ProbeResult, atMost?: number): Figure => ({
    ...ms(`small GET meanwhile, ${which}`, ran.own[field], atMost),
    baseline: { name: 'bare node:http meanwhile', value: ran.bare[field], ratio: 'cost' },
  });
  return [
    ms(
      'CPU of a job, places and text included',
      ran.cpuMs,
      days === million ? mostCpuMs : undefined,
    ),
    {
      ...ms('CPU of a job', ran.cpuMs),
      baseline: { name: 'finding stays alone, on arrays', value: pureMs, ratio: 'cost' },
      bar: days > million ? bar({ of: 'ratio', atMost: mostTimesPure }) : undefined,
    },
    ms('time of a job, wall', ran.wallMs),
    {
      ...line,
      what: 'resident memory above idle, peak',
      unit: 'MB',
      value: ran.grownMb,
      bar: bar({ of: 'figure', atMost: mostMb }),
    },
    late('p50', 'p50Ms'),
    // Of a job of a second, a few requests would decide.
    late('p99', 'p99Ms', days > million ? slowestSmallMs : undefined),
    late('slowest', 'maxMs'),
    ms('cancel until seen, median', median(cancels)),
    ms('cancel until seen, slowest', percentile(cancels, 1), slowestCancelMs),
  ];
}
