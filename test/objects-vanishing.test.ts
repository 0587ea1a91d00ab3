/** The object server and clients that vanish, fall silent or dawdle, whatever they were doing. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import Database from 'better-sqlite3';
import { testCli } from './helpers/cli.ts';
import { ann, basic, oidOf, startTestObjects, type TestObjects, xLfs } from './helpers/objects.ts';
import { RawConnection, rawRequest } from './helpers/raw-http.ts';
import { until } from './helpers/until.ts';
import { posix } from './helpers/where.ts';

const objects = '/club/maps/objects';
const large = Buffer.alloc(24_000_000, 7);
const content = Buffer.alloc(1_000, 1);
const path = `${objects}/${oidOf(content)}/content`;
const login = `Authorization: ${basic(ann)}`;
const json = `Content-Type: ${xLfs}`;

function put(sent: string, ...headers: string[]): string {
  const framing = headers.length === 0 ? ['Content-Length: 1000'] : headers;
  return rawRequest(`PUT ${path}?size=1000`, [login, ...framing]) + sent;
}

function post(place: string, sent: string, length: number): string {
  return rawRequest(`POST ${place}`, [login, json, `Content-Length: ${length}`]) + sent;
}

const healthz = rawRequest('GET /healthz');
const get = rawRequest(`GET ${objects}/${oidOf(large)}/content`, [login]);
const bytes = content.toString('latin1');

/** Where a client may be in its conversation. */
interface Stage {
  /** What it has sent. */
  readonly sent: string;
  /** A temporary file, and room for the content. */
  readonly holds?: boolean;
  /** The answers to a client that sends nothing more; they end the connection. */
  readonly silent?: readonly number[];
  /** The same for one that sends the letter "a" again and again, where it is no refusal of what that makes. */
  readonly slow?: readonly number[];
}

const stages: Readonly<Record<string, Stage>> = {
  'nothing sent': { sent: '', silent: [408] },
  'in the request line': { sent: 'GET / HT', silent: [408] },
  'in the headers': { sent: healthz.slice(0, -4), silent: [408], slow: [408] },
  'in an announcement': { sent: post(objects, '{"oid', 90), silent: [408], slow: [408] },
  'in a batch': { sent: post(`${objects}/batch`, '{"op', 90), silent: [408], slow: [408] },
  'in a lock': { sent: post('/club/maps/locks', '{"pa', 90), silent: [408], slow: [408] },
  'before an upload': { sent: put(''), holds: true, silent: [408], slow: [408] },
  'in an upload': { sent: put('01234'), holds: true, silent: [408], slow: [408] },
  'before the last byte': { sent: put(bytes.slice(1)), holds: true, silent: [408] },
  'between chunks': {
    sent: put('5\r\n01234\r\n', 'Transfer-Encoding: chunked'),
    holds: true,
    silent: [408],
  },
  'in a chunk': {
    sent: put('3e8\r\n01234', 'Transfer-Encoding: chunked'),
    holds: true,
    silent: [408],
    slow: [408],
  },
  'waiting for permission': {
    sent: put('', 'Content-Length: 1000', 'Expect: 100-continue'),
    holds: true,
    silent: [100, 408],
    slow: [100, 408],
  },
  'in an upload behind others': {
    sent: healthz.repeat(3) + put('01234'),
    holds: true,
    silent: [200, 200, 200, 408],
    slow: [200, 200, 200, 408],
  },
  'in a refused upload': {
    sent: put('01234').replace(login, 'Authorization: Basic YTpi'),
    silent: [401],
    slow: [401],
  },
  'kept open': { sent: healthz, silent: [200] },
  'having locked': { sent: post('/club/maps/locks', '{"path":"a"}', 12), silent: [201] },
  'in a download': { sent: get },
  'in the first of three downloads': { sent: get.repeat(3) },
};

const never = 600_000;
/** Nothing ends by itself. */
const patient = {
  headersTimeoutMs: never,
  jsonBodyMs: never,
  slowBodyMs: never,
  keepAliveTimeoutMs: never,
  drainTimeoutMs: never,
  lingerMs: never,
};

function incoming(root: string): number {
  return readdirSync(join(root, 'incoming')).length;
}

/** A store with a large object, and with room for one more content. */
async function fill({ admin, directory }: TestObjects): Promise<void> {
  const contents = (await admin.contents()).of('club/maps');
  const pieces = async function* () {
    yield large;
  };
  await (await contents.put(oidOf(large), large.length, pieces())).settle();
  const { id } = (await admin.directory.findRepository('club/maps'))!;
  await admin.holdings.add(id, { oid: oidOf(large), size: large.length }, 0);
  await admin.directory.changeRepository(id, { quotaBytes: large.length + content.length });
  await until(() => incoming(directory) === 0);
}

for (const isTls of [false, true]) {
  const how = isTls ? 'https' : 'http';
  test(`a client that vanishes leaves nothing behind, whatever it was doing, with ${how}`, async (t) => {
    // More connections than a few that are left over would leave no room.
    const server = await startTestObjects(t, { isTls, limits: { ...patient, connections: 16 } });
    const { port, directory } = server;
    await fill(server);
    const open = (sent: string) =>
      isTls ? RawConnection.openTls(port, sent) : RawConnection.open(port, sent);
    const announced = async (): Promise<number | undefined> => {
      const body = JSON.stringify({ oid: oidOf(Buffer.from('other')), size: content.length });
      const asked = await open(
        rawRequest(`POST ${objects}`, [login, json, 'Connection: close'], body),
      );
      const answer = await asked.answer();
      asked.socket.destroy();
      return answer?.status;
    };
    for (const [where, { sent, holds = false }] of Object.entries(stages)) {
      for (const way of ['FIN', 'RST']) {
        const client = await open(sent);
        if (where.includes('download')) {
          await client.received('200 OK');
          client.socket.pause();
        }
        await until(() => incoming(directory) === (holds ? 1 : 0));
        t.is(await announced(), holds ? 507 : 202, `${where}: the room that it has`);
        if (way === 'FIN') client.socket.resume().end();
        else client.reset();
        await client.ended();
        await until(() => incoming(directory) === 0);
        await until(async () => (await announced()) === 202);
      }
    }
    t.deepEqual(
      server.logged.filter((line) => /^http\.(?:failed|unanswered|server)/u.test(line)),
      [],
    );
    await server.close();
  });
}

