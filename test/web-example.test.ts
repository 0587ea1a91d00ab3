import { once } from 'node:events';
import { request as sendRequest, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { askDaemon } from '../client/waypoints/node/index.ts';
import { startTestDaemon, type TestDaemon } from './helpers/daemon.ts';
import { gpx } from './helpers/imports.ts';
import { answering } from './helpers/local-server.ts';

// Plain JavaScript for others to copy; what it takes and gives is stated there.
const { createProxy, foreign, refuse } = await import(
  new URL('../examples/web/proxy.js', import.meta.url).href
);

const key = 'key-of-this-start';

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** The proxy of the example in a server as the example's; `ask` sends what its page would, and what a test changes. */
async function startProxy(t: ExecutionContext, findDaemon: () => Promise<unknown>) {
  const proxy = createProxy({ key, findDaemon, askDaemon });
  const port = await answering(t, (request, response) => {
    const status = foreign(request, port);
    if (status === undefined) proxy(request, response).catch(() => response.destroy());
    else refuse(response, status, 'forbidden', 'no');
  });
  return {
    port,
    ask: async (
      path: string,
      { method = 'GET', headers = {}, body = '' }: Asked = {},
    ): Promise<Answer> => {
      const own = {
        host: `127.0.0.1:${port}`,
        origin: `http://127.0.0.1:${port}`,
        'sec-fetch-site': 'same-origin',
        authorization: `Bearer ${key}`,
        ...headers,
      };
      const given = Object.entries(own).filter(([, value]) => value !== '');
      const options = { host: '127.0.0.1', port, method, path, agent: false as const };
      const sent = sendRequest({ ...options, headers: Object.fromEntries(given) });
      sent.end(body);
      const [response] = await once(sent, 'response');
      return {
        status: response.statusCode,
        headers: response.headers,
        body: await text(response),
      };
    },
  };
}

function accessTo(daemon: TestDaemon) {
  return { apiPort: Number(new URL(daemon.url).port), apiToken: daemon.token, apiProves: true };
}

async function proxied(t: ExecutionContext) {
  const daemon = await startTestDaemon(t);
  return { daemon, ...(await startProxy(t, async () => accessTo(daemon))) };
}

test('the web example lets its own page read and write', async (t) => {
  const { ask } = await proxied(t);
  const body = JSON.stringify({ name: 'Camp', lat: 1, lon: 2 });
  const headers = { 'content-type': 'application/json', cookie: 'a=b', referer: 'http://x/' };
  t.is((await ask('/api/bookmarks', { method: 'POST', headers, body })).status, 201);
  const changed = await ask('/api/changes/1/undo', { method: 'POST' });
  t.is(changed.headers['x-change-id'], '2');
  t.is((await ask('/api/changes/2/undo', { method: 'POST' })).status, 200);
  const list = await ask('/api/waypoints');
  t.is(JSON.parse(list.body).length, 1);
  t.is(list.headers['access-control-allow-origin'], undefined);
  const etag = { 'if-none-match': list.headers.etag ?? '' };
  t.is((await ask('/api/waypoints', { headers: etag })).status, 304);
  t.is((await ask('/api/nothing')).status, 404);
});

test('the web example is no hole: foreign hosts, pages and programs are refused', async (t) => {
  const { ask, daemon, port } = await proxied(t);
  const refused: readonly [status: number, headers: Record<string, string>, method?: string][] = [
    [421, { host: 'evil.example' }],
    [421, { host: `evil.example:${port}` }],
    [421, { host: '127.0.0.1' }],
    [421, { host: `127.0.0.1:${port + 1}` }],
    [403, { origin: 'http://evil.example' }],
    [403, { origin: 'null' }],
    [403, { origin: `https://127.0.0.1:${port}` }],
    [403, { origin: `http://localhost:${port}` }],
    [403, { origin: '', 'sec-fetch-site': 'cross-site' }],
    [403, { origin: '', 'sec-fetch-site': 'same-site' }],
    [403, {}, 'OPTIONS'],
    [401, { authorization: '' }],
    [401, { authorization: `Bearer ${daemon.token}` }],
    [401, { authorization: `Bearer ${key}x` }],
    [401, { authorization: key }],
  ];
  for (const [status, headers, method = 'GET'] of refused) {
    const answer = await ask('/api/waypoints', { headers, method });
    t.is(answer.status, status, JSON.stringify(headers));
    t.false(answer.body.includes(daemon.token));
  }
});

test('the web example sends on what the daemon needs, and nothing that tells of a browser', async (t) => {
  const seen: IncomingHttpHeaders[] = [];
  const apiPort = await answering(t, (request, response) => {
    seen.push(request.headers);
    response.writeHead(200, { 'set-cookie': 'a=b', server: 'x', etag: '"1"' }).end('[]');
  });
  const { ask, port } = await startProxy(t, async () => ({ apiPort, apiToken: 'secret' }));
  const foreignHeaders = {
    accept: '*/*',
    cookie: 'a=b',
    referer: 'http://x/',
    'sec-fetch-mode': 'cors',
    'x-forwarded-for': '::1',
    'x-forwarded-host': 'elsewhere',
  };
  const { headers } = await ask('/api/waypoints?emoji=true', { headers: foreignHeaders });
  t.deepEqual(seen, [
    {
      accept: '*/*',
      host: `127.0.0.1:${apiPort}`,
      'x-forwarded-host': `127.0.0.1:${port}`,
      authorization: 'Bearer secret',
      connection: 'close',
    },
  ]);
  t.is(headers['set-cookie'], undefined);
  t.is(headers.etag, '"1"');
});

test('the web example goes on with a daemon that was started anew, and says when there is none', async (t) => {
  let daemon = await startTestDaemon(t);
  let isThere = true;
  const { ask } = await startProxy(t, async () => (isThere ? accessTo(daemon) : undefined));
  t.is((await ask('/api/version')).status, 200);
  daemon = await daemon.restart();
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ name: 'Camp', lat: 1, lon: 2 });
  t.is((await ask('/api/bookmarks', { method: 'POST', headers, body })).status, 201);
  await daemon.close();
  isThere = false;
  const gone = await ask('/api/version');
  t.is(gone.status, 503);
  t.like(JSON.parse(gone.body), { code: 'unavailable', message: 'waypointd is not running.' });
});

