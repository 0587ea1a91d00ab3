import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, parse, relative } from 'node:path';
import Database from 'better-sqlite3';
import test, { type ExecutionContext } from 'ava';
import { checkDaemon } from '../cli/doctor/check-daemon.ts';

import { checkDirectories, checkFiles } from '../cli/doctor/check-files.ts';
import { checkGeodata } from '../cli/doctor/check-geodata.ts';
import { checkLocation } from '../cli/doctor/check-location.ts';
import { checkClock, checkDisk } from '../cli/doctor/check-machine.ts';
import { checkPort, checkService } from '../cli/doctor/check-service.ts';
import { checkStores } from '../cli/doctor/check-stores.ts';
import { syncProgram } from '../cli/doctor/file-system.ts';
import { examine } from '../cli/doctor/doctor.ts';
import type { Finding } from '../cli/doctor/finding.ts';
import { computePaths, type Paths } from '../daemon/paths.ts';
import type { FoundService } from '../service-files/choose-platform.ts';
import { renderLaunchAgent } from '../service-files/launchd/agent-plist.ts';
import { renderUserUnit } from '../service-files/systemd/service-unit.ts';
import { settingDefaults, type Settings } from '../model/settings.ts';
import { inspectDatabase } from '../storage/inspect-database.ts';
import { lockDirectory } from '../storage/lock.ts';
import { fakeHandOver, startFakeDaemon, testCli, untilPrinted } from './helpers/cli.ts';
import { startTestDaemon, type TestDaemon } from './helpers/daemon.ts';
import { importTree } from './helpers/imported-files.ts';
import { gpx } from './helpers/imports.ts';
import { fakeHost, fakeSpec } from './helpers/service-host.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';
import { until } from './helpers/until.ts';
import { asRoot, onLinux, posix, testWith } from './helpers/where.ts';

/** The files of a data directory by their paths in it: closed in order, and as kill -9 leaves them. */
interface LeftFiles {
  readonly closed: ReadonlyMap<string, Buffer>;
  readonly crashed: ReadonlyMap<string, Buffer>;
}

let leftFiles: Promise<LeftFiles> | undefined;

/** One daemon makes the files for all tests. */
async function makeFiles(t: ExecutionContext): Promise<LeftFiles> {
  const daemon = await startTestDaemon(t);
  await fill(daemon);
  // The last commits are in the write-ahead logs only.
  const crashed = readFiles(daemon.paths.data, /sqlite(?:-wal)?$/u);
  await daemon.close();
  return { closed: readFiles(daemon.paths.data, /./u), crashed };
}

function readFiles(directory: string, wanted: RegExp): Map<string, Buffer> {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && wanted.test(entry.name));
  return new Map(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [relative(directory, path), readFileSync(path)];
    }),
  );
}

/** A data directory that a daemon has left, with a bookmark and an import in it. */
async function leftData(t: ExecutionContext, how: keyof LeftFiles = 'closed'): Promise<Paths> {
  leftFiles ??= makeFiles(t);
  const files = (await leftFiles)[how];
  const paths = pathsIn(temporaryDirectory(t));
  for (const [name, content] of files) {
    const path = join(paths.data, name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, content, { mode: 0o600 });
  }
  return paths;
}

async function fill(daemon: TestDaemon): Promise<void> {
  const bookmark = { name: 'Secret Camp', lat: 42.123_456, lon: -8.3, tags: ['private tag'] };
  await daemon.call('POST', '/api/bookmarks', bookmark);
  await importTree(daemon, { 'secret-ride.gpx': gpx([['Hidden Cove', 38.765_432, 26.3]]) });
}

const secrets = ['Secret', 'Camp', 'private', 'Cove', 'secret-ride', '42.12', '38.76', '-8.3'];

/** Names, sizes, modes and times of everything below a directory; content of what is no database in use. */
function stateOf(directory: string): unknown[][] {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' }).toSorted();
  return names.map((name) => {
    const { size, mode, mtimeMs, ctimeMs } = statSync(join(directory, name));
    return [name, size, mode, mtimeMs, ctimeMs];
  });
}

