/**
 * What is answered with 2xx was synced before: read from the system calls of a whole daemon under strace, because no kill
 * and no test of contents can see a sync that is missing.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { daemonBelow } from '../faults/site.ts';
import { testCli, untilPrinted } from '../helpers/cli.ts';
import { makeStore } from '../helpers/object-store.ts';
import { oidOf } from '../helpers/objects.ts';
import { until } from '../helpers/until.ts';
import {
  runTraced,
  startTraced,
  unsyncedAt,
  whyNoStrace,
  type SystemCall,
} from '../helpers/strace.ts';
import { testUnless } from '../helpers/where.ts';

const withStrace = testUnless(whyNoStrace(), test.serial);

/** The first bytes of an answer that says done. */
const isDone = ({ path, args }: SystemCall): boolean =>
  path.startsWith('TCP') && /"HTTP\/1\.1 20[014]/u.test(args);

async function startDaemon(t: ExecutionContext) {
  const cli = testCli(t);
  const traced = await startTraced(t, cli, ['serve', '--port', '0'], /daemon\.ready/u);
  const { url, token, ask } = daemonBelow(cli.root);
  return {
    ...traced,
    cli,
    url,
    token,
    /** Asks for a change, which has to succeed. */
    change: async (...request: Parameters<typeof ask>) => {
      const { status, text } = await ask(...request);
      t.true(status < 300, `${request[0]} ${request[1]}: ${status} ${text}`);
    },
  };
}

/** Fails for every moment at which something of `pattern` was not synced, and when there were not `moments` of them. */
function expectSynced(
  t: ExecutionContext,
  calls: readonly SystemCall[],
  isAsked: (call: SystemCall) => boolean,
  { pattern, moments }: { readonly pattern: RegExp; readonly moments: number },
): void {
  const found = unsyncedAt(calls, isAsked, pattern);
  t.true(found.length >= moments, `${found.length} of ${moments} moments`);
  const lost = found.filter(({ unsynced }) => unsynced.length > 0);
  t.deepEqual(
    lost.map(({ call, unsynced }) => `${call.args.slice(0, 80)}: ${unsynced.join(', ')}`),
    [],
  );
}

