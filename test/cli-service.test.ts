/** `waypointd service`: what it writes and runs on each system, and what `serve` does under a service manager. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { localHost } from '../cli/program/local-service.ts';
import { takeInheritedSocket } from '../daemon/systemd/inherited-socket.ts';
import { takeNotifyRequest } from '../daemon/systemd/notifier.ts';
import { choosePlatform } from '../service-files/choose-platform.ts';
import { installService, uninstallService } from '../service-files/install.ts';
import { findProgramFiles, whyNodeMayGo, whyNotLasting } from '../service-files/program-files.ts';
import { exitMeaning } from '../service-files/service-exit.ts';
import { launcher, startFakeDaemon, testCli, untilPrinted, type TestCli } from './helpers/cli.ts';
import { valuesOf } from './helpers/fields.ts';
import { fakeHost, fakeSpec } from './helpers/service-host.ts';
import { until } from './helpers/until.ts';
import { onLinux, posix, testUnless } from './helpers/where.ts';
import { answering } from './helpers/local-server.ts';

const daemon = { name: 'waypointd', isSystem: false } as const;
const reached = { mustReach: true };

/** What `systemctl show` says about a service and its socket. */
function shown(service: Record<string, string>, socket: Record<string, string> = {}): string {
  const blocks = [
    { Id: 'waypointd.service', LoadState: 'loaded', UnitFileState: 'enabled', ...service },
    { Id: 'waypointd.socket', ...socket },
  ];
  return blocks
    .map((block) => Object.entries(block).map(([key, value]) => `${key}=${value}\n`))
    .map((lines) => lines.join(''))
    .join('\n');
}

const running = shown(
  {
    ActiveState: 'active',
    MainPID: '7',
    NRestarts: '2',
    ActiveEnterTimestamp: 'Wed 2026-01-07 10:11:12 UTC',
  },
  { ActiveState: 'active', Listen: '127.0.0.1:43098 (Stream)' },
);

async function systemd(t: ExecutionContext) {
  const host = fakeHost(t, 'linux');
  host.answers.set('systemctl --user show --property Id', { stdout: running });
  const platform = await choosePlatform(host, daemon, reached);
  host.ran.length = 0;
  return { host, platform };
}

/** Every file below a directory with its text. */
function filesBelow(directory: string): Record<string, string> {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path.slice(directory.length + 1), readFileSync(path, 'utf8')];
    }),
  );
}

test('systemd: install makes the directories, writes the units, enables and starts them', async (t) => {
  const { host, platform } = await systemd(t);
  const spec = fakeSpec(host);
  const { state, isChanged } = await installService(platform, platform.plan(spec));
  t.true(isChanged);
  const units = join(host.home, '.config', 'systemd', 'user');
  t.deepEqual(Object.keys(filesBelow(units)).toSorted(), ['waypointd.service', 'waypointd.socket']);
  const [data = ''] = spec.writable;
  t.true(statSync(data).isDirectory());
  if (process.platform !== 'win32') {
    t.is(statSync(data).mode & 0o777, 0o700);
    const unit = statSync(join(units, 'waypointd.service'));
    t.is(
      unit.mode & 0o777,
      0o644 & ~process.umask(),
      'systemd warns of units that others cannot read',
    );
  }
  t.deepEqual(host.ran.slice(0, -1), [
    'systemctl --user daemon-reload',
    'systemctl --user reset-failed waypointd.socket',
    'systemctl --user reset-failed waypointd.service',
    'systemctl --user enable waypointd.socket waypointd.service',
    'systemctl --user start waypointd.socket',
    'systemctl --user start waypointd.service',
  ]);
  t.like(state, { condition: 'running', pid: 7, restarts: 2, since: '2026-01-07T10:11:12Z' });
});

test('systemd: a service of the machine says where its settings and its token are', async (t) => {
  const host = fakeHost(t, 'linux');
  const platform = await choosePlatform(host, { ...daemon, isSystem: true }, { mustReach: false });
  const remarks = platform.plan(fakeSpec(host)).remarks.join();
  t.regex(remarks, /systemctl edit waypointd,.* token is in \/run\/waypointd\/daemon\.json/u);
});

