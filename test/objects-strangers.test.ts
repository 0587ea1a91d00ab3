/** The object server among strangers: clients that vanish, dawdle, guess, or want everything for themselves. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { networkOf } from '../objects/client-address.ts';
import { amongSlow, slowRequests } from './helpers/crowd.ts';
import { manualTime } from './helpers/manual-time.ts';
import {
  ann,
  basic,
  bob,
  eve,
  oidOf,
  startTestObjects,
  type TestObjects,
} from './helpers/objects.ts';
import { testProgram } from './helpers/program.ts';
import { RawConnection, rawRequest } from './helpers/raw-http.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';
import { until } from './helpers/until.ts';
import { withMounts } from './helpers/where.ts';

const objects = '/club/maps/objects';
const content = Buffer.from('0123456789');
const oid = oidOf(content);

function rawPut(
  { port }: TestObjects,
  of: string,
  headers: readonly string[],
  query = '',
  as = ann,
): Promise<RawConnection> {
  const all = [`Authorization: ${basic(as)}`, ...headers];
  return RawConnection.open(port, rawRequest(`PUT ${objects}/${of}/content${query}`, all));
}

function incoming({ directory }: TestObjects): string[] {
  return readdirSync(join(directory, 'incoming'));
}

async function setQuota({ admin }: TestObjects, quotaBytes: number | null): Promise<void> {
  const repository = await admin.directory.findRepository('club/maps');
  await admin.directory.changeRepository(repository?.id ?? 0, { quotaBytes });
}

// Serial: while other tests keep this thread, and those of its files, busy, a steady sender would look slow.
test.serial(
  'an upload that is too slow is told 408, and one that is just fast enough goes on',
  async (t) => {
    const limits = { slowBodyMs: 400, slowBodyBytes: 4 };
    const server = await startTestObjects(t, { limits });
    const slow = await rawPut(server, oidOf(Buffer.alloc(1_000)), ['Content-Length: 1000']);
    slow.send('1');
    const steady = await rawPut(server, oidOf(Buffer.alloc(1_000)), ['Content-Length: 1000']);
    const timer = setInterval(() => steady.send(Buffer.alloc(4)), 20);
    t.is((await slow.answer())?.status, 408);
    const silent = await rawPut(server, oid, ['Content-Length: 10']);
    t.is((await silent.answer())?.status, 408);
    clearInterval(timer);
    steady.send(Buffer.alloc(1_000));
    t.not((await steady.answer())?.status, 408);
    await until(() => incoming(server).length === 0);
  },
);

test('one huge upload keeps at most half of the room from the others, all of it from its own user', async (t) => {
  const server = await startTestObjects(t, { limits: { slowBodyMs: 600_000 } });
  const { directory } = server.admin;
  const user = async (name: string) => (await directory.findUser(name))?.id ?? 0;
  const club = (await directory.findRepository('club/maps'))?.id ?? 0;
  for (const name of ['bob', 'eve']) await directory.grant(await user(name), club, 'write');
  await setQuota(server, 1_000);
  const begin = async (size: number, as: string, file: string) => {
    const before = incoming(server).length;
    const upload = await rawPut(
      server,
      oidOf(Buffer.from(file)),
      [`Content-Length: ${size}`],
      '',
      as,
    );
    upload.send('1');
    await until(() => incoming(server).length > before);
    return upload;
  };
  const mayAnnounce = async (size: number, as: string) => {
    const body = { oid: oidOf(Buffer.from(`${size}`)), size };
    return (await server.call('POST', objects, { as, body })).status;
  };
  const huge = await begin(900, ann, 'huge');
  t.deepEqual([await mayAnnounce(500, bob), await mayAnnounce(501, bob)], [202, 507]);
  t.deepEqual([await mayAnnounce(100, ann), await mayAnnounce(101, ann)], [202, 507]);
  // The next one holds at most half of what that leaves.
  const second = await begin(500, bob, 'second');
  t.deepEqual([await mayAnnounce(250, eve), await mayAnnounce(251, eve)], [202, 507]);
  const small = await begin(100, eve, 'small');
  for (const { socket } of [huge, second, small]) socket.destroy();
  await until(async () => (await mayAnnounce(1_000, eve)) === 202);
});

test('what is let in beyond the room ends when the disk has no more', async (t) => {
  const directory = join(temporaryDirectory(t), 'root');
  let free = 3_000_000_000;
  const server = await startTestObjects(t, {
    directory,
    config: { minFreeBytes: 1_000_000_000 },
    freeBytes: async () => free,
  });
  const upload = await rawPut(server, oid, ['Content-Length: 100000000']);
  upload.send(Buffer.alloc(1_000));
  await until(() => incoming(server).length === 1);
  free = 999_999_999;
  upload.send(Buffer.alloc(17_000_000));
  t.is((await upload.answer())?.status, 507);
  await until(() => incoming(server).length === 0);
});

test('of one address, connections without a login are a quarter at most; those with one stay', async (t) => {
  // However long it takes here, none of them is silent for too long.
  const limits = { connections: 16, headersTimeoutMs: 600_000, requestTimeoutMs: 600_000 };
  const server = await startTestObjects(t, { limits: { ...limits, keepAliveTimeoutMs: 600_000 } });
  const ask = rawRequest(`GET ${objects}/${oid}`, [`Authorization: ${basic(ann)}`]);
  const asMember = async (connection: RawConnection): Promise<number | undefined> => {
    connection.send(ask);
    return (await connection.answer())?.status;
  };
  const member = await RawConnection.open(server.port);
  t.is(await asMember(member), 404);
  const strangers: RawConnection[] = [];
  for (let n = 0; n < 20; n += 1) strangers.push(await RawConnection.open(server.port));
  for (const stranger of strangers.slice(0, 16)) await stranger.ended();
  // The last four may be there, and turn out to be members.
  for (const each of [member, ...strangers.slice(16)]) t.is(await asMember(each), 404);

  const proxied = await startTestObjects(t, {
    limits,
    config: { trustedProxy: '127.0.0.1' },
  });
  const all: RawConnection[] = [];
  for (let n = 0; n < 8; n += 1) all.push(await RawConnection.open(proxied.port));
  for (const each of all) each.send(rawRequest('GET /healthz'));
  for (const each of all) t.is((await each.answer())?.status, 200, 'a proxy brings many clients');
});

test('behind a trusted proxy, connections without a login count for the address that it names last', async (t) => {
  const server = await startTestObjects(t, {
    limits: { connections: 16 },
    config: { trustedProxy: '127.0.0.1' },
  });
  const begin = (forwarded: string) => {
    const headers = [`X-Forwarded-For: ${forwarded}`, 'Content-Length: 10'];
    const head = rawRequest('POST /club/maps/objects', [
      'Content-Type: application/json',
      ...headers,
    ]);
    return RawConnection.open(server.port, head);
  };
  const other = await begin('10.0.0.1, 10.0.0.2');
  const own: RawConnection[] = [];
  for (let n = 0; n < 5; n += 1) own.push(await begin('10.0.0.2, 10.0.0.1'));
  t.is(await own[0]!.answer(), undefined, 'the oldest of five');
  for (const each of [other, ...own.slice(1)]) {
    each.send('0123456789');
    t.is((await each.answer())?.status, 400);
  }
});

test('a user has a quarter of the connections: the next request is refused, unless one is idle', async (t) => {
  const server = await startTestObjects(t, { limits: { connections: 16, slowBodyMs: 600_000 } });
  const login = `Authorization: ${basic(ann)}`;
  const get = rawRequest(`GET ${objects}/${oid}`, [login]);
  const uploads: RawConnection[] = [];
  for (let n = 0; n < 3; n += 1) {
    const upload = await rawPut(server, oidOf(Buffer.from(`${n}`)), ['Content-Length: 10']);
    upload.send('1');
    uploads.push(upload);
  }
  await until(() => incoming(server).length === 3);
  const fourth = await RawConnection.open(server.port, get);
  t.is((await fourth.answer())?.status, 404);
  const fifth = await rawPut(server, oid, ['Content-Length: 10']);
  fifth.send('1');
  await fourth.ended();
  await until(() => incoming(server).length === 4);
  const sixth = await RawConnection.open(server.port, get);
  const refused = await sixth.answer();
  t.is(refused?.status, 429);
  t.true(Number(refused?.headers.get('retry-after')) >= 1);
  sixth.send(rawRequest(`GET ${objects}/${oid}`, [`Authorization: ${basic(bob)}`]));
  t.is((await sixth.answer())?.status, 404, 'another user');
  uploads[0]!.socket.destroy();
  await until(() => incoming(server).length === 3);
  t.is((await server.call('GET', `${objects}/${oid}`, { as: ann })).status, 404);
});

for (const [client, request] of Object.entries(slowRequests)) {
  test.serial(`600 slow connections of one ${client} keep no other user out`, async (t) => {
    const server = await startTestObjects(t);
    const statuses = await amongSlow(t, server, server.port, request);
    t.deepEqual(statuses, Array<number>(20).fill(404));
  });
}

test('ten wrong passwords slow down their address and user, and neither of them elsewhere; each is one log line', async (t) => {
  const { clock, advance } = manualTime();
  const server = await startTestObjects(t, { clock, config: { trustedProxy: '127.0.0.1' } });
  const as = (login: string, address = '10.0.0.1') =>
    server.call('GET', `${objects}/${oid}`, { as: login, headers: { 'x-forwarded-for': address } });
  t.is((await as(ann)).status, 404);
  const guesses = await Promise.all(Array.from({ length: 10 }, (_, n) => as(`eve:${n}`)));
  t.true(guesses.every(({ status }) => status === 401));
  const late = await as(eve);
  t.is(late.status, 429);
  const seconds = Number(late.headers.get('retry-after'));
  t.true(seconds >= 60 && seconds <= 90, `${seconds}`);
  t.deepEqual([(await as(bob)).status, (await as(ann)).status], [404, 404], 'others there');
  t.is((await as(eve, '10.0.0.2')).status, 404, 'the same one elsewhere');
  await as('my secret sentence:');
  const lines = server.logged.filter((line) => line.startsWith('objects.login_failed'));
  t.is(lines.length, 11);
  t.is(lines[0], 'objects.login_failed {"address":"10.0.0.1","user":"eve"}');
  t.false(server.logged.join('\n').includes('secret'));
  advance(60_001);
  t.is((await as(eve)).status, 404);
});

test('an address that guesses for many users has to wait for all of them', async (t) => {
  const { clock } = manualTime();
  const server = await startTestObjects(t, { clock });
  const guess = (n: number) => server.call('GET', `${objects}/${oid}`, { as: `user${n}:x` });
  const seen = await Promise.all(Array.from({ length: 30 }, (_, n) => guess(n)));
  t.true(seen.every(({ status }) => status === 401));
  t.is((await guess(30)).status, 429);
});

test('a rate limit counts logins and announcements, and not the transfers that were let in', async (t) => {
  const { clock } = manualTime();
  const server = await startTestObjects(t, { clock, config: { requestsPerMinute: 3 } });
  const body = { oid, size: content.length };
  const announced = await server.call('POST', objects, { as: ann, body });
  const { upload, verify } = announced.body._links;
  for (let n = 0; n < 5; n += 1) {
    t.is((await server.follow('PUT', upload, content)).status, 200);
    t.is((await server.follow('POST', verify, body)).status, 200);
  }
  const { download } = (await server.call('GET', `${objects}/${oid}`, { as: bob })).body._links;
  for (let n = 0; n < 5; n += 1) t.is((await server.follow('GET', download)).status, 200);
  const direct = () => server.call('GET', `${objects}/${oid}/content`, { as: bob });
  t.is((await direct()).status, 200, 'a login, the third');
  const waits = new Set<string | null>();
  for (let n = 0; n < 40; n += 1) {
    const refused = await direct();
    t.is(refused.status, 429);
    waits.add(refused.headers.get('retry-after'));
  }
  t.true(waits.size > 1, 'not all at once');
  t.is((await server.follow('GET', download)).status, 200);
  const forged = { href: download.href, header: { Authorization: 'Bearer x.y' } };
  t.is((await server.follow('GET', forged)).status, 429, 'what is no link counts');
});

test('one client has one address of IPv4, or half of one of IPv6', (t) => {
  const networks: [address: string, network: string][] = [
    ['10.1.2.3', '10.1.2.3'],
    ['2001:db8:0:1:2:3:4:5', '2001:db8:0:1'],
    ['2001:0DB8::1', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
  ];
  for (const [address, network] of networks) t.is(networkOf(address), network, address);
});

test('what a repository refuses by its rules is no error in the log', async (t) => {
  const server = await startTestObjects(t, { limits: { slowBodyMs: 600_000 } });
  await setQuota(server, 1);
  const body = { oid, size: content.length };
  t.is((await server.call('POST', objects, { as: ann, body })).status, 507);
  t.deepEqual(
    server.logged.filter((line) => line.startsWith('http.failed')),
    [],
  );
});

withMounts('a store whose contents are on another file system is refused before any byte', (t) => {
  const root = join(temporaryDirectory(t), 'root');
  const program = testProgram('object-server');
  const mounts = {
    another: 'mkdir -p "$0/objects" && mount -t tmpfs tmpfs "$0/objects" && exec "$@"',
    'the same, mounted twice':
      'mkdir -p "$0/objects" "$0/other" && mount --bind "$0/other" "$0/objects" && exec "$@"',
  };
  mkdirSync(root);
  for (const [what, script] of Object.entries(mounts)) {
    const words = ['-rm', 'sh', '-c', script, root, process.execPath, program, root, 'fill'];
    const { status, stderr } = spawnSync('unshare', words, { encoding: 'utf8' });
    t.not(status, 0, what);
    t.regex(stderr, /StoreDivided/, what);
  }
});
