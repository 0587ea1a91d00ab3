import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { execSync } from 'node:child_process';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import test, { type ExecutionContext } from 'ava';
import { checkDirectories, checkFiles } from '../cli/doctor/check-files.ts';
import { checkStores } from '../cli/doctor/check-stores.ts';
import { ExitError } from '../model/exit-error.ts';
import { openReader } from '../storage/database.ts';
import { startTestDaemon, type TestDaemon } from './helpers/daemon.ts';
import { valuesOf } from './helpers/fields.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';
import { answerWhen, until } from './helpers/until.ts';
import { asRoot, posix } from './helpers/where.ts';

const camp = { name: 'Camp', lat: 42.1, lon: -8.3 };

async function stoppedWithCamp(t: ExecutionContext): Promise<TestDaemon> {
  const daemon = await startTestDaemon(t);
  await daemon.call('POST', '/api/bookmarks', { ...camp, tags: ['home'] });
  await daemon.close();
  // On a busy machine a stop does not wait for the bookmarks file as long as it takes.
  if (!existsSync(daemon.paths.bookmarksFile)) await writtenByAnother(t, daemon.root);
  return daemon;
}

async function refusal(t: ExecutionContext, start: Promise<unknown>): Promise<ExitError> {
  const error = await t.throwsAsync(start, { instanceOf: ExitError });
  t.false(error.message.includes('\n'));
  return error;
}

/** Leaves a store as a crash in the middle of a transaction does: half of it in the file, the way back in a journal. */
function cutOff(t: ExecutionContext, path: string): void {
  const copy = join(temporaryDirectory(t), 'waypoints.sqlite');
  const db = new Database(path);
  db.pragma('journal_mode = DELETE');
  db.pragma('cache_size = 2');
  db.exec('BEGIN; CREATE TABLE filler (x)');
  for (let i = 0; i < 200; i++) db.prepare('INSERT INTO filler VALUES (?)').run('x'.repeat(4_000));
  for (const end of ['', '-journal']) copyFileSync(path + end, copy + end);
  db.exec('ROLLBACK');
  db.close();
  for (const end of ['', '-journal']) copyFileSync(copy + end, path + end);
}

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}

test('a store of a newer version: exit 65, untouched', async (t) => {
  const { root, paths } = await stoppedWithCamp(t);
  const db = new Database(paths.waypointsDatabase);
  db.pragma('user_version = 99');
  db.pragma('journal_mode = DELETE');
  db.close();
  const before = readFileSync(paths.waypointsDatabase);
  t.is((await refusal(t, startTestDaemon(t, { root }))).exitCode, 65);
  t.deepEqual(readFileSync(paths.waypointsDatabase), before);
});

test('a damaged store: exit 74, untouched, and the sentence has the commands that help', async (t) => {
  const { root, paths } = await stoppedWithCamp(t);
  const copy = join(paths.backups, 'waypoints-v1-20260101T000000Z.sqlite');
  mkdirSync(paths.backups, { recursive: true });
  copyFileSync(paths.waypointsDatabase, copy);
  writeFileSync(
    paths.waypointsDatabase,
    'this is no database at all, but it is long enough to be read as one',
  );
  const before = readFileSync(paths.waypointsDatabase);
  const error = await refusal(t, startTestDaemon(t, { root }));
  t.is(error.exitCode, 74);
  t.regex(error.message, /waypointd serve --new-store/);
  t.deepEqual(readFileSync(paths.waypointsDatabase), before);
  const [, command = ''] =
    /To go back to the newest copy[^:]*: (.+)\. To rebuild/u.exec(error.message) ?? [];
  // In cmd on Windows.
  execSync(command, { stdio: 'ignore' });
  const { body } = await (await startTestDaemon(t, { root })).get('/api/waypoints');
  t.is(body[0]?.name, 'Camp');
  t.deepEqual(readFileSync(join(paths.data, 'damaged', 'waypoints.sqlite')), before);
});

test('a store cut short in the middle: exit 74', async (t) => {
  const daemon = await startTestDaemon(t);
  const bookmarks = Array.from({ length: 60 }, (_, i) => ({
    ...camp,
    name: `Camp ${i}`,
    desc: 'x'.repeat(4_000),
  }));
  for (const bookmark of bookmarks) await daemon.call('POST', '/api/bookmarks', bookmark);
  await daemon.close();
  truncateSync(daemon.paths.waypointsDatabase, 81_920);
  t.is((await refusal(t, startTestDaemon(t, { root: daemon.root }))).exitCode, 74);
});