test('systemd: a second install writes nothing and stops nothing', async (t) => {
  const { host, platform } = await systemd(t);
  const plan = platform.plan(fakeSpec(host));
  await installService(platform, plan);
  host.ran.length = 0;
  const { isChanged } = await installService(platform, plan);
  t.false(isChanged);
  t.false(host.ran.some((command) => /reload|stop|disable|restart/u.test(command)));
});

posix(
  'systemd: another port or no network changes the units; what is no longer wanted goes',
  async (t) => {
    const { host, platform } = await systemd(t);
    const install = (changes: Parameters<typeof fakeSpec>[1]) =>
      installService(platform, platform.plan(fakeSpec(host, changes)));
    const files = () => filesBelow(join(host.home, '.config', 'systemd', 'user'));
    await install({ hasNetwork: false });
    t.regex(files()['waypointd.service.d/10-no-network.conf'] ?? '', /^PrivateNetwork=yes$/mu);
    host.ran.length = 0;
    await install({ port: undefined });
    t.deepEqual(Object.keys(files()), ['waypointd.service']);
    t.deepEqual(host.ran.slice(0, 3), [
      'systemctl --user disable --now waypointd.socket',
      'systemctl --user disable --now waypointd.service',
      'systemctl --user daemon-reload',
    ]);
    t.false(host.ran.includes('systemctl --user start waypointd.socket'));
    t.false(existsSync(join(host.home, '.config', 'systemd', 'user', 'waypointd.service.d')));
  },
);

posix('systemd: uninstall removes what install has written, and nothing else', async (t) => {
  const { host, platform } = await systemd(t);
  const units = join(host.home, '.config', 'systemd', 'user');
  mkdirSync(join(units, 'waypointd.service.d'), { recursive: true });
  const mine = join(units, 'waypointd.service.d', 'mine.conf');
  writeFileSync(mine, '[Service]\n');
  const plan = platform.plan(fakeSpec(host, { hasNetwork: false }));
  await installService(platform, plan);
  writeFileSync(join(host.home, 'data', 'waypoints.sqlite'), 'precious');
  t.is(await uninstallService(platform), undefined);
  t.deepEqual(Object.keys(filesBelow(host.home)).toSorted(), [
    '.config/systemd/user/waypointd.service.d/mine.conf',
    'data/waypoints.sqlite',
  ]);
  rmSync(join(units, 'waypointd.service.d'), { recursive: true });
  await installService(platform, plan);
  await uninstallService(platform);
  t.false(existsSync(join(host.home, '.config', 'systemd')), 'empty directories go, too');
});

test('systemd: a unit that somebody else has written is in the way of install and survives uninstall', async (t) => {
  const { host, platform } = await systemd(t);
  const units = join(host.home, '.config', 'systemd', 'user');
  mkdirSync(units, { recursive: true });
  writeFileSync(join(units, 'waypointd.service'), '[Service]\nExecStart=/mine\n');
  const before = filesBelow(host.home);
  const plan = platform.plan(fakeSpec(host));
  await t.throwsAsync(installService(platform, plan), {
    message: /waypointd\.service was not written by "waypointd service install"/u,
  });
  t.deepEqual(host.ran, []);
  await uninstallService(platform);
  t.deepEqual(filesBelow(host.home), before);
});

for (const code of [217, 218, 226]) {
  test(`systemd: where exit code ${code} says that there is no sandbox, the unit does without, and stays so`, async (t) => {
    const { host, platform } = await systemd(t);
    const unit = join(host.home, '.config', 'systemd', 'user', 'waypointd.service');
    const failed = shown({
      ActiveState: 'activating',
      ExecMainCode: '1',
      ExecMainStatus: String(code),
    });
    const isSandboxed = () => readFileSync(unit, 'utf8').includes('\nPrivateUsers=yes');
    host.answers.set('systemctl --user show --property Id', () => ({
      stdout: isSandboxed() ? failed : running,
    }));
    const plan = platform.plan(fakeSpec(host));
    const first = await installService(platform, plan);
    t.is(first.state.condition, 'running');
    t.regex(first.plan.remarks.join(), /less of a sandbox/u);
    host.ran.length = 0;
    const second = await installService(platform, plan);
    t.false(second.isChanged);
    t.regex(second.plan.remarks.join(), /less of a sandbox/u);
  });
}

