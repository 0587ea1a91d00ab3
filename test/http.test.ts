/** The HTTP room, through real sockets: what every server of ours does before, around and after a route. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { notModified } from '../model/etag.ts';
import { bodyPieces } from '../http/body.ts';
import { route, type Route } from '../http/route.ts';
import { WaypointError } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { queryInteger, text } from '../model/schema.ts';
import { valuesOf } from './helpers/fields.ts';
import { gate, getRoute, json, startHttpServer } from './helpers/http-server.ts';
import { rawRequest, type RawAnswer } from './helpers/raw-http.ts';
import { posix } from './helpers/where.ts';

const jsonType = 'Content-Type: application/json';

/** Answers with what it was given. */
const echo = route({
  method: 'POST',
  path: '/api/echo',
  summary: 'A test.',
  query: z.object({ name: text(8).optional(), limit: queryInteger(1, 9).optional() }),
  body: z.object({ name: z.string().optional(), desc: z.string().optional() }),
  answers: { 201: z.unknown() },
  handle: ({ query, body }) => ({ status: 201, json: { query, body } }),
});
const look = route({
  method: 'GET',
  path: '/api/look',
  summary: 'A test.',
  query: z.object({ name: text(8).optional(), limit: queryInteger(1, 9).optional() }),
  answers: { 200: z.unknown() },
  handle: ({ query }) => json({ query }),
});
const routes: readonly Route[] = [
  echo,
  look,
  getRoute('/healthz', () => json({ status: 'ok' })),
  getRoute('/api/empty', () => ({ status: 204 })),
  getRoute('/api/same', () => ({ status: 304, etag: 'abc' })),
  getRoute('/api/tagged', () => ({ status: 200, json: [], etag: 'abc' })),
  getRoute('/api/stream', () => ({ status: 200, pieces: ['[1,', '', new Uint8Array([50, 93])] })),
  route({
    method: 'GET',
    path: '/api/things/{id}',
    summary: 'A test.',
    params: z.object({ id: z.string().regex(/^[\da-f]{4}$/) }),
    answers: { 200: z.unknown() },
    handle: ({ params }) => json({ id: params.id }),
  }),
];

/** The code word of an error answer, whose shape and headers are checked on the way. */
function refusal(
  t: { is(a: unknown, b: unknown): unknown },
  answer: RawAnswer | undefined,
): string {
  if (answer === undefined) return 'no answer';
  checkHeaders(t, answer);
  const body = JSON.parse(answer.body);
  const { code, message, request_id: id, field, ...rest } = body;
  t.is(JSON.stringify(rest), '{}');
  t.is(typeof message, 'string');
  t.is(id, answer.headers.get('x-request-id'));
  t.is(answer.headers.get('content-type'), 'application/json');
  return `${answer.status} ${code}${field === undefined ? '' : ` ${field}`}`;
}

/** A route that answers once the test lets it. */
function heldRoute() {
  const [begun, release] = [gate(), gate()];
  const held = getRoute('/api/slow', async () => {
    begun.resolve();
    await release.promise;
    return json('slow');
  });
  return { held, begun: begun.promise, release: release.resolve };
}

/** A route that answers when its request is given up. */
function stuckRoute(path: string) {
  const [started, aborted] = [gate(), gate<string>()];
  const stuck = getRoute(path, async ({ signal }) => {
    signal.addEventListener('abort', () => aborted.resolve('aborted'));
    started.resolve();
    await aborted.promise;
    return json(1);
  });
  return { stuck, started: started.promise, aborted: aborted.promise };
}

function checkHeaders(t: { is(a: unknown, b: unknown): unknown }, { headers }: RawAnswer): void {
  const isTagged = headers.has('etag');
  t.is(headers.get('cache-control'), isTagged ? 'private, no-cache' : 'no-store');
  t.is(headers.get('x-content-type-options'), 'nosniff');
  t.is(headers.get('content-security-policy'), "default-src 'none'; frame-ancestors 'none'");
  t.is(headers.get('cross-origin-resource-policy'), 'same-origin');
  t.is(headers.get('referrer-policy'), 'no-referrer');
  t.is(/^[\da-f]{16}$/.test(headers.get('x-request-id') ?? ''), true);
  const names = [...headers.keys()];
  t.is(
    names.find((name) => /^(x-powered-by|server|set-cookie|access-control-.*)$/.test(name)),
    undefined,
  );
}

test('every answer carries the standard headers, and no two the same request id', async (t) => {
  const { ask } = await startHttpServer(t, { routes });
  const paths = ['look', 'empty', 'same', 'tagged', 'stream', 'things/zz', 'nowhere'];
  const answers = await Promise.all([
    ...paths.map((path) => ask(rawRequest(`GET /api/${path}`))),
    ask(rawRequest('GET /')),
    ask(rawRequest('HEAD /api/look', ['Connection: close'])),
    ask('nonsense\r\n\r\n'),
    ask(rawRequest('GET /api/look', [`X: ${'x'.repeat(17_000)}`])),
  ]);
  t.deepEqual(valuesOf(answers, 'status'), [200, 204, 304, 200, 200, 404, 404, 404, 405, 400, 431]);
  for (const answer of answers) checkHeaders(t, answer);
  const ids = new Set(answers.map(({ headers }) => headers.get('x-request-id')));
  t.is(ids.size, answers.length);
});

test('each kind of answer has these headers and no others', async (t) => {
  const { ask } = await startHttpServer(t, { routes });
  const standard = [
    'cache-control',
    'connection',
    'content-security-policy',
    'cross-origin-resource-policy',
    'date',
    'keep-alive',
    'referrer-policy',
    'x-content-type-options',
    'x-request-id',
  ];
  const text = ['content-length', 'content-type'];
  const kinds: [line: string, more: readonly string[]][] = [
    ['GET /api/look', text],
    ['GET /api/things/00ff', text],
    ['GET /api/tagged', ['etag', ...text]],
    ['GET /api/empty', []],
    ['GET /api/same', ['etag']],
    ['GET /api/stream', ['content-type', 'transfer-encoding']],
    ['GET /api/things/zz', text],
    ['GET /api/nowhere', text],
    ['POST /api/look', ['allow', ...text]],
    ['POST /api/things/00ff', ['allow', ...text]],
  ];
  for (const [line, more] of kinds) {
    const { headers } = await ask(rawRequest(line));
    t.deepEqual([...headers.keys()].sort(), [...standard, ...more].sort(), line);
    if (headers.has('etag')) t.is(headers.get('etag'), '"abc"');
  }
});

