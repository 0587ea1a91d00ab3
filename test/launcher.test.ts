/**
 * The launchers, driven as a user's shell drives them: a copy of bin/ beside a small entry, started by this Node.js and
 * by an older one, which has to hand over to the bundled one.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import test, { type ExecutionContext } from 'ava';
import { temporaryDirectory } from './helpers/temporary-directory.ts';
import { testWith } from './helpers/where.ts';

const root = path.resolve(import.meta.dirname, '..');
const isWindows = process.platform === 'win32';
const systemNode = '/usr/bin/node';

/** Does what its first argument says. `signals` names each one that comes, until standard input ends or, with `end`, until the first. */
const entry = `
import { spawnSync } from 'node:child_process';
import { fstatSync } from 'node:fs';
const [word, ...rest] = process.argv.slice(2);
if (word === 'argv') console.log(JSON.stringify(process.argv.slice(1)));
else if (word === 'exit') process.exitCode = Number(rest[0]);
else if (word === 'die') process.kill(process.pid, rest[0]);
else if (word === 'node') console.log(process.version);
else if (word === 'sockets') {
  const isSocket = (fd) => { try { return fstatSync(fd).isSocket(); } catch { return false; } };
  const { LISTEN_PID, LISTEN_FDS, WAYPOINT_LAUNCHER_SOCKETS } = process.env;
  const isOurs = LISTEN_PID === String(process.pid);
  const found = [3, 4].map((fd) => fd !== process.channel?.fd && isSocket(fd));
  console.log(JSON.stringify({ isOurs, LISTEN_FDS, found, WAYPOINT_LAUNCHER_SOCKETS }));
} else if (word === 'echo') process.stdin.pipe(process.stdout);
else if (word === 'environment') {
  const code = 'process.stdout.write(JSON.stringify(Object.keys(process.env)))';
  console.log(spawnSync(process.execPath, ['-e', code], { encoding: 'utf8' }).stdout);
} else if (word === 'signals') {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      console.log(signal);
      if (rest[0] === 'end') process.exit(9);
    });
  }
  if (rest[0] === 'end') setInterval(() => {}, 60_000);
  else process.stdin.resume().on('end', () => process.exit(4));
  console.log('ready');
}
`;

type Copy = Awaited<ReturnType<typeof copyLaunchers>>;

/** A copy of the launchers with an entry; `packages: false` is a clone before \`npm ci\`. */
function copyLaunchers(t: ExecutionContext, { packages = true, entries = ['cli/main.ts'] } = {}) {
  const directory = path.join(temporaryDirectory(t), 'a b');
  const bin = path.join(directory, 'bin');
  cpSync(path.join(root, 'bin'), bin, { recursive: true });
  writeFileSync(path.join(directory, 'package.json'), '{"name":"waypointd","type":"module"}');
  for (const name of entries) {
    const file = path.join(directory, name);
    mkdirSync(path.dirname(file), { recursive: true });
    const program = `${entry}\nif (word === 'which') console.log('${name}');\n`;
    const asCommonJs = program.replaceAll(/^import (.*) from (.*);$/gm, 'const $1 = require($2);');
    writeFileSync(file, name.endsWith('.cjs') ? asCommonJs : program);
  }
  if (packages) {
    const modules = path.join(directory, 'node_modules');
    symlinkSync(path.join(root, 'node_modules'), modules, 'junction');
  }
  return { bin, directory };
}

function run(node: string, copy: Copy, words: readonly string[], script = 'waypointd.js') {
  const file = path.join(copy.bin, script);
  return spawnSync(node, [file, ...words], { encoding: 'utf8', env: plainEnvironment() });
}

/** Without what npm and ava put there, the former of which the launcher looks at, and without traces in node_modules. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(?:npm_|NODE_)/.test(name));
  return { ...Object.fromEntries(kept), NODE_DISABLE_COMPILE_CACHE: '1' };
}

/** A started process and the lines that it writes to standard output, read one at a time. */
function follow(t: ExecutionContext, child: ChildProcess) {
  t.teardown(() => child.kill('SIGKILL'));
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error('not piped');
  const ended = once(child, 'close');
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  async function nextLine(): Promise<string | undefined> {
    const { value, done } = await lines.next();
    return done === true ? undefined : value.trim();
  }
  return { child, stdin, ended, nextLine };
}

function start(t: ExecutionContext, node: string, words: readonly string[], env = {}) {
  const { bin } = copyLaunchers(t);
  const child = spawn(node, [path.join(bin, 'waypointd.js'), ...words], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...plainEnvironment(), ...env },
  });
  return follow(t, child);
}

function versionOf(node: string): string | undefined {
  const { status, stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim().slice(1) : undefined;
}

function isOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < 24 || (major === 24 && minor < 12);
}

