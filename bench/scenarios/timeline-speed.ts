import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseDate } from '../../model/calendar-date.ts';
import { timelineAcceptedSchema, timelineJobSchema } from '../../model/timeline-job.ts';
import { forgetPeak } from '../measure/process-cost.ts';
import { atMost, timesAtMost } from '../report/figure.ts';
import { counted, difference, scenario } from '../scenario.ts';
import type { ServerProcess } from '../subjects/server-process.ts';
import { fillLongLibrary } from '../timelines/long-library.ts';
import { longRecording } from '../timelines/long-recording.ts';
import { pureComputeMs } from '../timelines/pure-compute.ts';

interface Prepared {
  readonly daemon: ServerProcess;
  readonly bare: ServerProcess;
  readonly observations: number;
}

const small = '/api/version';
const probeEveryMs = 5;
const lookEveryMs = 25;
const lookSoonMs = 1;
const startDay = parseDate('2004-01-01')!;
/** What the daemon answers where a job has just ended by itself. */
const alreadyOver = 409;
const cancels = 3;
/** Days of a million observations; the bars of size are those of the specification's largest period. */
const million = 117;

/** What a timeline costs, and whether the daemon answers others meanwhile. */
export const timelineSpeed = scenario<number, Prepared>({
  name: 'timeline-speed',
  title: 'timelines of many observations',
  subjects: ({ timelineDays }) => timelineDays,
  rounds: ({ rounds }, days) => (days > million ? 1 : rounds),
  label: (days, { observations }) =>
    `${counted(observations, 'observations')}, ${counted(days, 'days')}`,
  prepare: async (session, days) => {
    const root = session.directory();
    // The daemon makes its stores itself.
    await session.stop(await session.daemon(root));
    const observations = fillLongLibrary(join(root, 'data'), longRecording(startDay, days));
    const [daemon, bare] = [await session.daemon(root), await session.bareServer()];
    // The first requests of a process pay for code that was never run before.
    for (const server of [daemon, bare]) for (let i = 0; i < 50; i += 1) await server.get(small);
    return { daemon, bare, observations };
  },
  run: async (session, { daemon, bare: bareServer }, days) => {
    const pure = pureComputeMs(longRecording(startDay, days), startDay, days);
    const before = daemon.cpuMs();
    const beforeMb = forgetPeak(daemon.pid);
    const probes = [daemon, bareServer].map((server) => session.probe(server, small, probeEveryMs));
    const id = await submit(daemon, days);
    while ((await stateOf(daemon, id)) !== 'completed') await wait(lookEveryMs);
    const after = daemon.cost();
    const [own, bare] = await Promise.all(probes.map((running) => running.finish()));
    const result = await daemon.get(`/api/timelines/${id}?result=true`);
    if (result.bodyBytes < 1_000) throw new Error('the timeline is empty');
    const times: number[] = [];
    for (let i = 0; i < cancels; i += 1) times.push(await cancelMs(daemon, days));
    return {
      cpu: difference(after?.cpuMs, before),
      pure,
      grown: difference(after?.peakResidentMb, beforeMb),
      p99: own?.p99Ms,
      bareP99: bare?.p99Ms,
      cancel: Math.max(...times),
    };
  },
  figures: (days) => [
    {
      what: 'CPU of a job, places and text included',
      unit: 'ms',
      of: 'cpu',
      bar: atMost(days === million ? 1_000 : undefined),
    },
    {
      what: 'CPU of a job',
      unit: 'ms',
      of: 'cpu',
      against: ['finding stays alone, on arrays', 'pure', 'cost'],
      bar: days > million ? timesAtMost(3) : undefined,
    },
    { what: 'resident memory above idle, peak', unit: 'MB', of: 'grown', bar: atMost(250) },
    {
      what: 'small GET meanwhile, p99',
      unit: 'ms',
      of: 'p99',
      against: ['bare node:http meanwhile', 'bareP99', 'cost'],
      bar: atMost(25),
    },
    { what: 'cancel until seen, slowest', unit: 'ms', of: 'cancel', bar: atMost(100) },
  ],
});

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
