import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import test from 'ava';
import { lockDirectory } from '../storage/lock.ts';
import { launcher, testCli, untilPrinted, type TestCli } from './helpers/cli.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';
import { until } from './helpers/until.ts';
import { posix, testWith } from './helpers/where.ts';
import { testProgram } from './helpers/program.ts';
import { answering } from './helpers/local-server.ts';

/** Starts a daemon and waits until its log says that it is ready. */
async function serve(cli: TestCli, ...words: string[]) {
  const child = cli.start(['serve', '--port', '0', ...words]);
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const [, port] = await untilPrinted(child.stderr, /"port":(\d+),"event":"daemon\.ready"/u);
  return { child, ended, port: Number(port) };
}

function handOverIn(cli: TestCli): string {
  return join(cli.root, 'run', 'daemon.json');
}

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  posix(`${signal} stops the daemon in order and removes the hand-over file`, async (t) => {
    const cli = testCli(t);
    const { child, ended, port } = await serve(cli);
    const output = text(child.stdout ?? process.stdin);
    t.is(JSON.parse(readFileSync(handOverIn(cli), 'utf8')).port, port);
    t.is(statSync(handOverIn(cli)).mode & 0o777, 0o600);
    const healthy = await fetch(`http://127.0.0.1:${port}/healthz`);
    t.deepEqual(await healthy.json(), { status: 'ok' });
    child.kill(signal);
    t.deepEqual(await ended, [0, null]);
    t.false(existsSync(handOverIn(cli)));
    t.is(await output, '', 'without a terminal there is only the log');
  });
}

test('the data directory belongs to one daemon at a time, which is told in one line', async (t) => {
  const cli = testCli(t);
  await serve(cli);
  const { code, stdout, stderr } = await cli.run(['serve', '--port', '0']);
  t.is(code, 75);
  t.is(stdout, '');
  t.regex(stderr, /^waypointd: [^\n]+\n$/u);
  t.true(stderr.includes(join(cli.root, 'data')));
  t.is(await cli.out(['url']), `http://127.0.0.1:${await portOf(cli)}\n`, 'the first one stays');
});

posix(
  'a command that has the data open is waited for, until it is done or the start is ended',
  async (t) => {
    const cli = testCli(t);
    const data = join(cli.root, 'data');
    mkdirSync(data, { mode: 0o700 });
    const lock = lockDirectory(join(data, 'lock.sqlite'));
    const [stopped, waiting] = [1, 2].map(() => cli.start(['serve', '--port', '0']));
    const ended = once(stopped!, 'exit');
    await untilPrinted(stopped!.stderr, /daemon\.data_awaited/u);
    stopped!.kill('SIGTERM');
    t.deepEqual(await ended, [0, null]);
    await untilPrinted(waiting!.stderr, /daemon\.data_awaited/u);
    lock?.release();
    await untilPrinted(waiting!.stderr, /daemon\.ready/u);
  },
);

async function portOf(cli: TestCli): Promise<number> {
  return JSON.parse(readFileSync(handOverIn(cli), 'utf8')).port;
}

test('a port that is taken is told in one line with exit code 75', async (t) => {
  const cli = testCli(t);
  const port = String(await answering(t, (_, response) => response.end()));
  const { code, stderr } = await cli.run(['serve', '--port', port]);
  t.is(code, 75);
  t.regex(stderr, new RegExp(`^waypointd: [^\\n]*${port}[^\\n]*--port[^\\n]*\\n$`, 'u'));
  t.false(existsSync(handOverIn(cli)));
  await serve(cli);
});

test('a wrong setting keeps the daemon from starting with exit code 78', async (t) => {
  const cli = testCli(t);
  const { code, stderr } = await cli.run(['serve'], { env: { WAYPOINTD_PORT: 'http' } });
  t.is(code, 78);
  t.regex(stderr, /^waypointd: [^\n]*WAYPOINTD_PORT[^\n]*\n$/u);
  t.false(existsSync(join(cli.root, 'data')), 'nothing was created');
});

