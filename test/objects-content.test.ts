/** The bytes: ranges, uploads that go wrong, many at once, full disks, sudden ends; and the store beneath. */
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { ContentName } from '../storage/content-store/content-store.ts';
import { collectGarbage } from '../objects/upkeep/collect.ts';
import { rounds } from './helpers/effort.ts';
import { ann, basic, bob, oidOf, startTestObjects, type TestObjects } from './helpers/objects.ts';
import { filesBelow } from './helpers/imports.ts';
import { RawConnection, rawRequest } from './helpers/raw-http.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';
import { posix, withMounts } from './helpers/where.ts';
import { testProgram } from './helpers/program.ts';
import { until } from './helpers/until.ts';

const objects = '/club/maps/objects';
/** Several pieces of every buffer on the way, and no multiple of any. */
const large = Buffer.alloc(2_500_001).map((_, at) => (at * 31 + (at >> 9)) & 255);
const largeOid = oidOf(large);

function stored(server: TestObjects, oid: string): string {
  return join(server.directory, 'objects', oid.slice(0, 2), oid.slice(2, 4), oid);
}

/** A PUT whose body the test sends itself. */
function rawPut(server: TestObjects, oid: string, headers: readonly string[], query = '') {
  const all = [`Authorization: ${basic(ann)}`, ...headers];
  return RawConnection.open(server.port, rawRequest(`PUT ${objects}/${oid}/content${query}`, all));
}

test('ranges: one of them, suffixes, resuming, 416 with the size, If-Range, If-None-Match, HEAD', async (t) => {
  const server = await startTestObjects(t);
  await server.send('club/maps', large);
  const size = large.length;
  const get = (headers: Record<string, string>, method = 'GET') =>
    server.call(method, `${objects}/${largeOid}/content`, { as: bob, headers });
  const expected: [string, number, number, number][] = [
    ['bytes=0-0', 206, 0, 1],
    ['bytes=1000000-', 206, 1_000_000, size],
    [`bytes=1-${size * 2}`, 206, 1, size],
    ['Bytes=-7', 206, size - 7, size],
    [`bytes=-${size + 1}`, 206, 0, size],
    ['bytes=5-3', 200, 0, size],
    ['bytes=0-1,5-6', 200, 0, size],
    ['lines=1-2', 200, 0, size],
    ['bytes=-', 200, 0, size],
  ];
  for (const [range, status, from, to] of expected) {
    const answer = await get({ range });
    t.is(answer.status, status, range);
    t.true(answer.bytes.equals(large.subarray(from, to)), range);
    const told = status === 206 ? `bytes ${from}-${to - 1}/${size}` : null;
    t.is(answer.headers.get('content-range'), told, range);
  }
  for (const range of [`bytes=${size}-`, 'bytes=-0', `bytes=${'9'.repeat(40)}-`]) {
    const answer = await get({ range });
    t.deepEqual(
      [answer.status, answer.headers.get('content-range')],
      [416, `bytes */${size}`],
      range,
    );
    t.is(answer.type, 'application/json');
  }
  const range = 'bytes=0-9';
  t.is((await get({ range, 'if-range': `"${largeOid}"` })).status, 206);
  t.is((await get({ range, 'if-range': `W/"${largeOid}"` })).status, 200);
  t.is((await get({ range, 'if-range': 'Sat, 01 Jun 2024 12:00:00 GMT' })).status, 200);
  t.is((await get({ 'if-none-match': `"other", "${largeOid}"` })).status, 304);
  const head = await get({ range }, 'HEAD');
  t.deepEqual(
    [head.status, head.headers.get('content-length'), head.bytes.length],
    [200, String(size), 0],
  );
  const zipped = await get({ 'accept-encoding': 'gzip' });
  t.is(zipped.headers.get('content-encoding'), null);
});