test('If-None-Match is compared as a list, weakly, with commas inside tags', (t) => {
  const table: [string | undefined, string, boolean][] = [
    [undefined, 'a', false],
    ['*', 'a', true],
    [' * ', 'a', true],
    ['"a"', 'a', true],
    ['"a"', '"a"', true],
    ['"A"', 'a', false],
    ['W/"a"', 'a', true],
    ['"a"', 'W/"a"', true],
    ['"x", W/"y","a"', 'a', true],
    ['"x,a"', 'a', false],
    ['"x,a"', 'x,a', true],
    ['a', 'a', false],
    ['', 'a', false],
    ['"ab"', 'a', false],
  ];
  for (const [header, etag, expected] of table) {
    t.is(notModified(header, etag), expected, `${header} against ${etag}`);
  }
});

test('a JSON answer has its exact length in bytes, and arrives whole', async (t) => {
  const texts = ['⛺ é', 'é', 'plain', '', 'ünïcode '.repeat(300_000)];
  const { ask } = await startHttpServer(t, {
    routes: texts.map((text, n) => getRoute(`/api/${n}`, () => json(text))),
  });
  for (const [n, text] of texts.entries()) {
    const { headers, body } = await ask(rawRequest(`GET /api/${n}`));
    t.is(headers.get('content-length'), String(Buffer.byteLength(`"${text}"`)));
    t.is(headers.get('content-type'), 'application/json');
    t.is(body, `"${text}"`);
  }
});

test('paths match exactly as sent', async (t) => {
  const { ask } = await startHttpServer(t, { routes });
  const inside = ['/api/', '/api/look/', '/api/Look', '/api/l%6fok', '/api/look%2F', '/api/look;a'];
  for (const path of [...inside, '/api/../api/look', '/api/./look', '/api//look', '/api/things/']) {
    t.is(refusal(t, await ask(rawRequest(`GET ${path}`))), '404 not_found', path);
  }
  const outside = ['/', '/api', '//api/look', '/API/look', '/%61pi/look', '/healthz/', '*'];
  for (const path of [...outside, 'ftp://localhost/api/look']) {
    const answer = await ask(rawRequest(`GET ${path}`));
    t.is(refusal(t, answer), '404 not_found', path);
    t.regex(answer.body, /has no pages/);
  }
});

test('a path without parameters goes before one with them', async (t) => {
  const list = getRoute('/api/things/feed', () => json('the list'));
  const { ask } = await startHttpServer(t, { routes: [...routes, list] });
  t.is((await ask(rawRequest('GET /api/things/feed'))).body, '"the list"');
  t.is((await ask(rawRequest('GET /api/things/beef'))).body, '{"id":"beef"}');
});

test('a path parameter that cannot be a name is not found', async (t) => {
  const { ask } = await startHttpServer(t, { routes });
  const found = await ask(rawRequest('GET /api/things/12ab'));
  t.is(found.body, '{"id":"12ab"}');
  for (const id of ['12a', '12abc', '12AB', '%ff', '%', '12%2Fb', '12ab%00']) {
    t.is(refusal(t, await ask(rawRequest(`GET /api/things/${id}`))), '404 not_found', id);
  }
});

test('another method of a known path, HEAD too, is 405 with Allow', async (t) => {
  const both = [...routes, { ...echo, path: '/api/look' }];
  const { ask } = await startHttpServer(t, { routes: both });
  for (const method of ['PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND', 'HEAD']) {
    const answer = await ask(rawRequest(`${method} /api/look`, ['Connection: close']));
    t.is(answer.status, 405, method);
    t.is(answer.headers.get('allow'), 'POST, GET'.split(', ').reverse().join(', '));
  }
  t.is(refusal(t, await ask(rawRequest('POST /healthz'))), '404 not_found');
});

test('a body needs exactly one Content-Type, application/json', async (t) => {
  const { ask } = await startHttpServer(t, { routes });
  const good = ['application/json', 'Application/JSON', 'application/json; charset=utf-8'];
  for (const type of [...good, 'application/json;x=y', ' application/json ']) {
    const answer = await ask(rawRequest('POST /api/echo', [`Content-Type: ${type}`], '{}'));
    t.is(answer.status, 201, type);
  }
  for (const charset of ['UTF-8', '"utf-8"', ' "Utf-8" ; x=y', 'utf8', 'utf-8;charset=UTF-8']) {
    const type = `Content-Type: application/json;x=y; Charset=${charset}`;
    t.is((await ask(rawRequest('POST /api/echo', [type], '{}'))).status, 201, charset);
  }
  const bad = ['application/jsonx', 'text/json', 'application/ld+json', 'text/plain', '', 'json'];
  for (const charset of ['iso-8859-1', '"utf-16"', '', '"utf-8', 'utf-8x', 'utf-8; charset=x']) {
    bad.push(`application/json; charset=${charset}`);
  }
  for (const type of [...bad, 'application/json, text/plain', 'multipart/form-data; a="b"']) {
    const answer = await ask(rawRequest('POST /api/echo', [`Content-Type: ${type}`], '{}'));
    t.is(refusal(t, answer), '415 unsupported_media_type', type);
  }
  for (const headers of [[], [jsonType, jsonType], [jsonType, 'Content-Encoding: gzip']]) {
    const answer = await ask(rawRequest('POST /api/echo', headers, '{}'));
    t.is(refusal(t, answer), '415 unsupported_media_type', String(headers));
  }
  t.is(refusal(t, await ask(rawRequest('POST /api/echo'))), '415 unsupported_media_type');
});

