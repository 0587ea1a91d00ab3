import { openListBaseline } from '../baselines/list-sql.ts';
import { forgetPeak, ownCpuMs } from '../measure/process-cost.ts';
import { repeated, type CallCost } from '../measure/repeated.ts';
import { median, medianOf } from '../measure/statistics.ts';
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
const mostLists = 60;
const warmCalls = 500;
/** Small answers are compared in many short turns: a moment in which the machine is busy then harms both alike. */
const smallBatches = 6;
const batchCalls = 800;
/** The largest size has the bar on the first byte; the smallest one is what it is compared with. */
const firstBytes = 20;

/** The list of all waypoints, as a map asks for it at its start. */
export const waypointList: Scenario = {
  name,
  title: 'GET /api/waypoints?emoji=true',
  async *run(session) {
    let smallest: number | undefined;
    for (const count of session.plan.sizes) {
      const cost = await measure(session, count);
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
  const first = await firstByteTimes(daemon);
  sql.close();
  await session.stop(daemon);
  return { ...runs, ...first, bodyMb: warm.bodyBytes / 1e6, addedMb: medianOf(addedMb) };
}

/** How much more the daemon holds at worst while it sends one list. */
async function addedMemory(daemon: ServerProcess): Promise<number | undefined> {
  const before = daemon.cost();
  if (before === undefined) return undefined;
  forgetPeak(daemon.pid);
  await daemon.get(list);
  return (daemon.cost()?.peakResidentMb ?? Number.NaN) - before.residentMb;
}

async function firstByteTimes(daemon: ServerProcess): Promise<{ firstByteMs: number }> {
  const times: number[] = [];
  for (let i = 0; i < firstBytes; i += 1) times.push((await daemon.get(list)).firstByteMs);
  return { firstByteMs: median(times) };
}

function figuresOf(
  { plan: { isQuick, sizes } }: Session,
  count: number,
  cost: ListCost,
  smallest: number | undefined,
): Figure[] {
  const subject = `${count.toLocaleString('en')} waypoints (${cost.bodyMb.toFixed(1)} MB)`;
  const line = { scenario: name, subject, unit: 'ms' as const };
  const cpu = (costs: readonly CallCost[]): number | undefined =>
    medianOf(costs.map(({ cpuMs }) => cpuMs));
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
    },
    {
      ...line,
      what: 'CPU of the whole list',
      value: cpu(cost.own),
      baseline: { name: 'the join in plain SQL', value: cpu(cost.sql), ratio: 'cost' },
      bar: isQuick ? undefined : { of: 'ratio', atMost: 1.5 },
    },
    {
      ...line,
      what: 'the whole list, wall',
      value: wall(cost.own),
      baseline: { name: 'the join in plain SQL', value: wall(cost.sql), ratio: 'cost' },
    },
    {
      ...line,
      what: 'CPU of a 304',
      value: cpu(cost.notModified),
      baseline: { name: 'GET /api/version', value: cpu(cost.small), ratio: 'cost' },
      bar: isQuick ? undefined : { of: 'ratio', atMost: 1.5 },
    },
    {
      ...line,
      what: 'memory while sending',
      unit: 'MB',
      value: cost.addedMb,
      bar: isQuick ? undefined : { of: 'figure', atMost: 30 },
    },
  ];
}