test('what is not what was announced is not stored: wrong bytes, short, long, no length; nothing is left', async (t) => {
  const server = await startTestObjects(t);
  const right = Buffer.from('0123456789');
  const oid = oidOf(right);
  const put = async (headers: string[], body: string, query = '') => {
    const connection = await rawPut(server, oid, headers, query);
    connection.send(body);
    return (await connection.answer())?.status;
  };
  t.is(await put(['Content-Length: 10'], 'abcdefghij'), 400, 'other bytes');
  t.is(
    await put(['Content-Length: 9'], '012345678', '?size=10'),
    400,
    'a length that was not announced',
  );
  t.is(
    await put(['Transfer-Encoding: chunked'], 'a\r\n0123456789\r\n0\r\n\r\n'),
    400,
    'no length at all',
  );
  const chunked = ['Transfer-Encoding: chunked', 'Content-Type: text/plain; charset=utf-8'];
  // Never ended: the one byte too many is enough.
  t.is(await put(chunked, 'b\r\n0123456789x\r\n', '?size=10'), 400, 'longer than announced');
  const cut = await rawPut(server, oid, ['Content-Length: 10']);
  cut.send('01234');
  cut.socket.destroy();
  t.is((await server.call('GET', `${objects}/${oid}`, { as: bob })).status, 404);
  await until(() => filesBelow(join(server.directory, 'incoming')).length === 0);
  t.deepEqual(filesBelow(join(server.directory, 'objects')), []);
  const other = await startTestObjects(t);
  const connection = await rawPut(other, oid, chunked, '?size=10');
  connection.send('4\r\n0123\r\n', '6\r\n456789\r\n0\r\n\r\n');
  t.is((await connection.answer())?.status, 200, 'chunked, of any type');
  t.is(statSync(stored(other, oid)).mode & 0o777, 0o444);
});

test('100-continue: a refused upload is never sent, a welcome one is asked for', async (t) => {
  const server = await startTestObjects(t);
  const right = Buffer.from('0123456789');
  const headers = ['Content-Length: 10', 'Expect: 100-continue'];
  const refused = await rawPut(server, oidOf(right), headers, '?size=11');
  t.is((await refused.answer())?.status, 400);
  const welcome = await rawPut(server, oidOf(right), headers);
  t.is((await welcome.answer())?.status, 100);
  welcome.send(right);
  t.is((await welcome.answer())?.status, 200);
});

test('many uploads of one object at once all succeed, and there is one copy', async (t) => {
  const server = await startTestObjects(t);
  const { directory } = server.admin;
  await directory.changeRepository((await directory.findRepository('club/maps'))!.id, {
    quotaBytes: large.length,
  });
  const upload = (
    await server.call('POST', objects, { as: ann, body: { oid: largeOid, size: large.length } })
  ).body._links.upload;
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => server.follow('PUT', upload, large)),
  );
  t.deepEqual(
    answers.map(({ status }) => status),
    Array.from({ length: 8 }, () => 200),
  );
  t.deepEqual(filesBelow(join(server.directory, 'objects')), [
    `${largeOid.slice(0, 2)}/${largeOid.slice(2, 4)}/${largeOid}`,
  ]);
  t.deepEqual(filesBelow(join(server.directory, 'incoming')), []);
  t.is((await directory.findRepository('club/maps'))?.bytes, large.length);
});

test('uploads at the same time cannot exceed a quota together, and what is refused is not stored', async (t) => {
  const server = await startTestObjects(t);
  const { directory } = server.admin;
  const repository = (await directory.findRepository('club/maps'))!.id;
  await directory.changeRepository(repository, { quotaBytes: 2_500_000 });
  const contents = [1, 2, 3, 4].map((n) => Buffer.alloc(1_000_000, n));
  const answers = await Promise.all(
    contents.map((body) =>
      server.call('PUT', `${objects}/${oidOf(body)}/content`, { as: ann, body }),
    ),
  );
  t.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 200, 507, 507],
  );
  // An administrator is faster than the bytes: what has arrived is taken away again.
  const late = Buffer.from('0123456789');
  const connection = await rawPut(server, oidOf(late), ['Content-Length: 10']);
  connection.send('01234');
  await until(() => filesBelow(join(server.directory, 'incoming')).length === 1);
  await directory.changeRepository(repository, { quotaBytes: 1 });
  connection.send('56789');
  t.is((await connection.answer())?.status, 507);
  t.is(filesBelow(join(server.directory, 'objects')).length, 2);
  t.deepEqual(filesBelow(join(server.directory, 'quarantine')), []);
  const held = contents.find((_, i) => answers[i]?.status === 200)!;
  const again = `${objects}/${oidOf(held)}/content`;
  t.is((await server.call('PUT', again, { as: ann, body: held })).status, 200, 'it counts already');
});

