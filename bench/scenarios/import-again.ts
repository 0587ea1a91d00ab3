import { median, medianOf } from '../measure/statistics.ts';
import { repeated } from '../measure/repeated.ts';
import type { Figure } from '../report/figure.ts';
import type { Scenario } from '../session.ts';
import { treeSource } from './import-speed.ts';

const name = 'import-again';
const mostRepeats = 50;

/** What it costs to import a tree that is there already: the everyday case of a folder that grew by one file. */
export const importAgain: Scenario = {
  name,
  title: 'the same tree again',
  async *run(session) {
    const tree = treeSource(session);
    const { rounds, enoughCpuMs, treeFiles, isQuick } = session.plan;
    const first: { cpuMs: number | undefined; wallMs: number }[] = [];
    const again: typeof first = [];
    for (let round = 0; round < rounds; round += 1) {
      const root = session.directory();
      const daemon = await session.daemon(root);
      const cpuMs = (): number | undefined => daemon.cpuMs();
      const call = (): Promise<unknown> => daemon.importDirectory(tree.directory);
      const before = cpuMs();
      const started = performance.now();
      await call();
      const wallMs = performance.now() - started;
      const after = cpuMs();
      const spent = before === undefined || after === undefined ? undefined : after - before;
      first.push({ cpuMs: spent, wallMs });
      again.push(await repeated({ cpuMs, call, enoughCpuMs, mostCalls: mostRepeats }));
      await session.stop(daemon);
      session.discard(root);
    }
    const line = {
      scenario: name,
      subject: `${treeFiles.toLocaleString('en')} files of 500 points`,
      unit: 'ms' as const,
    };
    const firstCpu = medianOf(first.map((cost) => cost.cpuMs));
    const firstWall = median(first.map((cost) => cost.wallMs));
    const figures: Figure[] = [
      {
        ...line,
        what: 'CPU of the second import',
        value: medianOf(again.map((cost) => cost.cpuMs)),
        baseline: { name: 'first import', value: firstCpu, ratio: 'gain' },
        bar: isQuick ? undefined : { of: 'ratio', atLeast: 20 },
        goal: 'again',
      },
      {
        ...line,
        what: 'wall of the second import',
        value: median(again.map((cost) => cost.wallMs)),
        baseline: { name: 'first import', value: firstWall, ratio: 'gain' },
      },
    ];
    yield* figures;
  },
};
