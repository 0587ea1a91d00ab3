import { spawnSync } from 'node:child_process';
import {
  closeSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { text } from 'node:stream/consumers';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { pack } from 'tar-stream';
import { systemClock } from '../model/process.ts';
import { stampOf } from '../model/time.ts';
import { launcher, testCli, type TestCli } from './helpers/cli.ts';
import { startTestDaemon, type TestDaemon } from './helpers/daemon.ts';
import { valuesOf } from './helpers/fields.ts';
import { gpx } from './helpers/imports.ts';
import { manualTime } from './helpers/manual-time.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';
import { until } from './helpers/until.ts';
import { onLinux, posix, withMounts } from './helpers/where.ts';

/** A command line with a bookmark, tags of its own and of an imported waypoint, a search and an imported file. */
async function filled(t: ExecutionContext): Promise<TestCli> {
  const cli = testCli(t);
  const tracks = path.join(cli.root, 'tracks');
  mkdirSync(tracks);
  writeFileSync(path.join(tracks, 'a.gpx'), gpx([['Hut', 46.1, 11.2]], ['2024-05-01T10:00:00Z']));
  await cli.out(['import', tracks]);
  await cli.out(['bookmark', 'add', 'Harbour', '41.15', '-8.6', '--tag', 'sea']);
  await cli.out(['tag', 'add', 'Hut', 'alps', '--at', '46.1,11.2']);
  return cli;
}

/** Every waypoint with its tags, bookmarked or imported. */
async function seen(cli: TestCli): Promise<unknown> {
  return cli.json(['list']);
}

const backup = (cli: TestCli): string => path.join(cli.root, 'mine.tar');

test('a backup made beside a running daemon, restored on an empty machine, has everything', async (t) => {
  const cli = await filled(t);
  const before = await seen(cli);
  const daemon = await startTestDaemon(t, { root: cli.root });
  const made = await cli.json(['backup', 'create', backup(cli)]);
  await daemon.close();
  t.is(made.imports, true);
  if (process.platform !== 'win32') t.is(statSync(backup(cli)).mode & 0o777, 0o600);
  t.regex(await cli.out(['backup', 'verify', backup(cli)]), /^Whole: /u);

  const machine = testCli(t);
  t.regex(await machine.out(['backup', 'restore', backup(cli)]), /^Restored /u);
  t.deepEqual(await seen(machine), before);
  t.true(existsSync(path.join(machine.root, 'data', 'imports', 'a.gpx')));
  t.false(existsSync(path.join(machine.root, 'data', '.restore')));
});

test('the README moves to a new machine as printed', async (t) => {
  const readme = readFileSync(path.join(import.meta.dirname, '../README.md'), 'utf8');
  const section = /## Backup, new machine\n(.*?)\n## /su.exec(readme)?.[1] ?? '';
  const printed = [...section.matchAll(/```sh\n(.*?)\n```/gsu)].flatMap(([, text = '']) =>
    text.split('\n'),
  );
  const words = printed.map((line) => line.split(' '));
  t.deepEqual(
    words.map(([npx, program, group]) => [npx, program, group]),
    [
      ['npx', 'waypointd', 'backup'],
      ['npx', 'waypointd', 'backup'],
    ],
  );
  const [create = [], restore = []] = words.map((line) => line.slice(2));
  const cli = await filled(t);
  await cli.out(create);
  const machine = testCli(t);
  await machine.out(restore, { cwd: cli.root });
  t.deepEqual(await seen(machine), await seen(cli));
});

test('a restore over a full directory keeps what was there, and can be taken back by hand', async (t) => {
  const cli = await filled(t);
  const before = await seen(cli);
  await cli.out(['backup', 'create', backup(cli)]);
  await cli.out(['bookmark', 'add', 'Later', '1', '2']);
  const { set_aside: aside } = await cli.json(['backup', 'restore', backup(cli)]);
  t.deepEqual(await seen(cli), before);
  t.true(existsSync(path.join(aside, 'waypoints.sqlite')));
  t.true(existsSync(path.join(aside, 'imports', 'a.gpx')));
});

for (const [clocks, aheadMs] of [
  ['of machines with one time', 0],
  ['of a machine whose clock is ahead', 3_600_000],
] as const) {
  test(`a shared bookmarks file ${clocks} does not undo a restore`, async (t) => {
    const cli = testCli(t);
    await cli.out(['bookmark', 'add', 'Harbour', '41.15', '-8.6']);
    await cli.out(['backup', 'create', backup(cli)]);
    const clock = { ...systemClock, now: () => Date.now() + aheadMs };
    const daemon = await startTestDaemon(t, { root: cli.root, clock });
    await daemon.call('DELETE', '/api/bookmarks?name=Harbour&lat=41.15&lon=-8.6');
    await daemon.call('POST', '/api/bookmarks', { name: 'Mistake', lat: 1, lon: 2 });
    const file = daemon.paths.bookmarksFile;
    await daemon.close();
    const shared = readFileSync(file, 'utf8');
    t.true(shared.includes('Mistake') && shared.includes('<wd:deleted '));
    await cli.out(['backup', 'restore', backup(cli)]);
    // A sync tool puts the file of the other machines back.
    writeFileSync(file, shared);
    const again = await startTestDaemon(t, { root: cli.root });
    await until(async () => (await again.get('/api/status')).body.bookmarks_file !== undefined);
    const { body } = await again.get('/api/waypoints');
    t.deepEqual(valuesOf(body, 'name'), ['Harbour']);
  });
}

test('of two imports the newer one is so after a restore', async (t) => {
  const cli = testCli(t);
  // The older one has the later name, and was there half a second before.
  const files = [
    ['z.gpx', 'older', '2024-05-01T10:00:00.250Z'],
    ['a.gpx', 'newer', '2024-05-01T10:00:00.750Z'],
  ] as const;
  for (const [name, desc] of files) {
    const folder = path.join(cli.root, desc);
    mkdirSync(folder);
    const waypoint = gpx([['Hut', 46.1, 11.2]]).replace('</name>', `</name><desc>${desc}</desc>`);
    writeFileSync(path.join(folder, name), waypoint);
    await cli.out(['import', folder]);
  }
  for (const [name, , time] of files) {
    const at = new Date(time);
    utimesSync(path.join(cli.root, 'data', 'imports', name), at, at);
  }
  rmSync(path.join(cli.root, 'data', 'library.sqlite'));
  const before = await seen(cli);
  t.like(before, [{ name: 'Hut', desc: 'newer' }]);
  await cli.out(['backup', 'create', backup(cli)]);
  const machine = testCli(t);
  await machine.out(['backup', 'restore', backup(cli)]);
  t.deepEqual(await seen(machine), before);
});

posix('a backup waits for no pipe in the place of the bookmarks file', async (t) => {
  const cli = testCli(t);
  await cli.out(['bookmark', 'add', 'Harbour', '41.15', '-8.6']);
  const pipe = path.join(cli.root, 'data', 'bookmarks.gpx');
  rmSync(pipe);
  t.is(spawnSync('mkfifo', [pipe]).status, 0);
  // Held open by its other end: opening it does not wait, and it looks like an empty file.
  const other = openSync(pipe, 'r+');
  t.teardown(() => closeSync(other));
  const made = await cli.json(['backup', 'create', backup(cli)]);
  t.is(made.files, 1);
});

test('what a restore has set aside in the same second is not written over by the next one', async (t) => {
  const cli = await filled(t);
  await cli.out(['backup', 'create', backup(cli)]);
  const now = Date.now();
  const stamps = Array.from({ length: 300 }, (_, second) => stampOf(now + second * 1_000));
  const earlier = stamps.map((stamp) =>
    path.join(cli.root, 'data', 'backups', `before-restore-${stamp}`, 'waypoints.sqlite'),
  );
  for (const file of earlier) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, 'of an earlier restore');
  }
  await cli.out(['backup', 'restore', backup(cli)]);
  for (const file of earlier) t.is(readFileSync(file, 'utf8'), 'of an earlier restore');
});