for (const loss of ['missing', 'empty'] as const) {
  test(`a store that is ${loss} beside its companions: exit 74, no empty one is made; --new-store rebuilds it`, async (t) => {
    const { root, paths } = await stoppedWithCamp(t);
    rmSync(paths.waypointsDatabase);
    if (loss === 'empty') writeFileSync(paths.waypointsDatabase, '');
    t.is((await refusal(t, startTestDaemon(t, { root }))).exitCode, 74);
    t.is(existsSync(paths.waypointsDatabase), loss === 'empty');
    const anew = await startTestDaemon(t, { root, options: { newStore: true } });
    const merged = await untilMerged(anew);
    t.deepEqual([merged.name, merged.tags], ['Camp', ['home']]);
  });
}

/** A start writes it. */
async function writtenByAnother(t: ExecutionContext, root: string): Promise<void> {
  const daemon = await startTestDaemon(t, { root });
  await until(() => existsSync(daemon.paths.bookmarksFile));
  await daemon.close();
}

/** Waits for the merge of the bookmarks file, which follows the start: asks again until it is there. */
async function untilMerged(daemon: TestDaemon): Promise<{ name: string; tags: string[] }> {
  const { body } = await answerWhen(
    () => daemon.get('/api/waypoints'),
    (answer) => answer.body.length > 0,
  );
  return body[0];
}

test('a store that another program holds is not called damaged: exit 74, and the next start finds all', async (t) => {
  const { root, paths } = await stoppedWithCamp(t);
  const other = new Database(paths.waypointsDatabase);
  other.pragma('locking_mode = EXCLUSIVE');
  other.exec('BEGIN EXCLUSIVE');
  const error = await refusal(t, startTestDaemon(t, { root }));
  other.close();
  t.is(error.exitCode, 74);
  t.regex(error.message, /SQLITE_BUSY/);
  t.notRegex(error.message, /damaged|new-store|mv /);
  const daemon = await startTestDaemon(t, { root });
  t.is((await daemon.get('/api/waypoints')).body.length, 1);
});

for (const key of ['data_dir', 'cache_dir', 'runtime_dir'] as const) {
  test(`a ${key} that cannot be made: exit 78, and the flag is named`, async (t) => {
    const root = temporaryDirectory(t);
    writeFileSync(join(root, 'file'), '');
    const settings = { [key]: join(root, 'file', 'below') };
    const options = { handOver: true };
    const error = await refusal(t, startTestDaemon(t, { root, settings, options }));
    t.is(error.exitCode, 78);
    t.true(error.message.includes(`--${key.replace('_', '-')}`), error.message);
  });
}

test('a lock that cannot be opened: exit 74', async (t) => {
  const { root, paths } = await stoppedWithCamp(t);
  rmSync(paths.lockDatabase);
  mkdirSync(paths.lockDatabase);
  t.is((await refusal(t, startTestDaemon(t, { root }))).exitCode, 74);
});

test('a lock file that is something else: exit 74 with the command that mends it, also told by doctor', async (t) => {
  const { root, paths } = await stoppedWithCamp(t);
  rmSync(paths.lockDatabase);
  writeFileSync(paths.lockDatabase, 'notes of another program, more than sixteen bytes');
  const error = await refusal(t, startTestDaemon(t, { root }));
  t.is(error.exitCode, 74);
  const move = process.platform === 'win32' ? 'move' : 'mv';
  t.true(error.message.includes(`${move} "${paths.lockDatabase}"`), error.message);
  const remedy = error.message.replace(/^.*: /u, '');
  t.like(checkFiles(paths).at(-1), { level: 'problem', remedy });
  t.is(statSync(paths.lockDatabase).size, 49);
});

test('a start that was cut off before the first table is no loss', async (t) => {
  const root = temporaryDirectory(t);
  mkdirSync(join(root, 'data'));
  const db = new Database(join(root, 'data', 'waypoints.sqlite'));
  db.pragma('journal_mode = WAL');
  db.close();
  const daemon = await startTestDaemon(t, { root });
  t.is((await daemon.call('POST', '/api/bookmarks', camp)).status, 201);
});

