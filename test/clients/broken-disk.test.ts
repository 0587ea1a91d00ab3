/**
 * A disk that fails below a whole daemon: strace lets system calls fail, on one path each, while requests come. The
 * daemon answers 503, blames no folder of the user's, and goes on when the disk does.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { builtinGeodataPath } from '../../geodata/generation.ts';
import { daemonBelow } from '../faults/site.ts';
import { finish, launcher, testCli, untilPrinted, type TestCli } from '../helpers/cli.ts';
import { temporaryPath } from '../../worker/import/copy-path.ts';
import { gpx } from '../helpers/imports.ts';
import { makeStore } from '../helpers/object-store.ts';
import { basic, bob, oidOf, startTestObjects } from '../helpers/objects.ts';
import { whyNoAttaching } from '../helpers/strace.ts';
import { testUnless } from '../helpers/where.ts';

const withStrace = testUnless(whyNoAttaching(), test.serial);

interface Fault {
  readonly calls: string;
  readonly error: string;
  /** Below the root of the test. */
  readonly path: string;
}

/** Lets the calls on a path fail while `step` runs. */
function breaking(t: ExecutionContext, cli: TestCli, child: ChildProcess) {
  return async <T>({ calls, error, path }: Fault, step: () => Promise<T>): Promise<T> => {
    const inject = ['-e', `trace=${calls}`, '-e', `inject=${calls}:error=${error}`];
    const words = ['-f', '-p', String(child.pid), '-P', join(cli.root, path), ...inject];
    const strace = spawn('strace', [...words, '-o', join(cli.root, 'strace.txt')]);
    t.teardown(() => strace.kill('SIGKILL'));
    await untilPrinted(strace.stderr, /attached/u);
    try {
      return await step();
    } finally {
      const ended = once(strace, 'exit');
      strace.kill('SIGTERM');
      await ended;
      t.regex(readFileSync(join(cli.root, 'strace.txt'), 'utf8'), /INJECTED/u, `${error} ${path}`);
    }
  };
}

async function startDaemon(t: ExecutionContext) {
  const cli = testCli(t);
  const child = cli.start(['serve', '--port', '0']);
  let log = '';
  child.stderr?.on('data', (piece: Buffer) => (log += piece.toString()));
  await untilPrinted(child.stderr, /daemon\.ready/u);
  const daemon = daemonBelow(cli.root);
  const send = async (...request: Parameters<typeof daemon.ask>) => {
    const { status, retryAfter, text } = await daemon.ask(...request);
    const body = (text.startsWith('{') ? JSON.parse(text) : {}) as { readonly message: string };
    return { status, retryAfter, body };
  };
  const ask = (path: string, body: object) => send('POST', path, body);
  const get = (path: string) => send('GET', path);
  const broken = breaking(t, cli, child);
  return { cli, child, ask, get, broken, log: () => log };
}

const wal = 'data/waypoints.sqlite-wal';
/** The name that a.gpx has while it is copied. */
const temporary = `data/imports/${temporaryPath('a.gpx')}`;
const writes = 'pwrite64,fsync,fdatasync';