test('a backup without imports leaves those that are there', async (t) => {
  const cli = await filled(t);
  const before = await seen(cli);
  await cli.out(['backup', 'create', backup(cli), '--no-imports']);
  await cli.out(['backup', 'restore', backup(cli)]);
  t.deepEqual(await seen(cli), before);
});

test('a restore is refused while a daemon runs, or beside a lock that is none, and changes nothing', async (t) => {
  const cli = await filled(t);
  await cli.out(['backup', 'create', backup(cli)]);
  const lock = path.join(cli.root, 'data', 'lock.sqlite');
  writeFileSync(lock, 'notes of another program');
  const refused = await cli.run(['backup', 'restore', backup(cli)]);
  t.is(refused.code, 74);
  const move = process.platform === 'win32' ? 'move' : 'mv';
  t.true(refused.stderr.includes(`to mend that: ${move} "${lock}"`), refused.stderr);
  rmSync(lock);
  const daemon = await startTestDaemon(t, { root: cli.root });
  const { code, stderr } = await cli.run(['backup', 'restore', backup(cli)]);
  t.is(code, 75);
  t.regex(stderr, /stop it first\. Nothing was restored/u);
  t.is((await daemon.get('/api/waypoints')).body.length, 2);
});

test('no file is overwritten, and none is left behind', async (t) => {
  const cli = await filled(t);
  writeFileSync(backup(cli), 'mine');
  const { code, stderr } = await cli.run(['backup', 'create', backup(cli)]);
  t.is(code, 1);
  t.regex(stderr, /exists already/u);
  const away = await cli.run(['backup', 'create', `${cli.root}/away/b.tar`]);
  t.regex(away.stderr, /away.b\.tar was not written: its directory does not exist/u);
  t.is(readFileSync(backup(cli), 'utf8'), 'mine');
  t.deepEqual(
    readdirSync(cli.root).filter((name) => name.endsWith('.tmp')),
    [],
  );
});

