import { trackPointsIn } from '../data.ts';
import type { ProbeResult } from '../measure/latency-probe.ts';
import { median, medianOf } from '../measure/statistics.ts';
import type { Figure } from '../report/figure.ts';
import type { Scenario, Session } from '../session.ts';

interface Watched {
  readonly peakResidentMb: number | undefined;
  readonly own: ProbeResult;
  /** A bare server asked at the same moments: what the machine itself did to answers. */
  readonly bare: ProbeResult;
}

const name = 'import-memory';
const small = '/api/version';
const intervalMs = 5;
const mostMb = 250;
const mostGrowth = 1.6;
const slowestMs = 25;
/** The sizes that the goals are about, MB. */
const [hugeMb, largeMb] = [1_000, 100];

/** Whether memory stays where it is however large the file, and the daemon answers others meanwhile. */
export const importMemory: Scenario = {
  name,
  title: 'memory and answers while a track file is imported',
  async *run(session) {
    for (const pair of session.plan.memoryPairs) yield* await compare(session, pair);
  },
};

async function compare(
  session: Session,
  [lowMb, highMb]: readonly [number, number],
): Promise<Figure[]> {
  const low: Watched[] = [];
  const high: Watched[] = [];
  for (let round = 0; round < Math.min(session.plan.rounds, 3); round += 1) {
    low.push(await importWatched(session, lowMb));
    high.push(await importWatched(session, highMb));
  }
  const { isQuick } = session.plan;
  const subject = `${highMb.toLocaleString('en')} MB of tracks`;
  const line = { scenario: name, subject };
  const lowPeak = medianOf(low.map((run) => run.peakResidentMb));
  const highPeak = medianOf(high.map((run) => run.peakResidentMb));
  const peak = { ...line, what: 'peak resident memory', unit: 'MB' as const, value: highPeak };
  const late = { ...line, unit: 'ms' as const };
  const baseline = (field: 'p50Ms' | 'p99Ms' | 'maxMs'): Figure['baseline'] => ({
    name: 'bare node:http meanwhile',
    value: median(high.map(({ bare }) => bare[field])),
    ratio: 'cost',
  });
  const ofOwn = (field: 'p50Ms' | 'p99Ms' | 'maxMs'): number =>
    median(high.map(({ own }) => own[field]));
  return [
    { ...peak, bar: isQuick ? undefined : { of: 'figure', atMost: mostMb }, goal: 'importMemory' },
    {
      ...peak,
      baseline: {
        name: `${lowMb.toLocaleString('en')} MB of tracks`,
        value: lowPeak,
        ratio: 'cost',
      },
      bar: isQuick ? undefined : { of: 'ratio', atMost: mostGrowth },
      goal: highMb === hugeMb && lowMb === largeMb ? 'importGrowth' : undefined,
    },
    {
      ...late,
      what: 'small GET meanwhile, p50',
      value: ofOwn('p50Ms'),
      baseline: baseline('p50Ms'),
    },
    {
      ...late,
      what: 'small GET meanwhile, p99',
      value: ofOwn('p99Ms'),
      baseline: baseline('p99Ms'),
      bar: isQuick ? undefined : { of: 'figure', atMost: slowestMs },
      goal: highMb === hugeMb ? 'importLatency' : undefined,
    },
    {
      ...late,
      what: 'small GET meanwhile, slowest',
      value: ofOwn('maxMs'),
      baseline: baseline('maxMs'),
    },
  ];
}

async function importWatched(session: Session, megabytes: number): Promise<Watched> {
  const source = session.track(trackPointsIn(megabytes));
  const root = session.directory();
  const daemon = await session.daemon(root);
  const other = await session.bareServer();
  // The first requests of a process pay for code that was never run before.
  for (const server of [daemon, other]) for (let i = 0; i < 50; i += 1) await server.get(small);
  const probes = [daemon, other].map((server) => session.probe(server, small, intervalMs));
  await daemon.importDirectory(source.directory);
  const [own, bare] = await Promise.all(probes.map((running) => running.finish()));
  const cost = daemon.cost();
  await session.stop(daemon);
  await session.stop(other);
  session.discard(root);
  if (own === undefined || bare === undefined) throw new Error('a probe is missing');
  return { peakResidentMb: cost?.peakResidentMb, own, bare };
}
