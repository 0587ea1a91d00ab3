import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { readHandOver, servesDataDirectory } from '../client/waypoints/node/hand-over-file.ts';
import { newHandOver, removeHandOver, writeHandOver } from '../daemon/hand-over.ts';
import { computePaths } from '../daemon/paths.ts';
import { ExitError } from '../model/exit-error.ts';
import { fakeHandOver, fakeToken, idleImport, startFakeDaemon, testCli } from './helpers/cli.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';
import { asRoot, posix } from './helpers/where.ts';

/** A port at which nobody answers. */
const deadPort = 1;

function pathsIn(root: string) {
  const settings = { data_dir: join(root, 'data'), runtime_dir: join(root, 'run') };
  return computePaths(settings, { configFile: join(root, 'config.json'), env: {} });
}

function handOverFor(dataDirectory: string) {
  return newHandOver(dataDirectory, deadPort, fakeToken, 0);
}

function plant(t: ExecutionContext, content: unknown, mode = 0o600): string {
  const directory = join(temporaryDirectory(t), 'run');
  mkdirSync(directory, { mode: 0o700 });
  const file = join(directory, 'daemon.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content), { mode });
  return file;
}

test('the hand-over file has the content of the contract', async (t) => {
  const paths = pathsIn(temporaryDirectory(t));
  const handOver = handOverFor(paths.data);
  t.is(await writeHandOver(paths, handOver), paths.handOver);
  const written = JSON.parse(readFileSync(paths.handOver, 'utf8'));
  t.like(written, {
    version: 1,
    pid: process.pid,
    port: deadPort,
    url: `http://127.0.0.1:${deadPort}`,
    token: fakeToken,
    started: '1970-01-01T00:00:00.000Z',
  });
  t.regex(written.program, /^waypointd \d/u);
  t.not(written.instance, handOverFor(paths.data).instance);
  t.deepEqual(await readHandOver(paths.handOver), { found: 'hand-over', handOver });
  t.deepEqual(readdirSync(paths.runtime), ['daemon.json']);
  if (process.platform === 'win32') return;
  t.is(statSync(paths.handOver).mode & 0o777, 0o600);
  t.is(statSync(paths.runtime).mode & 0o777, 0o700);
});

posix('a linked runtime directory is refused with exit code 78', async (t) => {
  const root = temporaryDirectory(t);
  const paths = pathsIn(root);
  mkdirSync(join(root, 'elsewhere'), { mode: 0o700 });
  symlinkSync(join(root, 'elsewhere'), paths.runtime);
  const error = await t.throwsAsync(writeHandOver(paths, handOverFor(paths.data)), {
    instanceOf: ExitError,
  });
  t.is(error.exitCode, 78);
  t.deepEqual(readdirSync(join(root, 'elsewhere')), []);
});

posix(
  'a linked data directory that would hold the token is refused with its real name',
  async (t) => {
    const root = temporaryDirectory(t);
    const real = join(root, 'real');
    const data = join(root, 'link');
    mkdirSync(real, { mode: 0o700 });
    symlinkSync(real, data);
    const paths = computePaths({ data_dir: data }, { env: {} });
    const error = await t.throwsAsync(writeHandOver(paths, handOverFor(data)), {
      instanceOf: ExitError,
    });
    t.is(error.exitCode, 78);
    t.regex(error.message, /it is a link\. Name the directory that it leads to: --data-dir "/u);
    t.true(error.message.includes(`--data-dir "${real}"`));
  },
);

posix(
  'a runtime directory that others can change is refused, one they can list is not',
  async (t) => {
    const paths = pathsIn(temporaryDirectory(t));
    mkdirSync(paths.runtime);
    for (const mode of [0o720, 0o702, 0o777]) {
      chmodSync(paths.runtime, mode);
      const error = await t.throwsAsync(writeHandOver(paths, handOverFor(paths.data)), {
        instanceOf: ExitError,
        message: /chmod 700/u,
      });
      t.is(error.exitCode, 78);
    }
    chmodSync(paths.runtime, 0o755);
    await t.notThrowsAsync(writeHandOver(paths, handOverFor(paths.data)));
  },
);

test('a stale file of any daemon is replaced', async (t) => {
  const paths = pathsIn(temporaryDirectory(t));
  await writeHandOver(paths, handOverFor('/elsewhere'));
  const ours = handOverFor(paths.data);
  t.is(await writeHandOver(paths, ours), paths.handOver);
  t.deepEqual(await readHandOver(paths.handOver), { found: 'hand-over', handOver: ours });
});

test('a living daemon of another data directory keeps its place', async (t) => {
  const root = temporaryDirectory(t);
  const paths = pathsIn(root);
  await startFakeDaemon(t, { root }, {}, { handOver: { data_dir: '/elsewhere' } });
  const before = readFileSync(paths.handOver, 'utf8');
  const file = await writeHandOver(paths, handOverFor(paths.data));
  t.is(file, join(paths.data, 'daemon.json'));
  t.is(readFileSync(paths.handOver, 'utf8'), before);
});

test('the file is removed only by the instance that wrote it', async (t) => {
  const paths = pathsIn(temporaryDirectory(t));
  const first = handOverFor(paths.data);
  const second = handOverFor(paths.data);
  await writeHandOver(paths, first);
  await writeHandOver(paths, second);
  await removeHandOver(paths.handOver, first.instance);
  t.true(existsSync(paths.handOver));
  await removeHandOver(paths.handOver, second.instance);
  t.false(existsSync(paths.handOver));
  await t.notThrowsAsync(removeHandOver(paths.handOver, second.instance));
});

test('a daemon of another data directory is told apart, however the directory is written', (t) => {
  const root = temporaryDirectory(t);
  const handOver = handOverFor(root);
  t.true(servesDataDirectory(handOver, root));
  t.true(servesDataDirectory(handOver, join(root, 'x', '..')));
  t.false(servesDataDirectory(handOver, join(root, 'x')));
  t.true(servesDataDirectory(fakeHandOver(deadPort), root));
});

const untrusted: [string, unknown][] = [
  ['not JSON', '{'],
  ['another version', { ...fakeHandOver(deadPort), version: 2 }],
  ['no token', { ...fakeHandOver(deadPort), token: undefined }],
  ['a short token', { ...fakeHandOver(deadPort), token: 'short' }],
  ['port 0', { ...fakeHandOver(deadPort), port: 0 }],
  ['too long', ' '.repeat(65_537)],
];
for (const [what, content] of untrusted) {
  test(`a hand-over file is not used: ${what}`, async (t) => {
    t.is((await readHandOver(plant(t, content))).found, 'refused');
  });
}

posix('a hand-over file is not used: others may read, write or run it', async (t) => {
  const file = plant(t, fakeHandOver(deadPort));
  for (const bit of [0o040, 0o020, 0o010, 0o004, 0o002, 0o001]) {
    chmodSync(file, 0o600 | bit);
    t.is((await readHandOver(file)).found, 'refused', bit.toString(8));
  }
  chmodSync(file, 0o400);
  t.is((await readHandOver(file)).found, 'hand-over');
});

posix('a hand-over file is not used: it or its directory is a link', async (t) => {
  const file = plant(t, fakeHandOver(deadPort));
  const root = temporaryDirectory(t);
  symlinkSync(file, join(root, 'daemon.json'));
  t.like(await readHandOver(join(root, 'daemon.json')), {
    found: 'refused',
    reason: 'it is a link',
  });
  symlinkSync(dirname(file), join(root, 'linked'));
  t.is((await readHandOver(join(root, 'linked', 'daemon.json'))).found, 'refused');
});

posix('a hand-over file is not used: others can change its directory', async (t) => {
  const file = plant(t, fakeHandOver(deadPort));
  chmodSync(dirname(file), 0o770);
  t.is((await readHandOver(file)).found, 'refused');
});

asRoot('a hand-over file is not used: it or its directory belongs to another user', async (t) => {
  const file = plant(t, fakeHandOver(deadPort));
  chownSync(file, 12_345, 12_345);
  t.like(await readHandOver(file), { found: 'refused', reason: 'it belongs to another user' });
  chownSync(file, 0, 0);
  chownSync(dirname(file), 12_345, 12_345);
  t.is((await readHandOver(file)).found, 'refused');
});

posix('a pipe in place of the file does not make a reader wait', async (t) => {
  const directory = temporaryDirectory(t);
  execFileSync('mkfifo', ['-m', '600', join(directory, 'daemon.json')]);
  t.is((await readHandOver(join(directory, 'daemon.json'))).found, 'refused');
});

test('a file or directory that is not there is nothing', async (t) => {
  const directory = temporaryDirectory(t);
  t.is((await readHandOver(join(directory, 'daemon.json'))).found, 'nothing');
  t.is((await readHandOver(join(directory, 'x', 'daemon.json'))).found, 'nothing');
});

test('token, url and status tell of the daemon that the file names', async (t) => {
  const cli = testCli(t);
  const { port } = await startFakeDaemon(t, cli, {
    'GET /api/status': () => ({
      uptime_seconds: 90,
      library: { state: 'ready', files_done: 3, files_total: 3 },
      waypoints: 41,
      bookmarks: 1,
      timelines: { queued: 2, running: 1 },
    }),
    'GET /api/import': () => idleImport,
  });
  t.is(await cli.out(['token']), `${fakeToken}\n`);
  t.is(await cli.out(['token', '--header']), `Authorization: Bearer ${fakeToken}\n`);
  t.deepEqual(await cli.json(['token']), { token: fakeToken });
  t.is(await cli.out(['url']), `http://127.0.0.1:${port}\n`);
  t.deepEqual(await cli.json(['url']), { url: `http://127.0.0.1:${port}` });
  const status = await cli.json(['status']);
  t.like(status, { running: true, pid: process.pid, waypoints: 41, bookmarks: 1 });
  const shown = await cli.out(['status']);
  t.regex(shown, /, for 1 min\)\n[\s\S]*41 waypoints, of which 1 is a bookmark\n/u);
  t.regex(shown, /1 job running, 2 waiting\n/u);
});

test('without a daemon token, url, status and api say so in a sentence and exit with 1', async (t) => {
  const cli = testCli(t);
  for (const words of [['token'], ['url'], ['status'], ['api', '/api/version']]) {
    const { code, stdout, stderr } = await cli.run(words);
    t.is(code, 1, words[0]);
    t.is(stdout, '');
    t.regex(stderr, /No daemon is running\. Start one with: .*serve\n$/u);
  }
  const { code, stdout } = await cli.run(['status', '--json']);
  t.is(code, 1);
  t.like(JSON.parse(stdout), { running: false });
});

test('a stale file counts as no daemon: nobody listens, or somebody else does', async (t) => {
  const cli = testCli(t);
  await startFakeDaemon(t, cli, {}, { handOver: { port: deadPort } });
  t.is((await cli.run(['token'])).code, 1);
  // The port was taken by another program since, which does not know the token.
  await startFakeDaemon(t, cli, {}, { handOver: { token: `other-${fakeToken}` } });
  t.is((await cli.run(['token'])).code, 1);
});

test('a file that is not trusted is named on standard error and not used', async (t) => {
  const cli = testCli(t);
  await startFakeDaemon(t, cli, {}, { handOver: { version: 2 } });
  const { code, stderr } = await cli.run(['token']);
  t.is(code, 1);
  t.regex(stderr, /^Ignored .*daemon\.json: it is not a hand-over file\.$/mu);
});

test('a daemon of another version is noted in one line that names both', async (t) => {
  const cli = testCli(t);
  await startFakeDaemon(t, cli, {}, { version: '9.8.7' });
  const { code, stdout, stderr } = await cli.run(['token']);
  t.is(code, 0);
  t.is(stdout, `${fakeToken}\n`);
  t.regex(stderr, /^[^\n]*9\.8\.7[^\n]*waypointd 0\.[^\n]*\n$/u);
});

test('the daemon of another data directory is not the one that was asked for', async (t) => {
  const cli = testCli(t);
  await startFakeDaemon(t, cli, {}, { handOver: { data_dir: join(cli.root, 'other') } });
  t.is((await cli.run(['token'])).code, 1);
  t.is((await cli.run(['token', '--data-dir', join(cli.root, 'other')])).code, 0);
  const env = { WAYPOINTD_DATA_DIR: '' };
  t.is((await cli.run(['token'], { env })).code, 0, 'no data directory was asked for');
});
