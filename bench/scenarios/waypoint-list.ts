import { openListBaseline, type ListBaseline } from '../baselines/list-sql.ts';
import { forgetPeak, ownCpuMs } from '../measure/process-cost.ts';
import { repeated, type CallCost } from '../measure/repeated.ts';
import { median } from '../measure/statistics.ts';
import { atMost, timesAtMost } from '../report/figure.ts';
import { counted, difference, scenario } from '../scenario.ts';
import type { ServerProcess } from '../subjects/server-process.ts';

interface Prepared {
  readonly daemon: ServerProcess;
  readonly sql: ListBaseline;
  /** A daemon of the smallest store. */
  readonly few: ServerProcess;
  readonly fewCount: number;
}

const list = '/api/waypoints?emoji=true';
const sqlSeries = 'the join in plain SQL';
const mostLists = 60;
/** Small answers follow long ones: what these have left to clean up is not part of them. */
const warmCalls = 500;
const smallCalls = 5_000;
const firstBytes = 7;

/** The list of all waypoints, as a map asks for it at its start. */
export const waypointList = scenario<number, Prepared>({
  name: 'waypoints',
  title: `GET ${list}`,
  subjects: ({ sizes }) => sizes,
  label: (count) => counted(count, 'waypoints'),
  prepare: async (session, count) => {
    const root = await session.filled(count);
    const [fewCount = count] = session.plan.sizes;
    const few = await session.daemon(await session.filled(fewCount));
    const daemon = count === fewCount ? few : await session.daemon(root);
    return { daemon, few, fewCount, sql: openListBaseline(root) };
  },
  run: async ({ plan: { enoughCpuMs } }, { daemon, sql, few }) => {
    const cpuMs = (): number | undefined => daemon.cpuMs();
    const { headers: head } = await daemon.get(list);
    const headers = { 'if-none-match': head.get('etag') ?? '' };
    const ofDaemon = (path: string, mostCalls: number, options = {}): Promise<CallCost> =>
      repeated({ cpuMs, call: () => daemon.get(path, options), enoughCpuMs, mostCalls });
    const beforeMb = forgetPeak(daemon.pid);
    await daemon.get(list);
    const added = difference(daemon.cost()?.peakResidentMb, beforeMb);
    const own = await ofDaemon(list, mostLists);
    const call = (): unknown => sql.run();
    const plain = await repeated({ cpuMs: ownCpuMs, call, enoughCpuMs, mostCalls: mostLists });
    await ofDaemon(list, warmCalls, { headers });
    const unchanged = await ofDaemon(list, smallCalls, { headers });
    const small = await ofDaemon('/api/version', smallCalls);
    return {
      firstByte: await firstByteMs(daemon),
      fewFirstByte: await firstByteMs(few),
      cpu: own.cpuMs,
      sqlCpu: plain.cpuMs,
      unchanged: unchanged.cpuMs,
      small: small.cpuMs,
      added,
    };
  },
  figures: (count, { fewCount }) => [
    {
      what: 'first byte, wall',
      unit: 'ms',
      of: 'firstByte',
      against: [counted(fewCount, 'waypoints'), 'fewFirstByte', 'cost'],
      bar: count === fewCount ? undefined : timesAtMost(2),
    },
    {
      what: 'CPU of the whole list',
      unit: 'ms',
      of: 'cpu',
      against: [sqlSeries, 'sqlCpu', 'cost'],
      bar: timesAtMost(1.5),
    },
    {
      what: 'CPU of a 304',
      unit: 'ms',
      of: 'unchanged',
      against: ['GET /api/version', 'small', 'cost'],
      bar: timesAtMost(1.5),
    },
    { what: 'memory while sending', unit: 'MB', of: 'added', bar: atMost(30) },
  ],
});

async function firstByteMs(daemon: ServerProcess): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < firstBytes; i += 1) times.push((await daemon.get(list)).firstByteMs);
  return median(times);
}
