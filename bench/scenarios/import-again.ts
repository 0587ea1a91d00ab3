import type { GeneratedSource } from '../data.ts';
import { repeated } from '../measure/repeated.ts';
import { counted, difference, scenario } from '../scenario.ts';
import { treeSource } from './import-speed.ts';

const mostRepeats = 50;

/** Cost of importing a tree again: the everyday case of a folder that grew by one file. */
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
    },
  ],
});