test('a body that is wanted and not even announced is refused at once', async (t) => {
  const { ask } = await startHttpServer(t, { routes });
  const request = rawRequest('POST /api/echo', [jsonType]);
  t.false(/^(?:content-length|transfer-encoding):/imu.test(request));
  t.is(refusal(t, await ask(request)), '400 invalid');
});

test('a body must be valid UTF-8 JSON', async (t) => {
  const { ask } = await startHttpServer(t, { routes });
  const post = (body: string | Buffer): Promise<RawAnswer> =>
    ask(
      rawRequest('POST /api/echo', [jsonType, `Content-Length: ${Buffer.byteLength(body)}`]),
      body,
    );
  t.is((await post('\uFEFF{"name":"é"}')).body, '{"query":{},"body":{"name":"é"}}');
  t.is((await post('{"name":"a","name":"b"}')).body, '{"query":{},"body":{"name":"b"}}');
  const bad = ['', ' ', '{', "{'a':1}", '{"a":1}x', '[NaN]', '['.repeat(100_000)];
  const bytes = [
    [0xff],
    [0x22, 0xc3, 0x28, 0x22],
    [0x22, 0xed, 0xa0, 0x80, 0x22],
    [0xff, 0xfe, 0x22],
  ];
  for (const body of [...bad, ...bytes.map((list) => Buffer.from(list))]) {
    t.is(refusal(t, await post(body)), '400 invalid');
  }
  t.is(refusal(t, await post('[]')), '400 invalid');
  t.is(refusal(t, await post('{"name":5}')), '400 invalid name');
});

test('a body is checked in the order type, size, JSON, schema', async (t) => {
  const { ask } = await startHttpServer(t, { routes, limits: { lingerMs: 60_000 } });
  const post = async (body: string, headers: readonly string[]): Promise<string> =>
    refusal(t, await ask(rawRequest('POST /api/echo?limit=99', headers, body)));
  const big = '{'.repeat(1_048_577);
  t.is(await post(big, ['Content-Type: text/plain']), '415 unsupported_media_type');
  t.is(await post(big, [jsonType]), '413 too_large');
  t.is(await post('{', [jsonType]), '400 invalid');
  t.is(await post('{"name":5}', [jsonType]), '400 invalid limit');
});

test('a key called __proto__ changes nothing', async (t) => {
  const { ask } = await startHttpServer(t, { routes });
  const body = '{"__proto__":{"desc":"x","toString":1},"constructor":{"prototype":{"desc":"y"}}}';
  const answer = await ask(rawRequest('POST /api/echo', [jsonType], body));
  t.is(answer.body, '{"query":{},"body":{}}');
  t.is(Reflect.get({}, 'desc'), undefined);
});

test('a body of exactly 1 MiB is taken; one more byte is 413, announced or chunked', async (t) => {
  const { ask, open } = await startHttpServer(t, { routes, limits: { lingerMs: 60_000 } });
  const whole = (size: number): string => `{}${' '.repeat(size - 2)}`;
  const chunked = (size: number): string =>
    `${rawRequest('POST /api/echo', [jsonType, 'Transfer-Encoding: chunked'])}` +
    `${size.toString(16)}\r\n${whole(size)}\r\n0\r\n\r\n`;
  t.is(limits.bodyBytes, 1_048_576);
  t.is((await ask(rawRequest('POST /api/echo', [jsonType], whole(1_048_576)))).status, 201);
  t.is((await ask(chunked(1_048_576))).status, 201);
  const announced = await ask(rawRequest('POST /api/echo', [jsonType], whole(1_048_577)));
  t.is(refusal(t, announced), '413 too_large');
  t.is(announced.headers.get('connection'), 'close');
  t.is(refusal(t, await ask(chunked(1_048_577))), '413 too_large');

  const only = [jsonType, 'Content-Length: 1048577'];
  const early = await open(rawRequest('POST /api/echo', only));
  const answer = await early.answer();
  t.is(answer?.status, 413, 'refused before any of the body came');
});