const systemVersion = isWindows ? undefined : versionOf(systemNode);
const hasOldNode = systemVersion !== undefined && isOld(systemVersion);
const whyNot = `no Node.js older than 24.12 at ${systemNode}`;

const testOld = testWith(hasOldNode, whyNot);
const testTerminal = testWith(
  hasOldNode && spawnSync('script', ['--version']).status === 0,
  `${whyNot}, or no script(1)`,
);

const awkward = ['a b', '"q"', "it's", 'ünï 🏖', '', '--x=1', '-', '$HOME', '*', '\\', '%PATH%'];

const nodes: readonly [name: string, node: string, isThere: boolean][] = [
  ['this Node.js', process.execPath, true],
  ['an old Node.js', systemNode, hasOldNode],
];

for (const [name, node, isThere] of nodes) {
  const testNode = testWith(isThere, whyNot);
  const testSignals = testWith(isThere && !isWindows, isWindows ? 'Windows' : whyNot);

  testNode(`${name}: the program runs on a Node.js that is new enough`, (t) => {
    const { stdout } = run(node, copyLaunchers(t), ['node']);
    t.false(isOld(stdout.trim().slice(1)), stdout);
  });

  testNode(`${name}: exit codes come back`, (t) => {
    const copy = copyLaunchers(t);
    for (const code of [0, 1, 75, 255]) {
      t.is(run(node, copy, ['exit', String(code)]).status, code);
    }
  });

  testNode(`${name}: arguments arrive unchanged`, (t) => {
    const copy = copyLaunchers(t);
    const { stdout, stderr } = run(node, copy, ['argv', ...awkward]);
    t.deepEqual(JSON.parse(stdout), [path.join(copy.bin, 'waypointd.js'), 'argv', ...awkward]);
    t.is(stderr, '');
  });

  testNode(`${name}: standard input and output are the program's own`, async (t) => {
    const { stdin, nextLine, ended } = start(t, node, ['echo']);
    stdin.end('ünï\n');
    t.is(await nextLine(), 'ünï');
    t.deepEqual(await ended, [0, null]);
  });

  testNode(`${name}: nothing of the launcher is left in the environment`, (t) => {
    const { stdout } = run(node, copyLaunchers(t), ['environment']);
    const names = JSON.parse(stdout) as string[];
    t.true(names.includes('PATH'));
    t.deepEqual(
      names.filter((word) => /LAUNCHER|NODE_CHANNEL/.test(word)),
      [],
    );
  });

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    testSignals(`${name}: ${signal} arrives once`, async (t) => {
      const { child, stdin, nextLine, ended } = start(t, node, ['signals']);
      t.is(await nextLine(), 'ready');
      child.kill(signal);
      t.is(await nextLine(), signal);
      stdin.end();
      t.is(await nextLine(), undefined);
      t.deepEqual(await ended, [4, null]);
    });
  }

  testSignals(`${name}: death by a signal comes back as that signal`, (t) => {
    const copy = copyLaunchers(t);
    for (const signal of ['SIGTERM', 'SIGKILL', 'SIGUSR2']) {
      const { status, signal: death } = run(node, copy, ['die', signal]);
      t.deepEqual([status, death], [null, signal]);
    }
  });

  testSignals(`${name}: the socket of a service manager becomes the program's own`, async (t) => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.teardown(() => server.close());
    const { _handle: socket } = server as unknown as { readonly _handle: { readonly fd: number } };
    const { bin } = copyLaunchers(t);
    const words = [node, path.join(bin, 'waypointd.js'), 'sockets'];
    const found = async (wanted: string): Promise<unknown> => {
      const script = `LISTEN_PID=${wanted} LISTEN_FDS=1 exec "$@"`;
      const child = spawn('/bin/sh', ['-c', script, 'sh', ...words], {
        stdio: ['pipe', 'pipe', 'inherit', socket.fd],
        env: plainEnvironment(),
      });
      return JSON.parse((await follow(t, child).nextLine()) ?? '');
    };
    t.deepEqual(await found('$$'), { isOurs: true, LISTEN_FDS: '1', found: [true, false] });
    t.like(await found('1'), { isOurs: false }, 'leaked variables are left alone');
  });

  testNode(`${name}: run.js gives a script and its children that Node.js`, (t) => {
    const copy = copyLaunchers(t);
    const script = `
      import { execSync } from 'node:child_process';
      const versions: string[] = [process.version, execSync('node --version', { encoding: 'utf8' }).trim()];
      console.log(JSON.stringify({ versions, main: import.meta.main, words: process.argv.slice(2), title: process.title }));
      process.exitCode = 3;`;
    const file = path.join(copy.directory, 'script.ts');
    writeFileSync(file, script);
    const words = ['--title=x', file.split(path.sep).join('/'), ...awkward];
    const { stdout, status, stderr } = run(node, copy, words, 'run.js');
    t.is(stderr, '');
    const said = JSON.parse(stdout);
    t.is(said.versions[0], said.versions[1]);
    t.false(isOld(said.versions[0].slice(1)));
    t.like(said, { main: true, words: awkward, title: 'x' });
    t.is(status, 3);
  });

  testNode(`${name}: run.js finds the tool of a package`, (t) => {
    const { stdout, status } = run(node, copyLaunchers(t), ['tsc', '--version'], 'run.js');
    t.regex(stdout, /^Version \d/);
    t.is(status, 0);
  });
}