test('systemd: what it says of a service is understood', async (t) => {
  const { host, platform } = await systemd(t);
  const read = async (stdout: string) => {
    host.answers.set('systemctl --user show --property Id', { stdout });
    return platform.readState();
  };
  const exited = { ActiveState: 'failed', ExecMainCode: '1', ExecMainStatus: '75' };
  t.like(await read(shown(exited)), { condition: 'failed', lastExit: { code: 75 } });
  const killed = { ActiveState: 'activating', ExecMainCode: '2', ExecMainStatus: '6' };
  t.like(await read(shown({ ...killed, Result: 'watchdog' })), {
    condition: 'starting',
    lastExit: { signal: 6, wasHung: true },
  });
  const stopped = shown(
    { ActiveState: 'inactive', UnitFileState: 'disabled' },
    { ActiveState: 'active', Listen: '127.0.0.1:43100 (Stream)' },
  );
  t.like(await read(stopped), { condition: 'stopped', isEnabled: false, heldPort: 43_100 });
  const released = shown(exited, { ActiveState: 'failed', Listen: '127.0.0.1:43100 (Stream)' });
  t.like(await read(released), { port: 43_100, heldPort: undefined });
  t.like(await read(shown({ LoadState: 'not-found' })), { isInstalled: false });
  t.like(await read(''), { isInstalled: false, condition: 'stopped' });
});

test('systemd: whoever cannot reach it is told, and so is who has none', async (t) => {
  const host = fakeHost(t, 'linux');
  host.answers.set('systemctl --user', { code: 1, stderr: 'Failed to connect to bus' });
  await t.throwsAsync(choosePlatform(host, daemon, reached), {
    message: /cannot be reached from here.*enable-linger ada/u,
  });
  host.answers.set('systemctl --user', { code: undefined });
  await t.throwsAsync(choosePlatform(host, daemon, reached), { message: /no systemd here/u });
  // Nothing is run then, so it is enough to know where the files would be.
  await t.notThrowsAsync(choosePlatform(host, daemon, { mustReach: false }));
});

posix(
  'systemd: units go where its own manager reads them, not where this session thinks',
  async (t) => {
    const config = '/elsewhere/config';
    const host = fakeHost(t, 'linux', { env: { XDG_CONFIG_HOME: config } });
    const usual = await choosePlatform(host, daemon, reached);
    t.is(usual.ownFiles[0], join(host.home, '.config', 'systemd', 'user', 'waypointd.service'));
    host.answers.set('systemctl --user show', { stdout: `/a ${config}/systemd/user /b\n` });
    const own = await choosePlatform(host, daemon, reached);
    t.is(own.ownFiles[0], `${config}/systemd/user/waypointd.service`);
  },
);

const launchdRunning = `gui/501/local.waypointd = {
	active count = 1
	state = running
	runs = 3
	pid = 812
	last exit code = 75
}`;

posix(
  'launchd: install writes the agent and loads it; again it only makes sure that it runs',
  async (t) => {
    const host = fakeHost(t, 'darwin');
    host.answers.set('launchctl print', { stdout: launchdRunning });
    const platform = await choosePlatform(host, daemon, reached);
    const plan = platform.plan(fakeSpec(host));
    const { state } = await installService(platform, plan);
    const plist = join(host.home, 'Library', 'LaunchAgents', 'local.waypointd.plist');
    t.regex(readFileSync(plist, 'utf8'), /<string>\/opt\/waypointd\/bin\/waypointd\.js<\/string>/u);
    t.true(existsSync(join(host.home, 'Library', 'Logs', 'waypointd')), 'launchd does not make it');
    t.deepEqual(host.ran, [
      'launchctl enable gui/501/local.waypointd',
      `launchctl bootstrap gui/501 ${plist}`,
      'launchctl print gui/501/local.waypointd',
    ]);
    t.like(state, { condition: 'running', pid: 812, restarts: 2, lastExit: { code: 75 } });
    host.ran.length = 0;
    t.false((await installService(platform, plan)).isChanged);
    t.false(host.ran.some((command) => command.includes('bootout')));
    await uninstallService(platform);
    t.true(host.ran.includes('launchctl bootout gui/501/local.waypointd'));
    t.false(existsSync(plist));
    t.true(existsSync(join(host.home, 'data')));
  },
);

