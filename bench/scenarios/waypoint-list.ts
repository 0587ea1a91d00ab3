import { openListBaseline } from '../baselines/list-sql.ts';
import { forgetPeak, ownCpuMs } from '../measure/process-cost.ts';
import { repeated, type CallCost } from '../measure/repeated.ts';
import { median, medianOf } from '../measure/statistics.ts';
import { ownSeries } from '../report/charts.ts';
import type { Figure } from '../report/figure.ts';
import type { Scenario, Session } from '../session.ts';
import type { ServerProcess } from '../subjects/server-process.ts';

interface ListCost {
  readonly own: CallCost[];
  readonly sql: CallCost[];
  readonly notModified: CallCost[];
  readonly small: CallCost[];
  readonly firstByteMs: number;
  readonly bodyMb: number;
  readonly addedMb: number | undefined;
}

const name = 'waypoints';
const list = '/api/waypoints?emoji=true';
const version = '/api/version';
const sqlSeries = 'the join in plain SQL';
const mostLists = 60;
const warmCalls = 500;
/** Small answers are compared in many short turns: a moment in which the machine is busy then harms both alike. */
const smallBatches = 6;
const batchCalls = 800;
/** The largest size has the bar on the first byte; the smallest one is what it is compared with. */
const firstBytes = 20;
/** A long list has to be read to its end each time. */
const [longListMb, fewFirstBytes] = [50, 5];

/** The list of all waypoints, as a map asks for it at its start. */
export const waypointList: Scenario = {
  name,
  title: 'GET /api/waypoints?emoji=true',
  async *run(session) {
    let smallest: number | undefined;
    for (const count of session.plan.sizes) {
      const cost = await measure(session, count);
      session.plot('list', ownSeries, count, cpuOf(cost.own));
      session.plot('list', sqlSeries, count, cpuOf(cost.sql));
      session.plot('firstByte', ownSeries, count, cost.firstByteMs);
      yield* figuresOf(session, count, cost, smallest);
      smallest ??= cost.firstByteMs;
    }
  },
};

async function measure(session: Session, count: number): Promise<ListCost> {
  const root = await session.filled(count);
  const daemon = await session.daemon(root);
  const sql = openListBaseline(root);
  const { rounds, enoughCpuMs } = session.plan;
  const cpuMs = (): number | undefined => daemon.cpuMs();
  const warm = await daemon.get(list);
  const etag = { 'if-none-match': warm.headers.get('etag') ?? '' };
  const ofDaemon = (path: string, mostCalls: number, headers = {}): Promise<CallCost> =>
    repeated({ cpuMs, call: () => daemon.get(path, { headers }), enoughCpuMs, mostCalls });
  const runs = { own: [], sql: [], notModified: [], small: [] } as Record<
    'own' | 'sql' | 'notModified' | 'small',
    CallCost[]
  >;
  const addedMb: (number | undefined)[] = [];
  for (let round = 0; round < rounds; round += 1) {
    addedMb.push(await addedMemory(daemon));
    runs.own.push(await ofDaemon(list, mostLists));
    runs.sql.push(
      await repeated({ cpuMs: ownCpuMs, call: () => sql.run(), enoughCpuMs, mostCalls: mostLists }),
    );
    // What the lists before have left to clean up is not part of a small answer.
    await ofDaemon(list, warmCalls, etag);
    for (let batch = 0; batch < smallBatches; batch += 1) {
      runs.notModified.push(await ofDaemon(list, batchCalls, etag));
      runs.small.push(await ofDaemon(version, batchCalls));
    }
  }
  const bodyMb = warm.bodyBytes / 1e6;
  const firstByteMs = await firstByteTime(daemon, bodyMb > longListMb ? fewFirstBytes : firstBytes);
  sql.close();
  await session.stop(daemon);
  return { ...runs, firstByteMs, bodyMb, addedMb: medianOf(addedMb) };
}

/** How much more the daemon holds at worst while it sends one list. */
async function addedMemory(daemon: ServerProcess): Promise<number | undefined> {
  const beforeMb = forgetPeak(daemon.pid);
  await daemon.get(list);
  const after = daemon.cost();
  return beforeMb && after && after.peakResidentMb - beforeMb;
}

async function firstByteTime(daemon: ServerProcess, calls: number): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < calls; i += 1) times.push((await daemon.get(list)).firstByteMs);
  return median(times);
}

function cpuOf(costs: readonly CallCost[]): number | undefined {
  return medianOf(costs.map(({ cpuMs }) => cpuMs));
}

function figuresOf(
  { plan: { isQuick, sizes } }: Session,
  count: number,
  cost: ListCost,
  smallest: number | undefined,
): Figure[] {
  const subject = `${count.toLocaleString('en')} waypoints (${cost.bodyMb.toFixed(1)} MB)`;
  const line = { scenario: name, subject, unit: 'ms' as const };
  const wall = (costs: readonly CallCost[]): number => median(costs.map(({ wallMs }) => wallMs));
  const sizeName = `${sizes[0]?.toLocaleString('en')} waypoints`;
  return [
    {
      ...line,
      what: 'first byte, wall',
      value: cost.firstByteMs,
      ...(smallest === undefined
        ? {}
        : { baseline: { name: sizeName, value: smallest, ratio: 'cost' } }),
      bar: smallest === undefined || isQuick ? undefined : { of: 'ratio', atMost: 2 },
      goal: 'listFirstByte',
    },
    {
      ...line,
      what: 'CPU of the whole list',
      value: cpuOf(cost.own),
      baseline: { name: sqlSeries, value: cpuOf(cost.sql), ratio: 'cost' },
      bar: isQuick ? undefined : { of: 'ratio', atMost: 1.5 },
      goal: 'listTotal',
    },
    {
      ...line,
      what: 'the whole list, wall',
      value: wall(cost.own),
      baseline: { name: sqlSeries, value: wall(cost.sql), ratio: 'cost' },
    },
    {
      ...line,
      what: 'CPU of a 304',
      value: cpuOf(cost.notModified),
      baseline: { name: 'GET /api/version', value: cpuOf(cost.small), ratio: 'cost' },
      bar: isQuick ? undefined : { of: 'ratio', atMost: 1.5 },
      goal: 'notModified',
    },
    {
      ...line,
      what: 'memory while sending',
      unit: 'MB',
      value: cost.addedMb,
      bar: isQuick ? undefined : { of: 'figure', atMost: 30 },
      goal: 'listMemory',
    },
  ];
}