test('what a backup that was killed has left goes with the next one, and nothing of anybody else', async (t) => {
  const cli = await filled(t);
  const imports = path.join(cli.root, 'data', 'imports');
  const large = path.join(imports, 'large.gpx');
  writeFileSync(large, '');
  truncateSync(large, 200_000_000);
  const out = path.join(cli.root, 'out');
  mkdirSync(out);
  const killed = cli.start(['backup', 'create', path.join(out, 'first.tar')]);
  const ended = new Promise((end) => killed.once('exit', end));
  await until(() => readdirSync(out).length === 2);
  killed.kill('SIGKILL');
  await ended;
  truncateSync(large, 0);
  const left = readdirSync(out);
  // Of a process that runs, of another machine, and of the user.
  const [own = ''] = left;
  const others = [
    own.replace(`${killed.pid}@`, `${process.pid}@`),
    own.replace('@', '@x'),
    '.first.tar.tmp',
  ];
  for (const name of others) writeFileSync(path.join(out, name), 'mine');
  await cli.out(['backup', 'create', path.join(out, 'second.tar')]);
  t.deepEqual(readdirSync(out).toSorted(), [...others, 'second.tar'].toSorted());
});

onLinux('a name that is not UTF-8 is told, and all else is in the backup', async (t) => {
  const cli = await filled(t);
  const imports = path.join(cli.root, 'data', 'imports');
  const latin = (name: string) =>
    Buffer.concat([Buffer.from(`${imports}/`), Buffer.from(name, 'latin1')]);
  writeFileSync(latin('caf\u00e9.gpx'), gpx([['Bar', 1, 2]]));
  mkdirSync(latin('\u00eele'));
  // What the first is called where it is read as text.
  writeFileSync(path.join(imports, 'caf\ufffd.gpx'), gpx([['Odd', 1, 2]]));
  const { code, stdout, stderr } = await cli.run(['backup', 'create', backup(cli), '--json']);
  t.is(code, 1);
  const { files, left_out: leftOut } = JSON.parse(stdout);
  t.deepEqual([files, leftOut.toSorted()], [4, ['caf\ufffd.gpx', '\ufffdle']], stderr);
  rmSync(backup(cli));
  const told = await cli.run(['backup', 'create', backup(cli)]);
  t.regex(told.stderr, /not UTF-8: imports\/caf\ufffd\.gpx/u);
  t.regex(await cli.out(['backup', 'verify', backup(cli)]), /^Whole: /u);
});

onLinux(
  'a folder 1,900 folders deep is in a backup, and one that no path reaches is told',
  async (t) => {
    const cli = await filled(t);
    const imports = path.join(cli.root, 'data', 'imports');
    const deep = path.join(imports, 'd/'.repeat(1_900));
    mkdirSync(deep, { recursive: true });
    writeFileSync(path.join(deep, 'a.gpx'), gpx([['Deep', 1, 2]]));
    writeFileSync(path.join(imports, 'a\\b.gpx'), gpx([['Bar', 1, 2]]));
    const long = 'e'.repeat(250);
    const descend = `cd "$0" && for i in $(seq 20); do mkdir ${long} && cd ${long}; done; echo > a.gpx`;
    spawnSync('sh', ['-c', descend, imports]);
    const { code, stdout } = await cli.run(['backup', 'create', backup(cli), '--json']);
    t.is(code, 1);
    const { left_out: leftOut } = JSON.parse(stdout);
    t.deepEqual(leftOut.toSorted()[0], 'a\\b.gpx');
    t.regex(leftOut.toSorted()[1], /^(?:e{250}\/){14,}e{250}$/u);
    t.is(leftOut.length, 2);
    t.regex(await cli.out(['backup', 'verify', backup(cli)]), /^Whole: /u);
    spawnSync('rm', ['-r', path.join(imports, long)]);
  },
);