test('launchd: stop unloads, so that a daemon that cannot start is not tried again', async (t) => {
  const host = fakeHost(t, 'darwin');
  const platform = await choosePlatform(host, daemon, reached);
  t.deepEqual(valuesOf(platform.stop, 'words'), [['bootout', 'gui/501/local.waypointd']]);
  host.answers.set('launchctl print', { code: 113 });
  t.like(await platform.readState(), { isInstalled: false, condition: 'stopped' });
  host.answers.set('launchctl print', {
    stdout: '\tstate = not running\n\tlast exit code = (never exited)\n',
  });
  t.like(await platform.readState(), { condition: 'stopped', lastExit: undefined });
});

test('macOS has no service of the machine, and says so', async (t) => {
  const machine = { ...daemon, isSystem: true };
  await t.throwsAsync(choosePlatform(fakeHost(t, 'darwin'), machine, reached), {
    message: /leave out --system/u,
  });
  await t.throwsAsync(choosePlatform(fakeHost(t, 'freebsd'), daemon, reached), {
    message: /knows no service manager/u,
  });
});

test('Windows: install gives the scheduler a definition in UTF-16, which is gone afterwards', async (t) => {
  const host = fakeHost(t, 'win32', { env: { LOCALAPPDATA: 'C:\\l' } });
  const platform = await choosePlatform(host, daemon, reached);
  const { files, activate } = platform.plan(fakeSpec(host));
  t.like(files[0], { encoding: 'utf16le', isTemporary: true });
  t.true(files[0]?.text.includes(String.raw`"--log-file" "C:\l\waypointd\Log\waypointd.log"`));
  const [check, ...commands] = activate(true).map(({ program, words }) => [program, ...words]);
  t.regex(check?.at(-1) ?? '', /was not made by waypointd/u);
  t.deepEqual(commands, [
    `schtasks.exe /Create /TN waypointd /XML C:\\l\\waypointd\\waypointd-task.xml /F`.split(' '),
    'schtasks.exe /Run /TN waypointd'.split(' '),
  ]);
  // Left enabled, the task would be started again within minutes.
  t.deepEqual(platform.stop[0]?.words, ['/Change', '/TN', 'waypointd', '/DISABLE']);
  const state = async (values: unknown) => {
    host.answers.set('powershell.exe', { stdout: JSON.stringify(values) });
    return platform.readState();
  };
  const run = '2026-01-07T10:11:12Z';
  t.like(await state({ state: 4, result: 0x4_13_01, run }), {
    condition: 'running',
    since: run,
    lastExit: undefined,
  });
  t.like(await state({ state: 3, result: 75, run }), {
    condition: 'failed',
    lastExit: { code: 75 },
  });
  t.like(await state({ state: 1, result: 0, run }), { condition: 'stopped', isEnabled: false });
});

posix('a file that is only for a command does not stay', async (t) => {
  const { host, platform } = await systemd(t);
  const path = join(host.home, 'task.xml');
  let seen: Buffer | undefined;
  host.answers.set('schtasks', () => {
    seen = readFileSync(path);
    return {};
  });
  const plan = {
    ...platform.plan(fakeSpec(host)),
    files: [{ path, text: 'é', encoding: 'utf16le' as const, isTemporary: true }],
    activate: () => [{ program: 'schtasks', words: [] }],
  };
  await installService(platform, plan);
  t.deepEqual(seen, Buffer.from('\uFEFFé', 'utf16le'));
  t.false(existsSync(path));
});

