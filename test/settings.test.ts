import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync, lstatSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { createPrivateDirectory } from '../storage/private-directory.ts';
import { computePaths } from '../daemon/paths.ts';
import { ExitError } from '../model/exit-error.ts';
import { changeConfigFile, resolveSettings } from '../daemon/settings.ts';
import { settingKeys } from '../model/settings.ts';
import { testCli } from './helpers/cli.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';
import { onLinux, posix } from './helpers/where.ts';

const isWindows = process.platform === 'win32';

function inputs(directory: string) {
  return { flags: {}, env: {}, configFile: join(directory, 'config.json'), cwd: directory };
}

test('a flag beats the environment, which beats config.json, which beats the default', (t) => {
  const directory = temporaryDirectory(t);
  const base = inputs(directory);
  t.is(resolveSettings(base).settings.port, 43_098);
  t.is(resolveSettings(base).sources.port, 'default');
  writeFileSync(base.configFile, '{"port": 1001}');
  t.is(resolveSettings(base).settings.port, 1001);
  t.is(resolveSettings(base).sources.port, 'config.json');
  const env = { WAYPOINTD_PORT: '1002' };
  t.is(resolveSettings({ ...base, env }).settings.port, 1002);
  t.is(resolveSettings({ ...base, env }).sources.port, 'environment');
  const flags = { port: '1003' };
  t.is(resolveSettings({ ...base, env, flags }).settings.port, 1003);
  t.is(resolveSettings({ ...base, env, flags }).sources.port, 'flag');
});

test('an empty environment variable is one that is not set', (t) => {
  const base = inputs(temporaryDirectory(t));
  const { sources } = resolveSettings({ ...base, env: { WAYPOINTD_PORT: '', WAYPOINTD_X: '' } });
  t.is(sources.port, 'default');
});

test('every kind of value is read from text and from JSON', (t) => {
  const base = inputs(temporaryDirectory(t));
  const env = {
    WAYPOINTD_HISTORY: 'false',
    WAYPOINTD_OBJECTS: '1',
    WAYPOINTD_ALLOWED_HOSTS: 'a.example, b.example',
    WAYPOINTD_LOG_LEVEL: 'silent',
    WAYPOINTD_PORT: '0',
  };
  const fromText = resolveSettings({ ...base, env }).settings;
  t.like(fromText, { history: false, objects: true, log_level: 'silent', port: 0 });
  t.deepEqual(fromText.allowed_hosts, ['a.example', 'b.example']);
  writeFileSync(
    base.configFile,
    '\uFEFF{"history": false, "objects": true, "allowed_hosts": ["a.example"], "port": 65535}',
  );
  const fromJson = resolveSettings(base).settings;
  t.like(fromJson, { history: false, objects: true, port: 65_535 });
  t.deepEqual(fromJson.allowed_hosts, ['a.example']);
});

const refused: [
  string,
  Parameters<typeof resolveSettings>[0]['env'],
  string | undefined,
  RegExp,
][] = [
  ['an unknown environment variable', { WAYPOINTD_PROT: '1' }, undefined, /WAYPOINTD_PROT/u],
  [
    'WAYPOINTD_CONFIG, which is a flag only',
    { WAYPOINTD_CONFIG: 'x' },
    undefined,
    /WAYPOINTD_CONFIG/u,
  ],
  ['a port above 65535', { WAYPOINTD_PORT: '65536' }, undefined, /WAYPOINTD_PORT/u],
  ['a port with a sign', { WAYPOINTD_PORT: '-1' }, undefined, /WAYPOINTD_PORT/u],
  [
    'an unknown log level',
    { WAYPOINTD_LOG_LEVEL: 'loud' },
    undefined,
    /WAYPOINTD_LOG_LEVEL.*silent/u,
  ],
  ['an unknown key in config.json', {}, '{"prot": 1}', /"prot".*config\.json/u],
  ['a bad value in config.json', {}, '{"history": "perhaps"}', /"history" in .*config\.json/u],
  ['null in config.json', {}, '{"port": null}', /"port"/u],
  ['broken JSON', {}, '{"port": 1', /not a JSON object/u],
  ['an array', {}, '[]', /not a JSON object/u],
  ['an empty file', {}, '', /not a JSON object/u],
];

for (const [what, env, config, expected] of refused) {
  test(`${what} is refused with exit code 78 and named`, (t) => {
    const base = inputs(temporaryDirectory(t));
    if (config !== undefined) writeFileSync(base.configFile, config);
    const error = t.throws(() => resolveSettings({ ...base, env }), { instanceOf: ExitError });
    t.is(error.exitCode, 78);
    t.regex(error.message, expected);
  });
}

