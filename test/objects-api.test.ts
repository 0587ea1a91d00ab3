/** The object API over real sockets: who may do what, statuses, links, media types and limits. */
import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { valuesOf } from './helpers/fields.ts';
import { manualTime } from './helpers/manual-time.ts';
import {
  ann,
  basic,
  bob,
  eve,
  gitLfs,
  oidOf,
  startTestObjects,
  xLfs,
  type TestObjects,
} from './helpers/objects.ts';
import { RawConnection, rawRequest } from './helpers/raw-http.ts';

const content = Buffer.from('a map of the harbour');
const oid = oidOf(content);
const object = { oid, size: content.length };
const announce = { as: ann, body: object };
const objects = '/club/maps/objects';

test('the hypermedia flow: announce, send, verify, ask, fetch; announced again it is there', async (t) => {
  const server = await startTestObjects(t);
  const announced = await server.call('POST', objects, announce);
  t.is(announced.status, 202);
  t.is(announced.type, xLfs);
  t.deepEqual(Object.keys(announced.body), ['oid', 'size', 'authenticated', '_links']);
  const { upload, verify } = announced.body._links;
  t.is(upload.href, `${server.url}${objects}/${oid}/content?size=${content.length}`);
  t.regex(upload.header.Authorization, /^Bearer /);
  t.is((await server.follow('POST', verify, object)).status, 404, 'not before it is there');
  t.is((await server.follow('PUT', upload, content)).status, 200);
  const verified = await server.follow('POST', verify, { ...object, _links: {}, extra: 1 });
  t.deepEqual([verified.status, verified.body], [200, object]);
  const asked = await server.call('GET', `${objects}/${oid}`, { as: bob });
  t.deepEqual([asked.status, asked.type, asked.body.size], [200, xLfs, content.length]);
  t.is(asked.body._links.self.href, `${server.url}${objects}/${oid}`);
  const fetched = await server.follow('GET', asked.body._links.download);
  t.deepEqual([fetched.status, fetched.bytes], [200, content]);
  t.is(fetched.headers.get('content-length'), String(content.length));
  t.is(fetched.headers.get('etag'), `"${oid}"`);
  const again = await server.call('POST', objects, announce);
  t.is(again.status, 200);
  t.deepEqual(Object.keys(again.body._links), ['self', 'download']);
  const other = await server.call('POST', objects, { as: ann, body: { oid, size: 1 } });
  t.is(other.status, 400, 'the oid with another size');
  t.is((await server.follow('POST', verify, { oid, size: 1 })).status, 404);
  t.true(server.logged.some((line) => line.includes(`"oid":"${oid.slice(0, 8)}"`)));
  t.false(server.logged.some((line) => line.includes(oid) || line.includes('Bearer')));
});