test('Windows: a service of the machine has a wrapper, directories of its own, and is never LocalSystem', async (t) => {
  const host = fakeHost(t, 'win32', { env: { ProgramData: 'C:\\p' } });
  const platform = await choosePlatform(host, { ...daemon, isSystem: true }, reached);
  t.throws(() => platform.plan(fakeSpec(host)), { message: /--wrapper/u });
  const plan = platform.plan(fakeSpec(host, { wrapper: 'C:\\shawl.exe' }));
  const commands = plan.activate(true).map(({ program, words }) => [program, ...words]);
  for (const verb of ['create', 'config']) {
    const command = commands.find((words) => words[1] === verb) ?? [];
    t.is(command[command.indexOf('obj=') + 1], 'NT SERVICE\\waypointd');
    t.regex(command[command.indexOf('binPath=') + 1] ?? '', /^"C:\\shawl\.exe" "run"/u);
  }
  t.true(commands.some((words) => words.includes('NT SERVICE\\waypointd:(OI)(CI)M')));
  const [closed = [], looked = [], made] = commands;
  t.deepEqual(closed.slice(0, 4), ['icacls.exe', 'C:\\p\\waypointd', '/L', '/inheritance:r']);
  t.regex(looked.at(-1) ?? '', /'C:\\p\\waypointd'.*belongs to another user.*exit 1/u);
  t.is(made?.[1], 'create', 'only then');
  t.true(
    commands.some((words) => words.includes('HOUSE\\ada:(OI)(CI)RX')),
    'may read the token',
  );
  const values = { State: 'Running', StartMode: 'Auto', ProcessId: 9, ServiceSpecificExitCode: 0 };
  host.answers.set('powershell.exe', { stdout: JSON.stringify(values) });
  t.like(await platform.readState(), { condition: 'running', pid: 9, isEnabled: true });
  const ended = { State: 'Stopped', StartMode: 'Manual', ServiceSpecificExitCode: 75 };
  host.answers.set('powershell.exe', { stdout: JSON.stringify(ended) });
  const state = {
    isInstalled: true,
    isEnabled: false,
    condition: 'failed',
    lastExit: { code: 75 },
  };
  t.like(await platform.readState(), state);
});

test('the first Node.js that is new enough runs the service, the bundled one before others', async (t) => {
  const host = fakeHost(t, 'linux', { nodes: ['/gone', '/old', '/bundled', '/other'] });
  host.answers.set('/gone', { code: undefined });
  host.answers.set('/old', { stdout: 'v22.21.0\n' });
  host.answers.set('/bundled', { stdout: 'v22.22.0\n' });
  t.is((await findProgramFiles(host)).node, '/bundled');
  const none = { ...host, nodes: ['/gone', '/old'] };
  await t.throwsAsync(findProgramFiles(none), { message: /install Node\.js 22\.22/u });
  t.is((await findProgramFiles(none, '/bundled')).node, '/bundled', 'the one that was chosen');
  await t.throwsAsync(findProgramFiles(host, '/old'), { message: /^\/old cannot run a service/u });
});

test('a Node.js that goes with its version manager is named', (t) => {
  for (const node of [
    '/home/ada/.nvm/versions/node/v24.1.0/bin/node',
    '/home/ada/.local/share/fnm/node-versions/v24.1.0/installation/bin/node',
    'C:\\Users\\ada\\AppData\\Roaming\\nvm\\v24.1.0\\node.exe',
  ])
    t.regex(whyNodeMayGo(node) ?? '', /removes that version\.$/u, node);
  for (const node of ['/usr/bin/node', '/opt/nvm-less/node', 'C:\\Program Files\\nodejs\\node.exe'])
    t.is(whyNodeMayGo(node), undefined, node);
});

const vanishing: readonly [platform: NodeJS.Platform, launcher: string, said: RegExp][] = [
  ['linux', '/home/ada/.npm/_npx/0a1b/node_modules/waypointd/bin/waypointd.js', /npx keeps/u],
  ['linux', '/home/ada/.cache/pnpm/dlx-12/node_modules/waypointd/bin/waypointd.js', /npx keeps/u],
  ['linux', '/tmp/waypointd/bin/waypointd.js', /temporary directory/u],
  ['win32', 'C:\\Users\\ada\\AppData\\npm-cache\\_npx\\1\\waypointd.js', /npx keeps/u],
  ['win32', 'C:\\Temp\\waypointd\\waypointd.js', /temporary directory/u],
];
for (const [platform, path, said] of vanishing) {
  test(`a program that will vanish is no service: ${path}`, (t) => {
    const temporary = platform === 'win32' ? ['C:\\Temp'] : ['/tmp'];
    const host = fakeHost(t, platform, { temporary });
    const files = { node: '/opt/node', launcher: path };
    t.regex(whyNotLasting(files, host, false) ?? '', said);
    const lasting = {
      ...files,
      launcher: path.replace(/^\/tmp/u, '/opt').replace(/_npx|dlx-12|Temp/u, 'opt'),
    };
    t.is(whyNotLasting(lasting, host, false), undefined);
  });
}

