/** The server in front of the page of the map: who gets a session, what that opens, and who gets nothing at all. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { allowedRoutes } from '../map/server/allowed-routes.ts';
import { ExitError } from '../model/exit-error.ts';
import { startTestDaemon, type TestDaemon } from './helpers/daemon.ts';
import {
  accessOf,
  smallPage,
  startTestMap,
  withSecret,
  type MapQuestion,
} from './helpers/map-server.ts';
import { answering } from './helpers/local-server.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';

const json = { 'content-type': 'application/json' };

/** A map before a daemon of its own, and a session of it. */
async function mapOf(t: ExecutionContext<unknown>) {
  const daemon = await startTestDaemon(t);
  const map = await startTestMap(t, { findDaemon: async () => accessOf(daemon) });
  const secret = await map.secret();
  const ask = (path: string, { headers, ...more }: MapQuestion = {}) =>
    map.ask(path, { ...more, headers: { ...withSecret(secret), ...headers } });
  return { daemon, map, secret, ask };
}

/** As `mapOf`, where this answers in the place of a daemon. */
async function mapBefore(
  t: ExecutionContext<unknown>,
  answer: Parameters<typeof answering>[1],
  options: Parameters<typeof startTestMap>[1] = {},
) {
  const port = await answering(t, answer);
  const access = { base: `http://127.0.0.1:${port}`, token: 'secret' };
  const map = await startTestMap(t, { findDaemon: async () => access, ...options });
  return { map, port, headers: withSecret(await map.secret()) };
}

test('a code opens one session, once, within a minute', async (t) => {
  const { time, code, open, ask } = await startTestMap(t);
  const [first, late, spare] = [code(), code(), code()];
  const opened = await open(first);
  t.is(opened.status, 200);
  const { secret } = JSON.parse(opened.body);
  t.regex(secret, /^[\w-]{43}$/u);
  t.is((await ask('/alive', { method: 'POST', headers: withSecret(secret) })).status, 200);
  t.is((await open(first)).status, 401, 'a second time at once');
  time.advance(59_999);
  t.is((await open(spare)).status, 200, 'a minute is not over');
  time.advance(1);
  const refused: readonly [what: string, code: string][] = [
    ['used', first],
    ['too old', late],
    ['wrong', 'x'.repeat(43)],
    ['empty', ''],
    ['the secret', secret],
  ];
  for (const [what, wrong] of refused) {
    const { status, body } = await open(wrong);
    t.is(status, 401, what);
    t.is(JSON.parse(body).code, 'unauthorized');
    t.false(body.includes('secret'));
  }
  t.is((await open('x'.repeat(65))).status, 400);
});

test('a wrong try leaves a code as it is', async (t) => {
  const { code, open } = await startTestMap(t);
  const right = code();
  t.is((await open(`${right}x`)).status, 401);
  t.is((await open(right, { headers: { origin: 'http://evil.example' } })).status, 403);
  t.is((await open(right)).status, 200);
});

test('the address tells its caller when its code was used', async (t) => {
  const { newAddress, open, port } = await startTestMap(t);
  let used = 0;
  const address = new URL(newAddress(() => (used += 1)));
  t.is(address.origin, `http://127.0.0.1:${port}`);
  t.is(address.search, '');
  t.is(used, 0);
  await open(address.hash.slice(1));
  t.is(used, 1);
});

test('at most 32 pages; those that are gone for ten minutes make room', async (t) => {
  const { time, code, open, secret, ask } = await startTestMap(t);
  const kept = await secret();
  for (let count = 1; count < 32; count += 1) await secret();
  const waiting = code();
  t.is((await open(waiting)).status, 429);
  time.advance(30_000);
  t.is((await ask('/alive', { method: 'POST', headers: withSecret(kept) })).status, 200);
  time.advance(570_000);
  t.is((await open(code())).status, 200);
  t.is((await ask('/alive', { method: 'POST', headers: withSecret(kept) })).status, 200);
});