/** Asks for the list and takes none of it but the first bytes. */
async function stalledReader(t: ExecutionContext, url: string, token: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  t.teardown(() => socket.destroy());
  socket.write(
    `GET /api/waypoints HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  );
  await once(socket, 'readable');
  return socket;
}

/** How often something that matches was synced: a record in which nothing is written proves nothing. */
const syncsOf = (calls: readonly SystemCall[], pattern: RegExp): number =>
  calls.filter(({ name, path }) => name.endsWith('sync') && pattern.test(path)).length;

withStrace("a change of the user's data is synced before its answer", async (t) => {
  const { change, calls, cli } = await startDaemon(t);
  const place = { name: 'Camp', lat: 42.1, lon: -8.3 };
  const query = 'name=Camp&lat=42.1&lon=-8.3';
  await change('POST', '/api/bookmarks', place);
  await change('POST', '/api/tags', { ...place, tag: 'home' });
  await change('POST', '/api/history', { query: 'camp' });
  const note = { oldName: 'Camp', lat: 42.1, lon: -8.3, desc: 'by the river' };
  await change('PATCH', '/api/bookmarks', note);
  const bookmarks = join(cli.root, 'data', 'bookmarks.gpx');
  await until(
    () => existsSync(bookmarks) && readFileSync(bookmarks, 'utf8').includes('by the river'),
  );
  await change('DELETE', `/api/tags?${query}&tag=home`);
  await change('DELETE', `/api/bookmarks?${query}`);
  const record = await calls();
  const store = /\/data(\/waypoints\.sqlite(-wal|-journal)?)?$/u;
  expectSynced(t, record, isDone, { pattern: store, moments: 6 });
  t.true(syncsOf(record, /waypoints\.sqlite-wal$/u) >= 6);
  // The name of the data directory itself, which the first start has made.
  expectSynced(t, record, isDone, { pattern: new RegExp(`^${cli.root}$`, 'u'), moments: 6 });

  // The bookmarks file: its content and the hash in the store are on the disk before the rename, the name after it.
  const isRename = ({ target = '' }: SystemCall): boolean => target.endsWith('/bookmarks.gpx');
  const draftOrStore = /bookmarks\.gpx\.[^/]*tmp$|waypoints\.sqlite(-wal)?$/u;
  expectSynced(t, record, isRename, { pattern: draftOrStore, moments: 1 });
  const isEnd = (one: SystemCall): boolean => one === record.at(-1);
  expectSynced(t, record, isEnd, { pattern: /\/data(\/bookmarks\.gpx)?$/u, moments: 1 });
});

withStrace('an import is on the disk before its answer', async (t) => {
  const { change, calls, cli, url, token } = await startDaemon(t);
  const folder = join(cli.root, 'tracks');
  mkdirSync(join(folder, 'deeper', 'still'), { recursive: true });
  const gpx = (at: number): string =>
    `<gpx version="1.1" creator="t" xmlns="http://www.topografix.com/GPX/1/1"><wpt lat="1" lon="${at}"><name>W${at}</name></wpt><trk><trkseg><trkpt lat="1" lon="${at}"><time>2024-01-0${at}T00:00:00Z</time></trkpt></trkseg></trk></gpx>`;
  writeFileSync(join(folder, 'a.gpx'), gpx(1));
  writeFileSync(join(folder, 'deeper', 'still', 'b.gpx'), gpx(2));
  await change('POST', '/api/import', { dir: folder, recursive: true });
  writeFileSync(join(folder, 'a.gpx'), gpx(3));
  await change('POST', '/api/import', { dir: folder, recursive: true });
  // A reader of an older state keeps the log from being emptied: what is new in it has to be synced by itself.
  const many = Array.from(
    { length: 60_000 },
    (_, at) => `<wpt lat="1" lon="2"><name>${at}</name><desc>${'long '.repeat(60)}</desc></wpt>`,
  );
  writeFileSync(join(folder, 'many.gpx'), gpx(4).replace('<wpt', `${many.join('')}<wpt`));
  await change('POST', '/api/import', { dir: folder, recursive: true });
  const reader = await stalledReader(t, url, token);
  writeFileSync(join(folder, 'c.gpx'), gpx(5));
  await change('POST', '/api/import', { dir: folder, recursive: true });
  reader.destroy();
  const record = await calls();
  const library = /\/data(\/library\.sqlite(-wal|-journal)?)?$|\/data\/imports(\/|$)/u;
  expectSynced(t, record, isDone, { pattern: library, moments: 4 });
  t.true(syncsOf(record, /\/data\/imports\//u) >= 3);
  // A name never shows a file that is not whole.
  const isRename = ({ target = '' }: SystemCall): boolean =>
    /\/data\/imports\/.*\.gpx$/u.test(target);
  expectSynced(t, record, isRename, { pattern: /\/data\/.*\.(tmp|part|gpx)$/u, moments: 3 });
});

withStrace('an object is on the disk before its upload is answered', async (t) => {
  const cli = testCli(t);
  const on = await makeStore(cli);
  const words = ['objects', 'serve', '--listen', '127.0.0.1:0', ...on];
  const { calls, printed } = await startTraced(t, cli, words, /http:\/\/127\.0\.0\.1:\d+/u);
  for (const content of ['a map of the harbour', 'another']) {
    const oid = oidOf(content);
    const { status } = await fetch(`${printed}/club/maps/objects/${oid}/content`, {
      method: 'PUT',
      headers: { authorization: `Basic ${btoa('ann:a-secret')}` },
      body: content,
    });
    t.is(status, 200);
  }
  const record = await calls();
  const kept = /\/store\/(objects(\/.*)?|objects\.sqlite(-wal|-journal)?)?$/u;
  expectSynced(t, record, isDone, { pattern: kept, moments: 2 });
  t.true(syncsOf(record, /\/store\/objects\.sqlite-wal$/u) >= 2);
});

withStrace('what a command has written is on the disk when it says so', async (t) => {
  const cli = testCli(t);
  // Standard output by its descriptor: Node.js writes to pipes of its own, too.
  const isPrinted = ({ name, args }: SystemCall): boolean =>
    /^(?:write|send)/u.test(name) && args.startsWith('1<');
  const on = ['--root', join(cli.root, 'store')];
  const store = /\/store\/(objects\.sqlite(-wal|-journal)?)?$/u;
  await cli.out(['objects', 'repo', 'add', 'club/first', ...on]);
  // Beside a server, which has the store open: closing it last would sync all of it.
  const words = ['objects', 'serve', '--listen', '127.0.0.1:0', ...on];
  await untilPrinted(cli.start(words).stdout, /http/u);
  const added = await runTraced(t, cli, ['objects', 'repo', 'add', 'club/maps', ...on]);
  expectSynced(t, added, isPrinted, { pattern: store, moments: 1 });
  const config = /\/config\/waypointd(\/.*)?$/u;
  const set = await runTraced(t, cli, ['config', 'set', 'port', '4000']);
  expectSynced(t, set, (call) => call === set.at(-1), { pattern: config, moments: 1 });
  t.true(syncsOf(set, config) >= 2);
});

withStrace('directories that a start makes are private from their first moment', async (t) => {
  const cli = testCli(t);
  await cli.out(['bookmark', 'add', 'Camp', '42.1', '-8.3']);
  const { calls } = await startTraced(t, cli, ['serve', '--port', '0'], /daemon\.ready/u);
  const made = (await calls()).filter(
    ({ name, path, result }) =>
      name.startsWith('mkdir') &&
      result === 0 &&
      /^\/(?:data|cache|run)\b/u.test(path.slice(cli.root.length)),
  );
  t.true(made.length > 0);
  t.deepEqual(
    made.filter(({ args }) => !args.includes(', 0700)')).map(({ path }) => path),
    [],
  );
});
