import { setTimeout as wait } from 'node:timers/promises';
import { forgetPeak } from '../measure/process-cost.ts';
import { SlowReader } from '../measure/slow-reader.ts';
import { atMost } from '../report/figure.ts';
import { difference, scenario } from '../scenario.ts';
import type { ServerProcess } from '../subjects/server-process.ts';

const list = '/api/waypoints?emoji=true';
const small = '/api/version';
const probeEveryMs = 5;
/** The contract ends an answer whose reader takes nothing for 15 s; it may be seen a moment later. */
const freeWithinMs = 17_000;
const longestWaitMs = 60_000;
const lookEveryMs = 50;

/** Clients that ask for the whole list, read a few KB of it and then nothing more, without hanging up. */
export const slowReaders = scenario<number, readonly [own: ServerProcess, bare: ServerProcess]>({
  name: 'slow-readers',
  title: 'lists that are asked for and not read',
  subjects: () => [4, 16],
  rounds: () => 1,
  label: (crowd) => `${crowd} readers of the longest list`,
  prepare: async (session) => {
    const daemon = await session.daemon(await session.filled(session.plan.sizes.at(-1) ?? 0));
    const servers = [daemon, await session.bareServer()] as const;
    // What a daemon holds after its first list is not the fault of slow readers.
    await daemon.get(list);
    for (const server of servers) for (let i = 0; i < 50; i += 1) await server.get(small);
    return servers;
  },
  run: async (session, [daemon, bareServer], crowd) => {
    const { stallMs, isQuick } = session.plan;
    const ask = (): Promise<SlowReader> => SlowReader.ask(daemon.port, daemon.request(list));
    const beforeMb = forgetPeak(daemon.pid);
    const probes = [daemon, bareServer].map((server) => session.probe(server, small, probeEveryMs));
    const started = performance.now();
    await Promise.all(Array.from({ length: crowd }, async () => session.keep(await ask())));
    await wait(stallMs);
    const added = difference(daemon.cost()?.peakResidentMb, beforeMb);
    const [own, bare] = await Promise.all(probes.map((probe) => probe.finish()));
    const free = await untilFree(ask, started, isQuick ? stallMs : longestWaitMs);
    return { added, p99: own?.p99Ms, bareP99: bare?.p99Ms, free };
  },
  figures: () => [
    { what: 'memory above what it was', unit: 'MB', of: 'added', bar: atMost(30) },
    {
      what: 'small GET meanwhile, p99',
      unit: 'ms',
      of: 'p99',
      against: ['bare node:http meanwhile', 'bareP99', 'cost'],
      bar: atMost(25),
    },
    {
      what: 'until another one is sent a list, wall',
      unit: 'ms',
      of: 'free',
      bar: atMost(freeWithinMs),
    },
  ],
});

/** From the first request until a new reader is no longer refused; undefined where that took too long. */
async function untilFree(
  ask: () => Promise<SlowReader>,
  started: number,
  patienceMs: number,
): Promise<number | undefined> {
  do {
    const reader = await ask();
    await reader.stop();
    if (reader.status === 200) return performance.now() - started;
    await wait(lookEveryMs);
  } while (performance.now() - started < patienceMs);
  return undefined;
}