const manifest = {
  waypointd_backup: 1,
  version: '1',
  created_at: '2024-01-01T00:00:00Z',
  imports: true,
  files: [],
};

/** An archive that somebody else has made, of entries with these names, and a manifest. */
async function archiveOf(file: string, ...names: string[]) {
  const archive = pack();
  for (const name of names) archive.entry({ name }, 'x');
  archive.entry({ name: 'manifest.json' }, JSON.stringify(manifest));
  archive.finalize();
  writeFileSync(file, await text(archive as unknown as AsyncIterable<Uint8Array>), 'latin1');
}

test('what is cut off, changed, foreign or leads outside is refused whole, and changes nothing', async (t) => {
  const cli = await filled(t);
  const before = await seen(cli);
  await cli.out(['backup', 'create', backup(cli)]);
  const whole = readFileSync(backup(cli));
  const made = new Set<string>();
  const bad = (name: string): string => {
    made.add(name);
    return path.join(cli.root, `${name}.tar`);
  };
  for (const share of [0.1, 0.5, 0.9]) {
    cpSync(backup(cli), bad(`cut-${share}`));
    truncateSync(bad(`cut-${share}`), Math.floor(whole.length * share));
  }
  const flipped = Buffer.from(whole);
  const middle = flipped.indexOf('Harbour');
  flipped[middle] = 0x68;
  writeFileSync(bad('flipped'), flipped);
  writeFileSync(bad('empty'), '');
  writeFileSync(bad('noise'), 'no tar file at all'.repeat(1_000));
  await archiveOf(bad('outside'), 'imports/../../evil');
  await archiveOf(bad('absolute'), '/etc/evil');
  await archiveOf(bad('no-store'));
  await archiveOf(bad('twice'), 'imports/a', 'imports/a');
  await archiveOf(bad('below'), 'imports/a', 'imports/a/b');
  t.is(made.size, 11);
  for (const name of made) {
    const { code, stderr } = await cli.run(['backup', 'restore', bad(name)]);
    t.is(code, 65, name);
    t.regex(stderr, /no whole backup/u, name);
  }
  t.is((await cli.run(['backup', 'verify', bad('flipped')])).code, 65);
  t.deepEqual(await seen(cli), before);
  t.false(existsSync(path.join(cli.root, 'data', '.restore')));
});

test('a configuration that means another directory is put beside', async (t) => {
  const cli = await filled(t);
  const configOf = async (of: TestCli): Promise<string> =>
    path.dirname((await of.json(['paths'])).config_file);
  const config = await configOf(cli);
  mkdirSync(config, { recursive: true });
  writeFileSync(path.join(config, 'config.json'), '{"history": true}');
  await cli.out(['backup', 'create', backup(cli)]);
  const machine = testCli(t);
  await machine.out(['backup', 'restore', backup(cli)]);
  const restored = await configOf(machine);
  t.is(readFileSync(path.join(restored, 'config.json'), 'utf8'), '{"history": true}');
  writeFileSync(path.join(restored, 'config.json'), '{"history": false}');
  await machine.out(['backup', 'restore', backup(cli)]);
  t.is(readFileSync(path.join(restored, 'config.json'), 'utf8'), '{"history": false}');
  t.true(existsSync(path.join(restored, 'config.from-backup.json')));
});

posix('a restore writes through a link, and keeps what the file it leads to had', async (t) => {
  const cli = await filled(t);
  const before = await seen(cli);
  await cli.out(['backup', 'create', backup(cli)]);
  const [place, shared] = [
    path.join(cli.root, 'data', 'bookmarks.gpx'),
    path.join(cli.root, 'shared.gpx'),
  ];
  cpSync(place, shared);
  rmSync(place);
  symlinkSync(shared, place);
  await cli.out(['bookmark', 'add', 'Later', '1', '2']);
  const { set_aside: aside } = await cli.json(['backup', 'restore', backup(cli)]);
  t.true(lstatSync(place).isSymbolicLink());
  t.false(readFileSync(shared, 'utf8').includes('Later'));
  t.true(readFileSync(path.join(aside, 'shared.gpx'), 'utf8').includes('Later'));
  t.deepEqual(await seen(cli), before);
});

