import { join } from 'node:path';
import { writePlaces } from '../data.ts';
import { timesAtMost } from '../report/figure.ts';
import { counted, difference, scenario } from '../scenario.ts';
import { seed } from '../session.ts';

/** How many times a fresh import it may cost. */
const atMost = 3;

/**
 * What it costs to import waypoints that are in another file already and say other things there, and to replace a file of
 * such waypoints.
 */
export const importTwins = scenario<number, undefined>({
  name: 'import-twins',
  title: 'the same waypoints from several files',
  subjects: ({ name, importedWaypoints }) =>
    name === 'scale' ? [500_000] : importedWaypoints.slice(-1),
  rounds: ({ name, rounds }) => (name === 'scale' ? 1 : rounds),
  label: (count) => counted(count, 'waypoints'),
  prepare: () => Promise.resolve(undefined),
  run: async (session, _, count) => {
    const [root, directory] = [session.directory(), session.directory()];
    const daemon = await session.daemon(root);
    const costs: (number | undefined)[] = [];
    for (const [visit, folder] of ['m', 'n', 'n', 'm'].entries()) {
      writePlaces(join(directory, folder), { seed, count, visit });
      const before = daemon.cpuMs();
      const result = await daemon.importDirectory(directory);
      costs.push(difference(daemon.cpuMs(), before));
      if (result.dedup_count !== count) throw new Error(`${result.dedup_count} are stored`);
    }
    await session.stop(daemon);
    session.discard(root);
    session.discard(directory);
    const [fresh, other, otherAgain, firstAgain] = costs;
    return { fresh, other, otherAgain, firstAgain };
  },
  figures: () =>
    [
      ['CPU of another file of them', 'other'],
      ['CPU of that file replaced', 'otherAgain'],
      ['CPU of the first file replaced', 'firstAgain'],
    ].map(([what = '', of = '']) => ({
      what,
      unit: 'ms' as const,
      of,
      against: ['fresh import', 'fresh', 'cost'] as const,
      bar: timesAtMost(atMost),
    })),
});