test('the map is unused when no page was heard of for ten minutes', async (t) => {
  const { time, isUnused, secret, ask } = await startTestMap(t);
  time.advance(599_999);
  t.false(isUnused());
  time.advance(1);
  t.true(isUnused(), 'none ever came');
  const headers = withSecret(await secret());
  t.false(isUnused());
  for (let minutes = 0; minutes < 20; minutes += 1) {
    time.advance(60_000);
    await ask('/alive', { method: 'POST', headers });
  }
  t.false(isUnused());
  await ask('/alive', { method: 'POST', headers: withSecret('wrong') });
  time.advance(600_000);
  t.true(isUnused());
});

test('an answer that a page holds tells at once when the map ends', async (t) => {
  const { port, secret, close } = await startTestMap(t);
  const headers = { ...withSecret(await secret()), 'sec-fetch-site': 'same-origin' };
  const held = await fetch(`http://127.0.0.1:${port}/alive`, { headers });
  t.is(held.status, 200);
  // Longer than any test may take: nothing is cut off.
  await close(3_600_000);
  t.is(await held.text(), '\n');
});

test('the page and what it loads are for everybody, and hold nothing', async (t) => {
  const { ask } = await startTestMap(t);
  const paths = {
    '/': 'index.html',
    '/main.js': 'main.js',
    '/basemap/land.json': 'basemap/land.json',
  };
  // A browser that comes from the redirect file says that it was sent by another site.
  for (const site of ['cross-site', 'same-origin', '']) {
    for (const [path, name] of Object.entries(paths)) {
      const { status, headers, bytes } = await ask(path, { headers: { 'sec-fetch-site': site } });
      t.is(status, 200);
      t.is(gunzipSync(bytes).toString(), smallPage[name] ?? '');
      t.is(headers['content-encoding'], 'gzip');
      t.is(headers['x-content-type-options'], 'nosniff');
      t.is(headers['cross-origin-resource-policy'], 'same-origin');
      t.is(headers['cross-origin-opener-policy'], 'same-origin');
      t.is(headers['referrer-policy'], 'no-referrer');
      t.is(headers['set-cookie'], undefined);
      t.is(headers['access-control-allow-origin'], undefined);
    }
  }
  const { headers } = await ask('/');
  t.is(headers['content-type'], 'text/html; charset=utf-8');
  const policy = String(headers['content-security-policy']).split('; ');
  t.true(policy.includes("default-src 'self'"));
  t.true(policy.includes("frame-ancestors 'none'"));
  t.false(policy.join().includes('unsafe'));
  t.deepEqual(
    policy.filter((rule) => /https?:|\*|blob:/u.test(rule)),
    ["img-src 'self' data: blob:"],
  );
});