function brief(findings: readonly Finding[]): string[] {
  return findings.map(({ area, level }) => `${level} ${area}`);
}

function levelsOf(findings: readonly Finding[], area: string): string[] {
  return findings.filter((finding) => finding.area === area).map(({ level }) => level);
}

test('doctor finds nothing wrong with a daemon that runs, changes nothing and tells no secrets', async (t) => {
  const root = temporaryDirectory(t);
  const daemon = await startTestDaemon(t, { root, options: { handOver: true } });
  await fill(daemon);
  await until(() => existsSync(daemon.paths.bookmarksFile));
  const before = stateOf(daemon.paths.data);
  const cli = testCli(t, root);
  const env = { WAYPOINTD_LOCATION_PROVIDER: 'off', WAYPOINTD_PORT: '0' };
  const { code, stdout, stderr } = await cli.run(['doctor', '--json'], { env });
  t.is(code, 0, stdout);
  t.is(stderr, '');
  const report = JSON.parse(stdout) as { healthy: boolean; problems: number; findings: Finding[] };
  t.like(report, { healthy: true, problems: 0 });
  for (const area of ['bookmarks', 'library', 'bookmarks file', 'daemon', 'hand-over file']) {
    t.deepEqual(levelsOf(report.findings, area), ['ok'], `${area}: ${stdout}`);
  }
  for (const secret of [...secrets, daemon.token]) t.false(stdout.includes(secret), secret);
  // Readers leave their marks in the shared memory; SQLite run by root confirms the owner of a log.
  const seen = (entries: unknown[][]) =>
    entries.filter(([name]) => !String(name).endsWith('-shm')).map((entry) => entry.slice(0, 4));
  t.deepEqual(seen(stateOf(daemon.paths.data)), seen(before));
  t.deepEqual(readdirSync(root).toSorted(), ['cache', 'data', 'home', 'run', 'source']);
});

