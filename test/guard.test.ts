/** Who may call the waypoint API: contract B.1 and B.2, through real sockets. */
import type { Socket } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { waypointGuards } from '../daemon/guard.ts';
import { Strangers } from '../http/strangers.ts';
import { newToken, tokenCheck } from '../daemon/guard.ts';
import type { Route } from '../http/route.ts';
import { limits } from '../model/limits.ts';
import { rounds } from './helpers/effort.ts';
import { getRoute, json, startHttpServer } from './helpers/http-server.ts';
import { rawRequest } from './helpers/raw-http.ts';

const token = newToken();
const authorization = `Authorization: Bearer ${token}`;
const body: Route = {
  method: 'POST',
  path: '/api/look',
  summary: 'A test.',
  answers: { 200: null },
  handle: () => json(1),
};

function guardedBy(allowedHosts: readonly string[], max: number) {
  const strangers = new Strangers(max);
  return {
    guards: waypointGuards({ allowedHosts, isToken: tokenCheck(token), strangers }),
    onConnection: (socket: Socket) => strangers.add(socket),
  };
}

async function startGuarded(t: ExecutionContext, allowedHosts: readonly string[] = []) {
  const server = await startHttpServer(t, {
    routes: [
      getRoute('/api/look', () => json(1)),
      getRoute('/healthz', () => json({ status: 'ok' })),
      body,
    ],
    ...guardedBy(allowedHosts, limits.strangers),
  });
  return {
    ...server,
    /** Asks with good credentials unless other headers are given, and yields `status code`. */
    outcome: async (line: string, headers: readonly string[] = [authorization]) => {
      const { status, body: text } = await server.ask(rawRequest(line, headers));
      return status < 400 ? String(status) : `${status} ${JSON.parse(text).code}`;
    },
  };
}

test('a token is 32 random bytes in base64url, another each time', (t) => {
  const tokens = new Set(Array.from({ length: 100 }, newToken));
  t.is(tokens.size, 100);
  for (const made of tokens) t.regex(made, /^[\w-]{43}$/);
});

test('only the token itself passes its check', (t) => {
  const isToken = tokenCheck(token);
  t.true(isToken(token));
  for (const other of ['', `${token} `, token.slice(1), token.toUpperCase(), `${token}x`]) {
    t.false(isToken(other));
  }
  fc.assert(fc.property(fc.string(), (candidate) => !isToken(candidate)));
  t.true(isToken(token), 'a refusal leaves nothing behind');
});

test('Host must be ours: a loopback name, with our port or none', async (t) => {
  const { outcome, ask, port } = await startGuarded(t, ['Box.example', 'proxy.example:8443']);
  const good = ['localhost', '127.0.0.1', `localhost:${port}`, `127.0.0.1:${port}`, 'LocalHost'];
  const allowed = ['box.example', 'BOX.EXAMPLE', `box.example:${port}`, 'box.example:80'];
  for (const host of [...good, ...allowed, 'proxy.example:8443']) {
    t.is(await outcome('GET /api/look', [`Host: ${host}`, authorization]), '200', host);
  }
  const bad = [
    '',
    'evil.example',
    'localhost.',
    `localhost:${port + 1}`,
    'localhost:',
    ':1',
    '[::1]',
  ];
  const near = ['localhost.evil.example', 'evil.example:localhost', `localhost:0${port}`, '127.1'];
  const more = [
    'proxy.example',
    'proxy.example:1',
    'a.box.example',
    'box.example.',
    'box.example:x',
  ];
  for (const host of [
    ...bad,
    ...near,
    ...more,
    `localhost:${port}:${port}`,
    'localhost, localhost',
  ]) {
    t.is(await outcome('GET /api/look', [`Host: ${host}`, authorization]), '421 misdirected', host);
    t.is(await outcome('GET /healthz', [`Host: ${host}`]), '421 misdirected', host);
    t.is(await outcome('GET /', [`Host: ${host}`]), '421 misdirected', host);
  }
  const twice = ['Host: localhost', 'Host: localhost', authorization];
  t.is(await outcome('GET /api/look', twice), '421 misdirected');
  for (const version of ['1.1', '1.0']) {
    const { status } = await ask(`GET /api/look HTTP/${version}\r\n${authorization}\r\n\r\n`);
    t.is(status, 421, `no Host, HTTP/${version}`);
  }
});