test('a bad flag is a usage error, and its value is never repeated', (t) => {
  const base = inputs(temporaryDirectory(t));
  const flags = { port: '48.20821,16.37382' };
  const error = t.throws(() => resolveSettings({ ...base, flags }), { instanceOf: ExitError });
  t.is(error.exitCode, 64);
  t.regex(error.message, /--port/u);
  t.notRegex(error.message, /48\.2/u);
});

test('a configuration file that --config names has to be there', (t) => {
  const base = inputs(temporaryDirectory(t));
  t.notThrows(() => resolveSettings(base));
  const error = t.throws(() => resolveSettings({ ...base, configRequired: true }), {
    instanceOf: ExitError,
  });
  t.is(error.exitCode, 78);
});

test('relative paths start at the current directory, those of config.json at its own', (t) => {
  const directory = temporaryDirectory(t);
  const base = { ...inputs(directory), cwd: join(directory, 'cwd') };
  writeFileSync(base.configFile, '{"data_dir": "kept", "cache_dir": "~/cache"}');
  const flags = { runtime_dir: 'run' };
  const env = { WAYPOINTD_LOG_FILE: '~/x.log', WAYPOINTD_LOCATION_COMMAND: 'fix' };
  const { settings } = resolveSettings({ ...base, flags, env });
  t.is(settings.data_dir, join(directory, 'kept'));
  t.is(settings.cache_dir, join(homedir(), 'cache'));
  t.is(settings.runtime_dir, join(directory, 'cwd', 'run'));
  t.is(settings.log_file, join(homedir(), 'x.log'));
  t.is(settings.location_command, 'fix');
});

test('changing config.json keeps the other keys, is 0600 and follows a link', async (t) => {
  const directory = temporaryDirectory(t);
  const real = join(directory, 'dotfiles.json');
  const file = join(directory, 'config.json');
  writeFileSync(real, '{"port": 1, "mine": true}');
  if (!isWindows) symlinkSync(real, file);
  const target = isWindows ? file : real;
  if (isWindows) writeFileSync(file, '{"port": 1, "mine": true}');
  t.true(await changeConfigFile(file, 'history', false));
  t.deepEqual(JSON.parse(readFileSync(target, 'utf8')), { port: 1, mine: true, history: false });
  t.true(await changeConfigFile(file, 'mine', undefined));
  t.false(await changeConfigFile(file, 'mine', undefined));
  t.deepEqual(JSON.parse(readFileSync(target, 'utf8')), { port: 1, history: false });
  if (isWindows) return;
  t.true(lstatSync(file).isSymbolicLink());
  t.is(statSync(real).mode & 0o777, 0o600);
});

test('a malformed config.json is never overwritten', async (t) => {
  const file = join(temporaryDirectory(t), 'config.json');
  writeFileSync(file, '{"port": 1,}');
  await t.throwsAsync(changeConfigFile(file, 'port', 2), { instanceOf: ExitError });
  t.is(readFileSync(file, 'utf8'), '{"port": 1,}');
});

test('the data directory holds exactly the names of the contract', (t) => {
  const paths = computePaths({ data_dir: '/d', cache_dir: '/c' }, { configFile: '/x', env: {} });
  const below = (name: string): string => join('/d', name);
  t.like(paths, {
    waypointsDatabase: below('waypoints.sqlite'),
    libraryDatabase: below('library.sqlite'),
    lockDatabase: below('lock.sqlite'),
    bookmarksFile: below('bookmarks.gpx'),
    imports: below('imports'),
    replaced: join('/d', 'imports', '.replaced'),
    geodata: below('geodata'),
    objects: below('objects'),
    backups: below('backups'),
    geocodeDatabase: join('/c', 'geocode.sqlite'),
  });
});

posix('a system unit names the directories, and a setting beats it', (t) => {
  const env = { STATE_DIRECTORY: '/s:/t', CACHE_DIRECTORY: '/k', RUNTIME_DIRECTORY: '/r' };
  t.like(computePaths({}, { env }), { data: '/s', cache: '/k', runtime: '/r' });
  const settings = { data_dir: '/d', cache_dir: '/c', runtime_dir: '/q' };
  t.like(computePaths(settings, { env }), { data: '/d', cache: '/c', runtime: '/q' });
});

