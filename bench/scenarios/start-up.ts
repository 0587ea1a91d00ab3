import { setTimeout as wait } from 'node:timers/promises';
import { places } from '../data.ts';
import type { Bar, Figure } from '../report/figure.ts';
import type { Goal } from '../report/goals.ts';
import { median, medianOf } from '../measure/statistics.ts';
import { seed, type Scenario, type Session } from '../session.ts';
import type { ServerProcess } from '../subjects/server-process.ts';

interface Idle {
  readonly cpuMs: number | undefined;
  readonly residentMb: number | undefined;
  readonly threads: number | undefined;
}

const bare = 'bare node:http';
const name = 'start-up';
/** Nothing, as far as the kernel's clock can tell; it may tick once. */
const oneStepMs = 10;
/** A daemon that holds this many waypoints has to be ready within a second and a half. */
const largeStore = 1_000_000;

/** How soon the daemon serves, and what it costs to let it sit there. */
export const startUp: Scenario = {
  name,
  title: 'start to ready, and idle',
  async *run(session) {
    yield* await emptyStore(session);
    yield* await idleCost(session);
    for (const count of session.plan.sizes) yield* await filledStore(session, count);
  },
};

/** Each round starts on new directories, then again on the same ones. */
async function emptyStore(session: Session): Promise<Figure[]> {
  const rounds = session.plan.isQuick ? 1 : session.plan.rounds + 2;
  const bareMs: number[] = [];
  const firstMs: number[] = [];
  const againMs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    bareMs.push(await readyMs(session, () => session.bareServer()));
    const root = session.directory();
    firstMs.push(await readyMs(session, () => session.daemon(root)));
    againMs.push(await readyMs(session, () => session.daemon(root)));
  }
  const figure = (subject: string, figures: readonly number[]): Figure => ({
    scenario: name,
    subject,
    what: 'start to ready, wall',
    unit: 'ms',
    value: median(figures),
    baseline: { name: bare, value: median(bareMs), ratio: 'cost' },
    bar: session.plan.isQuick ? undefined : { of: 'ratio', atMost: 5 },
    goal: 'startEmpty',
  });
  return [figure('first start ever', firstMs), figure('empty store', againMs)];
}

async function readyMs(session: Session, start: () => Promise<ServerProcess>): Promise<number> {
  const server = await start();
  await session.stop(server);
  return server.readyMs;
}

/** On new directories, and again on known ones: the first start has more to do, and memory does not come back. */
async function idleCost(session: Session): Promise<Figure[]> {
  const first: Idle[] = [];
  const again: Idle[] = [];
  const bareCosts: Idle[] = [];
  for (let round = 0; round < Math.min(session.plan.rounds, 2); round += 1) {
    const root = session.directory();
    await session.stop(await session.daemon(root));
    const servers = [
      await session.daemon(),
      await session.daemon(root),
      await session.bareServer(),
    ] as const;
    const [ofFirst, ofAgain, ofBare] = await Promise.all([
      idle(session, servers[0]),
      idle(session, servers[1]),
      idle(session, servers[2]),
    ]);
    first.push(ofFirst);
    again.push(ofAgain);
    bareCosts.push(ofBare);
  }
  return [
    ...idleFigures(session, 'idle after the first start ever', { own: first, bareCosts }),
    ...idleFigures(session, 'idle and empty', { own: again, bareCosts }),
  ];
}

interface IdleBar {
  readonly field: keyof Idle;
  readonly goal: Goal;
  readonly bar: Bar;
}

function idleFigures(
  { plan: { idleMs, isQuick } }: Session,
  subject: string,
  { own, bareCosts }: { readonly own: readonly Idle[]; readonly bareCosts: readonly Idle[] },
): Figure[] {
  const figure = (what: string, unit: Figure['unit'], { field, goal, bar }: IdleBar): Figure => ({
    scenario: name,
    subject,
    what,
    unit,
    value: medianOf(own.map((cost) => cost[field])),
    baseline: { name: bare, value: medianOf(bareCosts.map((cost) => cost[field])), ratio: 'cost' },
    bar: isQuick ? undefined : bar,
    goal,
  });
  return [
    figure('resident memory', 'MB', {
      field: 'residentMb',
      goal: 'idleMemory',
      bar: { of: 'figure', atMost: 110 },
    }),
    figure(`CPU in ${idleMs / 1_000} s`, 'ms', {
      field: 'cpuMs',
      goal: 'idleCpu',
      bar: { of: 'figure', atMost: oneStepMs },
    }),
    // Both have the threads that Node.js itself starts: a worker would be one more.
    figure('threads', 'threads', {
      field: 'threads',
      goal: 'idleThreads',
      bar: { of: 'ratio', atMost: 1 },
    }),
  ];
}