test('a refused body is thrown away for a moment, so that a client that reads late sees the refusal', async (t) => {
  const { open } = await startHttpServer(t, { routes, limits: { lingerMs: 60_000 } });
  const body = 'x'.repeat(6_000_000);
  const chunked = [jsonType, 'Transfer-Encoding: chunked'];
  const sent = [
    rawRequest('POST /api/echo', [jsonType], body),
    // Refused only when more than the limit has been read.
    `${rawRequest('POST /api/echo', chunked)}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  ];
  for (const text of sent) {
    const connection = await open();
    connection.socket.pause();
    const failure = await new Promise((resolve) => connection.socket.write(text, resolve));
    t.falsy(failure);
    connection.socket.resume();
    t.is(refusal(t, await connection.answer()), '413 too_large');
  }
});

test('a sender that goes on for ever after a refusal is cut off', async (t) => {
  const { open } = await startHttpServer(t, {
    routes,
    limits: { lingerMs: 60_000, lingerBytes: 1_000 },
  });
  const connection = await open(
    rawRequest('POST /api/echo', [jsonType, 'Content-Length: 99999999']),
  );
  t.is((await connection.answer())?.status, 413);
  connection.send('x'.repeat(100_000));
  await connection.ended();
  const idle = await startHttpServer(t, { routes, limits: { lingerMs: 1 } });
  const waiting = await idle.open(
    rawRequest('POST /api/echo', [jsonType, 'Content-Length: 99999999']),
  );
  t.is((await waiting.answer())?.status, 413);
  await waiting.ended();
});

test('a body nobody asked for is ignored, within the same limit', async (t) => {
  const { open, ask } = await startHttpServer(t, { routes });
  const connection = await open(
    rawRequest('GET /api/look', [], 'not json'),
    rawRequest('GET /api/look?limit=2'),
  );
  t.is((await connection.answer())?.body, '{"query":{}}');
  t.is((await connection.answer())?.body, '{"query":{"limit":2}}');
  const answer = await ask(rawRequest('GET /api/look', ['Content-Length: 1048577']));
  t.is(refusal(t, answer), '413 too_large');
});

test('100 Continue is sent only when the body is going to be read', async (t) => {
  const { open } = await startHttpServer(t, { routes });
  const expect = 'Expect: 100-continue';
  const good = await open(rawRequest('POST /api/echo', [jsonType, expect, 'Content-Length: 2']));
  t.is((await good.answer())?.status, 100);
  good.send('{}');
  t.is((await good.answer())?.status, 201);
  for (const headers of [[jsonType, 'Content-Length: 1048577'], ['Content-Length: 2']]) {
    const refused = await open(rawRequest('POST /api/echo', [...headers, expect]));
    t.true([413, 415].includes((await refused.answer())?.status ?? 0));
    await refused.ended();
  }
  const other = await open(rawRequest('GET /api/look', ['Expect: cake']));
  t.is((await other.answer())?.status, 200);
});

test('query parameters: known ones once and well encoded, unknown ones ignored', async (t) => {
  const { ask } = await startHttpServer(t, { routes });
  const get = (search: string): Promise<RawAnswer> => ask(rawRequest(`GET /api/look${search}`));
  const good: [string, unknown][] = [
    ['', {}],
    ['?', {}],
    ['?&&limit=3&', { limit: 3 }],
    ['?name=a+b', { name: 'a b' }],
    ['?n%61me=%C3%A9', { name: 'é' }],
    ['?name=a=b', { name: 'a=b' }],
    ['?x=1&x=2&__proto__=1&constructor=2', {}],
    ['?x=%ff', {}],
    ['?name=a?b', { name: 'a?b' }],
  ];
  for (const [search, query] of good) {
    t.deepEqual(JSON.parse((await get(search)).body), { query }, search);
  }
  const bad: [string, string][] = [
    ['?limit=1&limit=1', '400 invalid limit'],
    ['?limit=1&l%69mit=1', '400 invalid limit'],
    ['?name=a&name=', '400 invalid name'],
    ['?name=%', '400 invalid name'],
    ['?name=%C3%28', '400 invalid name'],
    ['?%=1', '400 invalid'],
    ['?limit=', '400 invalid limit'],
    ['?limit=0x2', '400 invalid limit'],
    ['?limit=10', '400 invalid limit'],
  ];
  for (const [search, expected] of bad) t.is(refusal(t, await get(search)), expected, search);
  t.regex((await get('?limit=1&limit=1')).body, /more than once/);
});

test('what is no HTTP gets the same error answer, and the connection ends', async (t) => {
  const { open, port } = await startHttpServer(t, { routes });
  const host = 'Host: localhost\r\n';
  const bad = [
    'GET\r\n\r\n',
    `GET /api/look HTTP/9.9\r\n${host}\r\n`,
    `GET /api/look HTTP/1.1\n bad\r\n\r\n`,
    `GET /api/look HTTP/1.1\r\n${host}Bad Name: x\r\n\r\n`,
    `GET /api/look HTTP/1.1\r\n${host}X: a\0b\r\n\r\n`,
    `GET /api/look HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`,
    `GET /api/look HTTP/1.1\r\n${host}Content-Length: -1\r\n\r\n`,
    `POST /api/echo HTTP/1.1\r\n${host}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
    `POST /api/echo HTTP/1.1\r\n${host}Transfer-Encoding: gzip\r\n\r\n`,
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    `CONNECT localhost:${port} HTTP/1.1\r\n${host}\r\n`,
  ];
  for (const request of bad) {
    const connection = await open(Buffer.from(request, 'latin1'));
    const answer = await connection.answer();
    t.truthy(answer, request);
    if (answer === undefined) continue;
    t.is(refusal(t, answer), '400 invalid', request);
    t.is(answer.headers.get('connection'), 'close');
    await connection.ended();
  }
});

test('a body that breaks off or is badly framed is refused', async (t) => {
  const { open, ask, logged, hasLogged } = await startHttpServer(t, { routes });
  const chunked = rawRequest('POST /api/echo', [jsonType, 'Transfer-Encoding: chunked']);
  const bad = await open(chunked, '2\r\n{}\r\n', 'zz\r\n');
  t.is(refusal(t, await bad.answer()), '400 invalid');
  await bad.ended();

  const half = await open(rawRequest('POST /api/echo', [jsonType, 'Content-Length: 9'], '{'));
  half.socket.end();
  t.is(refusal(t, await half.answer()), '400 invalid');

  const reset = await open(rawRequest('POST /api/echo', [jsonType, 'Content-Length: 9'], '{'));
  reset.socket.resetAndDestroy();
  await hasLogged('"status":400');
  t.is((await ask(rawRequest('GET /api/look'))).status, 200);
  t.deepEqual(
    logged.filter((line) => line.startsWith('error')),
    [],
    'a peer that goes away is no fault of ours',
  );
});

test('a refusal that is on its way is not cut off by a badly framed body behind it', async (t) => {
  const refuse = () => {
    throw new WaypointError('forbidden');
  };
  const { ask } = await startHttpServer(t, { guards: [refuse] });
  const answer = await ask(rawRequest('POST /api/echo', ['Transfer-Encoding: chunked'], 'zz'));
  t.is(refusal(t, answer), '403 forbidden');
});

test('too large headers are 431', async (t) => {
  const { ask } = await startHttpServer(t, { routes });
  const just = await ask(rawRequest('GET /api/look', [`X: ${'x'.repeat(16_000)}`]));
  t.is(just.status, 200);
  const over = await ask(rawRequest('GET /api/look', [`X: ${'x'.repeat(16_400)}`]));
  t.is(refusal(t, over), '431 headers_too_large');
  // Node looks at 2,000 headers by default; one behind them must count all the same.
  const many = [...Array.from({ length: 2_100 }, () => 'a:'), 'Content-Length: 1048577'];
  t.is(refusal(t, await ask(rawRequest('GET /api/look', many))), '413 too_large');
});