test('without the secret, from elsewhere or under another name there is nothing', async (t) => {
  const { daemon, map, secret } = await mapOf(t);
  await daemon.call('POST', '/api/bookmarks', { name: 'Camp', lat: 1, lon: 2 });
  const right = withSecret(secret);
  const { port } = map;
  type Refusal = readonly [status: number, headers: MapQuestion['headers'] & object];
  const refused: readonly Refusal[] = [
    [401, {}],
    [401, withSecret('')],
    [401, withSecret(`${secret}x`)],
    [401, withSecret(map.code())],
    [401, withSecret(daemon.token)],
    [401, { 'x-waypointd-session': [secret, secret] }],
    [401, { authorization: `Bearer ${daemon.token}` }],
    [401, { cookie: `x-waypointd-session=${secret}` }],
    [421, { ...right, host: 'evil.example' }],
    [421, { ...right, host: `evil.example:${port}` }],
    [421, { ...right, host: '127.0.0.1' }],
    [421, { ...right, host: `localhost:${port}` }],
    [421, { ...right, host: `127.0.0.1:${port + 1}` }],
    [421, { ...right, host: '' }],
    [403, { ...right, origin: 'http://evil.example' }],
    [403, { ...right, origin: 'null' }],
    [403, { ...right, origin: `https://127.0.0.1:${port}` }],
    [403, { ...right, origin: `http://127.0.0.1:${port + 1}` }],
    [403, { ...right, origin: `http://localhost:${port}` }],
    [403, { ...right, 'sec-fetch-site': 'cross-site' }],
    [403, { ...right, 'sec-fetch-site': 'same-site' }],
    [403, { ...right, 'sec-fetch-site': 'none' }],
    [403, { ...right, 'sec-fetch-site': '' }],
    [403, { ...right, 'sec-fetch-site': ['same-origin', 'cross-site'] }],
  ];
  const body = JSON.stringify({ name: 'Planted', lat: 1, lon: 2 });
  const tries: readonly (readonly [path: string, question?: MapQuestion])[] = [
    ['/api/waypoints'],
    ['/api/nothing'],
    ['/alive', { method: 'POST' }],
    ['/basemap.pmtiles'],
    ['/api/bookmarks', { method: 'POST', headers: json, body }],
    ['/api/bookmarks', { method: 'POST', headers: { 'content-type': 'text/plain' }, body }],
    ['/api/bookmarks', { method: 'OPTIONS', headers: { 'access-control-request-method': 'POST' } }],
  ];
  for (const [path, question] of tries) {
    for (const [status, headers] of refused) {
      const answer = await map.ask(path, {
        ...question,
        headers: { ...question?.headers, ...headers },
      });
      t.is(answer.status, status, `${path} ${JSON.stringify(headers)}`);
      t.false(/Camp|lat/u.test(answer.body));
      t.is(answer.headers['access-control-allow-origin'], undefined);
    }
  }
  const { status, body: list } = await map.ask('/api/waypoints', { headers: right });
  t.is(status, 200);
  t.is(JSON.parse(list).length, 1);
});

test('the page reads and writes through the map', async (t) => {
  const { ask } = await mapOf(t);
  const body = JSON.stringify({ name: 'Camp', lat: 1, lon: 2 });
  const made = await ask('/api/bookmarks', { method: 'POST', headers: json, body });
  t.is(made.status, 201);
  t.is(made.headers['x-change-id'], '1');
  const list = await ask('/api/waypoints?emoji=true');
  t.is(list.headers['content-type'], 'application/json');
  t.is(
    list.headers['cache-control'],
    'no-store',
    'the cache of a browser must not tell where one was',
  );
  t.is(JSON.parse(list.body).length, 1);
  const etag = { 'if-none-match': list.headers.etag ?? '' };
  const same = await ask('/api/waypoints?emoji=true', { headers: etag });
  t.is(same.status, 304);
  t.is(same.body, '');
  const undone = await ask('/api/changes/1/undo', { method: 'POST' });
  t.is(undone.status, 200);
  const refused = await ask('/api/bookmarks', { method: 'POST', headers: json, body: '{}' });
  t.is(refused.status, 400);
  t.is(JSON.parse(refused.body).field, 'name');
});

test('every route of the API is on the list, or is not there for the page', async (t) => {
  const { daemon, ask } = await mapOf(t);
  const { body } = await daemon.get('/api/openapi.json');
  const known = Object.entries(body.paths as Record<string, object>).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const allowed: readonly string[] = allowedRoutes;
  t.deepEqual(
    allowed.filter((line) => !known.includes(line)),
    [],
  );
  for (const line of known.filter((one) => !allowed.includes(one))) {
    const [method = '', path = ''] = line.split(' ');
    const { status } = await ask(path.replaceAll(/\{\w+\}/gu, '1'), { method });
    t.true(status === 404 || status === 405, line);
  }
});