/**
 * A request first: what is loaded late has been loaded then. Then long enough for a worker to end that has no work, and
 * for V8 to tidy up as it does some seconds after the last call.
 */
async function idle(session: Session, server: ServerProcess): Promise<Idle> {
  await server.get('/api/version');
  await wait(session.plan.idleMs * 3);
  const before = server.cpuMs();
  await wait(session.plan.idleMs);
  const cost = server.cost();
  await session.stop(server);
  return {
    cpuMs: cost === undefined || before === undefined ? undefined : cost.cpuMs - before,
    residentMb: cost?.residentMb,
    threads: cost?.threads,
  };
}

/** Ready is not all: the first questions about the map and about names come before their indexes are there. */
async function filledStore(session: Session, count: number): Promise<Figure[]> {
  const root = await session.filled(count);
  const ready: number[] = [];
  const first: number[] = [];
  const firstNames: number[] = [];
  const resident: (number | undefined)[] = [];
  for (let round = 0; round < session.plan.rounds; round += 1) {
    const daemon = await session.daemon(root);
    ready.push(daemon.readyMs);
    const asked = performance.now();
    const [clusters, suggestions] = [await clustersNow(daemon), await suggestionsNow(daemon)];
    first.push(daemon.readyMs + clusters.endedAt - asked);
    firstNames.push(daemon.readyMs + suggestions.endedAt - asked);
    resident.push(daemon.cost()?.residentMb);
    checkFirstAnswers(count, clusters.body, suggestions.body);
    if ((await clustersNow(daemon)).body !== clusters.body) throw new Error('other clusters later');
    if ((await suggestionsNow(daemon)).body !== suggestions.body) {
      throw new Error('other suggestions later');
    }
    await session.stop(daemon);
  }
  const subject = `${count.toLocaleString('en')} waypoints`;
  const line = { scenario: name, subject };
  const bar: Bar | undefined = count === largeStore ? { of: 'figure', atMost: 1_500 } : undefined;
  return [
    {
      ...line,
      what: 'start to ready, wall',
      unit: 'ms',
      value: median(ready),
      bar,
      goal: 'startLarge',
    },
    { ...line, what: 'start to first clusters, wall', unit: 'ms', value: median(first) },
    {
      ...line,
      what: 'start to first suggestions after them, wall',
      unit: 'ms',
      value: median(firstNames),
    },
    { ...line, what: 'resident memory then', unit: 'MB', value: medianOf(resident) },
  ];
}

interface FirstAnswer {
  readonly body: string;
  readonly endedAt: number;
}

async function clustersNow(daemon: ServerProcess): Promise<FirstAnswer> {
  const { body } = await daemon.get('/api/clusters?zoom=3', { keepBody: true });
  return { body, endedAt: performance.now() };
}

async function suggestionsNow(daemon: ServerProcess): Promise<FirstAnswer> {
  const path = `/api/suggest?q=${encodeURIComponent(firstName())}`;
  const { body } = await daemon.get(path, { keepBody: true });
  return { body, endedAt: performance.now() };
}

/** The name of the first generated waypoint, which every filled store has. */
function firstName(): string {
  const [place] = places({ seed, count: 1 });
  return place?.name ?? '';
}

/** Early answers are right ones: every waypoint is in a cluster, and a name that is there is found. */
function checkFirstAnswers(count: number, clusters: string, suggestions: string): void {
  // Sound: the shapes of the routes; anything else fails the sum.
  const items = JSON.parse(clusters) as { count?: number }[];
  const sum = items.reduce((all, item) => all + (item.count ?? 1), 0);
  if (sum !== count) throw new Error(`the first clusters hold ${sum} of ${count} waypoints`);
  if (!suggestions.includes(JSON.stringify(firstName()))) {
    throw new Error('the first suggestions lack a name');
  }
}
