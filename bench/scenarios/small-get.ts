import { load, type LoadResult } from '../measure/load.ts';
import { median, medianOf } from '../measure/statistics.ts';
import type { Figure } from '../report/figure.ts';
import type { Scenario, Session } from '../session.ts';
import type { ServerProcess } from '../subjects/server-process.ts';

interface Loaded {
  readonly result: LoadResult;
  /** CPU time of one request, ms. */
  readonly cpuMs: number | undefined;
}

const name = 'small-get';
const path = '/api/version';
const connections = 8;
const warmMs = 500;
/** Many short turns rather than few long ones: a moment in which the machine is busy then harms both alike. */
const turnsPerRound = 3;

/** What the layers between the socket and an answer cost. */
export const smallGet: Scenario = {
  name,
  title: 'GET /api/version on 8 connections',
  async *run(session) {
    const daemon = await session.daemon();
    const bare = await session.bareServer('koa');
    const own: Loaded[] = [];
    const floor: Loaded[] = [];
    for (const server of [daemon, bare])
      await loaded(server, Math.min(warmMs, session.plan.loadMs));
    for (let turn = 0; turn < session.plan.rounds * turnsPerRound; turn += 1) {
      own.push(await loaded(daemon, session.plan.loadMs));
      floor.push(await loaded(bare, session.plan.loadMs));
    }
    await session.stop(daemon);
    await session.stop(bare);
    yield* figuresOf(session, own, floor);
  },
};

async function loaded(server: ServerProcess, durationMs: number): Promise<Loaded> {
  const before = server.cpuMs();
  const request = server.request(path);
  const result = await load({ port: server.port, request, connections, durationMs });
  const after = server.cpuMs();
  const spent = before === undefined || after === undefined ? undefined : after - before;
  const isMeasured = spent !== undefined && spent > 0 && result.requests > 0;
  return { result, cpuMs: isMeasured ? spent / result.requests : undefined };
}

function figuresOf({ plan }: Session, own: Loaded[], floor: Loaded[]): Figure[] {
  const line = { scenario: name, subject: `GET ${path}, ${connections} connections` };
  const baseline = (value: number | undefined): Figure['baseline'] => ({
    name: 'bare Koa and router',
    value,
    ratio: 'gain',
  });
  const of = (runs: Loaded[], field: keyof LoadResult): number =>
    median(runs.map(({ result }) => result[field]));
  return [
    {
      ...line,
      what: 'CPU of a request',
      unit: 'ms',
      value: medianOf(own.map(({ cpuMs }) => cpuMs)),
      baseline: baseline(medianOf(floor.map(({ cpuMs }) => cpuMs))),
      bar: plan.isQuick ? undefined : { of: 'ratio', atLeast: 0.7 },
      goal: 'smallGet',
    },
    {
      ...line,
      what: 'requests a second, wall',
      unit: 'req/s',
      value: of(own, 'requestsPerSecond'),
      baseline: baseline(of(floor, 'requestsPerSecond')),
    },
    {
      ...line,
      what: 'p99',
      unit: 'ms',
      value: of(own, 'p99Ms'),
      baseline: baseline(of(floor, 'p99Ms')),
    },
  ];
}
