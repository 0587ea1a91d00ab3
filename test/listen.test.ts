/** The wait for a port that is taken: how long, what it says then, and how it ends. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { listen } from '../daemon/listen.ts';
import type { PortState } from '../daemon/port-owner.ts';
import { ExitError } from '../model/exit-error.ts';
import { finish, testCli, untilPrinted } from './helpers/cli.ts';
import { silentLog } from './helpers/logs.ts';
import { manualTime } from './helpers/manual-time.ts';
import { until } from './helpers/until.ts';
import { onLinux } from './helpers/where.ts';

/** Waits at a port that is taken for the first `tries`. @returns when the tries came, and how it ended. */
async function wait(state: PortState, tries: number, stop?: AbortController) {
  const time = manualTime();
  const at: number[] = [];
  const server = {
    listen: ({ port = 0 }: { port?: number | undefined }) => {
      at.push(time.clock.monotonic());
      const taken = Object.assign(new Error('taken'), { code: 'EADDRINUSE' });
      return at.length <= tries ? Promise.reject(taken) : Promise.resolve({ port });
    },
  };
  const waiting = { ...time, log: silentLog, signal: stop?.signal, stateOf: () => state };
  const end = { value: undefined as unknown };
  const listening = listen(server, { port: 43_098 }, waiting).then(
    (place) => (end.value = place),
    (error: unknown) => (end.value = error),
  );
  for (;;) {
    await until(() => time.waiting() > 0 || end.value !== undefined);
    if (end.value !== undefined) break;
    if (at.length === 3 && stop !== undefined) stop.abort();
    else time.advance(250);
  }
  await listening;
  return { at, end: end.value, waiting: time.waiting() };
}

const patience: readonly [PortState, seconds: number, told: RegExp][] = [
  ['connection', 65, /does not listen there.*--port/u],
  ['free', 65, /does not listen there/u],
  ['listener', 5, /another program or another user's waypointd, which listens there.*--port/u],
  ['unknown', 5, /which listens there/u],
];

for (const [state, seconds, told] of patience) {
  test(`a taken port (${state}) is tried every 250 ms for ${seconds} s, then exit 75`, async (t) => {
    const tries = seconds * 4;
    const { at, end, waiting } = await wait(state, Infinity);
    t.deepEqual(
      at,
      Array.from({ length: tries + 1 }, (_, index) => index * 250),
    );
    t.is(waiting, 0);
    t.true(end instanceof ExitError && end.exitCode === 75 && !end.message.includes('\n'));
    t.regex((end as Error).message, told);
    t.deepEqual((await wait(state, tries)).end, { port: 43_098 }, 'had at the last try');
  });
}

test('the wait for a port ends at once with the signal', async (t) => {
  const { at, end, waiting } = await wait('connection', Infinity, new AbortController());
  t.deepEqual([at.length, waiting], [3, 0]);
  t.false(end instanceof ExitError);
});

/**
 * A port of 127.0.0.1 that the near end of a connection has, and no other: Linux gives one port to connections to several
 * servers, and what others have closed keeps it for a minute.
 */
async function outgoingConnection(t: ExecutionContext) {
  const server = createServer((far) => far.on('error', () => {})).listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  for (;;) {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    const port = socket.localPort!;
    // From here on it is given to no more of them, as something listens there, be it at another address.
    const guard = createServer().listen(port, '127.0.0.2');
    await once(guard, 'listening');
    const end = (): void => {
      socket.resetAndDestroy();
      guard.close();
    };
    t.teardown(end);
    const place = `: 0100007F:${port.toString(16).toUpperCase()} `;
    if (readFileSync('/proc/self/net/tcp', 'latin1').split(place).length === 2)
      return { port: String(port), end };
    end();
  }
}

onLinux(
  'serve waits for a port that an outgoing connection has, and has it when that ends',
  async (t) => {
    const cli = testCli(t);
    const { port, end } = await outgoingConnection(t);
    const child = cli.start(['serve', '--port', port]);
    await untilPrinted(child.stderr, /daemon\.port_awaited/u);
    const doctor = await cli.run(['doctor', '--json'], { env: { WAYPOINTD_PORT: port } });
    t.regex(doctor.stdout, /is taken by an open connection of another program/u);
    end();
    await untilPrinted(child.stderr, new RegExp(`"port":${port},"event":"daemon\\.ready"`, 'u'));
  },
);

onLinux('SIGTERM ends the wait for a port: exit 0', async (t) => {
  const cli = testCli(t);
  const { port } = await outgoingConnection(t);
  const child = cli.start(['serve', '--port', port]);
  const ended = finish(child);
  await untilPrinted(child.stderr, /daemon\.port_awaited/u);
  child.kill('SIGTERM');
  const { code, stderr } = await ended;
  t.is(code, 0, stderr);
  t.notRegex(stderr, /^waypointd:/mu);
});