test('who may do what: 401 for nobody, 404 for outsiders, 403 for readers who write', async (t) => {
  const server = await startTestObjects(t);
  await server.send('club/maps', content);
  const post = { body: object };
  const [get, put] = [`${objects}/${oid}`, `${objects}/${oid}/content`];
  const expected: [string, string, string | undefined, object, number][] = [
    ['GET', get, undefined, {}, 401],
    ['GET', get, eve, {}, 404],
    ['GET', get, bob, {}, 200],
    ['GET', get, 'bob:wrong', {}, 401],
    ['GET', get, 'nobody:wrong', {}, 401],
    ['POST', objects, undefined, post, 401],
    ['POST', objects, eve, post, 404],
    ['POST', objects, bob, post, 403],
    ['POST', objects, ann, post, 200],
    ['PUT', put, undefined, { body: content }, 401],
    ['PUT', put, eve, { body: content }, 404],
    ['PUT', put, bob, { body: content }, 403],
    ['PUT', put, ann, { body: content }, 200],
    ['GET', put, undefined, {}, 401],
    ['GET', put, eve, {}, 404],
    ['HEAD', put, bob, {}, 200],
    ['POST', '/club/maps/verify', bob, post, 403],
    // Another repository, which does not hold it.
    ['POST', '/open/maps/verify', ann, post, 404],
    ['POST', '/club/maps/locks/verify', undefined, { body: {} }, 401],
    ['POST', '/club/maps/locks/verify', bob, { body: {} }, 403],
    ['POST', '/club/maps/locks/verify', ann, { body: {} }, 200],
    ['POST', '/club/maps/locks', bob, { body: { path: 'a' } }, 403],
    ['POST', '/club/maps/locks', eve, { body: { path: 'a' } }, 404],
    ['POST', '/open/maps/locks', undefined, { body: { path: 'a' } }, 401],
    ['POST', '/club/maps/locks/1/unlock', bob, { body: { force: true } }, 403],
    ['GET', '/club/maps/locks', undefined, {}, 401],
    ['GET', '/club/maps/locks', eve, {}, 404],
    ['GET', '/club/maps/locks', bob, {}, 200],
    ['GET', '/open/maps/locks', undefined, {}, 200],
    ['GET', `/club/none/objects/${oid}`, undefined, {}, 401],
    ['GET', `/club/none/objects/${oid}`, ann, {}, 404],
    ['POST', '/club/none/objects', ann, post, 404],
    // The public repository holds nothing yet: reading is free, writing is not.
    ['GET', `/open/maps/objects/${oid}`, undefined, {}, 404],
    ['POST', '/open/maps/objects', undefined, post, 401],
    ['POST', '/open/maps/objects', bob, post, 403],
    ['GET', '/healthz', undefined, {}, 200],
  ];
  for (const [method, path, as, options, status] of expected) {
    const answer = await server.call(method, path, as === undefined ? options : { as, ...options });
    t.is(answer.status, status, `${method} ${path} as ${as ?? 'nobody'}`);
    if (status !== 401) continue;
    t.regex(answer.headers.get('www-authenticate') ?? '', /^Basic realm="/);
    t.is(answer.headers.get('lfs-authenticate'), answer.headers.get('www-authenticate'));
  }
  await server.send('open/maps', content);
  const asked = await server.call('GET', `/open/maps/objects/${oid}`);
  t.is(asked.status, 200, 'anybody may read a public repository');
  t.deepEqual((await server.follow('GET', asked.body._links.download)).bytes, content);
  t.is((await server.call('GET', `/OPEN/Maps.git/info/lfs/objects/${oid}`)).status, 200);
  const url = { authorization: `Basic ${Buffer.from('ann:ann-password').toString('base64url')}` };
  t.is((await server.call('GET', get, { headers: url })).status, 200, 'base64 of old clients');
});

test('a server whose store is gone runs, and is not ready: asked again after 5 s', async (t) => {
  const { clock, advance } = manualTime();
  const server = await startTestObjects(t, { clock });
  await server.send('club/maps', content);
  const ask = async () => {
    const [health, ready] = [
      await server.call('GET', '/healthz'),
      await server.call('GET', '/readyz'),
    ];
    t.is(health.status, 200);
    return ready;
  };
  t.deepEqual((await ask()).body, { status: 'ok' } as never);
  const [there, away] = [join(server.directory, 'objects'), join(server.directory, 'away')];
  const [mark, hidden] = [join(server.directory, 'store-id'), join(server.directory, 'hidden')];
  // As where a disk is not mounted.
  renameSync(there, away);
  renameSync(mark, hidden);
  mkdirSync(there);
  advance(4_999);
  t.is((await ask()).status, 200, 'the answer that is kept');
  advance(1);
  const refused = await ask();
  t.deepEqual([refused.status, refused.body.code], [503, 'unavailable']);
  renameSync(away, there);
  renameSync(hidden, mark);
  t.is((await ask()).status, 503, 'the answer that is kept');
  advance(5_000);
  t.is((await ask()).status, 200);
});

test('knowing an oid gives no access to its bytes', async (t) => {
  const server = await startTestObjects(t);
  await server.admin.directory.grant(
    (await server.admin.directory.findUser('eve'))!.id,
    (await server.admin.directory.findRepository('open/maps'))!.id,
    'write',
  );
  await server.send('club/maps', content);
  const announced = await server.call('POST', '/open/maps/objects', { as: eve, body: object });
  t.is(announced.status, 202, 'it has to be sent, although the server has it');
  const batch = { operation: 'download', objects: [object] };
  const asked = await server.call('POST', '/open/maps/objects/batch', { as: eve, body: batch });
  t.is(asked.body.objects[0]!.error?.code, 404);
  const { upload } = announced.body._links;
  t.is((await server.follow('PUT', upload, Buffer.from('not the same content'))).status, 400);
  t.is((await server.call('GET', `/open/maps/objects/${oid}/content`)).status, 404);
  t.is((await server.follow('PUT', upload, content)).status, 200);
  t.deepEqual((await server.call('GET', `/open/maps/objects/${oid}/content`)).bytes, content);
});

test('a link is good for its object, purpose, repository and hour, and no longer than its user', async (t) => {
  const { clock, advance } = manualTime();
  const server = await startTestObjects(t, { clock });
  const other = Buffer.from('another');
  await server.send('club/maps', content);
  await server.send('club/maps', other);
  const { download } = (await server.call('GET', `${objects}/${oid}`, { as: bob })).body._links;
  const { href, header } = download;
  const upload = (
    await server.call('POST', objects, {
      as: ann,
      body: { oid: oidOf(Buffer.from('new')), size: 3 },
    })
  ).body._links.upload;
  const tries: [string, string, object, number][] = [
    ['the link itself', href, header, 200],
    ['no token', href, {}, 401],
    ['another object', href.replace(oid, oidOf(other)), header, 401],
    ['another repository', href.replace('club', 'open'), header, 401],
    ['the token of an upload for another object', href, upload.header, 401],
    [
      'a token that was changed',
      href,
      { Authorization: `${header.Authorization.slice(0, -2)}AA` },
      401,
    ],
    ['a token as a password', href, { Authorization: basic(header.Authorization) }, 401],
    ['the API itself', `${server.url}${objects}/${oidOf(other)}`, header, 401],
  ];
  for (const [what, url, headers, status] of tries) {
    t.is(
      (await server.follow('GET', { href: url, header: headers as Record<string, string> })).status,
      status,
      what,
    );
  }
  t.is(
    (await server.follow('PUT', { href: `${href}?size=20`, header }, content)).status,
    401,
    'to write',
  );
  t.is((await server.call('POST', objects, { headers: header, body: object })).status, 401);
  advance(3_600_000 - 1);
  t.is((await server.follow('GET', download)).status, 200, 'the last moment');
  advance(1);
  t.is((await server.follow('GET', download)).status, 401, 'expired');
  const fresh = (await server.call('GET', `${objects}/${oid}`, { as: bob })).body._links.download;
  const { directory } = server.admin;
  const user = (await directory.findUser('bob'))!;
  const repository = (await directory.findRepository('club/maps'))!;
  await directory.revoke(user.id, repository.id);
  t.is((await server.follow('GET', fresh)).status, 404, 'its user was let out');
  await directory.removeUser('bob');
  t.is((await server.follow('GET', fresh)).status, 401, 'its user was removed');
  await directory.addUser('bob', user.password, 0);
  await directory.grant((await directory.findUser('bob'))!.id, repository.id, 'read');
  t.is((await server.follow('GET', fresh)).status, 401, 'somebody else has the name now');
});

test('media types: the specification’s, git-lfs’s for those who name it, plain JSON beside bytes; 406 only where nothing fits', async (t) => {
  const server = await startTestObjects(t, {
    config: { documentationUrl: 'https://example.org/help' },
  });
  await server.send('club/maps', content);
  const expected: [string | undefined, number, string][] = [
    [undefined, 200, xLfs],
    [xLfs, 200, xLfs],
    [`${xLfs}; charset=utf-8`, 200, xLfs],
    [`text/html, ${gitLfs.toUpperCase()};q=0.9`, 200, gitLfs],
    ['application/json', 200, xLfs],
    ['*/*', 200, xLfs],
    ['application/*', 200, xLfs],
    ['text/html', 406, xLfs],
  ];
  for (const [accept, status, type] of expected) {
    // An empty Accept is as good as none, which fetch cannot leave out.
    const answer = await server.call('GET', `${objects}/${oid}`, {
      as: bob,
      headers: { accept: accept ?? '' },
    });
    t.deepEqual([answer.status, answer.type], [status, type], accept);
  }
  const old = { as: ann, headers: { accept: '', 'content-type': `${gitLfs}; charset=utf-8` } };
  const verified = await server.call('POST', '/club/maps/verify', {
    ...old,
    body: { ...object, expires_at: '0001-01-01T00:00:00Z' },
  });
  t.deepEqual(
    [verified.status, verified.type],
    [200, gitLfs],
    'without Accept the body’s type decides',
  );
  const text = await server.call('POST', '/club/maps/verify', {
    as: ann,
    body: object,
    headers: { accept: 'text/html' },
  });
  t.is(text.status, 200, 'verify asks nobody for an Accept');
  const wrong = await server.call('POST', objects, {
    as: ann,
    body: object,
    headers: { 'content-type': 'text/plain' },
  });
  t.is(wrong.status, 415);
  const refused = await server.call('GET', `${objects}/${'0'.repeat(64)}`, { as: bob });
  t.deepEqual(Object.keys(refused.body), ['message', 'code', 'request_id', 'documentation_url']);
  t.deepEqual(
    [refused.status, refused.type, refused.body.documentation_url],
    [404, xLfs, 'https://example.org/help'],
  );
  const bytes = await server.call('GET', `${objects}/${'0'.repeat(64)}/content`, { as: bob });
  t.deepEqual([bytes.status, bytes.type], [404, 'application/json']);
});

test('names and oids that are none reach nothing', async (t) => {
  const server = await startTestObjects(t);
  const noName = await server.call('GET', `/open/maps/objects/${oid}`, { as: 'an\0n:password' });
  t.is(noName.status, 401);
  await server.send('open/maps', content);
  const upper = oid.toUpperCase();
  for (const path of [
    `/open/maps/objects/${upper}`,
    `/open/maps/objects/${oid}0`,
    `/open/maps/objects/${oid.slice(1)}/content`,
    '/open/maps/objects/..%2f..%2fsecret/content',
    '/open/maps/objects/%2e%2e/content',
    `/open/../club/maps/objects/${oid}`,
    `/open/maps%2f..%2fmaps/objects/${oid}`,
    `/open/maps%00/objects/${oid}`,
    `/open/m%zz/objects/${oid}`,
    `/open/maps.git/objects/${oid}`,
    `/open/maps.lock/objects/${oid}`,
    `/open/maps..git/info/lfs/objects/${oid}`,
    `//open/maps/objects/${oid}`,
    `/open/maps/objects/${oid}/`,
    `/open/maps/objects/${oid}/content/`,
  ]) {
    const connection = await RawConnection.open(
      server.port,
      rawRequest(`GET ${path}`, ['Connection: close']),
    );
    const answer = await connection.answer();
    t.true(answer?.status === 404 || answer?.status === 401, `${path}: ${answer?.status}`);
    t.false(answer?.body.includes('harbour'));
  }
  for (const body of [
    { oid: upper, size: 1 },
    { oid: `../${oid.slice(3)}`, size: 1 },
    { oid, size: -1 },
    { oid, size: 1.5 },
    { oid, size: 2 ** 53 },
    { oid, size: '20' },
    { oid },
    [],
  ]) {
    const answer = await server.call('POST', '/open/maps/objects', { as: ann, body });
    t.is(answer.status, 400, JSON.stringify(body));
  }
  t.is((await server.call('POST', '/open/maps/objects', { as: ann, body: '{"oid":' })).status, 400);
  const largest = { oid: '1'.repeat(64), size: Number.MAX_SAFE_INTEGER };
  t.is((await server.call('POST', '/open/maps/objects', { as: ann, body: largest })).status, 507);
});

test('the longest names and the largest batch are taken, and nothing beyond', async (t) => {
  const server = await startTestObjects(t);
  const batchOf = (count: number) =>
    server.call('POST', `${objects}/batch`, {
      as: ann,
      body: { operation: 'download', objects: Array.from({ length: count }, () => object) },
    });
  const most = await batchOf(1_000);
  t.deepEqual([most.status, most.body.objects.length], [200, 1_000]);
  t.is((await batchOf(1_001)).status, 400);
  const [owner, name] = ['o'.repeat(100), 'n'.repeat(100)];
  const announce = async (ownerName: string, repositoryName: string) => {
    // All are there, so that only the length of their names tells them apart.
    const { directory } = server.admin;
    await directory.addRepository(ownerName, repositoryName, true, 0);
    const path = `${ownerName}/${repositoryName}`;
    await directory.grant(
      (await directory.findUser('ann'))!.id,
      (await directory.findRepository(path))!.id,
      'write',
    );
    return (await server.call('POST', `/${path}/objects`, { as: ann, body: object })).status;
  };
  t.is(await announce(owner, name), 202);
  t.is(await announce(`${owner}o`, name), 404);
  t.is(await announce(owner, `${name}n`), 404);
});

test('methods: 405 with Allow on known paths, 404 elsewhere and for a batch API that is switched off', async (t) => {
  const server = await startTestObjects(t, { config: { hasBatch: false } });
  const expected: [string, string, number, string | null][] = [
    ['DELETE', `${objects}/${oid}`, 405, 'GET'],
    ['PUT', objects, 405, 'POST'],
    ['POST', `${objects}/${oid}/content`, 405, 'GET, HEAD, PUT'],
    ['GET', '/club/maps/verify', 405, 'POST'],
    ['PUT', '/club/maps/locks', 405, 'GET, POST'],
    ['POST', `${objects}/batch`, 404, null],
    ['GET', '/club/maps', 404, null],
    ['GET', '/', 404, null],
  ];
  for (const [method, path, status, allow] of expected) {
    const answer = await server.call(method, path, { as: ann });
    t.deepEqual([answer.status, answer.headers.get('allow')], [status, allow], `${method} ${path}`);
    t.truthy(answer.body.message);
  }
});

test('batch: each object is answered for itself, in order, with links that work', async (t) => {
  const server = await startTestObjects(t);
  const fresh = Buffer.from('fresh');
  await server.send('club/maps', content);
  const wanted = [
    { oid: oidOf(fresh), size: 5 },
    object,
    { oid, size: 3 },
    { oid: 'short', size: 1 },
    { oid: oidOf(fresh), size: -5 },
    { oid: oidOf(Buffer.alloc(0)), size: 0 },
  ];
  const ask = (operation: string, as = ann, more: object = {}) =>
    server.call('POST', `${objects}/batch`, {
      as,
      body: {
        operation,
        objects: wanted,
        transfers: ['ssh', 'basic'],
        ref: { name: 'main' },
        ...more,
      },
      headers: { accept: gitLfs, 'content-type': gitLfs },
    });
  const up = await ask('upload');
  t.deepEqual([up.status, up.type, up.body.transfer], [200, gitLfs, 'basic']);
  const [one, two, ...rest] = up.body.objects;
  t.deepEqual(Object.keys(one!.actions), ['upload', 'verify']);
  t.is(one!.actions.upload.expires_in, 3_600);
  t.deepEqual(two, object, 'no actions for what is there');
  t.deepEqual(
    rest.map((entry) => entry.error?.code),
    [422, 422, 422, undefined],
  );
  t.is((await server.follow('PUT', one!.actions.upload, fresh)).status, 200);
  t.is((await server.follow('PUT', rest[3]!.actions.upload, Buffer.alloc(0))).status, 200);
  const down = await ask('download', bob);
  const codes = down.body.objects.map((entry) => entry.error?.code ?? entry.size);
  t.deepEqual(codes, [5, content.length, 422, 422, 422, 0]);
  for (const [index, bytes] of [
    [0, fresh],
    [1, content],
    [5, Buffer.alloc(0)],
  ] as const) {
    const got = await server.follow('GET', down.body.objects[index]!.actions.download);
    t.deepEqual([got.status, got.bytes], [200, bytes]);
  }
  t.is((await ask('upload', bob)).status, 403);
  t.is((await ask('download', eve)).status, 404);
  t.is((await ask('download', ann, { hash_algo: 'sha512' })).status, 409);
  const unnamed = await ask('download', ann, { hash_algo: '' });
  t.like(unnamed, { status: 400, body: { code: 'invalid', field: 'hash_algo' } });
  t.is((await ask('destroy')).status, 400);
});

test('limits are told before the bytes: size, quota, room on the disk, a content that was wrong twice', async (t) => {
  const { clock, advance } = manualTime();
  const server = await startTestObjects(t, { clock, config: { maxObjectBytes: 100 } });
  const { directory } = server.admin;
  const repository = (await directory.findRepository('club/maps'))!.id;
  const status = async (size: number, name = 'x') => {
    const body = { oid: oidOf(Buffer.from(`${name}${size}`)), size };
    return (await server.call('POST', objects, { as: ann, body })).status;
  };
  t.deepEqual([await status(100), await status(101)], [202, 413]);
  await directory.changeRepository(repository, { maxObjectBytes: 200, quotaBytes: 150 });
  t.deepEqual([await status(150), await status(151), await status(201)], [202, 507, 413]);
  await server.send('club/maps', content);
  t.deepEqual([await status(130), await status(131)], [202, 507]);
  const batch = await server.call('POST', `${objects}/batch`, {
    as: ann,
    body: {
      operation: 'upload',
      objects: [1, 2, 3].map((n) => ({ oid: `${n}`.repeat(64), size: 60 })),
    },
  });
  const codes = batch.body.objects.map((entry) => entry.error?.code);
  t.deepEqual(codes, [undefined, undefined, 507], 'the objects of a batch count together');
  await directory.changeRepository(repository, { maxObjectBytes: null, quotaBytes: null });

  const wanted = Buffer.from('wanted');
  const body = { oid: oidOf(wanted), size: 6 };
  const put = () =>
    server.call('PUT', `${objects}/${body.oid}/content`, { as: ann, body: Buffer.from('wrong!') });
  t.is((await put()).status, 400);
  t.is((await server.call('POST', objects, { as: ann, body })).status, 202, 'once may happen');
  t.is((await put()).status, 400);
  t.is((await server.call('POST', objects, { as: ann, body })).status, 400);
  const told = await server.call('POST', `${objects}/batch`, {
    as: ann,
    body: { operation: 'upload', objects: [body] },
  });
  t.is(told.body.objects[0]!.error?.code, 422);
  advance(60_001);
  t.is((await server.call('POST', objects, { as: ann, body })).status, 202, 'a minute later');
  t.is((await server.send('club/maps', wanted)).status, 200);

  const full = await startTestObjects(t, { config: { minFreeBytes: Number.MAX_SAFE_INTEGER } });
  const refused = await full.call('POST', objects, announce);
  t.deepEqual([refused.status, refused.body.code], [507, 'disk_full']);
});

test('rates: 429 always says when to come back; 509 once the bandwidth of the day is used', async (t) => {
  const { clock, advance } = manualTime();
  const config = { requestsPerMinute: 3, bandwidthPerDay: 50, trustedProxy: '127.0.0.1' };
  const server = await startTestObjects(t, { clock, config });
  const from = (address: string, as = ann) =>
    server.call('GET', `${objects}/${oid}`, {
      as,
      headers: { 'x-forwarded-for': `6.6.6.6, ${address}` },
    });
  const seen = [];
  for (let n = 0; n < 4; n += 1) seen.push(await from('10.0.0.1'));
  t.deepEqual(valuesOf(seen, 'status'), [404, 404, 404, 429]);
  const seconds = Number(seen[3]?.headers.get('retry-after'));
  t.true(seconds >= 20 && seconds <= 30, 'spread over half as long again');
  t.is((await from('10.0.0.2')).status, 404, 'another client of the proxy');
  advance(20_000);
  t.is((await from('10.0.0.1')).status, 404);

  const direct = await startTestObjects(t, { clock, config: { requestsPerMinute: 1 } });
  const spoofed = (n: number) =>
    direct.call('GET', `${objects}/${oid}`, {
      as: ann,
      headers: { 'x-forwarded-for': `10.0.0.${n}` },
    });
  t.deepEqual(
    [(await spoofed(1)).status, (await spoofed(2)).status],
    [404, 429],
    'no proxy is trusted',
  );

  const limited = await startTestObjects(t, { clock, config: { bandwidthPerDay: 50 } });
  await limited.send('club/maps', content);
  const get = () => limited.call('GET', `${objects}/${oid}/content`, { as: bob });
  t.deepEqual([(await get()).status, (await get()).status, (await get()).status], [200, 200, 509]);
  t.is(
    (await limited.call('GET', `${objects}/${oid}`, { as: bob })).status,
    509,
    'told in advance',
  );
  advance(24 * 3_600_000);
  t.is((await get()).status, 200, 'the next day');
});

test('floods: huge JSON 413, deep JSON 400, many headers 431, and the server goes on', async (t) => {
  const server = await startTestObjects(t);
  const post = (body: string) => server.call('POST', objects, { as: ann, body });
  t.is((await post(`{"oid":"${'a'.repeat(1_048_576)}"}`)).status, 413);
  t.is((await post('['.repeat(1_000_000))).status, 400);
  const flood = Array.from({ length: 400 }, (_, n) => `X-${n}: ${'y'.repeat(60)}`);
  const connection = await RawConnection.open(
    server.port,
    rawRequest(`GET ${objects}/${oid}`, flood),
  );
  t.is((await connection.answer())?.status, 431);
  t.is((await server.send('club/maps', content)).status, 200);
});

test('links name the public address where there is one, else the one that was called', async (t) => {
  const server = await startTestObjects(t, {
    config: { publicUrl: 'https://objects.example.org/lfs' },
  });
  const { body } = await server.call('POST', objects, announce);
  t.true(body._links.upload.href.startsWith('https://objects.example.org/lfs/club/maps/objects/'));
  const called: TestObjects = await startTestObjects(t);
  const ask = async (host: string) => {
    const text = rawRequest(
      `POST ${objects}`,
      [`Host: ${host}`, `Content-Type: ${xLfs}`, `Authorization: ${basic(ann)}`],
      JSON.stringify(object),
    );
    const answer = await (await RawConnection.open(called.port, text)).answer();
    return answer?.status === 202 ? JSON.parse(answer.body)._links.verify.href : answer?.status;
  };
  t.is(await ask('maps.lan:8080'), 'http://maps.lan:8080/club/maps/verify');
  t.is(await ask('[::1]:8080'), 'http://[::1]:8080/club/maps/verify');
  t.is(await ask('a/b'), 421);
});
