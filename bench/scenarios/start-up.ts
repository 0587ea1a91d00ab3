import { setTimeout as wait } from 'node:timers/promises';
import { places } from '../data.ts';
import { atMost, timesAtMost, type Bar } from '../report/figure.ts';
import { counted, difference, scenario, type FigureSpec, type Readings } from '../scenario.ts';
import { seed, type Session } from '../session.ts';
import type { ServerProcess } from '../subjects/server-process.ts';

/** Stored waypoints; undefined for new directories, where idling is measured as well. */
type Subject = number | undefined;

const bare = 'bare node:http';

/** How soon the daemon serves, and what it costs to let it sit there. */
export const startUp = scenario<Subject, string>({
  name: 'start-up',
  title: 'start to ready, and idle',
  subjects: ({ sizes }) => [undefined, sizes.at(-1)],
  rounds: ({ rounds, isQuick }, count) => (count === undefined && !isQuick ? rounds + 2 : rounds),
  label: (count) => (count === undefined ? 'empty store' : counted(count, 'waypoints')),
  prepare: (session, count) => (count === undefined ? Promise.resolve('') : session.filled(count)),
  run: (session, root, count) =>
    count === undefined ? emptyStore(session) : filledStore(session, root, count),
  figures: () => {
    return [
      ofBare('first start ever, CPU', 'ms', 'first'),
      ofBare('start to ready, CPU', 'ms', 'again', timesAtMost(4)),
      ofBare('start to ready, wall', 'ms', 'wall'),
      ofBare('idle, resident memory', 'MB', 'memory', atMost(110)),
      ofBare('idle, CPU', 'ms', 'idle'),
      ofBare('idle, threads', 'threads', 'threads'),
      { what: 'start to ready, wall', unit: 'ms', of: 'ready' },
    ];
  },
});

function ofBare(what: string, unit: 'ms' | 'MB' | 'threads', of: string, bar?: Bar): FigureSpec {
  return { what, unit, of, against: [bare, `bare ${of}`, 'cost'], bar };
}

/** A start on new directories, another one on the same, and the bare server; then all that costs to idle. */
async function emptyStore(session: Session): Promise<Readings> {
  const root = session.directory();
  const first = await session.daemon(root);
  const firstCpu = first.readyCpuMs;
  await session.stop(first);
  const own = await session.daemon(root);
  const other = await session.bareServer();
  const [ofOwn, ofOther] = await Promise.all([idle(session, own), idle(session, other)]);
  return {
    ...ofOwn,
    ...Object.fromEntries(Object.entries(ofOther).map(([key, value]) => [`bare ${key}`, value])),
    first: firstCpu,
    'bare first': other.readyCpuMs,
  };
}

/**
 * A request first: what is loaded late has been loaded then. Then long enough for a worker to end that has no work, and
 * for V8 to tidy up as it does some seconds after the last call.
 */
async function idle(session: Session, server: ServerProcess): Promise<Readings> {
  await server.get('/api/version');
  await wait(session.plan.idleMs * 3);
  const before = server.cpuMs();
  await wait(session.plan.idleMs);
  const cost = server.cost();
  await session.stop(server);
  return {
    again: server.readyCpuMs,
    wall: server.readyMs,
    idle: difference(cost?.cpuMs, before),
    memory: cost?.residentMb,
    threads: cost?.threads,
  };
}

/** Ready is not all: the first questions about the map and about names come before their indexes are there. */
async function filledStore(session: Session, root: string, count: number): Promise<Readings> {
  const daemon = await session.daemon(root);
  const ask = async (path: string): Promise<string> =>
    (await daemon.get(path, { keepBody: true })).body;
  const [place] = places({ seed, count: 1 });
  const name = place?.name ?? '';
  const paths = ['/api/clusters?zoom=3', `/api/suggest?q=${encodeURIComponent(name)}`] as const;
  const [clusters, suggestions] = [await ask(paths[0]), await ask(paths[1])];
  // Early answers are right ones: every waypoint is in a cluster, a name that is there is found, as it is later.
  const items = JSON.parse(clusters) as { count?: number }[];
  const sum = items.reduce((all, item) => all + (item.count ?? 1), 0);
  if (sum !== count) throw new Error(`the first clusters hold ${sum} of ${count} waypoints`);
  if (!suggestions.includes(JSON.stringify(name))) throw new Error('a suggestion is missing');
  for (const [i, body] of [clusters, suggestions].entries()) {
    if ((await ask(paths[i] ?? '')) !== body) throw new Error(`${paths[i]}: other ones later`);
  }
  await session.stop(daemon);
  return { ready: daemon.readyMs };
}