testOld('a launcher that is killed takes the program along in order', async (t) => {
  const { child, nextLine } = start(t, systemNode, ['signals', 'end']);
  t.is(await nextLine(), 'ready');
  child.kill('SIGKILL');
  t.is(await nextLine(), 'SIGTERM');
  t.is(await nextLine(), undefined);
});

testTerminal('Ctrl-C in a terminal arrives once below an old Node.js', async (t) => {
  const { bin } = copyLaunchers(t);
  const command = `'${systemNode}' '${path.join(bin, 'waypointd.js')}' signals`;
  const { stdin, nextLine } = follow(
    t,
    spawn('script', ['-qefc', command, '/dev/null'], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: plainEnvironment(),
    }),
  );
  t.is(await nextLine(), 'ready');
  stdin.write('\u0003');
  t.is(await nextLine(), '^CSIGINT');
  stdin.write('\u0004');
  const rest: string[] = [];
  for (let line = await nextLine(); line !== undefined; line = await nextLine()) rest.push(line);
  t.deepEqual(
    rest.filter((line) => line.includes('SIG')),
    [],
  );
});

testOld('an old Node.js without a bundled one says in one sentence what to install', (t) => {
  const copy = copyLaunchers(t, { packages: false });
  mkdirSync(path.join(copy.directory, 'node_modules'));
  for (const [script, words] of [
    ['waypointd.js', ['version']],
    ['run.js', ['cli/main.ts']],
  ] as const) {
    const { status, stderr, stdout } = run(systemNode, copy, words, script);
    t.is(status, 69);
    t.is(stdout, '');
    t.regex(
      stderr,
      /^waypointd needs Node\.js 24\.12 or newer, this is [\d.]+: install Node\.js 24 \S+\.\n$/,
    );
  }
});

test('a clone without its packages says what to run', (t) => {
  const copy = copyLaunchers(t, { packages: false });
  for (const [, node, isThere] of nodes) {
    if (!isThere) continue;
    const { status, stderr } = run(node, copy, ['version']);
    t.is(status, 69);
    t.regex(stderr, /^The packages of waypointd are not installed: run "npm ci" in .* first\.\n$/);
  }
});

test('a clone runs its sources even beside a dist, an installed package its dist', (t) => {
  const clone = copyLaunchers(t, { entries: ['dist/cli/main.cjs', 'cli/main.ts'] });
  t.is(run(process.execPath, clone, ['which']).stdout, 'cli/main.ts\n');
  const installed = copyLaunchers(t, { entries: ['dist/cli/main.cjs'], packages: false });
  t.is(run(process.execPath, installed, ['which']).stdout, 'dist/cli/main.cjs\n');
});

test('a clone runs a dist that is newer than its sources', (t) => {
  const clone = copyLaunchers(t, { entries: ['dist/cli/main.cjs', 'cli/main.ts'] });
  const list = path.join(clone.directory, 'dist', 'inputs.json');
  writeFileSync(list, '["cli/main.ts"]');
  const [newer, older] = [new Date(Date.now() + 60_000), new Date(0)];
  utimesSync(list, newer, newer);
  t.is(run(process.execPath, clone, ['which']).stdout, 'dist/cli/main.cjs\n');
  utimesSync(list, older, older);
  t.is(run(process.execPath, clone, ['which']).stdout, 'cli/main.ts\n');
  writeFileSync(list, '["cli/gone.ts"]');
  utimesSync(list, newer, newer);
  t.is(run(process.execPath, clone, ['which']).stdout, 'cli/main.ts\n');
});

test('an incomplete copy says so', (t) => {
  const { status, stderr } = run(process.execPath, copyLaunchers(t, { entries: [] }), ['version']);
  t.is(status, 69);
  t.is(stderr, 'This copy of waypointd is incomplete: install it again.\n');
});

test('run.js refuses a missing or unknown tool', (t) => {
  const copy = copyLaunchers(t);
  const missing = run(process.execPath, copy, [], 'run.js');
  t.is(missing.status, 64);
  t.regex(missing.stderr, /^usage: .*\n$/);
  const unknown = run(process.execPath, copy, ['no-such-tool'], 'run.js');
  t.is(unknown.status, 69);
  t.is(unknown.stderr, 'There is no no-such-tool here: run "npm ci" first.\n');
});