test('a content that another repository holds stays, whatever becomes of an upload of it', async (t) => {
  const server = await startTestObjects(t);
  const { directory } = server.admin;
  const shared = Buffer.from('0123456789');
  t.is((await server.send('open/maps', shared, ann)).status, 200);
  const connection = await rawPut(server, oidOf(shared), ['Content-Length: 10']);
  connection.send('01234');
  await until(() => filesBelow(join(server.directory, 'incoming')).length === 1);
  const club = (await directory.findRepository('club/maps'))!.id;
  await directory.changeRepository(club, { quotaBytes: 1 });
  connection.send('56789');
  t.is((await connection.answer())?.status, 507);
  const path = `/open/maps/objects/${oidOf(shared)}/content`;
  t.deepEqual((await server.call('GET', path, { as: ann })).bytes, shared);
});

test('slow clients: an upload goes on as long as it moves, longer than every time-out, and holds nobody back', async (t) => {
  const limits = {
    headersTimeoutMs: 300,
    connectionSweepMs: 10,
    jsonBodyMs: 300,
    keepAliveTimeoutMs: 300,
  };
  const server = await startTestObjects(t, { limits });
  const slow = Buffer.from('0123456789');
  const connection = await rawPut(server, oidOf(slow), ['Content-Length: 10']);
  const begun = performance.now();
  for (const byte of slow) {
    t.is((await server.call('GET', '/healthz')).status, 200, 'others are served meanwhile');
    await until(() => performance.now() - begun >= 60 * (byte - 47));
    connection.send(Buffer.of(byte));
  }
  t.is((await connection.answer())?.status, 200);
});

test('an upload counts in the quota once, also in the moment when it gets its row', async (t) => {
  const server = await startTestObjects(t);
  const { directory } = server.admin;
  const { id } = (await directory.findRepository('club/maps'))!;
  for (let n = 0; n < rounds(200); n += 1) {
    const { bytes } = (await directory.findRepository('club/maps'))!;
    await directory.changeRepository(id, { quotaBytes: bytes + 40 });
    const body = { oid: oidOf(randomBytes(20)), size: 20 };
    let isOver = false;
    const sending = server.send('club/maps', randomBytes(20)).finally(() => (isOver = true));
    while (!isOver) t.is((await server.call('POST', objects, { as: ann, body })).status, 202);
    t.is((await sending).status, 200);
  }
});

test('a reader that takes nothing is ended, and only what was sent counts', async (t) => {
  const server = await startTestObjects(t, { limits: { drainTimeoutMs: 150 } });
  const huge = Buffer.alloc(24_000_000, 7);
  await server.send('club/maps', huge);
  const text = rawRequest(`GET ${objects}/${oidOf(huge)}/content`, [
    `Authorization: ${basic(bob)}`,
  ]);
  const connection = await RawConnection.open(server.port, text);
  connection.socket.pause();
  await until(() => server.logged.some((line) => line.startsWith('objects.sent')));
  connection.socket.resume();
  await connection.ended();
  const sent = /"bytes":(\d+)/.exec(
    server.logged.find((line) => line.startsWith('objects.sent')) ?? '',
  )?.[1];
  t.true(Number(sent) < huge.length, 'what was counted is what was sent');
});

test('a stored file that was cut, or is gone, is asked for again and mended; a damaged one after a check', async (t) => {
  const server = await startTestObjects(t);
  const content = Buffer.from('a map of the harbour');
  const body = { oid: oidOf(content), size: content.length };
  const path = stored(server, body.oid);
  await server.send('club/maps', content);
  chmodSync(path, 0o644);
  truncateSync(path, 5);
  t.is((await server.call('GET', `${objects}/${body.oid}/content`, { as: bob })).status, 404);
  t.is((await server.call('GET', `${objects}/${body.oid}`, { as: bob })).status, 404);
  t.is((await server.send('club/maps', content)).status, 200);
  t.is(
    (await server.call('GET', `${objects}/${body.oid}/content`, { as: bob })).bytes.toString(),
    content.toString(),
  );
  await (await server.admin.contents()).quarantine(body);
  t.is((await server.call('POST', objects, { as: ann, body })).status, 202);
  t.is((await server.send('club/maps', content)).status, 200);
  t.is((await server.admin.directory.findRepository('club/maps'))?.objects, 1, 'it counts once');
});

