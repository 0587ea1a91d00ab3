/** PUT /api/imports: one file over HTTP, and how it gets on with a person's import. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import test from 'ava';
import { limits } from '../model/limits.ts';
import { startTestDaemon, type TestDaemon } from './helpers/daemon.ts';
import { importTree, listed } from './helpers/imported-files.ts';
import { gpx } from './helpers/imports.ts';

function upload(daemon: TestDaemon, path: string, body: RequestInit['body'], headers = {}) {
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