posix(
  'doctor names what is wrong without a daemon, says what to do and changes nothing',
  async (t) => {
    const paths = await leftData(t);
    truncateSync(paths.waypointsDatabase, 8_192);
    appendFileSync(paths.libraryDatabase, 'x');
    writeFileSync(`${paths.libraryDatabase}-shm`, '');
    chmodSync(`${paths.libraryDatabase}-shm`, 0o400);
    chmodSync(paths.bookmarksFile, 0o200);
    chmodSync(paths.data, 0o770);
    const cli = testCli(t, dirname(paths.data));
    const before = stateOf(paths.data);
    const { code, stdout, stderr } = await cli.run(['doctor'], { env: { WAYPOINTD_PORT: '0' } });
    t.is(code, 1);
    t.is(stderr, '');
    t.deepEqual(stateOf(paths.data), before);
    t.regex(stdout, /^PROBLEM +data directory +Other users can change .*\n +→ chmod 700 "/mu);
    t.regex(
      stdout,
      /^PROBLEM +files +library\.sqlite-shm may not be written .*\n +→ chmod 600 "/mu,
    );
    t.regex(stdout, /bookmarks\.gpx may not be read .*\n +→ chmod 600 "/u);
    t.regex(stdout, /^PROBLEM +bookmarks +waypoints\.sqlite is damaged .*\n +→ .*--new-store/mu);
    t.regex(stdout, /^note +daemon +None is running$/mu);
    t.regex(stdout, /\n\n[3-9] problems[^\n]*\.\n$/u);
    for (const secret of secrets) t.false(stdout.includes(secret), secret);
  },
);

test('doctor on a machine without any data makes none and finds no problem', async (t) => {
  const root = temporaryDirectory(t);
  const paths = pathsIn(root);
  const settings = { ...settingDefaults, port: 0, location_provider: 'off' } as unknown as Settings;
  const resolved = { settings, sources: { data_dir: 'default' } } as never;
  const findings = await examine({ paths, resolved }, { isThorough: true, now: Date.now() });
  t.deepEqual(
    findings.filter(({ level }) => level === 'problem' || level === 'warning'),
    [],
  );
  t.deepEqual(levelsOf(findings, 'data directory'), ['note']);
  t.deepEqual(readdirSync(root), []);
});

test('a check that cannot be made is a finding, and the others are made', async (t) => {
  const paths = {
    ...pathsIn(temporaryDirectory(t)),
    get cache(): string {
      throw new Error('a disk that is gone');
    },
  };
  const settings = { ...settingDefaults, port: 0, location_provider: 'off' } as unknown as Settings;
  const resolved = { settings, sources: { data_dir: 'default' } } as never;
  const findings = await examine({ paths, resolved }, { isThorough: false, now: Date.now() });
  t.deepEqual(levelsOf(findings, 'disk'), ['problem']);
  t.deepEqual(levelsOf(findings, 'clock'), ['ok']);
});

test('doctor says which setting is wrong', async (t) => {
  const cli = testCli(t);
  const { code, stdout } = await cli.run(['doctor'], { env: { WAYPOINTD_PORT: 'http' } });
  t.is(code, 1);
  t.regex(stdout, /^PROBLEM +settings +.*WAYPOINTD_PORT/u);
});

const idle = { isHeld: false, isThorough: false };

const copies = () => readdirSync(tmpdir()).filter((name) => name.startsWith('waypointd-doctor-'));

test('stores that are whole are told so, closed or left by a crash, and no file is made', async (t) => {
  const whole = ['ok bookmarks', 'ok library'];
  const closed = await leftData(t);
  const left = stateOf(closed.data);
  t.deepEqual(brief(checkStores(closed, idle)), [...whole, 'ok bookmarks file']);
  t.deepEqual(stateOf(closed.data), left);
  const crashed = await leftData(t, 'crashed');
  t.true(statSync(`${crashed.waypointsDatabase}-wal`).size > 0);
  const before = [stateOf(crashed.data), copies()];
  t.deepEqual(brief(checkStores(crashed, idle)).slice(0, 2), whole);
  const options = { ...idle, keys: ['revision'] };
  const { meta } = inspectDatabase(crashed.waypointsDatabase, options);
  t.true(Number(meta.get('revision')) > 1, 'the logs were read');
  t.deepEqual([stateOf(crashed.data), copies()], before);
});

function pathsIn(root: string): Paths {
  const settings = { data_dir: join(root, 'data'), runtime_dir: join(root, 'run') };
  return computePaths({ ...settings, cache_dir: join(root, 'cache') }, { env: {} });
}

/** Changes a database in place, without leaving a log. */
function change(path: string, sql: string): void {
  const db = new Database(path);
  db.exec(sql);
  db.close();
}

const sql = (text: string) => (path: string) => change(path, text);
const noise = (path: string) => writeFileSync(path, 'x'.repeat(5_000));

/** By the file that is spoilt: what is done to it, and what is said of it. */
const stores: readonly [
  file: 'waypointsDatabase' | 'libraryDatabase' | 'bookmarksFile',
  area: string,
  spoilt: readonly [title: string, spoil: (path: string) => void, level: string, text: RegExp][],
][] = [
  [
    'waypointsDatabase',
    'bookmarks',
    [
      ['newer', sql('PRAGMA user_version = 99'), 'problem', /newer waypointd \(schema 99\)/u],
      ['foreign', sql('PRAGMA application_id = 1'), 'problem', /damaged or not a waypointd store/u],
      ['no database', noise, 'problem', /damaged or not a waypointd store/u],
      ['without its first table', sql('DROP TABLE meta'), 'problem', /damaged/u],
      ['lost', rmSync, 'problem', /missing or empty although/u],
      ['emptied', (path) => truncateSync(path, 0), 'problem', /missing or empty although/u],
    ],
  ],
  [
    'libraryDatabase',
    'library',
    [
      ['lost', rmSync, 'warning', /missing or empty/u],
      [
        'not there, as nothing was imported',
        (path) => {
          rmSync(path);
          rmSync(join(path, '..', 'imports'), { recursive: true });
        },
        'note',
        /Nothing has been imported yet/u,
      ],
      ['damaged', noise, 'warning', /damaged/u],
      ['of another schema', sql('PRAGMA user_version = 77'), 'note', /another schema/u],
      [
        'found damaged in use',
        (path) => writeFileSync(`${path}.damaged`, ''),
        'warning',
        /while it was in use/u,
      ],
    ],
  ],
  [
    'bookmarksFile',
    'bookmarks file',
    [
      [
        'changed by its user',
        (path) => appendFileSync(path, '<!-- mine -->'),
        'note',
        /changed by another program/u,
      ],
    ],
  ],
];
test('each thing that may be wrong with the stores has its finding', async (t) => {
  const all = stores.flatMap(([file, area, spoilt]) =>
    spoilt.map((row) => [file, area, ...row] as const),
  );
  for (const [file, area, what, spoil, level, text] of all) {
    const title = `${file}: ${what}`;
    const paths = await leftData(t);
    spoil(paths[file]);
    const before = stateOf(paths.data);
    const found = checkStores(paths, idle).filter((finding) => finding.area === area);
    t.is(found.length, 1, title);
    t.is(found[0]?.level as string, level, title);
    t.regex(found[0]?.text ?? '', text, title);
    t.deepEqual(stateOf(paths.data), before, title);
  }
});

test('a bookmarks file in a folder that is not there, or not a file, is a problem', async (t) => {
  const left = await leftData(t);
  const paths = { ...left, bookmarksFile: join(left.data, 'unmounted', 'bookmarks.gpx') };
  const found = () => checkStores(paths, idle).filter(({ area }) => area === 'bookmarks file');
  t.like(found(), [{ level: 'problem' }]);
  t.regex(found()[0]?.text ?? '', /unmounted, the folder of bookmarks_file, is not there/u);
  mkdirSync(paths.bookmarksFile, { recursive: true });
  t.regex(found()[0]?.text ?? '', /not a regular file/u);
  rmdirSync(paths.bookmarksFile);
  t.deepEqual(brief(found()), ['note bookmarks file'], 'the daemon writes it');
});

/** A path that is there, as a private directory with nothing in it. */
function madePaths(t: ExecutionContext): Paths {
  const paths = pathsIn(temporaryDirectory(t));
  for (const path of [paths.data, paths.cache, paths.runtime]) mkdirSync(path, { mode: 0o700 });
  return paths;
}

posix('directories: private ones, open ones, links, files and missing ones', (t) => {
  const paths = madePaths(t);
  const found = (isChosen = false) => checkDirectories(paths, isChosen);
  t.deepEqual(brief(found()), ['ok data directory', 'ok cache directory', 'ok runtime directory']);
  const modes: readonly [number, string][] = [
    [0o750, 'warning'],
    [0o705, 'warning'],
    [0o720, 'problem'],
    [0o702, 'problem'],
    [0o500, 'problem'],
  ];
  for (const [mode, level] of modes) {
    chmodSync(paths.data, mode);
    t.deepEqual(levelsOf(found(), 'data directory'), [level], mode.toString(8));
  }
  rmSync(paths.data, { recursive: true });
  t.deepEqual(levelsOf(found(), 'data directory'), ['note']);
  t.deepEqual(levelsOf(found(true), 'data directory'), ['warning'], 'somebody named it');
  writeFileSync(paths.data, '');
  t.deepEqual(levelsOf(found(), 'data directory'), ['problem']);
  rmSync(paths.data);
  const real = `${paths.data}-real`;
  mkdirSync(real, { mode: 0o700 });
  symlinkSync(real, paths.data);
  t.deepEqual(levelsOf(found(), 'data directory'), ['note', 'ok']);
  const alone = { ...paths, runtime: paths.data };
  const [link] = checkDirectories(alone, false);
  t.is(link?.level, 'problem', 'it would hold the token');
  t.true(link?.remedy?.includes(real));
});

testWith(process.platform === 'win32', 'not Windows')(
  'directories: what is outside of the profile is told',
  (t) => {
    const paths = madePaths(t);
    t.deepEqual(levelsOf(checkDirectories(paths, false), 'data directory'), ['ok']);
    const outside = { ...paths, data: parse(paths.data).root };
    const found = checkDirectories(outside, false);
    t.deepEqual(levelsOf(found, 'data directory'), ['note', 'ok']);
    t.regex(found[0]?.remedy ?? '', /^icacls /u);
  },
);

asRoot('directories and files of another user are problems', async (t) => {
  const paths = await leftData(t);
  chownSync(paths.waypointsDatabase, 12_345, 12_345);
  t.deepEqual(brief(checkFiles(paths)), ['problem files']);
  chownSync(paths.data, 12_345, 12_345);
  t.deepEqual(levelsOf(checkDirectories(paths, false), 'data directory'), ['problem']);
});

posix('files: open ones, closed ones and links', async (t) => {
  const paths = await leftData(t);
  t.deepEqual(brief(checkFiles(paths)), ['ok files']);
  chmodSync(paths.waypointsDatabase, 0o644);
  t.deepEqual(brief(checkFiles(paths)), ['warning files']);
  chmodSync(paths.waypointsDatabase, 0o400);
  t.deepEqual(brief(checkFiles(paths)), ['problem files']);
  chmodSync(paths.waypointsDatabase, 0o600);
  chmodSync(paths.bookmarksFile, 0o400);
  t.deepEqual(brief(checkFiles(paths)), ['ok files'], 'a new one takes its place');
  chmodSync(paths.bookmarksFile, 0o200);
  t.deepEqual(brief(checkFiles(paths)), ['problem files']);
  chmodSync(paths.bookmarksFile, 0o600);
  const target = join(paths.data, 'elsewhere');
  symlinkSync(target, join(paths.data, 'daemon.json'));
  t.deepEqual(brief(checkFiles(paths)), ['problem files']);
});

test('a folder that a synchroniser copies is recognised by its name or its marks', (t) => {
  const root = temporaryDirectory(t);
  const path = (...parts: string[]) => join(root, ...parts);
  t.is(syncProgram(path('data')), undefined);
  t.is(syncProgram(path('Dropbox', 'x', 'data')), 'Dropbox');
  t.is(syncProgram(path('OneDrive - Firm', 'data')), 'OneDrive');
  t.is(syncProgram(path('Dropboxes', 'data')), undefined);
  mkdirSync(path('shared', '.stfolder'), { recursive: true });
  t.is(syncProgram(path('shared', 'a', 'data')), 'Syncthing');
  const paths = pathsIn(path('shared'));
  mkdirSync(paths.data, { mode: 0o700 });
  const warned = checkDirectories(paths, false).find(({ level }) => level === 'warning');
  t.regex(warned?.text ?? '', /Syncthing copies/u);
});

test('the clock: plausible, long past, behind the data, and set since the daemon started', async (t) => {
  const paths = await leftData(t);
  const now = Date.now();
  t.deepEqual(brief(checkClock(paths, undefined, now)), ['ok clock']);
  t.deepEqual(brief(checkClock(paths, undefined, 0)), ['problem clock']);
  const later = new Date(now + 2 * 86_400_000);
  utimesSync(paths.waypointsDatabase, later, later);
  t.deepEqual(brief(checkClock(paths, undefined, now)), ['warning clock']);
  utimesSync(paths.waypointsDatabase, new Date(now), new Date(now));
  const started = new Date(now - 3_600_000).toISOString();
  const daemonUp = (uptime_seconds: number) =>
    ({ handOver: { ...fakeHandOver(1), started }, status: { uptime_seconds } }) as never;
  t.deepEqual(brief(checkClock(paths, daemonUp(3_600), now)), ['ok clock']);
  t.deepEqual(brief(checkClock(paths, daemonUp(600), now)), ['note clock']);
});

test('the disk has room here, also for directories that are still to be made', (t) => {
  const paths = pathsIn(join(temporaryDirectory(t), 'a', 'b'));
  t.deepEqual(levelsOf(checkDisk(paths), 'disk').length, 2);
});

// Alone: another test that keeps the thread busy lets the answer come too late.
test.serial(
  'the port: free, the daemon’s own, a foreign waypointd’s, another program’s',
  async (t) => {
    let answer = '{"status":"ok"}';
    const server = createServer((_, response) => response.end(answer)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.teardown(() => server.close());
    const { port } = server.address() as AddressInfo;
    const check = async (...[daemon, service]: [never?, never?]) => {
      const [finding] = await checkPort(port, daemon, service);
      return finding;
    };
    t.regex((await check())?.text ?? '', /is taken by the waypointd of another/u);
    answer = 'hello';
    const other = await check();
    t.is(other?.level, 'problem');
    t.regex(other?.text ?? '', /is taken by another program/u);
    if (process.platform === 'linux') t.true(other?.text.includes(`(process ${process.pid})`));
    t.is((await check({ handOver: { port } } as never))?.level, 'ok');
    t.is((await check(undefined, { state: { heldPort: port } } as never))?.level, 'ok');
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    t.is((await check())?.level, 'ok');
  },
);

test('the service: none, running, failed, restarted, out of reach, without its Node.js', (t) => {
  const unit = join(temporaryDirectory(t), 'waypointd.service');
  const ownFiles = [unit];
  const found = (state: object, isReached = true) =>
    ({
      platform: { title: 'your service', ownFiles },
      state,
      isReached,
    }) as unknown as FoundService;
  const running = { isInstalled: true, isEnabled: true, condition: 'running' };
  t.deepEqual(brief(checkService(undefined)), ['note service']);
  t.deepEqual(brief(checkService(found(running))), ['ok service']);
  t.deepEqual(brief(checkService(found(running, false))), ['note service']);
  t.deepEqual(brief(checkService(found({ ...running, restarts: 2 }))), ['warning service']);
  t.deepEqual(brief(checkService(found({ ...running, isEnabled: false }))), ['note service']);
  const failed = { ...running, condition: 'failed', lastExit: { code: 75 } };
  t.deepEqual(brief(checkService(found(failed))), ['problem service']);
  const spec = fakeSpec(fakeHost(t, 'linux'));
  for (const node of [process.execPath, join(dirname(unit), '50% <gone> & more')])
    for (const text of [
      renderLaunchAgent({ ...spec, node, logFile: '/log' }),
      renderUserUnit({ ...spec, node, hasSocket: true, isSandboxed: true }),
    ]) {
      writeFileSync(unit, text);
      const [finding] = checkService(found(running));
      const isThere = node === process.execPath;
      t.is(finding?.level, isThere ? 'ok' : 'problem');
      t.is(finding?.text.includes(`runs ${node}, which is not there`), !isThere);
    }
});

test('the location provider: what it needs is looked at, and nobody asks for a position', async (t) => {
  const levelWith = async (changes: Partial<Settings>) => {
    const [finding] = await checkLocation({ ...settingDefaults, ...changes } as Settings);
    return finding?.level;
  };
  t.is(await levelWith({ location_provider: 'off' }), 'ok');
  t.is(await levelWith({ location_provider: 'static', location_static: '1,2' }), 'ok');
  const command = { location_provider: 'command' } as const;
  t.is(await levelWith({ ...command, location_command: `"${process.execPath}" -v` }), 'ok');
  t.is(await levelWith({ ...command, location_command: 'no-such-program-of-ours -x' }), 'problem');
  t.is(await levelWith(command), 'problem');
  const script = join(temporaryDirectory(t), 'where-am-i.cmd');
  writeFileSync(script, 'rem A shell would run it.', { mode: 0o755 });
  const levelOfScript = await levelWith({ ...command, location_command: `"${script}"` });
  t.is(levelOfScript, process.platform === 'win32' ? 'problem' : 'ok');
});

test('geodata: the builtin generation is whole, and a damaged pointer file is told of', async (t) => {
  const directory = join(temporaryDirectory(t), 'geodata');
  t.deepEqual(brief(await checkGeodata(directory)), ['ok geodata']);
  mkdirSync(directory);
  writeFileSync(join(directory, 'current.json'), '{');
  t.deepEqual(brief(await checkGeodata(directory)), ['warning geodata', 'ok geodata']);
  const oid = 'a'.repeat(64);
  const pointer = { id: 'world-1', oid, previous: null };
  writeFileSync(join(directory, 'current.json'), JSON.stringify(pointer));
  const [missing] = await checkGeodata(directory);
  t.is(missing?.level, 'warning');
  t.regex(missing?.text ?? '', /world-1 is missing/u);
});

posix('hand-over files: stale, of another directory, not to be trusted', async (t) => {
  const paths = madePaths(t);
  const plant = (content: object, mode = 0o600) => {
    writeFileSync(paths.handOver, JSON.stringify(content));
    chmodSync(paths.handOver, mode);
  };
  plant(fakeHandOver(1));
  t.deepEqual(brief((await checkDaemon(paths)).findings), ['note daemon', 'note hand-over file']);
  plant(fakeHandOver(1), 0o644);
  t.deepEqual(brief((await checkDaemon(paths)).findings), [
    'note daemon',
    'problem hand-over file',
  ]);
  plant({ ...fakeHandOver(1), data_dir: '/elsewhere' });
  t.deepEqual(brief((await checkDaemon(paths)).findings), ['note daemon', 'note hand-over file']);
});

posix('what is wrong with a directory is told once, and not of the hand-over file', async (t) => {
  const root = temporaryDirectory(t);
  const data = join(root, 'data');
  const paths = computePaths({ data_dir: data, runtime_dir: data }, { env: {} });
  mkdirSync(join(root, 'real'), { mode: 0o700 });
  symlinkSync(join(root, 'real'), data);
  t.deepEqual(brief((await checkDaemon(paths)).findings), ['note daemon']);
  rmSync(data);
  mkdirSync(data);
  chmodSync(data, 0o770);
  t.deepEqual(brief((await checkDaemon(paths)).findings), ['note daemon']);
  t.deepEqual(levelsOf(checkDirectories(paths, false), 'data directory'), ['problem']);
});

test('a daemon of another version, or that reads its library, is told of', async (t) => {
  const cli = testCli(t);
  const library = { state: 'reading', files_done: 1, files_total: 9 };
  const status = { uptime_seconds: 1, library, bookmarks: 0, timelines: { queued: 0, running: 0 } };
  await startFakeDaemon(t, cli, { 'GET /api/status': () => status }, { version: '9.8.7' });
  const { findings, daemon, isHeld } = await checkDaemon(pathsIn(cli.root));
  t.deepEqual(levelsOf(findings, 'daemon'), ['ok', 'warning', 'note']);
  t.is(daemon?.version.module.version, '9.8.7');
  t.true(isHeld);
});

onLinux('who holds a data directory is named where no daemon is found', async (t) => {
  const paths = madePaths(t);
  const lock = lockDirectory(paths.lockDatabase);
  const { findings, isHeld } = await checkDaemon(paths);
  t.true(isHeld);
  t.deepEqual(brief(findings), ['warning daemon']);
  t.true(findings[0]?.text.startsWith(`Another waypointd (process ${process.pid}) holds the data`));
  lock?.release();
  t.false((await checkDaemon(paths)).isHeld);
});

onLinux(
  'a daemon whose hand-over file is elsewhere is named at once, and where that is',
  async (t) => {
    const cli = testCli(t);
    const elsewhere = join(cli.root, 'session');
    const child = cli.start(['serve', '--port', '0'], {
      env: { WAYPOINTD_RUNTIME_DIR: '', XDG_RUNTIME_DIR: elsewhere },
    });
    await untilPrinted(child.stderr, /daemon\.ready/u);
    const { code, stderr } = await cli.run(['list']);
    t.is(code, 75);
    t.true(stderr.includes(`add --runtime-dir "${join(elsewhere, 'waypointd')}"`), stderr);
  },
);

test('a mistyped data directory is not made by a command that only reads', async (t) => {
  const cli = testCli(t);
  const typo = join(cli.root, 'typo');
  const { code, stderr } = await cli.run(['list', '--data-dir', typo]);
  t.is(code, 1);
  t.regex(stderr, /^waypointd: The data directory .*typo does not exist\. /u);
  t.false(existsSync(typo));
  mkdirSync(typo);
  const foreign = await cli.run(['list', '--data-dir', typo]);
  t.is(foreign.code, 1);
  t.regex(foreign.stderr, /^waypointd: There are no waypoints in the directory /u);
  t.deepEqual(readdirSync(typo), []);
});
