import { setTimeout as wait } from 'node:timers/promises';
import type { ProbeResult } from '../measure/latency-probe.ts';
import { forgetPeak } from '../measure/process-cost.ts';
import { SlowReader } from '../measure/slow-reader.ts';
import type { Figure } from '../report/figure.ts';
import type { Scenario, Session } from '../session.ts';
import type { ServerProcess } from '../subjects/server-process.ts';

interface Watched {
  /** Readers that were sent a list; the others were refused as the contract says. */
  readonly served: number;
  /** The most memory above what the daemon held before. */
  readonly addedMb: number | undefined;
  readonly own: ProbeResult;
  /** A bare server asked at the same moments. */
  readonly bare: ProbeResult;
  /** Until somebody else is sent a list, although all readers hang on; undefined where that took too long. */
  readonly freeMs: number | undefined;
}

const name = 'slow-readers';
const list = '/api/waypoints?emoji=true';
const small = '/api/version';
const probeEveryMs = 5;
const crowds = [4, 16];
const mostMb = 30;
const slowestMs = 25;
/** The contract ends an answer whose reader takes nothing for 15 s; it may be seen a moment later. */
const freeWithinMs = 17_000;
const longestWaitMs = 60_000;
const lookEveryMs = 50;

/** Clients that ask for the whole list, read a few KB of it and then nothing more, without hanging up. */
export const slowReaders: Scenario = {
  name,
  title: 'lists that are asked for and not read',
  async *run(session) {
    const count = session.plan.sizes.at(-1) ?? 0;
    const daemon = await session.daemon(await session.filled(count));
    const bare = await session.bareServer();
    // What a daemon holds after its first list is not the fault of slow readers.
    await daemon.get(list);
    for (const server of [daemon, bare]) for (let i = 0; i < 50; i += 1) await server.get(small);
    for (const crowd of crowds) {
      const watched = await watch(session, { daemon, bare, crowd });
      yield* figuresOf(
        session,
        `${crowd} readers of ${count.toLocaleString('en')} waypoints`,
        watched,
      );
    }
    for (const server of [daemon, bare]) await session.stop(server);
  },
};

interface Crowd {
  readonly daemon: ServerProcess;
  readonly bare: ServerProcess;
  readonly crowd: number;
}

async function watch(session: Session, { daemon, bare, crowd }: Crowd): Promise<Watched> {
  const { port } = daemon;
  const request = daemon.request(list);
  const beforeMb = forgetPeak(daemon.pid);
  const probes = [daemon, bare].map((server) => session.probe(server, small, probeEveryMs));
  const started = performance.now();
  const readers = await Promise.all(
    Array.from({ length: crowd }, async () => session.keep(await SlowReader.ask(port, request))),
  );
  await wait(session.plan.stallMs);
  const after = daemon.cost();
  const [own, other] = await Promise.all(probes.map((probe) => probe.finish()));
  const patienceMs = session.plan.isQuick ? session.plan.stallMs : longestWaitMs;
  const freeMs = await untilFree({ port, request, started, patienceMs });
  for (const reader of readers) await session.stop(reader);
  // The last one is still being let go of.
  await untilFree({ port, request, started: performance.now(), patienceMs: longestWaitMs });
  if (own === undefined || other === undefined) throw new Error('a probe is missing');
  return {
    served: readers.filter(({ status }) => status === 200).length,
    addedMb: beforeMb && after && after.peakResidentMb - beforeMb,
    own,
    bare: other,
    freeMs,
  };
}

/** From the first request until a new reader is no longer refused. */
async function untilFree({
  port,
  request,
  started,
  patienceMs,
}: {
  readonly port: number;
  readonly request: Buffer;
  readonly started: number;
  readonly patienceMs: number;
}): Promise<number | undefined> {
  do {
    const reader = await SlowReader.ask(port, request);
    await reader.stop();
    if (reader.status === 200) return performance.now() - started;
    await wait(lookEveryMs);
  } while (performance.now() - started < patienceMs);
  return undefined;
}

function figuresOf({ plan }: Session, subject: string, watched: Watched): Figure[] {
  const { served, addedMb, own, bare, freeMs } = watched;
  const line = { scenario: name, subject };
  const ms = { ...line, unit: 'ms' as const };
  const control = (value: number): Figure['baseline'] => ({
    name: 'bare node:http meanwhile',
    value,
    ratio: 'cost',
  });
  return [
    {
      ...line,
      what: 'memory above what it was',
      unit: 'MB',
      value: addedMb,
      bar: plan.isQuick ? undefined : { of: 'figure', atMost: mostMb },
      goal: 'slowReaders',
    },
    { ...line, what: 'are sent a list; the others are refused', unit: 'readers', value: served },
    {
      ...ms,
      what: 'small GET meanwhile, p99',
      value: own.p99Ms,
      baseline: control(bare.p99Ms),
      bar: plan.isQuick ? undefined : { of: 'figure', atMost: slowestMs },
    },
    {
      ...ms,
      what: 'small GET meanwhile, slowest',
      value: own.maxMs,
      baseline: control(bare.maxMs),
    },
    {
      ...ms,
      what: 'until another one is sent a list, wall',
      value: freeMs,
      bar: plan.isQuick ? undefined : { of: 'figure', atMost: freeWithinMs },
    },
  ];
}
