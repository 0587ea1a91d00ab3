import { setTimeout as wait } from 'node:timers/promises';
import { atMost, timesAtMost, type Bar } from '../report/figure.ts';
import { counted, scenario, type FigureSpec, type Readings } from '../scenario.ts';
import type { Session } from '../session.ts';
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
    count === undefined ? emptyStore(session) : filledStore(session, root),
  figures: () => {
    return [
      ofBare('start to ready, CPU', 'ms', 'again', timesAtMost(4)),
      ofBare('start to ready, wall', 'ms', 'wall'),
      ofBare('idle, resident memory', 'MB', 'memory', atMost(110)),
      { what: 'start to ready, wall', unit: 'ms', of: 'ready' },
    ];
  },
});

function ofBare(what: string, unit: 'ms' | 'MB', of: string, bar?: Bar): FigureSpec {
  return { what, unit, of, against: [bare, `bare ${of}`, 'cost'], bar };
}

/** A start on new directories, another one on the same, and the bare server; then all that costs to idle. */
async function emptyStore(session: Session): Promise<Readings> {
  const root = session.directory();
  const first = await session.daemon(root);
  await session.stop(first);
  const own = await session.daemon(root);
  const other = await session.bareServer();
  const [ofOwn, ofOther] = await Promise.all([idle(session, own), idle(session, other)]);
  return {
    ...ofOwn,
    ...Object.fromEntries(Object.entries(ofOther).map(([key, value]) => [`bare ${key}`, value])),
  };
}

/**
 * A request first: what is loaded late has been loaded then. Then long enough for a worker to end that has no work, and
 * for V8 to tidy up as it does some seconds after the last call.
 */
async function idle(session: Session, server: ServerProcess): Promise<Readings> {
  await server.get('/api/version');
  await wait(session.plan.idleMs * 3);
  const memory = server.cost()?.residentMb;
  await session.stop(server);
  return { again: server.readyCpuMs, wall: server.readyMs, memory };
}

async function filledStore(session: Session, root: string): Promise<Readings> {
  const daemon = await session.daemon(root);
  await session.stop(daemon);
  return { ready: daemon.readyMs };
}