/** Runs a shell script in a name space of its own, in which it may mount; `waypointd` runs the program. */
function inMounts(cli: TestCli, script: string) {
  const begin = 'waypointd() { "$NODE" "$PROGRAM" "$@"; }\n';
  const words = ['-rm', 'sh', '-ec', begin + script];
  const env = { ...cli.env, NODE: process.execPath, PROGRAM: launcher, ROOT: cli.root };
  return spawnSync('unshare', words, { encoding: 'utf8', env, cwd: cli.root });
}

withMounts('imports/ on a file system of its own is set aside, and restored there', async (t) => {
  const cli = await filled(t);
  await cli.out(['backup', 'create', backup(cli)]);
  const { status, stdout, stderr } = inMounts(
    cli,
    `mv data/imports old; mkdir data/imports; mount -t tmpfs tmpfs data/imports
    cp old/* data/imports/; echo mine > data/imports/own.txt; ln -s gone data/imports/lost
    touch -d @7 data/imports/own.txt
    waypointd backup restore mine.tar
    ls data/imports; ls data/backups/*/imports; waypointd list | grep -c Hut
    readlink data/backups/*/imports/lost; stat -c %Y data/backups/*/imports/own.txt
    umount data/imports; rm -r data/imports; mkdir other; mount -t tmpfs tmpfs other
    mv old other/imports; ln -s "$ROOT/other/imports" data/imports
    waypointd backup restore mine.tar; test -h data/imports; ls other/imports`,
  );
  t.is(status, 0, stderr);
  const lines = stdout.split('\n').filter((line) => !line.startsWith('Restored'));
  t.deepEqual(lines, ['a.gpx', 'a.gpx', 'lost', 'own.txt', '1', 'gone', '7', 'a.gpx', '']);
});

withMounts('a disk that fills leaves no half backup', async (t) => {
  const cli = await filled(t);
  const noise = Buffer.alloc(1_048_576, 'noise ');
  writeFileSync(path.join(cli.root, 'data', 'imports', 'large.bin'), noise);
  const { stdout, stderr } = inMounts(
    cli,
    `mkdir small; mount -t tmpfs -o size=1m tmpfs small
    waypointd backup create small/b.tar || echo "code $?"; ls -A small`,
  );
  t.is(stdout, 'code 1\n', stderr);
  t.regex(stderr, /was not written: the disk is full/u);
});

withMounts(
  'a restore that another file system has no room for says where the old store is',
  async (t) => {
    const cli = await filled(t);
    const before = await seen(cli);
    writeFileSync(path.join(cli.root, 'data', 'imports', 'large.bin'), Buffer.alloc(1_048_576));
    await cli.out(['backup', 'create', backup(cli)]);
    const { stdout, stderr } = inMounts(
      cli,
      `mv data/imports old; mkdir data/imports; mount -t tmpfs -o size=1m tmpfs data/imports
    waypointd backup restore mine.tar || echo "code $?"; umount data/imports; rm -r data/imports
    mv old data/imports; mv data/backups/before-restore-*/[!i]* data/; waypointd list --json`,
    );
    const [code = '', ...lines] = stdout.split('\n');
    t.is(code, 'code 74', stderr);
    t.regex(stderr, /cut off \(no space is left on a disk\)/u);
    const [, aside = ''] = /What was here before is whole, in (\S+) and/u.exec(stderr) ?? [];
    t.true(aside.startsWith(path.join(cli.root, 'data', 'backups', 'before-restore-')), stderr);
    t.deepEqual(JSON.parse(lines.join('\n')), before);
  },
);

test('what a check that was killed has left in the temporary directory goes with the next', async (t) => {
  const cli = await filled(t);
  await cli.out(['backup', 'create', backup(cli)]);
  const { pid } = spawnSync(process.execPath, ['--version']);
  const left = path.join(cli.root, `waypointd-verify-${pid}-abc`);
  const other = path.join(cli.root, `waypointd-verify-${process.pid}-abc`);
  for (const directory of [left, other]) mkdirSync(directory);
  const env = { TMPDIR: cli.root, TEMP: cli.root };
  t.is((await cli.run(['backup', 'verify', backup(cli)], { env })).code, 0);
  t.deepEqual([left, other].map(existsSync), [false, true]);
});