posix(
  'after kill -9 the stale file is passed over and the next daemon takes its place',
  async (t) => {
    const cli = testCli(t);
    const first = await serve(cli);
    first.child.kill('SIGKILL');
    await first.ended;
    t.true(existsSync(handOverIn(cli)));
    t.is((await cli.run(['token'])).code, 1);
    const second = await serve(cli);
    t.is(await cli.out(['url']), `http://127.0.0.1:${second.port}\n`);
  },
);

posix('two daemons on two data directories can both be reached', async (t) => {
  const cli = testCli(t);
  const first = await serve(cli);
  const other = ['--data-dir', join(cli.root, 'other')];
  const second = await serve(cli, ...other);
  t.is(await cli.out(['url']), `http://127.0.0.1:${first.port}\n`);
  t.is(await cli.out(['url', ...other]), `http://127.0.0.1:${second.port}\n`);
  second.child.kill('SIGTERM');
  await second.ended;
  t.is(await cli.out(['url']), `http://127.0.0.1:${first.port}\n`);
});

posix('a second signal ends the daemon at once', async (t) => {
  const cli = testCli(t);
  const { child, ended, port } = await serve(cli);
  // A request that never ends keeps an orderly stop waiting, once the daemon has begun to read it.
  const { token } = JSON.parse(readFileSync(handOverIn(cli), 'utf8'));
  const request = spawn(process.execPath, ['-e', neverEnding, String(port), token]);
  t.teardown(() => request.kill('SIGKILL'));
  await untilPrinted(request.stdout, /100 Continue/u);
  child.kill('SIGTERM');
  await untilPrinted(child.stderr, /daemon\.stopping/u);
  child.kill('SIGINT');
  t.deepEqual(await ended, [128 + 2, null]);
});

test('an equal signal within 400 ms, as npm sends it, counts once', (t) => {
  const interrupts = new URL('../cli/terminal/interrupts.ts', import.meta.url).href;
  const run = (second: string): number | null => {
    const script = `
      import { watchForEnd } from ${JSON.stringify(interrupts)};
      const { signal } = watchForEnd();
      process.emit('SIGINT', 'SIGINT');
      process.emit('${second}', '${second}');
      process.exit(signal.aborted ? 0 : 1);`;
    return spawnSync(process.execPath, ['--input-type=module', '-e', script]).status;
  };
  t.is(run('SIGINT'), 0);
  t.is(run('SIGTERM'), 128 + 15);
});

const neverEnding = `
const [port, token] = process.argv.slice(1);
const head = ['POST /api/history HTTP/1.1', 'Host: 127.0.0.1', 'Authorization: Bearer ' + token];
head.push('Content-Type: application/json', 'Content-Length: 100', 'Expect: 100-continue', '', '');
const socket = require('node:net').connect(Number(port), '127.0.0.1');
socket.write(head.join('\\r\\n'));
socket.on('data', (answer) => console.log(String(answer)));
socket.on('error', () => {});
setInterval(() => {}, 1000);
`;

test('--log-level silent says nothing, and the log never holds the token', async (t) => {
  const cli = testCli(t);
  const file = join(cli.root, 'logs', 'waypointd.log');
  const { child, ended } = await serve(cli, '--log-level', 'debug', '--log-file', file);
  const { token } = JSON.parse(readFileSync(handOverIn(cli), 'utf8'));
  await cli.out(['bookmark', 'add', 'Secret Camp', '42.123456', '-8.3']);
  child.kill('SIGTERM');
  await ended;
  const log = readFileSync(file, 'utf8');
  for (const line of log.trim().split('\n')) t.notThrows(() => JSON.parse(line), line);
  for (const secret of [token, 'Secret', '42.1234', cli.root])
    t.false(log.includes(secret), secret);
  if (process.platform !== 'win32') {
    t.regex(log, /daemon\.stopped/u, 'the last line is there');
    t.is(statSync(file).mode & 0o777, 0o600);
  }

  const silent = cli.start(['serve', '--port', '0', '--log-level', 'silent']);
  const said = text(silent.stderr ?? process.stdin);
  // Its hand-over file is the sign that it is ready.
  await until(() => existsSync(handOverIn(cli)));
  silent.kill('SIGTERM');
  t.is(await said, '');
});