test('the web example passes bodies on as they come, and what the daemon says of them', async (t) => {
  const { ask } = await proxied(t);
  const headers = { 'content-type': 'application/json' };
  const most = await ask('/api/history', { method: 'POST', headers, body: ' '.repeat(1_048_576) });
  t.is(most.status, 400, 'the daemon has read it, and found nothing in it');
  const body = ' '.repeat(1_048_577);
  t.is((await ask('/api/history', { method: 'POST', headers, body })).status, 413);
  const chunked = { ...headers, 'transfer-encoding': 'chunked' };
  const lengthless = await ask('/api/history', { method: 'DELETE', headers: chunked, body: '{}' });
  t.is(lengthless.status, 411);
  const file = gpx([['Çeşme', 38.3, 26.3]]).padEnd(2_000_000);
  t.is((await ask('/api/imports?path=a.gpx', { method: 'PUT', body: file })).status, 201);
});

test('the web example sends nothing to a program that took the port of the daemon', async (t) => {
  const heard: string[] = [];
  const apiPort = await answering(t, (request, response) => {
    heard.push(`${request.headers.authorization} ${request.url?.replace(/=.*/u, '')}`);
    response.end('{"status":"ok","proof":"none"}');
  });
  const access = { apiPort, apiToken: 'secret', apiProves: true };
  const { ask } = await startProxy(t, async () => access);
  t.is((await ask('/api/suggest?q=Camp')).status, 503);
  t.deepEqual([...new Set(heard)], ['undefined /healthz?nonce']);
});
