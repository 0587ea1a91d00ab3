/** PUT /api/imports: one file over HTTP, and how it gets on with a person's import. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import Database from 'better-sqlite3';
import type { LibraryWork } from '../daemon/import/library-work.ts';
import { Uploads } from '../daemon/import/uploads.ts';
import { importedFileRoutes } from '../daemon/routes/imported-files.ts';
import type { DaemonParts } from '../daemon/parts.ts';
import type { HttpLimits } from '../http/http-limits.ts';
import { limits } from '../model/limits.ts';
import { siteIn, start } from './faults/site.ts';
import { startTestDaemon, type TestDaemon } from './helpers/daemon.ts';
import { startHttpServer } from './helpers/http-server.ts';
import { importTree, listed } from './helpers/imported-files.ts';
import { gpx } from './helpers/imports.ts';
import { rawRequest } from './helpers/raw-http.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';
import { testUnless, withMounts } from './helpers/where.ts';

function upload(
  daemon: Pick<TestDaemon, 'url' | 'token'>,
  path: string,
  body: RequestInit['body'],
  headers = {},
) {
  return fetch(`${daemon.url}/api/imports?path=${encodeURIComponent(path)}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${daemon.token}`, connection: 'close', ...headers },
    body: body ?? null,
    duplex: 'half',
  } as RequestInit);
}

test('an uploaded file is imported as its path, and replaces what is there', async (t) => {
  const daemon = await startTestDaemon(t);
  const first = gpx([['Porto', 41.15, -8.61]]);
  const answer = await upload(daemon, 'phone/day 1.gpx', first, { 'content-type': 'text/plain' });
  t.is(answer.status, 201);
  t.like(await answer.json(), { added: 1, count: 1, dedup_count: 1, dir: '' });
  t.is(readFileSync(join(daemon.paths.imports, 'phone/day 1.gpx'), 'utf8'), first);
  const second = await upload(daemon, 'phone/day 1.gpx', gpx([['Camp', 1, 2]]));
  t.like(await second.json(), { replaced: 1, dedup_count: 1 });
  t.deepEqual((await listed(daemon)).map(({ state }) => state).toSorted(), ['active', 'replaced']);
  // Several at once wait for each other; a person's import does not fail because of them.
  const many = Array.from({ length: 8 }, (_, at) =>
    upload(daemon, `many/${at}.gpx`, gpx([[`w${at}`, at, at]])),
  );
  const person = importTree(daemon, { 'own.gpx': gpx([['own', 9, 9]]) });
  t.is((await person).status, 200);
  for (const each of many) t.is((await each).status, 201);
  t.is((await listed(daemon, '?state=active')).length, 10);
  t.deepEqual(readdirSync(join(daemon.paths.imports, '.incoming')), []);
  t.false(daemon.logged.join('\n').includes('day 1'));
});

test('an upload that is removed before, broken or misnamed', async (t) => {
  const daemon = await startTestDaemon(t);
  const body = gpx([['Camp', 1, 2]]);
  await upload(daemon, 'a.gpx', body);
  const [{ id } = { id: 0 }] = await listed(daemon);
  await daemon.call('DELETE', `/api/imports/${id}`);
  t.like(await (await upload(daemon, 'a.gpx', body)).json(), { added: 1 });
  const broken = await upload(daemon, 'b.gpx', '<gpx');
  t.is(broken.status, 201);
  t.like(await broken.json(), { failed: 1, added: 0 });
  for (const path of [
    '',
    '../a.gpx',
    '/a.gpx',
    'a//b.gpx',
    '.a.gpx',
    'x/.y/a.gpx',
    'a\\b.gpx',
    `${'x'.repeat(300)}.gpx`,
    'x'.repeat(1_025),
  ]) {
    const refused = await upload(daemon, path, body);
    t.is(refused.status, 400, path);
    t.is(((await refused.json()) as { field: string }).field, 'path', path);
  }
  const { status } = await fetch(`${daemon.url}/api/imports?path=a.gpx`, { method: 'PUT', body });
  t.is(status, 401);
  t.true(existsSync(join(daemon.paths.imports, 'a.gpx')));
});

testUnless(process.getuid?.() === 0 ? 'root removes everything' : undefined)(
  'what a killed daemon has left and cannot be removed keeps no upload away',
  async (t) => {
    const daemon = await startTestDaemon(t);
    const left = join(daemon.paths.imports, '.incoming', 'left');
    mkdirSync(left, { recursive: true });
    const path = join(left, 'held');
    if (process.platform === 'win32') {
      const held = new Database(path);
      t.teardown(() => held.close());
      held.exec('CREATE TABLE a (b)');
    } else {
      writeFileSync(path, '');
      t.teardown(() => chmodSync(left, 0o700));
      chmodSync(left, 0);
    }
    for (const name of ['a', 'b']) {
      const answer = await upload(daemon, `${name}.gpx`, gpx([[name, 1, 2]]));
      t.is(answer.status, 201);
    }
  },
);

test('a seventeenth upload is told to come back', async (t) => {
  const daemon = await startTestDaemon(t);
  const ends: (() => void)[] = [];
  const held = Array.from({ length: limits.uploads }, (_, at) => {
    const end = Promise.withResolvers<void>();
    ends.push(end.resolve);
    const text = gpx([[`w${at}`, at, at]]);
    const stream = new ReadableStream({
      async start(controller) {
        controller.enqueue(new TextEncoder().encode(text.slice(0, 20)));
        await end.promise;
        controller.enqueue(new TextEncoder().encode(text.slice(20)));
        controller.close();
      },
    });
    return upload(daemon, `${at}.gpx`, stream);
  });
  let status = 0;
  while (status !== 429) ({ status } = await upload(daemon, 'one-more.gpx', '<gpx'));
  for (const end of ends) end();
  for (const each of held) t.is((await each).status, 201);
});

test('an upload that announces a byte more than 4 GiB is refused at once', async (t) => {
  const daemon = await startTestDaemon(t);
  const sent = request(`${daemon.url}/api/imports?path=a.gpx`, {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${daemon.token}`,
      'content-length': String(limits.uploadBytes + 1),
    },
  });
  sent.on('error', () => undefined);
  sent.flushHeaders();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  t.is(answer.statusCode, 413);
  sent.destroy();
  t.false(existsSync(join(daemon.paths.imports, 'a.gpx')));
});

/** The route of uploads alone, whose imports are refused with 503: a file that gets so far was taken whole. */
async function bareUploads(t: ExecutionContext, limit: Partial<HttpLimits>, mostBytes: number) {
  const directory = join(temporaryDirectory(t), 'incoming');
  // Sound: all that is asked of them before an import begins.
  const library = { isClosed: true } as LibraryWork;
  const uploads = new Uploads({ library, directory, countWaypoints: () => 0, mostBytes });
  const routes = importedFileRoutes({ uploads } as DaemonParts);
  const server = await startHttpServer(t, { routes, limits: limit });
  return { ...server, left: () => readdirSync(directory) };
}