test('the rest of a body is waited for no longer than until the answer is out', async (t) => {
  const rest = gate<unknown>();
  const early = route({
    method: 'POST',
    path: '/api/early',
    summary: 'A test.',
    readsContent: true,
    answers: { 201: z.unknown() },
    async handle({ ctx }) {
      const pieces = bodyPieces(ctx);
      await pieces.next();
      pieces.next().then(rest.resolve, rest.resolve);
      return { status: 201, json: {} };
    },
  });
  const { open } = await startHttpServer(t, { routes: [early], limits: { slowBodyMs: 600_000 } });
  const connection = await open(rawRequest('POST /api/early', ['Content-Length: 9'], '{'));
  t.is((await connection.answer())?.status, 201);
  t.like(await rest.promise, { failure: 'bad_request' });
});

/** Limits that a test can wait for. */
const quick = { headersTimeoutMs: 300, requestTimeoutMs: 400, connectionSweepMs: 20 };

// Serial: while other tests keep this thread busy, a quick sender would look slow.
test.serial('slow headers, a slow body and silence end with 408', async (t) => {
  const { open } = await startHttpServer(t, { routes, limits: quick });
  const started = [
    '',
    'GET /api/look HTTP/1.1\r\nHost: loc',
    rawRequest('POST /api/echo', [jsonType, 'Content-Length: 9'], '{'),
    rawRequest('GET /api/look', ['Content-Length: 9']),
  ];
  const connections = await Promise.all(started.map((part) => open(part)));
  for (const connection of connections) {
    t.is(refusal(t, await connection.answer()), '408 timeout');
    await connection.ended();
  }
});

test.serial('a sender is not slow when it is this thread that was stuck', async (t) => {
  const { open } = await startHttpServer(t, {
    routes,
    limits: { ...quick, keepAliveTimeoutMs: 1 },
  });
  const head = await open('GET /api/look HTTP/1.1\r\n');
  const body = await open(rawRequest('POST /api/echo', [jsonType, 'Content-Length: 2']));
  const kept = await open(rawRequest('GET /api/look'));
  await kept.answer();
  kept.send(rawRequest('GET /api/look'));
  head.send('Host: localhost\r\n\r\n');
  body.send('{}');
  // Node keeps connections one second longer than it says.
  const end = performance.now() + 1_200;
  while (performance.now() < end);
  t.is((await kept.answer())?.status, 200);
  t.is((await head.answer())?.status, 200);
  t.is((await body.answer())?.status, 201);
});

test.serial('an idle connection is ended', async (t) => {
  const { open } = await startHttpServer(t, { routes, limits: { keepAliveTimeoutMs: 1 } });
  const connection = await open(rawRequest('GET /api/look'));
  t.is((await connection.answer())?.headers.get('keep-alive'), 'timeout=0');
  await connection.ended();
});

test('the limits of contract B.8 are set', (t) => {
  t.is(limits.headersTimeoutMs, 5_000);
  t.is(limits.requestTimeoutMs, 15_000);
  t.is(limits.connectionSweepMs, 1_000);
  t.is(limits.connections, 256);
  t.is(limits.strangers, 64);
  t.is(limits.drainTimeoutMs, 15_000);
});

test.serial('the time limits do not touch an answer that takes long', async (t) => {
  const { held, release } = heldRoute();
  const { open } = await startHttpServer(t, { routes: [held], limits: quick });
  const waiting = await open(rawRequest('GET /api/slow'));
  // By the time a silent connection has been refused, the slow answer has outlived both limits.
  const silent = await open();
  t.is((await silent.answer())?.status, 408);
  release();
  t.is((await waiting.answer())?.body, '"slow"');
});

test('of four connections where three are allowed, the fourth is closed and the others live', async (t) => {
  const { open, logged } = await startHttpServer(t, { routes, limits: { connections: 3 } });
  const three = await Promise.all([open(), open(), open()]);
  const fourth = await open();
  await fourth.ended();
  t.is(await fourth.answer(), undefined);
  for (const connection of three) {
    connection.send(rawRequest('GET /api/look'));
    t.is((await connection.answer())?.status, 200);
  }
  t.true(logged.includes('warn http.connections_full {}'));
  const [first] = three;
  first?.socket.destroy();
  await once(first?.socket ?? fourth.socket, 'close');
});

test('requests sent ahead are answered one after the other, in order', async (t) => {
  const order: string[] = [];
  const release = gate();
  const slow = getRoute('/api/slow', async () => {
    order.push('slow');
    await release.promise;
    order.push('slow done');
    return json('slow');
  });
  const fast = getRoute('/api/fast', () => {
    order.push('fast');
    return json('fast');
  });
  const { open } = await startHttpServer(t, { routes: [slow, fast] });
  const connection = await open(
    rawRequest('GET /api/slow') + rawRequest('GET /api/fast') + 'junk\r\n\r\n',
  );
  const other = await open(rawRequest('GET /api/fast'));
  await other.answer();
  t.deepEqual(order, ['slow', 'fast']);
  release.resolve();
  t.is((await connection.answer())?.body, '"slow"');
  t.is((await connection.answer())?.body, '"fast"');
  t.is(refusal(t, await connection.answer()), '400 invalid');
  t.deepEqual(order, ['slow', 'fast', 'slow done', 'fast']);
});

test('a body that breaks behind an unanswered request is refused in its turn', async (t) => {
  const { held, release } = heldRoute();
  const { open } = await startHttpServer(t, { routes: [held, echo] });
  const chunked = rawRequest('POST /api/echo', [jsonType, 'Transfer-Encoding: chunked']);
  const connection = await open(`${rawRequest('GET /api/slow')}${chunked}zz\r\n`);
  release();
  t.is((await connection.answer())?.body, '"slow"');
  t.is(refusal(t, await connection.answer()), '400 invalid');
  await connection.ended();
});

