import { setTimeout as wait } from 'node:timers/promises';
import { parseDate } from '../../model/calendar-date.ts';
import { timelineAcceptedSchema, timelineJobSchema } from '../../model/timeline-job.ts';
import { forgetPeak } from '../measure/process-cost.ts';
import { atMost } from '../report/figure.ts';
import { counted, difference, scenario } from '../scenario.ts';
import type { ServerProcess } from '../subjects/server-process.ts';
import { longRecording } from '../timelines/long-recording.ts';

interface Prepared {
  readonly daemon: ServerProcess;
  readonly bare: ServerProcess;
  readonly observations: number;
}

const small = '/api/version';
const probeEveryMs = 5;
const lookEveryMs = 25;
const startDay = parseDate('2004-01-01')!;
/** Days of a million observations; the bars of size are those of the specification's largest period. */
const million = 117;

/** Cost of a timeline, and latency of other requests meanwhile. */
export const timelineSpeed = scenario<number, Prepared>({
  name: 'timeline-speed',
  title: 'timelines of many observations',
  subjects: ({ timelineDays }) => timelineDays,
  rounds: ({ rounds }, days) => (days > million ? 1 : rounds),
  label: (days, { observations }) =>
    `${counted(observations, 'observations')}, ${counted(days, 'days')}`,
  prepare: async (session, days) => {
    const { root, observations } = await session.recorded(longRecording(startDay, days));
    const [daemon, bare] = [await session.daemon(root), await session.bareServer()];
    // The first requests of a process pay for code that was never run before.
    for (const server of [daemon, bare]) for (let i = 0; i < 50; i += 1) await server.get(small);
    return { daemon, bare, observations };
  },
  run: async (session, { daemon, bare: bareServer }, days) => {
    const before = daemon.cpuMs();
    const beforeMb = forgetPeak(daemon.pid);
    const probes = [daemon, bareServer].map((server) => session.probe(server, small, probeEveryMs));
    const id = await submit(daemon, days);
    while ((await stateOf(daemon, id)) !== 'completed') await wait(lookEveryMs);
    const after = daemon.cost();
    const [own, bare] = await Promise.all(probes.map((running) => running.finish()));
    const result = await daemon.get(`/api/timelines/${id}?result=true`);
    if (result.bodyBytes < 1_000) throw new Error('the timeline is empty');
    return {
      cpu: difference(after?.cpuMs, before),
      grown: difference(after?.peakResidentMb, beforeMb),
      p99: own?.p99Ms,
      bareP99: bare?.p99Ms,
    };
  },
  figures: (days) => [
    {
      what: 'CPU of a job',
      unit: 'ms',
      of: 'cpu',
      bar: atMost(days === million ? 1_000 : undefined),
    },
    { what: 'resident memory above idle, peak', unit: 'MB', of: 'grown', bar: atMost(250) },
    {
      what: 'small GET meanwhile, p99',
      unit: 'ms',
      of: 'p99',
      against: ['bare node:http meanwhile', 'bareP99', 'cost'],
      bar: atMost(25),
    },
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
