import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { writePlaces, type GeneratedSource } from '../data.ts';
import { repeated } from '../measure/repeated.ts';
import { atMost, timesAtLeast } from '../report/figure.ts';
import { counted, difference, scenario } from '../scenario.ts';
import { seed } from '../session.ts';
import { treeSource } from './import-speed.ts';

const mostRepeats = 50;
/** The size of store that the bar is about. */
const largeStore = 1_000_000;

/** What it costs to import a tree that is there already: the everyday case of a folder that grew by one file. */
export const importAgain = scenario<number, GeneratedSource>({
  name: 'import-again',
  title: 'the same tree again',
  subjects: ({ treeFiles }) => [treeFiles],
  label: (files) => `${counted(files, 'files')} of 500 points`,
  prepare: (session) => Promise.resolve(treeSource(session)),
  run: async (session, tree) => {
    const root = session.directory();
    const daemon = await session.daemon(root);
    const cpuMs = (): number | undefined => daemon.cpuMs();
    const call = (): Promise<unknown> => daemon.importDirectory(tree.directory);
    const before = cpuMs();
    await call();
    const first = difference(cpuMs(), before);
    const { enoughCpuMs } = session.plan;
    const again = await repeated({ cpuMs, call, enoughCpuMs, mostCalls: mostRepeats });
    await session.stop(daemon);
    session.discard(root);
    return { again: again.cpuMs, first };
  },
  figures: () => [
    {
      what: 'CPU of the second import',
      unit: 'ms',
      of: 'again',
      against: ['first import', 'first', 'gain'],
      bar: timesAtLeast(20),
    },
  ],
});

/** What an import costs a daemon that holds many waypoints already, with the indexes that a map needs of them. */
export const importStored = scenario<number, GeneratedSource>({
  name: 'import-stored',
  title: 'import into a store that is not empty',
  subjects: ({ sizes }) => sizes.slice(-1),
  label: (stored, { points }) =>
    `${counted(points, 'further waypoints')}, ${counted(stored, 'stored')}`,
  prepare: (session) =>
    Promise.resolve(
      session.source('further places', (directory) => {
        const count = session.plan.isQuick ? 100 : 10_000;
        // Not under the name of the file that filled the store: it would take its place.
        const further = join(directory, 'further');
        return { ...writePlaces(further, { seed: seed + 1, count }), directory };
      }),
    ),
  run: async (session, source, stored) => {
    const root = session.directory();
    cpSync(await session.filled(stored), root, { recursive: true });
    const daemon = await session.daemon(root);
    const look = async (): Promise<void> => {
      for (const path of ['clusters?zoom=3', 'suggest?q=mar']) await daemon.get(`/api/${path}`);
    };
    await look();
    const result = await daemon.importDirectory(source.directory);
    await look();
    const after = daemon.cost();
    await session.stop(daemon);
    session.discard(root);
    if (result.count !== source.points) throw new Error(`${result.count} were imported`);
    // The peak is that since the start: what the indexes took to make is part of it.
    return { peak: after?.peakResidentMb };
  },
  figures: (stored) => [
    {
      what: 'peak resident memory',
      unit: 'MB',
      of: 'peak',
      bar: stored === largeStore ? atMost(450) : undefined,
    },
  ],
});