posix('the hand-over file is looked for in the order of the contract', (t) => {
  const env = { RUNTIME_DIRECTORY: '/r', XDG_RUNTIME_DIR: '/x' };
  const { handOverCandidates, handOver } = computePaths(
    { runtime_dir: '/q', data_dir: '/d' },
    { env },
  );
  t.is(handOver, '/q/daemon.json');
  t.deepEqual(handOverCandidates, [
    '/q/daemon.json',
    '/r/daemon.json',
    '/x/waypointd/daemon.json',
    `/run/user/${process.getuid?.()}/waypointd/daemon.json`,
    '/d/daemon.json',
    '/run/waypointd/daemon.json',
  ]);
  t.is(
    computePaths({ data_dir: '/d' }, { env: { XDG_RUNTIME_DIR: '/x' } }).runtime,
    '/x/waypointd',
  );
  t.is(computePaths({ data_dir: '/d' }, { env: { XDG_RUNTIME_DIR: 'x' } }).runtime, '/d');
});

test('a directory is created for its owner alone', (t) => {
  const directory = join(temporaryDirectory(t), 'a', 'b');
  createPrivateDirectory(directory);
  t.true(statSync(directory).isDirectory());
  if (!isWindows) t.is(statSync(directory).mode & 0o777, 0o700);
  t.notThrows(() => createPrivateDirectory(directory));
});

onLinux('a place that cannot hold a directory is an error, not a wait without end', (t) => {
  t.throws(() => createPrivateDirectory('/proc/.local/share/waypointd'), { code: 'ENOENT' });
});

test('config prints every setting with its value and source', async (t) => {
  const cli = testCli(t);
  const shown = await cli.json(['config', '--history', 'false']);
  t.deepEqual(Object.keys(shown), settingKeys);
  t.deepEqual(shown.history, { value: false, source: 'flag' });
  t.deepEqual(shown.data_dir, { value: join(cli.root, 'data'), source: 'environment' });
  t.deepEqual(shown.port, { value: 43_098, source: 'default' });
  t.regex(await cli.out(['config']), /^port +43098 +default$/mu);
});

test('config says environment of a directory that systemd has named', async (t) => {
  const cli = testCli(t);
  const state = join(cli.root, 'state');
  const env = { STATE_DIRECTORY: state, WAYPOINTD_DATA_DIR: '' };
  const shown = await cli.json(['config'], { env });
  t.deepEqual(shown.data_dir, { value: state, source: 'environment' });
});

test('config set, get, unset and path work together, and a flag is a key', async (t) => {
  const cli = testCli(t);
  const file = join(cli.root, 'config', 'waypointd', 'config.json');
  if (process.platform === 'linux') t.is((await cli.out(['config', 'path'])).trim(), file);
  const given = ['--config', join(cli.root, 'mine.json')];
  t.regex(await cli.out(['config', 'set', 'port', '1234', ...given]), /^port = 1234 /u);
  t.is(await cli.out(['config', 'get', 'port', ...given]), '1234\n');
  await cli.out(['config', 'set', 'allowed-hosts', 'a,b', ...given]);
  t.is(await cli.out(['config', 'get', 'allowed_hosts', ...given]), 'a,b\n');
  await cli.out(['config', 'unset', 'port', ...given]);
  t.is(await cli.out(['config', 'get', 'port', ...given]), '43098\n');
});

test('config set refuses unknown keys and bad values and leaves the file alone', async (t) => {
  const cli = testCli(t);
  const given = ['--config', join(cli.root, 'mine.json')];
  await cli.out(['config', 'set', 'port', '1234', ...given]);
  t.is((await cli.run(['config', 'set', 'prot', '1', ...given])).code, 64);
  const bad = await cli.run(['config', 'set', 'port', 'many', ...given]);
  t.is(bad.code, 64);
  t.regex(bad.stderr, /port/u);
  t.notRegex(bad.stderr, /many/u);
  t.is(await cli.out(['config', 'get', 'port', ...given]), '1234\n');
});

test('an unknown key in config.json stops every command but can be unset', async (t) => {
  const cli = testCli(t);
  mkdirSync(join(cli.root, 'c'));
  const file = join(cli.root, 'c', 'config.json');
  writeFileSync(file, '{"prot": 1}');
  const refusedRun = await cli.run(['paths', '--config', file]);
  t.is(refusedRun.code, 78);
  t.regex(refusedRun.stderr, /"prot"/u);
  await cli.out(['config', 'unset', 'prot', '--config', file]);
  await cli.out(['paths', '--config', file]);
});

test('paths prints all directories as text and as JSON', async (t) => {
  const cli = testCli(t);
  const shown = await cli.json(['paths']);
  t.like(shown, {
    data_dir: join(cli.root, 'data'),
    cache_dir: join(cli.root, 'cache'),
    runtime_dir: join(cli.root, 'run'),
    imports: join(cli.root, 'data', 'imports'),
  });
  t.true((await cli.out(['paths'])).includes(join(cli.root, 'data', 'bookmarks.gpx')));
});