test('CONNECT behind an unanswered request ends the connection, and all of it at once', async (t) => {
  const { held, begun, release } = heldRoute();
  const { open, ask, port } = await startHttpServer(t, { routes: [held, echo] });
  const asked = `CONNECT localhost:${port} HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`;
  const connection = await open(`${rawRequest('GET /api/slow')}${asked}`);
  await begun;
  await ask(rawRequest('POST /api/echo', [jsonType], '{}'));
  release();
  t.is(await connection.answer(), undefined);
});

test('whoever sends too many requests ahead is cut off', async (t) => {
  const { promise: never } = gate();
  const slow = getRoute('/api/slow', async () => {
    await never;
    return json(1);
  });
  const { open } = await startHttpServer(t, { routes: [slow], limits: { pipelined: 3 } });
  const some = await open(rawRequest('GET /api/slow').repeat(4));
  const many = await open(rawRequest('GET /api/slow').repeat(5));
  await many.ended();
  t.false(some.socket.destroyed);
});

test('an upgrade is not taken up', async (t) => {
  const { ask } = await startHttpServer(t, { routes });
  const headers = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
  const answer = await ask(rawRequest('GET /api/look', headers));
  t.is(answer.status, 200);
});

test('a stream waits for its reader, and what it sends arrives whole', async (t) => {
  let made = 0;
  const piece = 'x'.repeat(100_000);
  const pieces = function* (): Generator<string> {
    for (; made < 400; made++) yield piece;
  };
  const closed: number[] = [];
  const stream = getRoute('/api/stream', () => ({
    status: 200,
    pieces: pieces(),
    contentType: 'text/x-test',
    close: () => void closed.push(made),
  }));
  const { open } = await startHttpServer(t, { routes: [stream, look] });
  const connection = await open();
  connection.socket.pause();
  connection.send(rawRequest('GET /api/stream'));
  // Each answer gives the stream a turn; it must come to a halt when the kernel's buffers are full.
  let before = -1;
  const other = await open();
  while (made !== before) {
    before = made;
    for (let turn = 0; turn < 20; turn++) {
      other.send(rawRequest('GET /api/look'));
      await other.answer();
    }
  }
  t.true(made < 300, `${made} pieces ahead of a reader that reads nothing`);
  t.deepEqual(closed, []);
  connection.socket.resume();
  const answer = await connection.answer();
  t.is(answer?.isWhole, true);
  t.is(answer?.body.length, 40_000_000);
  t.is(answer?.headers.get('content-type'), 'text/x-test');
  t.deepEqual(closed, [400]);
});

test('a stream that never waits still lets other requests in between', async (t) => {
  let made = 0;
  const pieces = function* (): Generator<string> {
    for (; made < 300; made++) {
      const end = performance.now() + 2;
      while (performance.now() < end);
      yield 'x';
    }
  };
  const stream = getRoute('/api/stream', () => ({ status: 200, pieces: pieces() }));
  const { open } = await startHttpServer(t, { routes: [stream, look] });
  const streaming = await open(rawRequest('GET /api/stream'));
  await streaming.received('x');
  const other = await open(rawRequest('GET /api/look'));
  await other.answer();
  t.true(made < 150, `answered after ${made} pieces`);
});

test('a reader that takes nothing is ended, and its stream closed once', async (t) => {
  const closed = gate<string>();
  let closings = 0;
  const pieces = function* (): Generator<string> {
    for (;;) yield 'x'.repeat(100_000);
  };
  const stream = getRoute('/api/stream', () => ({
    status: 200,
    pieces: pieces(),
    close: () => {
      closings++;
      closed.resolve('closed');
    },
  }));
  const big = getRoute('/api/big', () => json('x'.repeat(30_000_000)));
  const { open, hasLogged } = await startHttpServer(t, {
    routes: [stream, big],
    limits: { drainTimeoutMs: 30 },
  });
  for (const path of ['stream', 'big']) {
    const connection = await open();
    connection.socket.pause();
    const ended = once(connection.socket, 'close');
    connection.send(rawRequest(`GET /api/${path}`));
    if (path === 'stream') t.is(await closed.promise, 'closed');
    await hasLogged(`"route":"/api/${path}"`);
    connection.socket.resume();
    const answer = await connection.answer();
    t.is(answer?.isWhole, false, path);
    await ended;
  }
  t.is(closings, 1);
});

/** Fills the connection of a reader that has stopped with small answers, until one of them is stuck on its way. */
async function fillWithAnswers(t: ExecutionContext, drainTimeoutMs: number) {
  const server = await startHttpServer(t, {
    routes: [look, getRoute('/api/small', () => json('x'.repeat(60_000)))],
    limits: { pipelined: 1_000, drainTimeoutMs },
  });
  const connection = await server.open();
  connection.socket.pause();
  connection.send(rawRequest('GET /api/small').repeat(500));
  const countAnswered = (): number =>
    server.logged.filter((line) => line.includes('/api/small')).length;
  const other = await server.open();
  for (let before = -1; countAnswered() !== before;) {
    before = countAnswered();
    other.send(rawRequest('GET /api/look').repeat(20));
    for (let turn = 0; turn < 20; turn++) await other.answer();
  }
  const answered = countAnswered();
  t.true(answered < 500, `${answered} answers taken by a reader that reads nothing`);
  return { server, connection, answered };
}

test('a reader that takes none of many small answers is ended, too', async (t) => {
  const { server } = await fillWithAnswers(t, 300);
  await server.server.close(60_000);
  t.false(server.logged.some((line) => line.startsWith('error')));
});

test('close: an answer that is still being read is not cut off', async (t) => {
  const { server, connection, answered } = await fillWithAnswers(t, 60_000);
  const closed = server.server.close(60_000);
  connection.socket.resume();
  for (let count = 0; count < answered; count++) {
    const answer = await connection.answer();
    t.is(answer?.isWhole, true);
    t.is(answer?.body.length, 60_002);
  }
  await connection.ended();
  await closed;
});