test('no way of writing a path leads past the list', async (t) => {
  const { ask, daemon } = await mapOf(t);
  const tricks = [
    '/api/../api/location',
    '/api/imports/../location',
    '/api/imports/..',
    '/api/imports/.',
    '/api/imports/%2e%2e',
    '/api/imports/.%2E',
    '/api/imports/..\\location',
    '/api/imports/x\\..\\..\\location',
    '/api/imports/..#',
    '/api/imports/1#/../../location',
    '/api/imports/%2e%2e%2flocation',
    '/api//location',
    '//127.0.0.1/api/location',
    '/API/location',
    '/api/waypoints/',
    '/api/location?x=/api/waypoints',
    '/healthz',
    '/../package.json',
    '/not-packed.js',
    '/main.js.gz',
    '/basemap/../main.js',
    '/index.html',
  ];
  for (const path of tricks) {
    const { status, body } = await ask(path);
    t.is(status, 404, path);
    t.is(JSON.parse(body).code, 'not_found');
  }
  t.is((await ask(`${daemon.url}/api/location`)).status, 421);
});

test('the token of the daemon is in nothing that the page gets', async (t) => {
  const { daemon, ask } = await mapOf(t);
  const paths = allowedRoutes.map((line) => line.split(' '));
  for (const [method, path = ''] of paths) {
    const answer = await ask(path.replaceAll(/\{\w+\}/gu, '1'), { method: method ?? '' });
    const text = JSON.stringify(answer.headers) + answer.body;
    t.false(text.includes(daemon.token), path);
    t.false(text.includes(new URL(daemon.url).port), path);
  }
});

test('to the daemon goes what it needs, and nothing that tells of a browser or of the session', async (t) => {
  const seen: IncomingHttpHeaders[] = [];
  const { map, port, headers } = await mapBefore(t, (request, response) => {
    seen.push(request.headers);
    response.writeHead(200, { 'set-cookie': 'a=b', server: 'x', etag: '"1"' }).end('[]');
  });
  const more = {
    accept: '*/*',
    'accept-encoding': 'gzip',
    cookie: 'a=b',
    origin: `http://127.0.0.1:${map.port}`,
    referer: 'http://x/',
    'sec-fetch-mode': 'cors',
    'x-forwarded-for': '::1',
    'x-forwarded-host': 'elsewhere',
  };
  const answer = await map.ask('/api/waypoints', { headers: { ...headers, ...more } });
  t.deepEqual(seen, [
    {
      accept: '*/*',
      'accept-encoding': 'gzip',
      host: `127.0.0.1:${port}`,
      'x-forwarded-host': `127.0.0.1:${map.port}`,
      authorization: 'Bearer secret',
      connection: 'close',
    },
  ]);
  t.is(answer.headers['set-cookie'], undefined);
  t.is(answer.headers['server'], undefined);
  t.is(answer.headers.etag, '"1"');
});

test('a body of unknown length is the body of its request, of whatever method', async (t) => {
  const heard: string[] = [];
  const { map, headers } = await mapBefore(t, (request, response) => {
    void text(request).then((body) => {
      heard.push(`${request.method} ${body}`);
      response.end('[]');
    });
  });
  const chunked = { ...headers, 'transfer-encoding': 'chunked' };
  const body = 'GET /api/location HTTP/1.1\r\nHost: x\r\n\r\n';
  const methods = ['GET', 'DELETE', 'POST'];
  for (const method of methods) {
    const path = method === 'GET' ? '/api/waypoints' : '/api/tags';
    t.is((await map.ask(path, { method, headers: chunked, body })).status, 200, method);
  }
  t.deepEqual(
    heard,
    methods.map((method) => `${method} ${body}`),
  );
});

test('the map finds a daemon that was started anew, and says when there is none', async (t) => {
  let daemon: TestDaemon | undefined = await startTestDaemon(t);
  const map = await startTestMap(t, { findDaemon: async () => daemon && accessOf(daemon) });
  const headers = { ...withSecret(await map.secret()), ...json };
  t.is((await map.ask('/api/version', { headers })).status, 200);
  daemon = await daemon.restart();
  const body = JSON.stringify({ name: 'Camp', lat: 1, lon: 2 });
  const made = await map.ask('/api/bookmarks', { method: 'POST', headers, body });
  t.is(made.status, 201, 'what was not sent yet is sent again');
  await daemon.close();
  const last = daemon;
  daemon = undefined;
  const gone = await map.ask('/api/version', { headers });
  t.is(gone.status, 503);
  t.like(JSON.parse(gone.body), {
    code: 'unavailable',
    message: 'No waypointd daemon answers here now.',
  });
  daemon = await last.restart();
  const many = Array.from({ length: 8 }, () => map.ask('/api/version', { headers }));
  for (const { status } of await Promise.all(many)) t.is(status, 200);
});

