import { parseOptions, usage, type BenchOptions } from './plan.ts';
import { isMet, type Figure } from './report/figure.ts';
import { describeRun } from './report/machine.ts';
import { writeResults } from './report/results.ts';
import { markdownTable } from './report/table.ts';
import { clusters } from './scenarios/clusters.ts';
import { importAgain } from './scenarios/import-again.ts';
import { importSpeed } from './scenarios/import-speed.ts';
import { importTwins } from './scenarios/import-twins.ts';
import { mapPage } from './scenarios/map-page.ts';
import { objectStorage } from './scenarios/objects.ts';
import { smallGet } from './scenarios/small-get.ts';
import { startUp } from './scenarios/start-up.ts';
import { suggest } from './scenarios/suggest.ts';
import { timelineQuality } from './scenarios/timeline-quality.ts';
import { tiles } from './scenarios/tiles.ts';
import { timelineSpeed } from './scenarios/timeline-speed.ts';
import { waypointList } from './scenarios/waypoint-list.ts';
import type { AnyScenario } from './scenario.ts';
import { Session } from './session.ts';

/** In the order in which they run; one more is one line here and one file beside the others. */
const scenarios: readonly AnyScenario[] = [
  startUp,
  smallGet,
  importSpeed,
  importAgain,
  importTwins,
  waypointList,
  clusters,
  suggest,
  timelineQuality,
  tiles,
  mapPage,
  timelineSpeed,
  objectStorage,
];

process.exitCode = await bench(process.argv.slice(2));

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
  return run(options);
}

/** @returns the exit code: 1 when a scenario could not run; a bar that is missed is a result, not an error. */
async function run({ plan, only, temporary }: BenchOptions): Promise<number> {
  const about = describeRun(plan.name);
  const session = new Session(plan, temporary);
  endOnSignals(session);
  const figures: Figure[] = [];
  const failed: string[] = [];
  const started = performance.now();
  try {
    for (const scenario of scenarios) {
      if (only.length > 0 && !only.includes(scenario.name)) continue;
      if (!(await measure(session, scenario, figures))) failed.push(scenario.name);
    }
  } finally {
    await session.close();
  }
  console.log(`${summary(figures)} ${secondsSince(started)} s in all.`);
  if (only.length === 0 && !plan.isQuick) {
    const missing = failed.map((name) => `Failed, so that its figures are missing: ${name}`);
    const results = { about: [...about, ...missing], figures };
    writeResults(results);
  }
  for (const name of failed) console.error(`failed: ${name}`);
  return failed.length === 0 ? 0 : 1;
}

function checkNames(only: readonly string[]): void {
  const unknown = only.find((wanted) => !scenarios.some(({ name }) => name === wanted));
  if (unknown !== undefined) throw new Error(`There is no scenario ${unknown}.`);
}

/** Adds the figures of one scenario, those before a failure too. @returns whether it ran to its end. */
async function measure(
  session: Session,
  scenario: AnyScenario,
  figures: Figure[],
): Promise<boolean> {
  const { name, title } = scenario;
  const started = performance.now();
  const before = figures.length;
  session.say(`${name}: ${title}`);
  try {
    for await (const figure of scenario.measure(session)) figures.push(figure);
    return true;
  } catch (error) {
    session.say(
      `${name} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
    await session.clear();
    return false;
  } finally {
    // At once, so that a run that is interrupted has not been for nothing.
    if (figures.length > before) console.log(markdownTable(figures.slice(before)));
    session.say(`${name}: ${secondsSince(started)} s\n`);
  }
}

function secondsSince(started: number): string {
  return ((performance.now() - started) / 1_000).toFixed(1);
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