posix(
  'what stands in the place of a stored file and is none is as good as nothing, and makes way',
  async (t) => {
    const server = await startTestObjects(t);
    const content = Buffer.from('a map of the harbour');
    const oid = oidOf(content);
    const path = stored(server, oid);
    const get = () => server.call('GET', `${objects}/${oid}/content`, { as: bob });
    await server.send('club/maps', content);
    // Twice, as the second file is opened in another way than the first one.
    for (const make of [mkdirSync, pipe, pipe, (at: string) => symlinkSync('/nowhere', at)]) {
      rmSync(path, { recursive: true });
      make(path);
      t.is((await get()).status, 404, make.name);
      t.is((await server.send('club/maps', content)).status, 200);
      t.is((await get()).bytes.toString(), content.toString(), make.name);
    }
  },
);

function pipe(path: string): void {
  spawnSync('mkfifo', [path]);
}

test('garbage: kept for the grace period, set aside, deleted after another; what is held again comes back', async (t) => {
  const server = await startTestObjects(t);
  const [content, young] = [Buffer.from('unheld'), Buffer.from('young')];
  const oid = oidOf(content);
  const { admin } = server;
  const repository = (await admin.directory.findRepository('club/maps'))!.id;
  await server.send('club/maps', content);
  await server.send('open/maps', young);
  const collect = (graceMs: number, now: number, isDryRun = false) =>
    collectGarbage(admin, { graceMs, now, isDryRun });
  const day = 86_400_000;
  const later = Date.now() + 20 * day;
  t.is((await collect(day, later)).quarantined, 0, 'what is held stays');
  await admin.holdings.remove(repository, oid);
  t.is((await collect(day, Date.now())).quarantined, 0, 'it is too young');
  t.is((await collect(day, later, true)).quarantined, 1, 'tells');
  t.true(existsSync(stored(server, oid)), 'and only tells');
  t.is((await collect(day, later)).quarantined, 1);
  t.false(existsSync(stored(server, oid)));
  t.is((await server.call('POST', objects, { as: ann, body: { oid, size: 6 } })).status, 202);
  t.is((await collect(day, Date.now())).deleted, 0, 'it was set aside just now');
  t.is((await collect(day, later)).deleted, 1);
  t.deepEqual(filesBelow(join(server.directory, 'quarantine')), []);

  // The row comes between the look and the move: the second look brings the file back.
  await server.send('club/maps', content);
  await admin.holdings.remove(repository, oid);
  let looks = 0;
  const holdings = {
    ...admin.holdings,
    isHeld: async (asked: ContentName) =>
      (await admin.holdings.isHeld(asked)) || (asked.oid === oid && (looks += 1) > 1),
  };
  const raced = await collectGarbage(
    { ...admin, holdings },
    { graceMs: 0, now: later, isDryRun: false },
  );
  t.is(raced.quarantined, 0);
  t.true(existsSync(stored(server, oid)));

  // As a collection leaves it that is cut off before it puts back what is held again.
  await admin.holdings.add(repository, { oid, size: content.length }, 0);
  await (await admin.contents()).quarantine({ oid });
  t.is((await collect(day, later)).deleted, 0, 'the only copy of what is held');
  t.is(filesBelow(join(server.directory, 'quarantine')).length, 1);
  t.is((await server.send('club/maps', content)).status, 200);
  t.is((await collect(day, later)).deleted, 1, 'there is another one now');
});

test('an upload whose file is collected before its row is written has its file all the same', async (t) => {
  const server = await startTestObjects(t);
  const { directory, holdings } = server.admin;
  const contents = await server.admin.contents();
  const content = Buffer.from('0123456789');
  const oid = oidOf(content);
  const received = await contents.of('club/maps').put(oid, 10, pieces(content));
  await collectGarbage(server.admin, { graceMs: 0, now: Date.now() + 60_000, isDryRun: false });
  t.false(existsSync(stored(server, oid)));
  await holdings.add((await directory.findRepository('club/maps'))!.id, { oid, size: 10 }, 0);
  await received.settle();
  t.deepEqual((await server.call('GET', `${objects}/${oid}/content`, { as: bob })).bytes, content);
});