posix('a service of the machine needs a program that everybody can reach', (t) => {
  const host = fakeHost(t, 'linux', { temporary: [] });
  const file = join(host.home, 'waypointd.js');
  writeFileSync(file, '');
  const everybody = { node: '/bin/sh', launcher: '/bin/sh' };
  t.is(whyNotLasting(everybody, host, true), undefined);
  chmodSync(host.home, 0o700);
  const mine = { ...everybody, launcher: file };
  t.regex(whyNotLasting(mine, host, true) ?? '', /cannot be reached/u);
  t.is(whyNotLasting(mine, host, false), undefined);
  const home = { ...everybody, launcher: '/home/ada/waypointd.js' };
  t.regex(whyNotLasting(home, host, true) ?? '', /cannot be reached/u);
});

test('how a service has ended is said in words', (t) => {
  t.regex(exitMeaning({ code: 75 }), /has its port or its data/u);
  t.regex(exitMeaning({ code: 203 }), /install the service again/u);
  t.regex(exitMeaning({ code: 7 }), /exit code 7/u);
  t.regex(exitMeaning({ signal: 9 }), /signal 9/u);
  t.regex(exitMeaning({ signal: 6, wasHung: true }), /no sign of life/u);
});

/** A `systemctl` that is reached and knows no unit, so that nothing of this machine is touched. */
function withSystemctl(cli: TestCli): { readonly env: Record<string, string> } {
  const bin = join(cli.root, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'systemctl'), `#!/bin/sh\necho "$@" >>"${cli.root}/ran"\n`);
  chmodSync(join(bin, 'systemctl'), 0o755);
  return { env: { PATH: `${bin}:${cli.env['PATH']}` } };
}

onLinux(
  'install --dry-run shows files and commands of this machine and touches nothing',
  async (t) => {
    const cli = testCli(t);
    const { stdout } = await cli.run(['service', 'install', '--dry-run'], withSystemctl(cli));
    const data = join(cli.root, 'data');
    t.regex(stdout, new RegExp(`^make    ${data}$`, 'mu'));
    t.regex(stdout, /^write {3}.*\/systemd\/user\/waypointd\.service$/mu);
    t.regex(stdout, /^ +ListenStream=127\.0\.0\.1:43098$/mu);
    t.regex(stdout, /^run {5}systemctl --user start waypointd\.service$/mu);
    // The directories of this call are the service's, wherever they were set.
    const words = ['--data-dir', '--cache-dir', '--runtime-dir'].map((flag, at) => {
      const directory = join(cli.root, ['data', 'cache', 'run'][at] ?? '');
      t.true(stdout.includes(`ReadWritePaths="${directory}"`), directory);
      return `"${flag}" "${directory}"`;
    });
    t.true(stdout.includes(`"serve" ${words.join(' ')}`));
    t.false(existsSync(data));
    t.is(readFileSync(join(cli.root, 'ran'), 'utf8').trim().split('\n').length, 1, 'one question');
  },
);

onLinux('install --objects is for the object server, which has a service of its own', async (t) => {
  const cli = testCli(t);
  const words = ['service', 'install', '--objects', '--dry-run'];
  const { stdout, stderr } = await cli.run(words, withSystemctl(cli));
  t.true(stdout.includes(`"objects" "serve" "--root" "${join(cli.root, 'data', 'objects')}"`));
  t.notRegex(stdout, /ListenStream/u);
  t.notRegex(stderr, /object server/u);
});

onLinux(
  'install takes where things are, and no other setting: arguments are there for all to see',
  async (t) => {
    const cli = testCli(t);
    const words = ['service', 'install', '--dry-run', '--location-static', '42.1,-8.3'];
    const { code, stdout, stderr } = await cli.run(words, withSystemctl(cli));
    t.is(code, 64);
    t.is(stdout, '');
    t.regex(stderr, /--location-static.*config set location_static/u);
    t.notRegex(stderr, /42\.1/u);
  },
);

onLinux('what has nothing to say about a service that is not there says so', async (t) => {
  const cli = testCli(t);
  const options = withSystemctl(cli);
  const [status, start, uninstall] = await Promise.all([
    cli.run(['service', 'status', '--json'], options),
    cli.run(['service', 'start', '--objects'], options),
    cli.run(['service', 'uninstall'], options),
  ]);
  t.is(status.code, 1);
  t.like(JSON.parse(status.stdout), { installed: false, state: 'stopped', files: [] });
  t.is(start.code, 1);
  t.regex(start.stderr, /not installed as .*waypointd-objects.*service install --objects/u);
  t.is(uninstall.code, 0);
  t.regex(uninstall.stderr, /nothing was removed/u);
});