test('a daemon that hangs is given up', async (t) => {
  const { map, headers } = await mapBefore(t, () => undefined, {
    silence: { GET: 20, other: 20 },
  });
  t.is((await map.ask('/api/waypoints', { headers })).status, 503);
  const upload = { method: 'PUT', headers, body: '<gpx/>' };
  t.is((await map.ask('/api/imports?path=a.gpx', upload)).status, 503);
});

test('a page waits for what the daemon makes first, and is told of every other refusal', async (t) => {
  const asked: string[] = [];
  const { map, headers } = await mapBefore(t, ({ url = '' }, response) => {
    asked.push(url);
    const isMade = url === '/api/places' && asked.length === 3;
    response.writeHead(isMade ? 200 : 429).end(isMade ? '{"places":[]}' : '{}');
  });
  const answer = await map.ask('/api/places', { headers });
  t.deepEqual([answer.status, answer.body], [200, '{"places":[]}']);
  t.deepEqual(asked, ['/api/places', '/api/places', '/api/places']);
  t.is((await map.ask('/api/tracks', { headers })).status, 429);
});

test('the answer to an upload comes whole, however slowly', async (t) => {
  const begun = Promise.withResolvers<ServerResponse>();
  const { map, headers } = await mapBefore(t, (request, response) => {
    request.resume();
    response.write('[1');
    begun.resolve(response);
  });
  const upload = { method: 'PUT', headers, body: '<gpx/>' };
  const answer = map.ask('/api/imports?path=a.gpx', upload);
  const response = await begun.promise;
  await map.ask('/icon.svg');
  response.end(']');
  t.is((await answer).body, '[1]');
});

test('an upload that waits for its turn is not given up while the daemon says that it is there', async (t) => {
  let waiting: ServerResponse | undefined;
  let looks = 0;
  const { map, headers } = await mapBefore(
    t,
    (request, response) => {
      if (request.url !== '/healthz') return void (waiting = response);
      response.end('{"status":"ok"}');
      looks += 1;
      if (looks === 3) waiting?.writeHead(201).end('{}');
    },
    { silence: { GET: 30_000, other: 20 } },
  );
  const upload = { method: 'PUT', headers, body: '<gpx/>' };
  t.is((await map.ask('/api/imports?path=a.gpx', upload)).status, 201);
  t.is(looks, 3);
});

test('an answer that has begun is not given up, for its reader may be slow', async (t) => {
  const begun = Promise.withResolvers<ServerResponse>();
  const { map, headers } = await mapBefore(
    t,
    (request, response) => {
      // The other one hangs.
      if (request.url !== '/api/waypoints') return;
      response.write('[');
      begun.resolve(response);
    },
    // Long enough for a busy machine to begin.
    { silence: { GET: 5_000, other: 5_000 } },
  );
  const slow = map.ask('/api/waypoints', { headers });
  const answer = await begun.promise;
  t.is((await map.ask('/api/tags', { headers })).status, 503);
  answer.end(']');
  t.is((await slow).body, '[]');
});

test('the map sends nothing to a program that took the port of the daemon', async (t) => {
  const heard: string[] = [];
  const port = await answering(t, (request, response) => {
    heard.push(`${request.headers.authorization} ${request.url?.replace(/=.*/u, '')}`);
    response.end('{"status":"ok","proof":"none"}');
  });
  const access = { base: `http://127.0.0.1:${port}`, token: 'secret', proves: true };
  const map = await startTestMap(t, { findDaemon: async () => access });
  const headers = withSecret(await map.secret());
  t.is((await map.ask('/api/suggest?q=Camp', { headers })).status, 503);
  t.deepEqual([...new Set(heard)], ['undefined /healthz?nonce']);
});

