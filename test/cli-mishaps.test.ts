/** What a command says when the machine, the disk or its caller is in the way. */
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { fail, finish, launcher, startFakeDaemon, testCli, untilPrinted } from './helpers/cli.ts';
import { onLinux, withMounts, withoutAllRights, withoutRights } from './helpers/where.ts';

const status = {
  uptime_seconds: 3,
  library: { state: 'ready', files_done: 1_200, files_total: 1_200 },
  waypoints: 0,
  bookmarks: 0,
  timelines: { queued: 0, running: 0 },
};

test('a search waits while the library is read, and says so', async (t) => {
  const cli = testCli(t);
  let library = { state: 'reading', files_done: 536, files_total: 1_200 };
  const { requests } = await startFakeDaemon(t, cli, {
    'GET /api/status': () => ({ ...status, library }),
    'GET /api/suggest': () => ({ query: 'tag:x', suggestions: [] }),
  });
  const child = cli.start(['search', 'tag:x']);
  await untilPrinted(child.stderr, /being read, 536 of 1,200 files done/u);
  t.false(requests.some(({ path }) => path === '/api/suggest'));
  library = status.library;
  t.is((await finish(child)).code, 0);
  t.true(requests.some(({ path }) => path === '/api/suggest'));
});

test('bookmarks are listed while the library is read', async (t) => {
  const cli = testCli(t);
  const { requests } = await startFakeDaemon(t, cli, { 'GET /api/waypoints': () => [] });
  await cli.out(['list', '--bookmarks']);
  t.false(requests.some(({ path }) => path === '/api/status'));
});

test('--port does not choose a running daemon, and that is said', async (t) => {
  const cli = testCli(t);
  const { port } = await startFakeDaemon(t, cli, {
    'GET /api/recent_suggest': () => ({ queries: ['fini'], entries: [] }),
  });
  const other = await cli.run(['history', '--port', '7']);
  t.like(other, { code: 0, stdout: 'fini\n' });
  t.true(
    other.stderr.startsWith(`--port 7 is not used: this is the running daemon at port ${port}`),
  );
  t.is((await cli.run(['history', '--port', String(port)])).stderr, '');
});

test('a refused field is told with the rule that it breaks', async (t) => {
  const cli = testCli(t);
  await startFakeDaemon(t, cli, {
    'POST /api/bookmarks': (_, response) =>
      fail(response, 400, 'invalid', 'The request is not valid.', 'name'),
  });
  const { code, stderr } = await cli.run(['bookmark', 'add', 'x'.repeat(513), '1', '2']);
  t.is(code, 1);
  t.regex(stderr, /^waypointd: The request is not valid: a name has 1 to 512 characters/u);
});

test('a search for nothing is a mistake in the call', async (t) => {
  const { code, stderr } = await testCli(t).run(['search', ' ']);
  t.is(code, 64);
  t.regex(stderr, /Say what to search for/u);
});

onLinux('output that finds no space is told as that', async (t) => {
  const { env } = testCli(t);
  const full = openSync('/dev/full', 'w');
  t.teardown(() => closeSync(full));
  const { status: code, stderr } = spawnSync(process.execPath, [launcher, 'version'], {
    env,
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  });
  t.is(code, 1);
  t.regex(stderr, /^waypointd: No space is left on the disk\./u);
});

/** What doctor says of these has nothing to do with the data directory. */
const elsewhere = ['disk', 'port', 'service', 'location'];

withoutAllRights(
  'a file that may not be written is named with its mode and what mends it',
  async (t) => {
    const rights = withoutRights() ?? [];
    const cli = testCli(t);
    const run = (...words: string[]) => {
      const [program = '', ...others] = [...rights, process.execPath, launcher, ...words];
      return finish(spawn(program, others, { env: { ...cli.env } }));
    };
    t.is((await run('bookmark', 'add', 'Camp', '42.1', '-8.3')).code, 0);
    const data = join(cli.root, 'data');
    const store = join(data, 'waypoints.sqlite');
    for (const [path, mode] of [
      [store, 0o400],
      // SQLite would take a lock there that keeps nobody out.
      [join(data, 'lock.sqlite'), 0o400],
      [data, 0o100],
    ] as const) {
      const before = statSync(path).mode;
      chmodSync(path, mode);
      const { code, stderr } = await run('list');
      chmodSync(path, before);
      t.is(code, 74, stderr);
      t.true(stderr.includes(`${path} may not be read and written`), stderr);
      t.true(stderr.includes(`0${mode.toString(8)}`) && stderr.includes(`chmod`), stderr);
    }
    chmodSync(data, 0o100);
    const { stdout } = await run('doctor', '--json');
    chmodSync(data, 0o700);
    const { findings } = JSON.parse(stdout) as { findings: { area: string; level: string }[] };
    const faults = findings.filter(({ level }) => level === 'problem' || level === 'warning');
    const areas = faults.map(({ area }) => area).filter((area) => !elsewhere.includes(area));
    t.deepEqual(areas, ['data directory'], 'the cause alone');
    t.false(existsSync(`${store}-shm`), 'nothing was left that keeps the mended store closed');
    t.regex((await run('list')).stdout, /Camp/u);

    const copy = join(cli.root, 'copy');
    t.is((await run('objects', 'repo', 'add', 'club/maps')).code, 0);
    t.is((await run('objects', 'backup', copy)).code, 0);
    chmodSync(join(copy, 'lock.sqlite'), 0o400);
    const unlocked = await run('objects', 'backup', copy);
    t.is(unlocked.code, 1);
    t.regex(unlocked.stderr, /EACCES/u);
  },
);

withMounts('a file system that is mounted for reading only is told as that', async (t) => {
  const { root, env } = testCli(t);
  const mount = join(root, 'data');
  mkdirSync(mount);
  // A mount of its own, in a name space of its own, which needs no rights and goes with the shell.
  const script = [
    'mount -t tmpfs -o size=3m tmpfs "$0"',
    '"$@" bookmark add Camp 1 2 2>/dev/null && mount -o remount,ro "$0" || exit 9',
    '"$@" doctor || "$@" list',
  ].join(' && ');
  const words = ['-rm', 'sh', '-c', script, mount, process.execPath, launcher];
  const child = spawn('unshare', words, { env: { ...env } });
  const ended = await finish(child);
  t.regex(ended.stdout, /PROBLEM +data directory +.*mounted for reading only/u);
  t.is(ended.code, 74, ended.stderr);
  t.regex(ended.stderr, /nothing was changed.*mounted for reading only/u);
});

test('a start whose imports is a file says so as doctor does, with the command that mends it', async (t) => {
  const cli = testCli(t);
  const { imports } = await cli.json(['paths']);
  mkdirSync(dirname(imports), { recursive: true, mode: 0o700 });
  writeFileSync(imports, '');
  const { code, stderr } = await cli.run(['serve', '--port', '0']);
  t.is(code, 74);
  const sentence = `${imports} is not the folder of imported files (below data_dir), but something else`;
  const move = `"${imports}" "${imports}.aside"`;
  t.true(stderr.includes(`${sentence}; nothing was changed; to mend that: `), stderr);
  t.true(stderr.includes(move), stderr);
  const { stdout } = await cli.run(['doctor', '--json']);
  const found = JSON.parse(stdout).findings as { text: string; remedy?: string }[];
  const told = found.find(({ text }) => text === sentence);
  t.true(told?.remedy?.includes(move), stdout);
  t.is(readFileSync(imports, 'utf8'), '');
});
