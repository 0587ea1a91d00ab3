import { parseOptions, usage, type BenchOptions } from './plan.ts';
import { isMet, type Figure } from './report/figure.ts';
import { describeRun } from './report/machine.ts';
import { writeResults } from './report/results.ts';
import { alignedTable, rowOf } from './report/table.ts';
import { clusters } from './scenarios/clusters.ts';
import { geodataLookup } from './scenarios/geodata-lookup.ts';
import { importAgain } from './scenarios/import-again.ts';
import { importMemory } from './scenarios/import-memory.ts';
import { importSpeed } from './scenarios/import-speed.ts';
import { objectStorage } from './scenarios/objects.ts';
import { smallGet } from './scenarios/small-get.ts';
import { startUp } from './scenarios/start-up.ts';
import { suggest } from './scenarios/suggest.ts';
import { timelineQuality } from './scenarios/timeline-quality.ts';
import { timelineSpeed } from './scenarios/timeline-speed.ts';
import { waypointList } from './scenarios/waypoint-list.ts';
import { Session, type Scenario } from './session.ts';

/** In the order in which they run; one more is one line here and one file beside the others. */
const scenarios: readonly Scenario[] = [
  startUp,
  smallGet,
  importSpeed,
  importMemory,
  importAgain,
  waypointList,
  clusters,
  suggest,
  geodataLookup,
  timelineQuality,
  timelineSpeed,
  objectStorage,
];

process.exitCode = await bench(process.argv.slice(2));

/** @returns the exit code: 1 when a scenario could not run; a bar that is missed is a result, not an error. */
async function bench(words: readonly string[]): Promise<number> {
  let options: BenchOptions;
  try {
    options = parseOptions(words);
    checkNames(options.only);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return 64;
  }
  if (options.help) {
    console.log(`${usage}\nscenarios: ${scenarios.map(({ name }) => name).join(', ')}`);
    return 0;
  }
  const about = describeRun();
  const { figures, failed } = await measureAll(options);
  console.log(alignedTable(figures.map(rowOf)));
  console.log(summary(figures));
  const isWhole = options.only.length === 0 && failed.length === 0;
  if (isWhole && !options.plan.isQuick) writeResults(about, figures);
  for (const name of failed) console.error(`failed: ${name}`);
  return failed.length === 0 ? 0 : 1;
}

function checkNames(only: readonly string[]): void {
  const unknown = only.find((wanted) => !scenarios.some(({ name }) => name === wanted));
  if (unknown !== undefined) throw new Error(`There is no scenario ${unknown}.`);
}

async function measureAll({
  plan,
  only,
  temporary,
}: BenchOptions): Promise<{ figures: Figure[]; failed: string[] }> {
  const session = new Session(plan, temporary);
  endOnSignals(session);
  const figures: Figure[] = [];
  const failed: string[] = [];
  try {
    for (const { name, title, run } of scenarios) {
      if (only.length > 0 && !only.includes(name)) continue;
      session.say(`${name}: ${title}`);
      try {
        for await (const figure of run(session)) figures.push(figure);
      } catch (error) {
        failed.push(name);
        session.say(error instanceof Error ? (error.stack ?? error.message) : String(error));
        await session.stopAll();
      }
    }
  } finally {
    await session.close();
  }
  return { figures, failed };
}

/** Leaves neither daemons nor gigabytes behind. */
function endOnSignals(session: Session): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      void session.close().finally(() => process.exit(130));
    });
  }
}

function summary(figures: readonly Figure[]): string {
  const withBar = figures.filter(({ bar }) => bar !== undefined);
  const met = withBar.filter((figure) => isMet(figure) === true).length;
  return withBar.length === 0 ? 'No bar applies.' : `${met} of ${withBar.length} bars reached.`;
}