withStrace('a bookmark on a broken disk is 503, and kept once the disk is well', async (t) => {
  const { ask, broken, log, cli } = await startDaemon(t);
  for (const [at, error] of ['EIO', 'EROFS', 'ENOTCONN'].entries()) {
    const bookmark = { name: `Camp ${error}`, lat: 42.1, lon: at };
    const fault = { calls: writes, error, path: wal };
    const refused = await broken(fault, () => ask('/api/bookmarks', bookmark));
    t.like(refused, { status: 503, body: { code: 'unavailable' } }, error);
    t.truthy(refused.retryAfter, error);
    t.is((await ask('/api/bookmarks', bookmark)).status, 201, `after ${error}`);
  }
  t.regex(log(), /"error_code":"SQLITE_IOERR/u);
  t.notRegex(log(), /Camp|42\.1/u);
  t.is((await cli.json(['list'])).length, 3);
});

withStrace('an import blames no folder for a fault of the machine', async (t) => {
  const { cli, ask, broken, log } = await startDaemon(t);
  const dir = join(cli.root, 'tracks');
  mkdirSync(dir);
  const request = { dir };
  const faults: readonly Fault[] = [
    { calls: 'openat', error: 'EMFILE', path: 'tracks' },
    { calls: 'openat', error: 'ENFILE', path: 'tracks' },
    { calls: 'openat', error: 'ENOTCONN', path: 'tracks' },
    { calls: 'openat', error: 'EIO', path: 'tracks' },
    { calls: 'openat', error: 'EMFILE', path: 'tracks/a.gpx' },
    { calls: 'openat', error: 'EROFS', path: temporary },
    { calls: 'fsync,fdatasync', error: 'EIO', path: temporary },
    { calls: writes, error: 'EIO', path: 'data/library.sqlite-wal' },
  ];
  for (const [at, fault] of faults.entries()) {
    const named = `${fault.error} ${fault.path}`;
    writeFileSync(join(dir, 'a.gpx'), gpx([[`Place ${at}`, 1, at]]));
    const refused = await broken(fault, () => ask('/api/import', request));
    t.like(refused, { status: 503, body: { code: 'unavailable' } }, named);
    const mended = await ask('/api/import', request);
    t.like(mended, { status: 200, body: { failed: 0, count: 1 } }, `after ${named}`);
  }
  t.notRegex(log(), /tracks|Place|a\.gpx/u);
});

withStrace(
  'a disk that cannot be read is 503 for every question, and no longer once it is well',
  async (t) => {
    const { ask, get, broken } = await startDaemon(t);
    const dir = join(import.meta.dirname, '../../fixtures/journey');
    t.is((await ask('/api/import', { dir })).status, 200);
    const days = 'from=2024-05-04T00:00:00Z&to=2024-05-05T00:00:00Z';
    for (const path of ['/api/waypoints', `/api/tracks/points?${days}`, '/api/tiles/5/15/11.mvt']) {
      // Once it is well a connection has all that it needs in memory.
      const fault = { calls: 'pread64', error: 'EIO', path: 'data/library.sqlite' };
      const refused = await broken(fault, () => get(path));
      t.like(refused, { status: 503, body: { code: 'unavailable' } }, path);
      t.is((await get(path)).status, 200, path);
    }
  },
);

withStrace('a first look at the geodata that failed is tried again', async (t) => {
  const { cli, get, broken } = await startDaemon(t);
  const path = relative(cli.root, builtinGeodataPath());
  for (const error of ['EMFILE', 'EIO']) {
    const refused = await broken({ calls: 'openat', error, path }, () => get('/api/geodata'));
    t.like(refused, { status: 503, body: { code: 'unavailable' } }, error);
  }
  t.like(await get('/api/geodata'), { status: 200, body: { current: { valid: true } } });
});

withStrace('a thread that cannot be loaded is 503, and started by the next request', async (t) => {
  const { cli, get, broken } = await startDaemon(t);
  const library = join(import.meta.dirname, '../../node_modules/piscina/package.json');
  const fault = { calls: 'openat', error: 'EMFILE', path: relative(cli.root, library) };
  const refused = await broken(fault, () => get('/api/tiles/0/0/0.mvt'));
  t.like(refused, { status: 503, body: { code: 'unavailable' } });
  t.is((await get('/api/tiles/0/0/0.mvt')).status, 204);
});

withStrace('a used-up quota is a full disk: 507', async (t) => {
  const { cli, ask, broken } = await startDaemon(t);
  const dir = join(cli.root, 'tracks');
  mkdirSync(dir);
  writeFileSync(join(dir, 'a.gpx'), gpx([['Place', 1, 2]]));
  // Node.js has no name for it, and two ways to say so.
  for (const calls of ['openat', 'write']) {
    const fault = { calls, error: 'EDQUOT', path: temporary };
    const refused = await broken(fault, () => ask('/api/import', { dir }));
    t.like(refused, { status: 507, body: { code: 'disk_full' } }, calls);
  }
  t.like(await ask('/api/import', { dir }), { status: 200, body: { failed: 0, count: 1 } });
});

withStrace('a start on a disk that fails says which directory, and what it is', async (t) => {
  const cli = testCli(t);
  await cli.out(['objects', 'repo', 'add', 'club/maps', '--root', join(cli.root, 'store')]);
  // Marks the contents as those of the store, by a rename.
  await cli.out(['objects', 'fsck', '--root', join(cli.root, 'store')]);
  const objects = { WAYPOINTD_OBJECTS: 'true', WAYPOINTD_OBJECTS_LISTEN: '127.0.0.1:0' };
  const env = { ...cli.env, ...objects, WAYPOINTD_OBJECTS_ROOT: join(cli.root, 'store') };
  await cli.out(['bookmark', 'add', 'Camp', '42.1', '-8.3']);
  const faults: readonly (readonly [calls: string, path: string | undefined, said: RegExp])[] = [
    ['openat', 'data/lock.sqlite', /\/data cannot be used \(EIO\)\. .*--data-dir\.$/mu],
    ['fcntl', 'data/lock.sqlite', /\/data cannot be used \(SQLITE_IOERR\w*\)\. .*--data-dir\.$/mu],
    ['rename', undefined, /\/run cannot be used \(EIO\)\. .*--runtime-dir\.$/mu],
    [
      'openat',
      'store/objects.sqlite',
      /object store cannot be opened \(SQLITE_CANTOPEN\): .*\.$/mu,
    ],
  ];
  for (const [calls, path, said] of faults) {
    const where = path === undefined ? [] : ['-P', join(cli.root, path)];
    const inject = ['-e', `trace=${calls}`, '-e', `inject=${calls}:error=EIO`, '-o', '/dev/null'];
    const program = [process.execPath, launcher, 'serve', '--port', '0'];
    const child = spawn('strace', ['-D', '-f', ...where, ...inject, ...program], { env });
    t.teardown(() => child.kill('SIGKILL'));
    const { code, stderr } = await finish(child);
    t.is(code, 74, stderr);
    t.regex(stderr, said);
  }
  const child = cli.start(['serve', '--port', '0'], { env: objects });
  await untilPrinted(child.stderr, /daemon\.ready/u);
  t.regex(await cli.out(['list']), /Camp/u);
});

withStrace('an imports directory that may not be written is told as that', async (t) => {
  const { cli, ask, broken, log } = await startDaemon(t);
  const dir = join(cli.root, 'tracks');
  mkdirSync(dir);
  writeFileSync(join(dir, 'a.gpx'), gpx([['Place', 1, 2]]));
  const fault = { calls: 'faccessat,faccessat2,access', error: 'EACCES', path: 'data/imports' };
  const refused = await broken(fault, () => ask('/api/import', { dir }));
  t.is(refused.status, 503);
  t.regex(refused.body.message, /imports directory.*doctor/u);
  t.regex(log(), /"error_code":"EACCES"/u);
});

withStrace(
  'a disk that sleeps when a content is asked for keeps a thread waiting, not the server',
  async (t) => {
    const server = await startTestObjects(t);
    const content = Buffer.from('a map of the harbour');
    const oid = oidOf(content);
    await server.send('club/maps', content);
    await server.close();
    const cli = testCli(t);
    const words = ['objects', 'serve', '--root', server.directory, '--listen', '127.0.0.1:0'];
    const child = cli.start(words);
    const [url] = await untilPrinted(child.stdout, /http:\S+/u);
    const path = join(server.directory, 'objects', oid.slice(0, 2), oid.slice(2, 4), oid);
    const record = join(cli.root, 'strace.txt');
    const looking = ['-f', '-p', String(child.pid), '-P', path, '-e', 'trace=openat', '-o', record];
    const strace = spawn('strace', looking);
    t.teardown(() => strace.kill('SIGKILL'));
    await untilPrinted(strace.stderr, /attached/u);
    const headers = { authorization: basic(bob) };
    const answer = await fetch(`${url}/club/maps/objects/${oid}/content`, { headers });
    t.is(await answer.text(), content.toString());
    const ended = once(strace, 'exit');
    strace.kill('SIGTERM');
    await ended;
    const [, thread] = /^(\d+) +openat/mu.exec(readFileSync(record, 'utf8')) ?? [];
    t.regex(thread ?? 'nothing was opened', /^\d+$/u);
    t.not(Number(thread), child.pid);
  },
);

withStrace('a file system that never answers keeps serve from no end', async (t) => {
  const { cli, child, ask } = await startDaemon(t);
  const path = join(cli.root, 'data/bookmarks.gpx');
  // The first call is told of when it is over; the next one outlasts what a stop may take.
  const inject = ['-e', 'trace=openat', '-e', 'inject=openat:delay_enter=12000000'];
  const words = ['-f', '-p', String(child.pid), '-P', path, ...inject];
  const strace = spawn('strace', words);
  t.teardown(() => strace.kill('SIGKILL'));
  await untilPrinted(strace.stderr, /attached/u);
  t.is((await ask('/api/bookmarks', { name: 'Camp', lat: 42.1, lon: -8 })).status, 201);
  await untilPrinted(strace.stderr, /openat/u);
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  t.deepEqual(await ended, [null, 'SIGKILL']);
  t.regex(await cli.out(['list']), /Camp/u);
});

withStrace('a command waits for the bookmarks file, on a slow disk too', async (t) => {
  const cli = testCli(t);
  await cli.out(['bookmark', 'add', 'Camp', '42.1', '-8.3']);
  const path = join(cli.root, 'data/bookmarks.gpx');
  const [, store = ''] = /store="(.+?)"/u.exec(readFileSync(path, 'utf8')) ?? [];
  const temporary = join(cli.root, `data/.bookmarks.gpx.${store}.tmp`);
  const record = join(cli.root, 'strace.txt');
  const inject = ['-e', 'trace=fsync', '-e', 'inject=fsync:delay_enter=3500000', '-o', record];
  const command = [process.execPath, launcher, 'bookmark', 'add', 'Hut', '42.2', '-8.4'];
  const words = ['-D', '-f', '-P', temporary, ...inject, ...command];
  const child = spawn('strace', words, { env: cli.env, stdio: 'ignore' });
  t.deepEqual(await once(child, 'exit'), [0, null]);
  t.regex(readFileSync(path, 'utf8'), /Hut/u);
  t.regex(readFileSync(record, 'utf8'), /DELAYED/u);
});

withStrace('where permissions do not stick, serve says so once and goes on', async (t) => {
  const cli = testCli(t);
  await cli.out(['bookmark', 'add', 'Camp', '42.1', '-8.3']);
  chmodSync(join(cli.root, 'data'), 0o755);
  const calls = 'chmod,fchmodat';
  const inject = ['-e', `trace=${calls}`, '-e', `inject=${calls}:retval=0`, '-o', '/dev/null'];
  const words = ['-D', '-f', ...inject, process.execPath, launcher, 'serve', '--port', '0'];
  const child = spawn('strace', words, { env: cli.env, stdio: ['ignore', 'ignore', 'pipe'] });
  t.teardown(() => child.kill('SIGKILL'));
  const [log] = await untilPrinted(child.stderr, /^[^]*daemon\.ready/u);
  t.is(log.split('data.permissions_do_not_stick').length, 2, log);
  t.false(log.includes('data.tightened'));
  t.regex(await cli.out(['list']), /Camp/u);
});

withStrace(
  'an object gets its name also where there are no links, and is not answered without',
  async (t) => {
    const cli = testCli(t);
    const on = await makeStore(cli);
    // strace counts the calls of each thread.
    const env = { UV_THREADPOOL_SIZE: '1' };
    const child = cli.start(['objects', 'serve', '--listen', '127.0.0.1:0', ...on], { env });
    const [url] = await untilPrinted(child.stdout, /http:\/\/127\.0\.0\.1:\d+/u);
    const broken = breaking(t, cli, child);
    const content = 'a map of the harbour';
    const oid = oidOf(content);
    const path = join('store/objects', oid.slice(0, 2), oid.slice(2, 4), oid);
    const stored = join(cli.root, path);
    const send = async (): Promise<number> => {
      const headers = { authorization: `Basic ${btoa('ann:a-secret')}` };
      const to = `${url}/club/maps/objects/${oid}/content`;
      return (await fetch(to, { method: 'PUT', headers, body: content })).status;
    };
    // The second call is the one for a file that was there and had lost its length.
    const faults: readonly [error: string, status: number][] = [
      ['EPERM', 200],
      ['EPERM:when=2', 200],
      ['EIO:when=2', 503],
    ];
    for (const [error, status] of faults) {
      const fault = { calls: 'link,linkat', error, path };
      t.is(await broken(fault, send), status, error);
      if (status !== 200) t.is(await send(), 200, `after ${error}`);
      t.is(readFileSync(stored, 'utf8'), content, error);
      chmodSync(stored, 0o644);
      truncateSync(stored, 5);
    }
  },
);