test('a target in absolute form is that of its path, and its authority is the Host', async (t) => {
  const { outcome, port } = await startGuarded(t);
  const own = `http://127.0.0.1:${port}`;
  t.is(await outcome(`GET ${own}/healthz`, []), '200');
  t.is(await outcome(`GET HTTP://localhost:${port}/api/look?x=1`), '200');
  t.is(await outcome(`GET ${own}/api/look`, []), '401 unauthorized');
  t.is(await outcome(`GET ${own}/api/look`, [authorization, 'Origin: null']), '403 forbidden');
  // RFC 9112: what Host says is not looked at then, as long as there is one.
  const host = 'Host: evil.example';
  t.is(await outcome(`GET ${own}/api/look`, [authorization, host]), '200');
  t.is(await outcome(`GET ${own}/api/look`, [authorization, host, host]), '421 misdirected');
  for (const authority of [
    'evil.example',
    `evil.example:${port}`,
    `u@127.0.0.1:${port}`,
    '',
    `127.0.0.1:${port}@evil`,
  ])
    t.is(await outcome(`GET http://${authority}/api/look`), '421 misdirected', authority);
  for (const target of [own, `${own}?x`, `https://127.0.0.1:${port}/healthz`])
    t.true((await outcome(`GET ${target}`)).startsWith('404'), target);
});

test('browser pages are refused: Origin, Sec-Fetch-Site other than none, OPTIONS', async (t) => {
  const { outcome, ask } = await startGuarded(t);
  const page = '403 forbidden';
  for (const origin of ['http://localhost', 'http://evil.example', 'null', '', 'file://']) {
    t.is(await outcome('GET /api/look', [authorization, `Origin: ${origin}`]), page, origin);
  }
  for (const site of ['cross-site', 'same-site', 'same-origin', 'None', '', 'x']) {
    t.is(await outcome('GET /api/look', [authorization, `Sec-Fetch-Site: ${site}`]), page, site);
  }
  t.is(await outcome('GET /api/look', [authorization, 'SEC-FETCH-SITE: none']), '200');
  const two = ['Sec-Fetch-Site: none', 'Sec-Fetch-Site: cross-site'];
  t.is(await outcome('GET /api/look', [authorization, ...two]), page);
  for (const path of ['/api/look', '/api/nothing', '/api/', '/api']) {
    t.is(await outcome(`OPTIONS ${path}`), page, path);
    t.is(await outcome(`OPTIONS ${path}`, []), page, path);
  }
  const preflight = ['Access-Control-Request-Method: POST', 'Origin: http://evil.example'];
  const answer = await ask(rawRequest('OPTIONS /api/look', preflight));
  t.regex(answer.body, /Browser pages cannot call this API/);
  t.deepEqual(
    [...answer.headers.keys()].filter((name) => name.startsWith('access-control')),
    [],
  );
});

test('the token: one Authorization header, any case of the scheme, nothing else', async (t) => {
  const { outcome } = await startGuarded(t);
  for (const good of ['Bearer', 'bearer', 'BEARER', 'Bearer  ']) {
    t.is(await outcome('GET /api/look', [`Authorization: ${good} ${token}`]), '200', good);
  }
  t.is(await outcome('GET /api/look', [`Authorization:   Bearer ${token}  \t`]), '200');
  const bad = [
    '',
    token,
    `Bearer${token}`,
    `Basic ${token}`,
    'Bearer',
    'Bearer x',
    `Bearer ${token}x`,
  ];
  const odd = [
    `Bearer "${token}"`,
    `Bearer ${token}, Bearer ${token}`,
    `Bearer ${token} x`,
    `Bearer\t${token}`,
  ];
  for (const value of [...bad, ...odd, `Bearer ${token.toLowerCase()}`]) {
    const answer = await outcome('GET /api/look', [`Authorization: ${value}`]);
    t.is(answer, '401 unauthorized', value);
  }
  t.is(await outcome('GET /api/look', []), '401 unauthorized');
  t.is(await outcome('GET /api/look', [authorization, authorization]), '401 unauthorized');
  t.is(await outcome('GET /api/look', [authorization, 'authorization: x']), '401 unauthorized');
  t.is(await outcome('GET /api/look', [`Cookie: token=${token}`]), '401 unauthorized');
  t.is(await outcome(`GET /api/look?access_token=${token}&token=${token}`, []), '401 unauthorized');
});

test('401 is the same for everything, so that it tells nothing of what is there', async (t) => {
  const { ask } = await startGuarded(t);
  const lines = [
    'GET /api/look',
    'PUT /api/look',
    'GET /api/nothing',
    'POST /api/look',
    'GET /api',
  ];
  const wrong = [[], ['Authorization: Bearer x'], [authorization, authorization]];
  const seen = new Set<string>();
  for (const line of [...lines, 'HEAD /api/look', 'GET /api/', 'TRACE /api/x?y']) {
    for (const headers of wrong) {
      const answer = await ask(rawRequest(line, [...headers, 'Connection: close']));
      const id = answer.headers.get('x-request-id') ?? '';
      t.is(answer.status, 401, line);
      t.is(answer.headers.get('www-authenticate'), 'Bearer');
      const names = [...answer.headers.keys()].sort().join();
      seen.add(`${names} ${line.startsWith('HEAD') ? '' : answer.body.replace(id, 'ID')}`);
    }
  }
  t.is(seen.size, 2, 'HEAD has no body; all the others are alike');
});