test('a client that falls silent or dawdles is ended wherever it is, and others are served meanwhile', async (t) => {
  const soon = 600;
  const server = await startTestObjects(t, {
    limits: {
      headersTimeoutMs: soon,
      connectionSweepMs: 20,
      jsonBodyMs: soon,
      slowBodyMs: soon,
      keepAliveTimeoutMs: soon,
      lingerMs: soon,
    },
  });
  const end = async (sent: string, isSlow: boolean): Promise<number[]> => {
    const client = await RawConnection.open(server.port, sent);
    const timer = isSlow ? setInterval(() => client.send('a'), 20) : undefined;
    const statuses: number[] = [];
    for (;;) {
      const answer = await client.answer();
      if (answer === undefined) break;
      statuses.push(answer.status);
    }
    clearInterval(timer);
    client.socket.destroy();
    return statuses;
  };
  let isOver = false;
  const ends = Object.entries(stages).flatMap(([where, { sent, silent, slow }]) => [
    ...(silent ? [{ where, asked: silent, isSlow: false, sent }] : []),
    ...(slow ? [{ where: `${where}, slowly`, asked: slow, isSlow: true, sent }] : []),
  ]);
  const told = Promise.all(ends.map(({ sent, isSlow }) => end(sent, isSlow))).finally(
    () => (isOver = true),
  );
  for (let n = 0; !isOver; n += 1) {
    const sent = await server.send('club/maps', Buffer.from(`of another ${n}`));
    t.is(sent.status, 200, 'others are served');
  }
  for (const [n, statuses] of (await told).entries())
    t.deepEqual(statuses, ends[n]!.asked, ends[n]!.where);
  await until(() => incoming(server.directory) === 0);
});

test('clients that ask for locks and vanish are not waited for without end, and others read', async (t) => {
  const server = await startTestObjects(t, { limits: { connections: 2_000 } });
  const held = new Database(join(server.directory, 'objects.sqlite'));
  t.teardown(() => held.close());
  const lock = (n: number) =>
    rawRequest('POST /club/maps/locks', [login, json], JSON.stringify({ path: `${n}` }));
  t.is((await server.call('GET', '/club/maps/locks', { as: ann })).status, 200);
  held.exec('BEGIN IMMEDIATE');
  const clients = await Promise.all(
    Array.from({ length: 257 }, (_, n) => RawConnection.open(server.port, lock(n))),
  );
  const answers = clients.map((client) => client.answer());
  t.is((await Promise.race(answers))?.status, 503, 'one more than may wait');
  t.is((await server.call('GET', '/club/maps/locks', { as: ann })).status, 200);
  for (const client of clients.slice(0, -2)) client.reset();
  held.exec('ROLLBACK');
  // The last to come: the first may have waited for as long as any may, where the machine is busy.
  const stayed = await Promise.all(answers.slice(-2));
  t.true(
    stayed.some((answer) => answer?.status === 201),
    'the others still wait',
  );
  for (const client of clients) client.reset();
  await server.close();
});

posix('SIGTERM ends the server whatever its clients are doing', async (t) => {
  const filled = await startTestObjects(t);
  await fill(filled);
  await filled.close();
  const { directory } = filled;
  const words = ['objects', 'serve', '--root', directory, '--listen', '127.0.0.1:0'];
  const child = testCli(t).start(words);
  const url = await new Promise<string>((tell) =>
    child.stdout?.once('data', (line) => tell(String(line))),
  );
  const port = Number(new URL(url.trim()).port);
  const uploads = Object.values(stages).filter(({ holds }) => holds === true).length;
  for (const { sent } of Object.values(stages)) {
    for (const isSlow of [false, true]) {
      const { socket } = await RawConnection.open(port, sent);
      t.teardown(() => socket.destroy());
      if (sent.startsWith(get)) socket.pause();
      const timer = isSlow
        ? setInterval(() => socket.writable && socket.write('a'), 50)
        : undefined;
      socket.once('close', () => clearInterval(timer));
    }
  }
  await until(() => incoming(directory) >= uploads);
  // A lock that is being waited for.
  const held = new Database(join(directory, 'objects.sqlite'));
  t.teardown(() => held.close());
  held.exec('BEGIN IMMEDIATE');
  const asked = await RawConnection.open(
    port,
    rawRequest('POST /club/maps/locks', [login, json], '{"path":"b"}'),
  );
  const still = await RawConnection.open(port, healthz);
  t.is((await still.answer())?.status, 200);
  const ended = new Promise((tell) => child.once('exit', tell));
  child.kill('SIGTERM');
  // Three times what it may take; what it waits for in vain takes longer.
  const late = delay(15_000, 'late', { ref: false });
  t.is(await Promise.race([ended, late]), 0);
  t.is(incoming(directory), 0);
  for (const { socket } of [asked, still]) socket.destroy();
});