/** A clone in a temporary directory refuses to become a service before it looks at ports. */
const isLasting =
  whyNotLasting({ node: process.execPath, launcher }, localHost(), false) === undefined;
const inPlace = isLasting ? onLinux : testUnless('this clone lies in a temporary directory');

inPlace(
  'install notices a daemon that was started by hand, or another program at the port',
  async (t) => {
    const cli = testCli(t);
    const options = withSystemctl(cli);
    const { port } = await startFakeDaemon(t, cli, {});
    const install = ['service', 'install', '--port', String(port)];
    const beside = await cli.run(install, options);
    t.is(beside.code, 75);
    t.regex(
      beside.stderr,
      new RegExp(`started by hand runs at \\S+:${port}.*kill ${process.pid}`, 'u'),
    );
    rmSync(join(cli.root, 'run', 'daemon.json'));
    const taken = await cli.run(install, options);
    t.is(taken.code, 75);
    t.regex(taken.stderr, new RegExp(`Port ${port} .* taken`, 'u'));
    t.false(existsSync(join(cli.root, 'data')));
    t.false(existsSync(join(cli.env['HOME'] ?? '', '.config')));
  },
);

inPlace('the README uninstalls as printed: what is left are the data', async (t) => {
  const { root, env } = testCli(t);
  const home = join(root, 'home');
  const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
  const [, printed = ''] = /## Uninstall\n\n```sh\n(.*?)```/su.exec(readme) ?? [];
  t.true(printed.startsWith('npx waypointd service uninstall\n'));
  mkdirSync(join(root, 'bin'));
  const systemctl =
    '#!/bin/sh\ncase "$*" in *" show "*Id*) echo LoadState=loaded; echo ActiveState=failed;; esac\n';
  writeFileSync(join(root, 'bin', 'systemctl'), systemctl, { mode: 0o755 });
  const script = `npx() { shift; "$NODE" "$PROGRAM" "$@"; }
    npx waypointd bookmark add Camp 1 2
    npx waypointd service install --port 45991 || test -e .config/systemd/user/waypointd.service
    ${printed}
    npx waypointd list --json`;
  const { status, stdout, stderr } = spawnSync('sh', ['-ec', script], {
    cwd: home,
    encoding: 'utf8',
    env: {
      PATH: `${join(root, 'bin')}:${env['PATH']}`,
      HOME: home,
      XDG_RUNTIME_DIR: root,
      NODE: process.execPath,
      PROGRAM: launcher,
    },
  });
  t.is(status, 0, stderr);
  t.regex(stdout, /"name":"Camp"/u);
  const left = readdirSync(home, { recursive: true, withFileTypes: true });
  const elsewhere = left
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.startsWith(join(home, '.local/share/waypointd/')));
  t.deepEqual(elsewhere, []);
});

test('what systemd hands over is for this process only, and goes out of the environment', (t) => {
  const handed = (): NodeJS.ProcessEnv => ({
    LISTEN_PID: '7',
    LISTEN_FDS: '1',
    LISTEN_FDNAMES: 'x',
    A: 'b',
  });
  const env = handed();
  t.deepEqual(takeInheritedSocket(env, 7), { fd: 3 });
  t.deepEqual(env, { A: 'b' });
  const foreign = handed();
  t.is(takeInheritedSocket(foreign, 8), undefined);
  t.deepEqual(foreign, { A: 'b' });
  t.is(takeInheritedSocket({}, 7), undefined);
  t.is(takeInheritedSocket({ LISTEN_PID: '7', LISTEN_FDS: '0' }, 7), undefined);
  const several = { ...handed(), LISTEN_FDS: '2' };
  t.like(
    t.throws(() => takeInheritedSocket(several, 7)),
    { exitCode: 78 },
  );
  t.deepEqual(several, { A: 'b' });

  const notify: NodeJS.ProcessEnv = {
    NOTIFY_SOCKET: '/n',
    WATCHDOG_USEC: '30000000',
    WATCHDOG_PID: '7',
    A: 'b',
  };
  const copy = { ...notify };
  t.deepEqual(takeNotifyRequest(copy, 7), { socket: '/n', watchdogMs: 30_000 });
  t.deepEqual(copy, { A: 'b' });
  t.like(takeNotifyRequest({ ...notify }, 8), { watchdogMs: undefined });
  t.like(takeNotifyRequest({ NOTIFY_SOCKET: '@n' }, 7), { watchdogMs: undefined });
  t.is(takeNotifyRequest({ WATCHDOG_USEC: '1' }, 7), undefined);
});

