import { join } from 'node:path';
import { writePlaces, type GeneratedSource } from '../data.ts';
import { median, medianOf } from '../measure/statistics.ts';
import type { Figure } from '../report/figure.ts';
import { seed, type Scenario, type Session } from '../session.ts';

interface Cost {
  readonly cpuMs: number | undefined;
  readonly wallMs: number;
  readonly peakResidentMb: number | undefined;
  readonly residentMb: number | undefined;
}

const name = 'import-stored';
/** The size of store that the bar is about. */
const largeStore = 1_000_000;
const mostMb = 450;
const furtherWaypoints = 10_000;

/** What an import costs a daemon that holds many waypoints already, with the indexes that a map needs of them. */
export const importStored: Scenario = {
  name,
  title: 'import into a store that is not empty',
  async *run(session) {
    const { sizes, isQuick } = session.plan;
    const stored = sizes.at(-1) ?? 0;
    const tracks = session.track(stored);
    const count = isQuick ? 100 : furtherWaypoints;
    const places = session.source('further places', (directory) => {
      // Not under the name of the file that filled the store: it would take its place.
      const further = join(directory, 'further');
      return { ...writePlaces(further, { seed: seed + 1, count }), directory };
    });
    yield* await measure(session, stored, {
      title: `${tracks.points.toLocaleString('en')} track points`,
      source: tracks,
      isNamed: false,
    });
    yield* await measure(session, stored, {
      title: `${count.toLocaleString('en')} further waypoints`,
      source: places,
      isNamed: true,
    });
  },
};

interface Import {
  readonly title: string;
  readonly source: GeneratedSource;
  /** Whether it brings waypoints, which the indexes have to take in. */
  readonly isNamed: boolean;
}

async function measure(
  session: Session,
  stored: number,
  { title, source, isNamed }: Import,
): Promise<Figure[]> {
  const costs: Cost[] = [];
  for (let round = 0; round < session.plan.rounds; round += 1) {
    costs.push(await importBeside(session, stored, { source, isNamed }));
  }
  const line = {
    scenario: name,
    subject: `${title}, ${stored.toLocaleString('en')} waypoints stored`,
  };
  const ms = { ...line, unit: 'ms' as const };
  const mb = { ...line, unit: 'MB' as const };
  return [
    {
      ...mb,
      what: 'peak resident memory',
      value: medianOf(costs.map((cost) => cost.peakResidentMb)),
      bar: stored === largeStore ? { of: 'figure', atMost: mostMb } : undefined,
      goal: 'storedMemory',
    },
    {
      ...mb,
      what: 'resident memory before',
      value: medianOf(costs.map((cost) => cost.residentMb)),
    },
    {
      ...ms,
      what: 'CPU, until clusters and suggestions have it',
      value: medianOf(costs.map((cost) => cost.cpuMs)),
    },
    { ...ms, what: 'the same, wall', value: median(costs.map((cost) => cost.wallMs)) },
  ];
}

async function importBeside(
  session: Session,
  stored: number,
  { source, isNamed }: Omit<Import, 'title'>,
): Promise<Cost> {
  const root = await session.filledCopy(stored);
  const daemon = await session.daemon(root);
  const look = async (): Promise<void> => {
    await daemon.get('/api/clusters?zoom=3');
    await daemon.get('/api/suggest?q=mar');
  };
  await look();
  const before = daemon.cost();
  const started = performance.now();
  const result = await daemon.importDirectory(source.directory);
  await look();
  const wallMs = performance.now() - started;
  const after = daemon.cost();
  await session.stop(daemon);
  session.discard(root);
  const got = isNamed ? result.count : result.observations;
  if (got !== source.points) throw new Error(`${got} of ${source.points} were imported`);
  return {
    cpuMs: before && after && after.cpuMs - before.cpuMs,
    wallMs,
    // Since its start: what the indexes took to make is part of it.
    peakResidentMb: after?.peakResidentMb,
    residentMb: before?.residentMb,
  };
}