const dayMs = 86_400_000;
const dailyName = (at: number): string => `daily-${new Date(at).toISOString().slice(0, 10)}.tar`;
const dailyOf = (daemon: TestDaemon): string[] =>
  existsSync(daemon.paths.backups)
    ? readdirSync(daemon.paths.backups)
        .filter((name) => name.startsWith('daily-') && name.endsWith('.tar'))
        .toSorted()
    : [];

test('a daemon makes a small backup each day on which something changed, without the history, and keeps 7 days and 4 weeks', async (t) => {
  const time = manualTime();
  const root = temporaryDirectory(t);
  const { clock, schedule } = time;
  const daemon = await startTestDaemon(t, { root, clock, options: { schedule } });
  const kept = await daemon.call('POST', '/api/history', { query: 'secret harbour' });
  t.is(kept.status, 201);
  await daemon.call('POST', '/api/bookmarks', { name: 'Day 0', lat: 1, lon: 2 });
  time.advance(60_000);
  await until(() => dailyOf(daemon).length === 1 && time.waiting() === 1);
  t.deepEqual(dailyOf(daemon), ['daily-2024-06-01.tar']);
  const content = readFileSync(path.join(daemon.paths.backups, 'daily-2024-06-01.tar'), 'latin1');
  t.true(content.includes('Day 0'));
  t.false(content.includes('secret harbour'));
  const { backups } = daemon.paths;
  const first = path.join(backups, 'daily-2024-06-01.tar');
  for (let day = 1; day <= 45; day += 1)
    cpSync(first, path.join(backups, dailyName(Date.UTC(2024, 5, 1 - day))));
  // Nothing changed, and so nothing is made or removed.
  time.advance(dayMs);
  await until(() => time.waiting() === 1);
  t.is(dailyOf(daemon).length, 46);
  await daemon.call('POST', '/api/bookmarks', { name: 'Later', lat: 1, lon: 2 });
  time.advance(dayMs);
  await until(() => time.waiting() === 1);
  const sundays = ['2024-05-05', '2024-05-12', '2024-05-19', '2024-05-26'];
  const newest = ['05-27', '05-28', '05-29', '05-30', '05-31', '06-01', '06-02'];
  t.deepEqual(
    dailyOf(daemon),
    [...sundays, ...newest.map((day) => `2024-${day}`)].map((day) => `daily-${day}.tar`),
  );
  const cli = testCli(t, root);
  t.is((await cli.json(['backup', 'list'])).length, 11);
});

test('a daemon that stops while it makes a small backup plans no other one', async (t) => {
  const time = manualTime();
  const { clock, schedule } = time;
  const daemon = await startTestDaemon(t, { clock, options: { schedule } });
  await daemon.call('POST', '/api/bookmarks', { name: 'Day 0', lat: 1, lon: 2 });
  time.advance(60_000);
  await daemon.close();
  t.is(time.waiting(), 0);
  t.deepEqual(
    daemon.logged.filter((line) => line.startsWith('backup.')),
    [],
  );
});

test('small backups of a clock that went wrong make no room for themselves, and hold none up', async (t) => {
  const time = manualTime();
  const { clock, schedule } = time;
  const daemon = await startTestDaemon(t, { clock, options: { schedule } });
  const { backups } = daemon.paths;
  await daemon.call('POST', '/api/bookmarks', { name: 'Day 0', lat: 1, lon: 2 });
  time.advance(60_000);
  await until(() => dailyOf(daemon).length === 1 && time.waiting() === 1);
  const first = path.join(backups, 'daily-2024-06-01.tar');
  for (let month = 0; month < 12; month += 1)
    cpSync(first, path.join(backups, dailyName(Date.UTC(2031, month, 1))));
  for (let day = 1; day <= 10; day += 1)
    cpSync(first, path.join(backups, dailyName(Date.UTC(2024, 5, 1 - day))));
  await daemon.call('POST', '/api/bookmarks', { name: 'Later', lat: 1, lon: 2 });
  for (let day = 0; day < 2; day += 1) {
    time.advance(dayMs);
    await until(() => time.waiting() === 1);
  }
  const kept = dailyOf(daemon);
  t.true(kept.includes('daily-2024-06-02.tar'));
  t.is(kept.filter((name) => name < 'daily-2025').length, 8);
  t.is(kept.length, 11);
});