/** Starts `serve` with a listening socket as descriptor 3, as systemd does. */
async function serveOn(cli: TestCli, host: string, env: Readonly<Record<string, string>> = {}) {
  const owner = createServer().listen(0, host);
  await once(owner, 'listening');
  const fd: number = Reflect.get(Reflect.get(owner, '_handle'), 'fd');
  const { port } = owner.address() as AddressInfo;
  // exec keeps the process that LISTEN_PID names.
  const words = ['-c', 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$0" "$@"', process.execPath, launcher];
  const child = spawn('/bin/sh', [...words, 'serve', '--port', '1'], {
    env: { ...cli.env, ...env },
    cwd: cli.root,
    stdio: ['ignore', 'pipe', 'pipe', fd],
  });
  // Its copy stays open. Here the socket would go on to accept connections that nobody answers.
  owner.close();
  return { child, port };
}

posix('serve takes its socket from systemd and reports: ready, alive, stopping', async (t) => {
  const cli = testCli(t);
  const bin = join(cli.root, 'bin');
  mkdirSync(bin);
  const said = join(cli.root, 'said');
  writeFileSync(join(bin, 'systemd-notify'), `#!/bin/sh\necho "$NOTIFY_SOCKET $*" >>"${said}"\n`);
  chmodSync(join(bin, 'systemd-notify'), 0o755);
  const { child, port } = await serveOn(cli, '127.0.0.1', {
    PATH: `${bin}:${cli.env['PATH']}`,
    NOTIFY_SOCKET: '/run/n',
    WATCHDOG_USEC: '40000',
  });
  t.teardown(() => child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  await untilPrinted(child.stderr, /"configured":1,"event":"daemon.port_of_socket_unit"/u);
  t.is((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 200);
  t.is(JSON.parse(readFileSync(join(cli.root, 'run', 'daemon.json'), 'utf8')).port, port);
  const lines = () => (existsSync(said) ? readFileSync(said, 'utf8').trim().split('\n') : []);
  await until(() => lines().some((line) => line.includes('WATCHDOG')));
  child.kill('SIGTERM');
  t.deepEqual(await ended, [0, null]);
  const reports = lines();
  t.is(reports[0], `/run/n --ready --status=Serving http://127.0.0.1:${port}`);
  t.is(reports.filter((line) => line.includes('--ready')).length, 1);
  t.deepEqual([...new Set(reports.slice(1))].toSorted(), [
    '/run/n STOPPING=1 STATUS=Stopping',
    '/run/n WATCHDOG=1',
  ]);
});

posix('a socket of other machines is refused with exit code 78', async (t) => {
  const cli = testCli(t);
  const { child } = await serveOn(cli, '0.0.0.0');
  const ended = once(child, 'exit');
  await untilPrinted(child.stderr, /^waypointd: [^\n]*not one of 127\.0\.0\.1[^\n]*\n$/u);
  t.deepEqual(await ended, [78, null]);
  t.false(existsSync(join(cli.root, 'run', 'daemon.json')));
});

posix(
  'under launchd a refused start is logged with the time of the next, and a long log emptied',
  async (t) => {
    const cli = testCli(t);
    const port = String(await answering(t, (_, response) => response.end()));
    const log = join(cli.root, 'log');
    writeFileSync(log, 'old');
    truncateSync(log, 5_242_881);
    const child = spawn(process.execPath, [launcher, 'serve', '--port', port], {
      env: { ...cli.env, XPC_SERVICE_NAME: 'local.waypointd' },
      stdio: ['ignore', 'ignore', openSync(log, 'a')],
    });
    t.deepEqual(await once(child, 'exit'), [75, null]);
    const text = readFileSync(log, 'utf8');
    t.regex(text, /^\{"level":"warn".*"exit_code":75,"next_try_s":60.*\nwaypointd: Port /u);
  },
);