const put = 'PUT /api/imports?path=a.gpx';
const chunked = ['Transfer-Encoding: chunked'];

test('an upload of just the bound is taken whole; one byte more that was not announced is 413', async (t) => {
  const { ask, left } = await bareUploads(t, {}, 100_000);
  const body = (bytes: number): string =>
    `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n0\r\n\r\n`;
  t.is((await ask(rawRequest(put, chunked, body(100_000)))).status, 503);
  t.is((await ask(rawRequest(put, chunked, body(100_001)))).status, 413);
  t.deepEqual(left(), [], 'nothing stays of what was refused');
});

// Serial: while other tests keep this thread busy, a quick sender would look slow.
test.serial('an upload that is too slow, or silent, is 408 and leaves nothing', async (t) => {
  const { open, left } = await bareUploads(t, { slowBodyMs: 400, slowBodyBytes: 1_000 }, 100_000);
  const slow = await open(rawRequest(put, ['Content-Length: 2000'], 'x'.repeat(999)));
  const silent = await open(rawRequest(put, chunked));
  for (const connection of [slow, silent]) {
    t.is((await connection.answer())?.status, 408);
    await connection.ended();
  }
  t.deepEqual(left(), []);
});

withMounts(
  'on a full disk uploads and bookmarks are 507, and all that was answered is there',
  async (t) => {
    const site = siteIn(temporaryDirectory(t), { WAYPOINTD_OBJECTS: 'false' });
    mkdirSync(site.data);
    const inMount = `mount -t tmpfs -o size=8m,mode=700 tmpfs '${site.data}'; exec "$@"`;
    const daemon = await start(site, ['unshare', '-rm', 'sh', '-ec', inMount, 'sh']);
    t.teardown(() => daemon.end('SIGKILL'));
    const send = async (bytes: number): Promise<number> => {
      const { url, token } = daemon;
      const answer = await upload(
        { url, token },
        'a.gpx',
        gpx([['Camp', 1, 2]]) + ' '.repeat(bytes),
      );
      await answer.arrayBuffer();
      return answer.status;
    };
    t.is(await send(20_000_000), 507);
    t.is(await send(1_000), 201, 'the room is free again');
    const names: string[] = [];
    for (let status = 201; status === 201;) {
      const name = `B${names.length}`;
      const desc = '\u{1f3d4}'.repeat(8_192);
      ({ status } = await daemon.ask('POST', '/api/bookmarks', { name, lat: 1, lon: 2, desc }));
      if (status === 201) names.push(name);
      else t.is(status, 507);
    }
    t.true(names.length > 10);
    const listed = JSON.parse(await daemon.done('GET', '/api/waypoints')) as { name: string }[];
    t.deepEqual(listed.map(({ name }) => name).toSorted(), ['Camp', ...names].toSorted());
    t.is(await daemon.end(), 0, 'a stop is none of its faults');
  },
);