test('a store that a crash has left in the middle of a transaction is rolled back and opens', async (t) => {
  const { root, paths } = await stoppedWithCamp(t);
  cutOff(t, paths.waypointsDatabase);
  t.throws(() => openReader(paths.waypointsDatabase).prepare('SELECT 1 FROM meta').get());
  const options = { isHeld: false, isThorough: true };
  const [seen] = checkStores(paths, options);
  t.is(seen?.level, 'ok', 'doctor opens it as a start does');
  t.true(existsSync(`${paths.waypointsDatabase}-journal`), 'and changes nothing');
  const found = storeFiles(paths.waypointsDatabase);
  const daemon = await startTestDaemon(t, { root });
  t.is((await daemon.get('/api/waypoints')).body[0].name, 'Camp');
  const kept = readdirSync(paths.backups).filter((name) => /^waypoints-cut-off-\w+$/u.test(name));
  t.is(kept.length, 1);
  t.deepEqual(storeFiles(join(paths.backups, kept[0] ?? '')), found, 'as it was found');
});

/** A journal whose transaction began with a database of so many pages, and has changed none of them. */
function journalOf(pages: number): Buffer {
  const header = Buffer.alloc(512);
  header.write('d9d505f920a163d7', 'hex');
  header.writeUInt32BE(pages, 16);
  header.writeUInt32BE(512, 20);
  header.writeUInt32BE(4_096, 24);
  return header;
}

/** The store and what SQLite keeps beside it. */
function storeFiles(path: string): (Buffer | undefined)[] {
  const files = ['', '-wal', '-journal'].map((end) => path + end);
  return files.map((file) => (existsSync(file) ? readFileSync(file) : undefined));
}

for (const pages of [0, 2]) {
  test(`a journal of another file, of ${pages} pages, beside a store that was put back: exit 74, untouched`, async (t) => {
    const { root, paths } = await stoppedWithCamp(t);
    const path = paths.waypointsDatabase;
    const db = new Database(path);
    db.pragma('journal_mode = DELETE');
    db.close();
    rmSync(paths.bookmarksFile);
    writeFileSync(`${path}-journal`, journalOf(pages));
    const before = storeFiles(path);
    const [seen] = checkStores(paths, { isHeld: false, isThorough: false });
    t.is(seen?.level, 'problem', 'doctor judges it as a start does');
    t.is((await refusal(t, startTestDaemon(t, { root }))).exitCode, 74);
    t.deepEqual(storeFiles(path), before);
    t.deepEqual(existsSync(paths.backups) ? readdirSync(paths.backups) : [], []);
    rmSync(`${path}-journal`);
    const daemon = await startTestDaemon(t, { root });
    t.is((await daemon.get('/api/waypoints')).body[0].name, 'Camp');
  });
}

const besideLog = [
  { title: 'an empty journal', journal: Buffer.alloc(0), exitCode: 65 },
  { title: 'a zeroed journal', journal: Buffer.alloc(512), exitCode: 65 },
  { title: 'a journal', journal: journalOf(2), exitCode: 74 },
] as const;

for (const { title, journal, exitCode } of besideLog) {
  test(`${title} beside a store of a newer version with a log: exit ${exitCode}, untouched`, async (t) => {
    const { root, paths } = await stoppedWithCamp(t);
    const path = paths.waypointsDatabase;
    const copy = join(temporaryDirectory(t), 'waypoints.sqlite');
    const db = new Database(path);
    db.pragma('user_version = 99');
    for (const end of ['', '-wal']) copyFileSync(path + end, copy + end);
    db.close();
    for (const end of ['', '-wal']) copyFileSync(copy + end, path + end);
    writeFileSync(`${path}-journal`, journal);
    const before = storeFiles(path);
    t.true((before[1]?.length ?? 0) > 0);
    const [seen] = checkStores(paths, { isHeld: false, isThorough: false });
    t.is(seen?.level, 'problem');
    t.is(/newer/u.test(seen?.text ?? ''), exitCode === 65, 'doctor judges it as a start does');
    t.is((await refusal(t, startTestDaemon(t, { root }))).exitCode, exitCode);
    t.deepEqual(storeFiles(path), before);
  });
}

test('a first start that a crash has cut off in its first transaction is no loss', async (t) => {
  for (const [size, journal] of [
    [4_096, journalOf(0)],
    [0, journalOf(2)],
  ] as const) {
    const root = temporaryDirectory(t);
    mkdirSync(join(root, 'data'));
    const path = join(root, 'data', 'waypoints.sqlite');
    const db = new Database(path);
    if (size > 0) db.pragma('user_version = 1');
    db.close();
    t.is(statSync(path).size, size);
    writeFileSync(`${path}-journal`, journal);
    const daemon = await startTestDaemon(t, { root });
    t.is((await daemon.call('POST', '/api/bookmarks', camp)).status, 201);
  }
});