test('the checks come in the order of the contract', async (t) => {
  const { outcome } = await startGuarded(t);
  const all = ['Host: evil', 'Origin: x', 'Content-Type: text/plain', 'Content-Length: 9999999'];
  t.is(await outcome('OPTIONS /api/look', all), '421 misdirected');
  t.is(await outcome('OPTIONS /api/look', all.slice(1)), '403 forbidden');
  t.is(await outcome('PUT /api/look', all.slice(2)), '401 unauthorized');
  t.is(await outcome('PUT /api/look', [authorization, ...all.slice(2)]), '405 method_not_allowed');
  t.is(await outcome('PUT /api/nothing', [authorization, ...all.slice(2)]), '404 not_found');
});

test('outside /api/ there is /healthz for everyone here, and no pages', async (t) => {
  const { outcome, ask } = await startGuarded(t);
  const healthy = await ask(rawRequest('GET /healthz'));
  t.is(healthy.status, 200);
  t.is(healthy.body, '{"status":"ok"}');
  for (const line of [
    'GET /',
    'GET /favicon.ico',
    'POST /x',
    'GET /healthz/',
    'GET /Healthz',
    'OPTIONS *',
  ]) {
    t.is(await outcome(line, []), '404 not_found', line);
  }
  for (const path of ['/API/look', '//api/look', '/%61pi/look', '/./api/look', '/x/../api/look']) {
    t.is(await outcome(`GET ${path}`), '404 not_found', path);
  }
});

test('neither answers nor the log hold a token', async (t) => {
  const { outcome, logged, ask } = await startGuarded(t);
  await outcome('GET /api/look');
  await outcome('GET /api/look', [`Authorization: Basic ${token}`]);
  await outcome(`GET /api/${token}?${token}`);
  const answer = await ask(rawRequest(`GET /api/${token}`, [authorization]));
  t.false(JSON.stringify([answer.body, [...answer.headers]]).includes(token));
  t.false(logged.join().includes(token));
  t.true(logged.length >= 4);
});

test('whatever bytes come, each answer is one of ours and the server lives', async (t) => {
  const { open, outcome } = await startGuarded(t);
  const whole = Buffer.from(
    rawRequest('POST /api/look?x=1', [authorization, 'Transfer-Encoding: chunked']) +
      '2\r\n{}\r\n0\r\n\r\n',
  );
  const mutation = fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 0, max: 255 }));
  await fc.assert(
    fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 4 }), async (mutations) => {
      const bytes = Buffer.from(whole);
      for (const [at, value] of mutations) bytes[at] = value;
      const connection = await open(bytes);
      connection.socket.end();
      const answer = await connection.answer();
      connection.socket.destroy();
      if (answer === undefined) return true;
      return answer.headers.get('x-content-type-options') === 'nosniff';
    }),
    { numRuns: rounds(150) },
  );
  t.is(await outcome('GET /api/look'), '200');
});

test('of connections without a token the oldest ends when there are too many; those with one stay', async (t) => {
  const { open } = await startHttpServer(t, {
    routes: [getRoute('/api/look', () => json(1)), getRoute('/healthz', () => json(1))],
    ...guardedBy([], 2),
    limits: { connections: 8 },
  });
  const look = rawRequest('GET /api/look', [authorization]);
  const owners = [await open(look), await open(look), await open(look)];
  for (const owner of owners) t.is((await owner.answer())?.status, 200);
  const strangers = [
    await open(),
    await open(rawRequest('GET /healthz')),
    await open(rawRequest('GET /api/look', ['Authorization: Bearer x'])),
    await open(),
  ];
  for (const stranger of strangers.slice(0, 2)) await stranger.ended();
  // The third and the fourth are the two that may be there; and one may still turn out to be the owner's.
  const [, , third, fourth] = strangers;
  t.is((await third?.answer())?.status, 401);
  fourth?.send(look);
  t.is((await fourth?.answer())?.status, 200);
  for (const connection of [...owners, ...(fourth === undefined ? [] : [fourth])]) {
    connection.send(look);
    t.is((await connection.answer())?.status, 200);
  }
});

test('any number of connections without a token leave room for every request of the owner', async (t) => {
  const { open } = await startGuarded(t);
  const flood = (count: number) => Promise.all(Array.from({ length: count }, () => open()));
  await flood(300);
  for (let request = 0; request < 20; request += 1) {
    const [owner] = await Promise.all([
      open(rawRequest('GET /api/look', [authorization])),
      flood(32),
    ]);
    t.is((await owner.answer())?.status, 200, String(request));
  }
});