test('a file goes through the map as it comes, whole', async (t) => {
  const { daemon, ask } = await mapOf(t);
  const points = Array.from(
    { length: 25_000 },
    (_, at) => `<wpt lat="${(at / 1_000).toFixed(3)}" lon="7"><name>${at}</name></wpt>`,
  );
  const body = `<gpx version="1.1" creator="t" xmlns="http://www.topografix.com/GPX/1/1">${points.join('')}</gpx>`;
  t.true(body.length > 1_048_576, 'more than a body of JSON may have');
  const { status, body: text } = await ask('/api/imports?path=a.gpx', { method: 'PUT', body });
  t.is(status, 201);
  t.is(JSON.parse(text).count, points.length);
  const large = await ask('/api/waypoints');
  t.is(JSON.parse(large.body).length, points.length);
  t.is((await daemon.get('/api/imports')).body.files.length, 1);
});

test('what the daemon refuses before it has read all comes back to the page', async (t) => {
  const { ask } = await mapOf(t);
  const body = JSON.stringify({ name: 'x'.repeat(1_048_576), lat: 1, lon: 2 });
  const { status, body: text } = await ask('/api/bookmarks', {
    method: 'POST',
    headers: json,
    body,
  });
  t.is(status, 413);
  t.is(JSON.parse(text).code, 'too_large');
});

test('a street map is read by ranges, with the session only', async (t) => {
  const file = join(temporaryDirectory(t), 'area.pmtiles');
  const bytes = Buffer.concat([Buffer.from('PMTiles\u0003'), Buffer.alloc(200_000, 'abcdefg')]);
  writeFileSync(file, bytes);
  const map = await startTestMap(t, { basemap: file });
  const headers = withSecret(await map.secret());
  const ranges: readonly [range: string, status: number, from?: number, to?: number][] = [
    ['bytes=0-6', 206, 0, 7],
    ['bytes=100-150099', 206, 100, 150_100],
    ['bytes=200000-', 206, 200_000, bytes.length],
    ['bytes=200000-999999999', 206, 200_000, bytes.length],
    ['bytes=-3', 206, bytes.length - 3, bytes.length],
    [`bytes=${bytes.length}-`, 416],
    ['bytes=0-1,5-6', 416],
    ['', 416],
  ];
  for (const [range, status, from = 0, to = 0] of ranges) {
    const answer = await map.ask('/basemap.pmtiles', { headers: { ...headers, range } });
    t.is(answer.status, status, range);
    if (status !== 206) continue;
    t.true(answer.bytes.equals(bytes.subarray(from, to)), range);
    t.is(answer.headers['content-range'], `bytes ${from}-${to - 1}/${bytes.length}`);
    t.is(answer.headers['cache-control'], 'no-store');
  }
  const alive = await map.ask('/alive', { method: 'POST', headers });
  t.deepEqual(JSON.parse(alive.body), { basemap: true });
  t.is((await map.ask('/basemap.pmtiles')).status, 401);
});

test('a file that is no street map is refused at the start', async (t) => {
  const directory = temporaryDirectory(t);
  const other = join(directory, 'other.pmtiles');
  writeFileSync(other, 'PMTiles\u0002 of an older version');
  const wrong = [other, directory, join(directory, 'absent.pmtiles')];
  if (process.platform !== 'win32') {
    const pipe = join(directory, 'pipe.pmtiles');
    execFileSync('mkfifo', [pipe]);
    wrong.push(pipe);
  }
  for (const basemap of wrong) {
    const error = await t.throwsAsync(startTestMap(t, { basemap }), { instanceOf: ExitError });
    t.is(error?.exitCode, 78);
    t.true(error?.message.includes(basemap));
  }
});