posix('lines that nobody takes from stderr do not pile up in memory', async (t) => {
  const program = testProgram('log-to-nobody');
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'pipe'] });
  t.teardown(() => child.kill('SIGKILL'));
  const [waiting] = await untilPrinted(child.stdout, /\d+/u);
  t.true(Number(waiting) > 0, 'the pipe is full');
  t.true(Number(waiting) < 1_100_000, waiting);
});

posix(
  'a log file whose directory cannot be made does not keep the daemon from starting',
  async (t) => {
    const cli = testCli(t);
    mkdirSync(cli.root, { recursive: true });
    writeFileSync(join(cli.root, 'file'), '');
    const { child, ended } = await serve(cli, '--log-file', join(cli.root, 'file', 'x', 'w.log'));
    child.kill('SIGTERM');
    const [code] = await ended;
    t.is(code, 0);
  },
);

test('a log file that cannot be written is tried again a minute later', (t) => {
  const file = join(temporaryDirectory(t), 'waypointd.log');
  const { status } = spawnSync(process.execPath, [testProgram('log-again'), file]);
  t.is(status, 0);
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  t.deepEqual(
    lines.map((line) => JSON.parse(line).event),
    ['later'],
  );
});

posix('a journal gets each line with its priority', async (t) => {
  const cli = testCli(t);
  const file = join(cli.root, 'journal');
  const journal = openSync(file, 'w');
  const { dev, ino } = fstatSync(journal);
  const child = spawn(process.execPath, [launcher, 'serve', '--port', '0'], {
    env: { ...cli.env, JOURNAL_STREAM: `${dev}:${ino}` },
    stdio: ['ignore', 'ignore', journal],
  });
  t.teardown(() => child.kill('SIGKILL'));
  await until(() => existsSync(handOverIn(cli)));
  child.kill('SIGTERM');
  await once(child, 'exit');
  closeSync(journal);
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  t.true(lines.length >= 2);
  for (const line of lines) t.regex(line, /^<[3467]>\{"level":/u);
});

posix('a bookmarks file that is a pipe holds up neither the start nor the end', async (t) => {
  const cli = testCli(t);
  const pipe = join(cli.root, 'pipe.gpx');
  execFileSync('mkfifo', [pipe]);
  const { child, ended } = await serve(cli, '--bookmarks-file', pipe);
  await untilPrinted(child.stderr, /mirror\.not_written/u);
  child.kill('SIGTERM');
  t.deepEqual(await ended, [0, null]);
});

const withScript = testWith(
  process.platform !== 'win32' && existsSync('/usr/bin/script'),
  'no script(1)',
);
withScript(
  'on a terminal the daemon tells its address and two commands that work as printed',
  async (t) => {
    const cli = testCli(t);
    const words = `exec ${process.execPath} ${launcher} serve --port 0`;
    const child = spawn('/usr/bin/script', ['-qec', words, '/dev/null'], {
      env: { ...cli.env, TERM: 'xterm' },
      cwd: cli.root,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    t.teardown(() => child.kill('SIGKILL'));
    const [printed] = await untilPrinted(child.stdout, /[\s\S]*Ctrl-C/u);
    t.regex(printed, /is running on http:\/\/127\.0\.0\.1:\d+/u);
    const commands = [...printed.matchAll(/^ {2}(?:its token|try| )  +(\S.*)$/gmu)].map(
      ([, command = '']) => command.trim(),
    );
    t.is(commands.length, 3);
    for (const command of commands) {
      const shell = spawn('/bin/sh', ['-c', command], { env: cli.env, cwd: cli.root });
      const [output, [code]] = await Promise.all([text(shell.stdout), once(shell, 'exit')]);
      t.is(code, 0, command);
      t.not(output, '', command);
    }
    child.stdin.write('\u0003');
    const [code] = await once(child, 'exit');
    t.is(code, 0);
  },
);

test('config.json is read by serve', async (t) => {
  const cli = testCli(t);
  const config = join(cli.root, 'mine.json');
  writeFileSync(config, JSON.stringify({ history: false }));
  await serve(cli, '--config', config);
  const answer = await cli.out(['api', '/api/history', '-d', '{"query":"x"}']);
  t.is(JSON.parse(answer).stored, 0);
});