test('hanging up aborts the signal, stops the stream and closes it once', async (t) => {
  const aborted = gate();
  const closed = gate();
  let closings = 0;
  let hasReturned = false;
  const pieces = async function* (signal: AbortSignal): AsyncGenerator<string> {
    signal.addEventListener('abort', () => aborted.resolve());
    try {
      yield 'first';
      for (;;) yield 'more';
    } finally {
      hasReturned = true;
    }
  };
  const stream = getRoute('/api/stream', ({ signal }) => ({
    status: 200,
    pieces: pieces(signal),
    close: () => {
      closings++;
      closed.resolve();
    },
  }));
  const { open } = await startHttpServer(t, { routes: [stream] });
  const connection = await open(rawRequest('GET /api/stream'));
  await connection.received('first');
  connection.socket.destroy();
  await aborted.promise;
  await closed.promise;
  t.is(closings, 1);
  t.true(hasReturned);
});

test('the signal of a request that was answered whole is never aborted', async (t) => {
  const closed = gate<boolean>();
  const whole = getRoute('/api/whole', ({ ctx, signal }) => {
    ctx.res.once('close', () => closed.resolve(signal.aborted));
    return { status: 200, pieces: ['x'] };
  });
  const { ask } = await startHttpServer(t, { routes: [whole] });
  t.is((await ask(rawRequest('GET /api/whole'))).status, 200);
  t.false(await closed.promise);
});

test('hanging up stops a stream that looks for something and finds nothing', async (t) => {
  const closed = gate<boolean>();
  const pieces = function* (): Generator<string> {
    yield 'first';
    for (;;) yield '';
  };
  const stream = getRoute('/api/stream', () => ({
    status: 200,
    pieces: pieces(),
    close: () => closed.resolve(true),
  }));
  const { open } = await startHttpServer(t, { routes: [stream] });
  const connection = await open(rawRequest('GET /api/stream'));
  await connection.received('first');
  connection.socket.destroy();
  t.true(await closed.promise);
});

test('a stream whose client is gone before it starts is closed, too', async (t) => {
  const started = gate();
  const closed = gate<boolean>();
  const stream = getRoute('/api/stream', async ({ signal }) => {
    started.resolve();
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return { status: 200, pieces: ['x'], close: () => closed.resolve(true) };
  });
  const { open } = await startHttpServer(t, { routes: [stream] });
  const connection = await open(rawRequest('GET /api/stream'));
  await started.promise;
  connection.socket.destroy();
  t.true(await closed.promise);
});

test('an error in mid-stream breaks the connection; before the first piece it is answered', async (t) => {
  let closings = 0;
  const failing = function* (first: string): Generator<string> {
    yield first;
    throw new TypeError('secret 47.1, 8.5');
  };
  const stream = (path: string, first: string): Route =>
    getRoute(path, () => ({ status: 200, pieces: failing(first), close: () => void closings++ }));
  const { open, ask, logged } = await startHttpServer(t, {
    routes: [stream('/api/late', '[1,'), stream('/api/early', '')],
  });
  const late = await open(rawRequest('GET /api/late'));
  const cut = await late.answer();
  t.is(cut?.isWhole ?? false, false);
  await late.ended();

  const old = await open('GET /api/late HTTP/1.0\r\nHost: localhost\r\n\r\n');
  const errors: string[] = [];
  old.socket.on('error', (error: NodeJS.ErrnoException) => errors.push(error.code ?? ''));
  await old.ended();
  t.deepEqual(
    errors,
    ['ECONNRESET'],
    'an HTTP/1.0 answer ends with its connection: only a reset tells',
  );

  t.is(refusal(t, await ask(rawRequest('GET /api/early'))), '500 internal');
  t.is(closings, 3);
  t.false(logged.join().includes('secret'));
  t.regex(
    logged.join('\n'),
    /error http\.failed .*"error":"TypeError".*"at":"test\/http\.test\.ts:\d+/,
  );
});

const fail = (path: string, error: unknown): Route =>
  getRoute(path, () => {
    throw error;
  });

test('a broken disk, a lost mount and too many open files are 503 with Retry-After', async (t) => {
  const system = ['EBUSY', 'EIO', 'EROFS', 'ENOTCONN', 'EMFILE', 'ENFILE'];
  const sqlite = ['IOERR', 'IOERR_FSYNC', 'READONLY', 'READONLY_DBMOVED', 'CANTOPEN'];
  const codes = [...system, ...sqlite.map((code) => `SQLITE_${code}`)];
  const routes = codes.map((code) =>
    fail(`/api/${code}`, Object.assign(new Error('secret'), { code })),
  );
  const { ask, logged } = await startHttpServer(t, { routes });
  for (const code of codes) {
    const answer = await ask(rawRequest(`GET /api/${code}`));
    t.is(refusal(t, answer), '503 unavailable', code);
    t.is(answer.headers.get('retry-after'), '30');
    t.true(
      logged.some((line) => line.startsWith('error') && line.includes(`"${code}"`)),
      code,
    );
  }
  t.false(logged.join().includes('secret'));
});

test('unknown errors become internal; the log names class, code and place, never the message', async (t) => {
  class SqliteError extends Error {
    code = 'SQLITE_ERROR';
  }
  const message = 'open /home/ann/secret.gpx\n    at secret (file:///home/ann/secret.ts:1:1)';
  const { ask, logged } = await startHttpServer(t, {
    routes: [
      fail('/api/io', new SqliteError(message)),
      fail('/api/text', 'secret'),
      fail('/api/odd', Object.assign(new Error('secret'), { code: '/home/secret' })),
      fail('/api/full', Object.assign(new Error('secret'), { code: 'ENOSPC' })),
      fail('/api/busy', new WaypointError('busy', { retryAfterSeconds: 7 })),
      fail(
        '/api/cause',
        new WaypointError('invalid', { field: 'lat', cause: new Error('secret') }),
      ),
      getRoute('/api/circle', () => json(Object.assign([], { toJSON: () => 1n }))),
    ],
  });
  const io = await ask(rawRequest('GET /api/io'));
  t.is(refusal(t, io), '500 internal');
  const line = logged.find((entry) => entry.startsWith('error')) ?? '';
  t.regex(line, /"error":"SqliteError","error_code":"SQLITE_ERROR"/);
  t.true(line.includes(io.headers.get('x-request-id') ?? '?'));
  t.is(refusal(t, await ask(rawRequest('GET /api/text'))), '500 internal');
  t.is(refusal(t, await ask(rawRequest('GET /api/odd'))), '500 internal');
  t.is(refusal(t, await ask(rawRequest('GET /api/circle'))), '500 internal');
  t.is(refusal(t, await ask(rawRequest('GET /api/full'))), '507 disk_full');
  const busy = await ask(rawRequest('GET /api/busy'));
  t.is(refusal(t, busy), '429 busy');
  t.is(busy.headers.get('retry-after'), '7');
  t.is(refusal(t, await ask(rawRequest('GET /api/cause'))), '400 invalid lat');
  t.false(logged.join().includes('secret'));
  t.false(logged.join().includes('/home'));
});