test('a start sweeps what a killed server was receiving, and leaves young files of commands', async (t) => {
  const directory = join(temporaryDirectory(t), 'root');
  const incoming = join(directory, 'incoming');
  mkdirSync(incoming, { recursive: true });
  for (const name of ['server-1', 'command-young', 'command-old'])
    writeFileSync(join(incoming, name), '');
  utimesSync(join(incoming, 'command-old'), 1, 1);
  const server = await startTestObjects(t, { directory });
  t.deepEqual(readdirSync(incoming), ['command-young']);
  const { places } = server;
  await t.throwsAsync(startTestObjects(t, { directory, places }), { name: 'RootTaken' });
  await server.close();
  await t.notThrowsAsync(startTestObjects(t, { directory, places }));
});

const program = testProgram('object-server');

test('kill -9 at any moment of an upload leaves neither a wrong object nor one that cannot be sent', async (t) => {
  const directory = join(temporaryDirectory(t), 'root');
  const prepared = await startTestObjects(t, { directory });
  const { places } = prepared;
  await prepared.close();
  const answered: string[] = [];
  for (let round = 0; round < rounds(2); round += 1) {
    const child = spawn(process.execPath, [program, directory, JSON.stringify(places)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const url = `http://127.0.0.1:${Number(line)}`;
    const uploads = Array.from({ length: 3 }, async (_, n) => {
      const body = Buffer.concat([Buffer.from(`${round} ${n}`), large]);
      const response = await fetch(`${url}${objects}/${oidOf(body)}/content`, {
        method: 'PUT',
        headers: { authorization: basic(ann) },
        body,
      });
      if (response.status === 200) answered.push(oidOf(body));
    });
    const all = Promise.allSettled(uploads);
    // Some moment of the 30 ms and more that it takes, another in each round.
    await Promise.race([all, new Promise((done) => setTimeout(done, 60 + ((round * 37) % 90)))]);
    child.kill('SIGKILL');
    await Promise.all([all, once(child, 'exit')]);
  }
  const server = await startTestObjects(t, { directory, places });
  t.deepEqual(filesBelow(join(directory, 'incoming')), []);
  for (const path of filesBelow(join(directory, 'objects'))) {
    const stored = readFileSync(join(directory, 'objects', path));
    t.is(oidOf(stored), path.slice(-64), 'whatever has its name is whole');
  }
  for (const oid of answered) {
    t.is(
      (await server.call('GET', `${objects}/${oid}`, { as: bob })).status,
      200,
      'what was answered is there',
    );
  }
  for (let n = 0; n < 3; n += 1) {
    const again = await server.send('club/maps', Buffer.concat([Buffer.from(`0 ${n}`), large]));
    t.is(again.status, 200);
  }
});

withMounts(
  'a full disk: 507, nothing is left, and the same upload succeeds once there is room',
  (t) => {
    const mount = join(temporaryDirectory(t), 'mount');
    mkdirSync(mount);
    // A mount of its own, in a name space of its own, which needs no rights and goes with the program.
    const inMount = 'mount -t tmpfs -o size=6m tmpfs "$0" && exec "$@"';
    const words = [
      '-rm',
      'sh',
      '-c',
      inMount,
      mount,
      process.execPath,
      program,
      join(mount, 'root'),
      'fill',
    ];
    const { status, stdout, stderr } = spawnSync('unshare', words, { encoding: 'utf8' });
    t.is(status, 0, stderr);
    const seen = JSON.parse(stdout);
    t.deepEqual(seen.statuses, [200, 507, 507]);
    t.deepEqual(seen.incoming, []);
    t.is(seen.read, 200, 'reading goes on');
    t.is(seen.healed, 200);
  },
);

async function* pieces(...all: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* all;
}

test('small contents are sent whole and alone from buffers that are used again', async (t) => {
  const server = await startTestObjects(t);
  const contents = [65_536, 65_537, 1, 65_535, 0].map((size) => randomBytes(size));
  for (const content of contents) await server.send('club/maps', content);
  const load = async (content: Uint8Array): Promise<void> => {
    const path = `/club/maps/objects/${oidOf(content)}/content`;
    const { status, bytes } = await server.call('GET', path, { as: bob });
    t.is(status, 200);
    t.true(bytes.equals(content), `${content.length} bytes`);
  };
  for (let turn = 0; turn < 3; turn += 1) {
    await Promise.all(contents.map(load));
    for (const content of contents) await load(content);
  }
});