test('a second daemon names the one that holds its directory, not another one in the same runtime directory', async (t) => {
  const runtime = join(temporaryDirectory(t), 'run');
  const shared = { settings: { runtime_dir: runtime }, options: { handOver: true } };
  const other = await startTestDaemon(t, shared);
  const holder = await startTestDaemon(t, shared);
  const error = await refusal(t, startTestDaemon(t, { ...shared, root: holder.root }));
  t.is(error.exitCode, 75);
  t.true(error.message.includes(holder.url), error.message);
  t.false(error.message.includes(other.url));
});

posix('directories and stores are private to their owner', async (t) => {
  const { root, paths } = await startTestDaemon(t);
  const modes = Object.fromEntries(
    [
      paths.data,
      paths.cache,
      paths.waypointsDatabase,
      paths.libraryDatabase,
      paths.lockDatabase,
    ].map((path) => [path, modeOf(path)]),
  );
  t.deepEqual(Object.values(modes), [0o700, 0o700, 0o600, 0o600, 0o600], root);
});

posix(
  'what others may use of the data is tightened, with one log line; a folder of the user’s stays',
  async (t) => {
    const folder = join(temporaryDirectory(t), 'notes');
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    const settings = { bookmarks_file: join(folder, 'bookmarks.gpx') };
    const daemon = await startTestDaemon(t, { settings });
    const { root, paths } = daemon;
    await daemon.call('POST', '/api/bookmarks', camp);
    await until(() => existsSync(paths.bookmarksFile));
    await daemon.close();
    mkdirSync(paths.backups, { recursive: true });
    const copy = join(paths.backups, 'waypoints-old.sqlite');
    writeFileSync(copy, '');
    const directories = [paths.data, paths.cache, paths.imports, paths.backups];
    const files = [paths.waypointsDatabase, paths.libraryDatabase, paths.lockDatabase, copy];
    for (const path of directories) chmodSync(path, 0o777);
    for (const path of [...files, paths.bookmarksFile]) chmodSync(path, 0o666);
    const again = await startTestDaemon(t, { root, settings });
    for (const path of directories) t.is(modeOf(path), 0o700, path);
    for (const path of files) t.is(modeOf(path), 0o600, path);
    t.is(modeOf(folder), 0o755);
    t.is(modeOf(paths.bookmarksFile), 0o666, 'chosen by the user');
    const told = again.logged.filter((line) => line.startsWith('data.'));
    t.deepEqual(told, ['data.tightened {"directories":4,"files":4}']);
    const third = await again.restart();
    t.false(
      third.logged.some((line) => line.startsWith('data.')),
      'said once',
    );
  },
);

posix(
  'a data directory that others may replace: exit 78 with the command, also told by doctor',
  async (t) => {
    const { root, paths } = await stoppedWithCamp(t);
    chmodSync(root, 0o777);
    const error = await refusal(t, startTestDaemon(t, { root }));
    t.is(error.exitCode, 78);
    t.true(error.message.endsWith(`to mend that: chmod go-w "${root}"`), error.message);
    const told = checkDirectories(paths, false).filter(({ level }) => level === 'problem');
    t.deepEqual(valuesOf(told, 'remedy'), [`chmod go-w "${root}"`]);
    chmodSync(root, 0o1777);
    await (await startTestDaemon(t, { root })).close();
    chmodSync(root, 0o755);
    t.is((await (await startTestDaemon(t, { root })).get('/api/waypoints')).body.length, 1);
  },
);

asRoot('data that others own: exit 78 with the command', async (t) => {
  const { root, paths } = await stoppedWithCamp(t);
  for (const path of [paths.data, paths.waypointsDatabase, paths.lockDatabase, root]) {
    chownSync(path, 12_345, 12_345);
    const error = await refusal(t, startTestDaemon(t, { root }));
    chownSync(path, 0, 0);
    t.is(error.exitCode, 78);
    t.true(error.message.endsWith(`sudo chown "$(id -un)" "${path}"`), error.message);
  }
  t.is((await (await startTestDaemon(t, { root })).get('/api/waypoints')).body.length, 1);
});