test('a connection that breaks before its answer is logged at debug, without its path', async (t) => {
  for (const path of ['/api/stuck', '/api/stuck/{id}']) {
    const { stuck, started } = stuckRoute(path);
    const { open, hasLogged, logged } = await startHttpServer(t, { routes: [stuck] });
    const connection = await open(rawRequest(`GET ${path.replace('{id}', '7')}`));
    await started;
    connection.socket.resetAndDestroy();
    await hasLogged('debug http.socket');
    t.is(logged.filter((line) => line.includes('http.socket')).length, 1);
    t.regex(logged[0] ?? '', /ECONNRESET/);
    t.false(logged.join().includes('stuck/7'));
  }
});

test('each request is logged at debug with its route, never its path or query', async (t) => {
  const { ask, logged } = await startHttpServer(t, { routes });
  await ask(rawRequest('GET /api/things/12ab?name=secret'));
  await ask(rawRequest('GET /api/secret/12ab'));
  const lines = logged.filter((line) => line.startsWith('debug http.request'));
  t.is(lines.length, 2);
  t.regex(
    lines[0] ?? '',
    /"method":"GET","route":"\/api\/things\/\{id\}","status":200,"ms":[\d.]+/,
  );
  t.regex(lines[1] ?? '', /"route":"none","status":404/);
  t.false(logged.join().includes('secret'));
  t.false(logged.join().includes('12ab'));
});

test('close: idle connections end soon, a request in flight is answered with Connection: close', async (t) => {
  const { held, begun, release } = heldRoute();
  const { server, open, port } = await startHttpServer(t, { routes: [held, look] });
  const silent = await open();
  const idle = await open(rawRequest('GET /api/look'));
  t.is((await idle.answer())?.headers.get('connection'), 'keep-alive');
  const busy = await open(rawRequest('GET /api/slow'));
  await begun;
  const closed = server.close(60_000);
  await Promise.all([idle.ended(), silent.ended()]);
  await t.throwsAsync(fetch(`http://127.0.0.1:${port}/api/look`));
  release();
  const answer = await busy.answer();
  t.is(answer?.body, '"slow"');
  t.is(answer?.headers.get('connection'), 'close');
  await busy.ended();
  await closed;
  await server.close(1);
});

test('close: who asks just then, on a new connection or a kept one, is answered', async (t) => {
  const { server, open } = await startHttpServer(t, { routes, limits: { partingMs: 60_000 } });
  const fresh = await open();
  const kept = await open(rawRequest('GET /api/look'));
  await kept.answer();
  const closed = server.close(60_000);
  const both = [fresh, kept];
  for (const connection of both) connection.send(rawRequest('GET /api/look'));
  for (const connection of both) {
    const answer = await connection.answer();
    t.is(answer?.status, 200);
    t.is(answer?.headers.get('connection'), 'close');
    await connection.ended();
  }
  await closed;
});

test('close: a stream that began before is finished, then its connection ends', async (t) => {
  const release = gate();
  const pieces = async function* (): AsyncGenerator<string> {
    yield 'begun ';
    await release.promise;
    yield 'done';
  };
  const stream = getRoute('/api/stream', () => ({ status: 200, pieces: pieces() }));
  const { server, open } = await startHttpServer(t, { routes: [stream] });
  const connection = await open(rawRequest('GET /api/stream'));
  await connection.received('begun');
  const closed = server.close(60_000);
  release.resolve();
  t.is((await connection.answer())?.body, 'begun done');
  await closed;
});

test('close: what outlives the grace is cut off and its signal aborted', async (t) => {
  const { stuck, started, aborted } = stuckRoute('/api/stuck');
  const { server, open } = await startHttpServer(t, { routes: [stuck] });
  const connection = await open(rawRequest('GET /api/stuck'));
  await started;
  await server.close(1);
  await connection.ended();
  t.is(await aborted, 'aborted');
});

posix('an inherited socket is taken on the loopback only', async (t) => {
  // A child, because two owners of one descriptor in one process would close each other's.
  const program = `
    import { createHttpServer } from './http/server.ts';
    const server = createHttpServer({ routes: [], guards: [], prefix: '/api/', notFound: 'no_pages' });
    await server.listen({ fd: 3 }).then(
      ({ port }) => console.log(port),
      (error) => console.log(error.code),
    );
    await server.close(0);`;
  const inherit = async (host: string): Promise<string> => {
    const owner = createServer().listen(0, host);
    await once(owner, 'listening');
    const fd: number = Reflect.get(Reflect.get(owner, '_handle'), 'fd');
    const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', program], {
      cwd: new URL('..', import.meta.url),
      stdio: ['ignore', 'pipe', 'inherit', fd],
    });
    const said = await child.stdout?.toArray();
    const port = (owner.address() as AddressInfo).port;
    owner.close();
    return String(said).trim().replace(String(port), 'its port');
  };
  t.deepEqual(await Promise.all([inherit('127.0.0.1'), inherit('0.0.0.0')]), [
    'its port',
    'forbidden',
  ]);
});
