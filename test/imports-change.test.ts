/** Removing and restoring imported files: what shows, what is kept, what later imports respect. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import Database from 'better-sqlite3';
import { startTestDaemon, type TestDaemon } from './helpers/daemon.ts';
import { contentOf, importTree, listed } from './helpers/imported-files.ts';
import { filesBelow, gpx, writeTree } from './helpers/imports.ts';
import { rowsReadIn } from './helpers/rows-read.ts';
import { LibraryWriter } from '../storage/library/writer.ts';
import { changeFiles, type ChangeOutcome } from '../worker/import/change-files.ts';
import { ImportProgress } from '../worker/import/progress.ts';

const ride = gpx([['Porto', 41.15, -8.61]], ['2024-05-01T10:00:00Z', '2024-05-01T11:00:00Z']);
const camp = gpx([['Camp', 1, 2]]);

async function names(daemon: TestDaemon): Promise<string[]> {
  const { body } = await daemon.get<{ name: string }[]>('/api/waypoints');
  return body.map(({ name }) => name);
}

async function idOf(daemon: TestDaemon, path: string): Promise<number> {
  const [file] = await listed(daemon, `?q=${encodeURIComponent(path)}&state=active`);
  return file!.id;
}

async function observations(daemon: TestDaemon): Promise<number> {
  const request = { start_date: '2024-05-01', end_date: '2024-05-01' };
  const { body } = await daemon.call('POST', '/api/timelines', request);
  for (;;) {
    const job = await daemon.get(`/api/timelines/${body.job_id}?result=true`);
    if (job.body.state === 'completed') return job.body.result.summary.recorded_observations;
    await new Promise((done) => setImmediate(done));
  }
}

test('a removed file is gone everywhere, stays out of later imports, and comes back', async (t) => {
  const daemon = await startTestDaemon(t);
  await importTree(daemon, { 'ride.gpx': ride, 'camp.gpx': camp });
  const id = await idOf(daemon, 'ride');
  const removed = await daemon.call('DELETE', `/api/imports/${id}`);
  t.is(removed.status, 200);
  t.is(removed.body.state, 'removed');
  t.deepEqual(await names(daemon), ['Camp']);
  t.deepEqual((await daemon.get('/api/suggest?q=Porto')).body.suggestions, []);
  t.is((await daemon.get('/api/clusters?zoom=20')).body.length, 1);
  t.is(await observations(daemon), 0);
  t.false(existsSync(join(daemon.paths.imports, 'ride.gpx')));
  t.is(await (await contentOf(daemon, id)).text(), ride, 'its bytes are kept');
  t.is((await daemon.call('DELETE', `/api/imports/${id}`)).body.state, 'removed', 'twice is once');

  for (const round of ['at once', 'after a restart', 'after a lost library']) {
    const { body } = await importTree(daemon, { 'moved/ride.gpx': ride });
    t.is(body.added, 0, round);
    t.deepEqual(body.removed_files, ['moved/ride.gpx', 'ride.gpx'], round);
    t.deepEqual(await names(daemon), ['Camp'], round);
  }
  const back = await daemon.call('POST', `/api/imports/${id}/restore`);
  t.is(back.status, 200);
  t.like(back.body, { id, state: 'active', path: 'ride.gpx', observations: 2 });
  t.deepEqual((await names(daemon)).toSorted(), ['Camp', 'Porto']);
  t.is(await observations(daemon), 2);
  t.is((await daemon.call('POST', `/api/imports/${id}/restore`)).status, 200, 'twice is once');
  t.deepEqual(filesBelow(daemon.paths.imports), ['camp.gpx', 'ride.gpx'], 'nothing is left over');
  for (const path of ['/api/imports/99', '/api/imports/99/restore']) {
    const method = path.endsWith('restore') ? 'POST' : 'DELETE';
    t.is((await daemon.call(method, path)).status, 404);
  }
});

test('removal survives restarts and a lost library', async (t) => {
  const daemon = await startTestDaemon(t);
  await importTree(daemon, { 'ride.gpx': ride, 'camp.gpx': camp });
  const id = await idOf(daemon, 'ride');
  await daemon.call('DELETE', `/api/imports/${id}`);
  await daemon.close();
  for (const end of ['', '-wal', '-shm'])
    rmSync(daemon.paths.libraryDatabase + end, { force: true });
  const again = await daemon.restart();
  t.deepEqual(await names(again), ['Camp']);
  t.deepEqual((await importTree(again, {})).body.removed_files, ['ride.gpx']);
  t.is((await again.get(`/api/imports/${id}`)).body.state, 'removed');
});

test('`again` takes a removed file in', async (t) => {
  const daemon = await startTestDaemon(t);
  await importTree(daemon, { 'ride.gpx': ride });
  const id = await idOf(daemon, 'ride');
  await daemon.call('DELETE', `/api/imports/${id}`);
  const { body } = await importTree(daemon, {}, { again: true });
  t.like(body, { added: 1, removed_files: [] });
  t.is((await daemon.get(`/api/imports/${id}`)).body.state, 'active');
  t.is((await importTree(daemon, {})).body.duplicates, 1);
});

test('a replaced file takes its place back', async (t) => {
  const daemon = await startTestDaemon(t);
  await importTree(daemon, { 'a.gpx': ride });
  const old = await idOf(daemon, 'a.gpx');
  await importTree(daemon, { 'a.gpx': camp });
  const young = await idOf(daemon, 'a.gpx');
  t.deepEqual(await names(daemon), ['Camp']);
  t.is((await daemon.call('POST', `/api/imports/${old}/restore`)).body.state, 'active');
  t.is((await daemon.get(`/api/imports/${young}`)).body.state, 'replaced');
  t.deepEqual(await names(daemon), ['Porto']);
  t.is(await (await contentOf(daemon, young)).text(), camp);
});

test('kept bytes that a killed restoring has left go only where the file has them', async (t) => {
  const daemon = await startTestDaemon(t);
  const { imports, libraryDatabase, waypointsDatabase } = daemon.paths;
  await importTree(daemon, { 'ride.gpx': ride });
  const id = await idOf(daemon, 'ride');
  await daemon.call('DELETE', `/api/imports/${id}`);
  const [kept = ''] = filesBelow(imports);
  const copy = join(daemon.root, 'kept');
  cpSync(join(imports, kept), copy);
  await daemon.call('POST', `/api/imports/${id}/restore`);
  await daemon.close();
  const store = new Database(waypointsDatabase, { readonly: true });
  const run = store.prepare('SELECT max(id) FROM import_runs').pluck().get() as number;
  store.close();
  /** What a start does after the kill. */
  const again = (): string[] => {
    cpSync(copy, join(imports, kept));
    const progress = new ImportProgress().shared;
    const places = {
      libraryPath: libraryDatabase,
      importsDirectory: imports,
      waypointsPath: waypointsDatabase,
    };
    changeFiles({ ...places, run, hasIndex: true, progress, now: Date.now() });
    return filesBelow(imports);
  };
  t.deepEqual(again(), ['ride.gpx']);
  writeFileSync(join(imports, 'ride.gpx'), 'damaged');
  t.deepEqual(again().toSorted(), [kept, 'ride.gpx'].toSorted());
});

/** Imports files, undoes that and that again, and closes the daemon. @returns what undoes the import once more, and that again. */
async function undoingOf(daemon: TestDaemon, tree: Readonly<Record<string, string>>) {
  const { imports, libraryDatabase, waypointsDatabase } = daemon.paths;
  let { headers } = await importTree(daemon, tree);
  const undo = () => daemon.call('POST', `/api/changes/${headers.get('x-change-id')}/undo`);
  ({ headers } = await undo());
  await undo();
  await daemon.close();
  const store = new Database(waypointsDatabase, { readonly: true });
  const runs = store.prepare('SELECT id FROM import_runs ORDER BY id').pluck().all() as number[];
  store.close();
  return runs.slice(-2).map(
    (run) => () =>
      changeFiles({
        libraryPath: libraryDatabase,
        importsDirectory: imports,
        waypointsPath: waypointsDatabase,
        progress: new ImportProgress().shared,
        run,
        hasIndex: true,
        now: Date.now(),
      }),
  ) as [undo: () => ChangeOutcome, redo: () => ChangeOutcome];
}

test.serial(
  'an import of many files with a place that all have is undone without a look at all of them for each',
  async (t) => {
    const daemon = await startTestDaemon(t);
    const count = 256;
    const homes = Array.from({ length: count }, (_, i) => [
      `${String(i).padStart(3, '0')}.gpx`,
      gpx([['Home', 1, 2, new Date(i * 86_400_000).toISOString()]]),
    ]);
    const [undo, redo] = await undoingOf(daemon, Object.fromEntries(homes));
    for (const [work, isKept] of [
      [undo, true],
      [redo, false],
    ] as const) {
      const rows = rowsReadIn(daemon.paths.libraryDatabase, () => t.true(work().isWhole));
      t.true(rows < count ** 2 / 4, `${rows}`);
      const left = filesBelow(daemon.paths.imports);
      t.is(left.length, count);
      t.true(left.every((file) => file.startsWith('.replaced/') === isKept));
    }
  },
);

type Transaction = (this: LibraryWriter, changes: () => unknown) => unknown;

/** Fails commits with a full disk, by which of all they are. */
function failCommitsOf(t: ExecutionContext, mayCommit: (at: number) => boolean): void {
  const prototype = LibraryWriter.prototype as { transaction: Transaction };
  const { transaction } = prototype;
  let [depth, commits] = [0, 0];
  prototype.transaction = function failing(changes) {
    return transaction.call(this, () => {
      depth += 1;
      try {
        const result = changes();
        if (depth > 1) return result;
        commits += 1;
        if (mayCommit(commits)) return result;
        throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' });
      } finally {
        depth -= 1;
      }
    });
  };
  t.teardown(() => (prototype.transaction = transaction));
}

const three = { 'a.gpx': ride, 'b.gpx': camp, 'c.gpx': gpx([['Lake', 3, 4]]) };

test.serial('where many files cannot be changed in one commit, each is in its own', async (t) => {
  const daemon = await startTestDaemon(t);
  const [undo, redo] = await undoingOf(daemon, three);
  // One of all and one for each file, twice.
  failCommitsOf(t, (at) => at % 4 !== 1);
  t.like(undo(), { isWhole: true, isDiskFull: false });
  t.true(filesBelow(daemon.paths.imports).every((file) => file.startsWith('.replaced/')));
  t.like(redo(), { isWhole: true, isDiskFull: false });
  t.deepEqual(filesBelow(daemon.paths.imports), Object.keys(three));
});

test.serial(
  'what cannot come back because the disk is full after all stays kept, and nothing else of it is left',
  async (t) => {
    const daemon = await startTestDaemon(t);
    const [undo, redo] = await undoingOf(daemon, { 'a.gpx': ride, 'b/c/d.gpx': camp });
    undo();
    rmSync(join(daemon.paths.imports, 'b'), { recursive: true });
    // That of both, and the second one alone.
    failCommitsOf(t, (at) => at === 2);
    t.like(redo(), { isWhole: false, isDiskFull: true });
    const { imports } = daemon.paths;
    t.deepEqual(filesBelow(imports), [`.replaced/${hash('sha256', camp)}.gpx`, 'a.gpx']);
    t.false(existsSync(join(imports, 'b')));
    const again = await daemon.restart();
    t.deepEqual(await names(again), ['Porto']);
  },
);

test.serial(
  'what cannot be removed because the disk is full after all stays as it was',
  async (t) => {
    const daemon = await startTestDaemon(t);
    const [undo] = await undoingOf(daemon, three);
    // That of all, one alone, and the next one.
    failCommitsOf(t, (at) => at === 2);
    t.like(undo(), { isWhole: false, isDiskFull: true });
    const { imports } = daemon.paths;
    t.deepEqual(
      filesBelow(imports).filter((file) => !file.startsWith('.replaced/')),
      ['a.gpx', 'b.gpx'],
    );
    t.is(readFileSync(join(imports, 'b.gpx'), 'utf8'), camp);
    const again = await daemon.restart();
    t.deepEqual((await names(again)).toSorted(), ['Camp', 'Porto']);
  },
);

test('what is removed for ever is gone, and stays out', async (t) => {
  const daemon = await startTestDaemon(t);
  await importTree(daemon, { 'ride.gpx': ride });
  const id = await idOf(daemon, 'ride');
  const { body } = await daemon.call('DELETE', `/api/imports/${id}?forever=true`);
  t.like(body, { state: 'removed', observations: 0 });
  t.false('bbox' in body || 'first_time' in body);
  t.deepEqual(filesBelow(daemon.paths.imports), []);
  t.is((await contentOf(daemon, id)).status, 404);
  t.is((await daemon.call('POST', `/api/imports/${id}/restore`)).status, 409);
  t.deepEqual((await importTree(daemon, {})).body.removed_files, ['ride.gpx']);
});

test('what is removed for ever is in no library that was set aside', async (t) => {
  const daemon = await startTestDaemon(t);
  await importTree(daemon, { 'ride.gpx': ride });
  await daemon.close();
  writeFileSync(`${daemon.paths.libraryDatabase}.damaged`, '');
  const again = await startTestDaemon(t, { root: daemon.root });
  const id = await idOf(again, 'ride');
  const setAside = () => readdirSync(again.paths.data).filter((name) => name.includes('set-aside'));
  t.not(setAside().length, 0);
  t.is((await again.call('DELETE', `/api/imports/${id}?forever=true`)).status, 200);
  t.deepEqual(setAside(), []);
});

test('copies of the bookmarks file, and what a restore has set aside, are no sources', async (t) => {
  const daemon = await startTestDaemon(t);
  mkdirSync(join(daemon.paths.backups, 'before-restore', 'imports'), { recursive: true });
  writeTree(daemon.paths.backups, {
    'bookmarks-edited-20240501T100000Z-0123456789abcdef.gpx': camp,
    'before-restore/imports/ride.gpx': ride,
  });
  const request = { dir: daemon.paths.data, recursive: true };
  const { body } = await daemon.call('POST', '/api/import', request);
  t.like(body, { added: 0, failed: 0 });
  t.is(await observations(daemon), 0);
});

test('a file of another folder that has the same path is stored beside it', async (t) => {
  const daemon = await startTestDaemon(t);
  const year = (name: string) => gpx([[name, 1, 2]]);
  await importTree(daemon, { 'Track_1.gpx': year('2023') }, { source: '2023' });
  const second = { 'Track_1.gpx': year('2024') };
  const preview = await importTree(daemon, second, { source: '2024', dry_run: true });
  const { body } = await importTree(daemon, second, { source: '2024' });
  for (const told of [preview.body, body]) {
    t.like(told, { added: 1, replaced: 0 });
    t.deepEqual(told.renamed_files, [{ file: 'Track_1.gpx', stored_as: 'Track_1 (2).gpx' }]);
  }
  t.deepEqual((await names(daemon)).toSorted(), ['2023', '2024']);

  const again = await importTree(daemon, {}, { source: '2024' });
  t.like(again.body, { added: 0, duplicates: 1, renamed_files: [] });
  const changed = await importTree(daemon, { 'Track_1.gpx': year('2024b') }, { source: '2024' });
  t.like(changed.body, { added: 0, replaced: 1 });
  t.deepEqual((await names(daemon)).toSorted(), ['2023', '2024b']);

  const third = await importTree(daemon, { 'Track_1.gpx': year('2025') }, { source: '2025' });
  t.deepEqual(third.body.renamed_files, [{ file: 'Track_1.gpx', stored_as: 'Track_1 (3).gpx' }]);

  renameSync(join(daemon.root, '2023'), join(daemon.root, 'archive'));
  const moved = await importTree(daemon, { 'Track_1.gpx': year('2023b') }, { source: 'archive' });
  t.like(moved.body, { replaced: 1, renamed_files: [] }, 'the same folder under another name');
  rmSync(join(daemon.root, 'archive'), { recursive: true });
  const gone = await importTree(daemon, { 'Track_1.gpx': year('other') }, { source: 'new' });
  t.like(gone.body, { replaced: 1, renamed_files: [] }, 'the folder it came from is gone');

  await importTree(daemon, { 'a.gpx': year('a') }, { source: 'x', into: 'logs' });
  const into = await importTree(daemon, { 'a.gpx': year('b') }, { source: 'y', into: 'logs' });
  t.like(into.body, { replaced: 1, renamed_files: [] }, 'the place was asked for');
  t.false(JSON.stringify([body, third.body, await listed(daemon)]).includes(`${daemon.root}/2023`));
  t.false(daemon.logged.join('\n').includes(daemon.root));
});

test('a preview tells what an import would do, and writes nothing', async (t) => {
  const daemon = await startTestDaemon(t);
  await importTree(daemon, { 'a.gpx': ride, 'same.gpx': camp, 'gone.gpx': gpx([['Gone', 3, 3]]) });
  await daemon.call('DELETE', `/api/imports/${await idOf(daemon, 'gone')}`);
  // The bookmarks file is written at its own time.
  const kept = (): string[] =>
    filesBelow(daemon.paths.data).filter((file) => !/-(wal|shm)$|^bookmarks/.test(file));
  const before = kept();
  const files = {
    'a.gpx': gpx([['New', 5, 5]]),
    'b.gpx': gpx([['Twice', 6, 6]]),
    'c.gpx': gpx([['Twice', 6, 6]]),
    'broken.gpx': '<gpx',
    'note.txt': 'x',
  };
  const { body } = await importTree(daemon, files, { dry_run: true });
  const expected = {
    'a.gpx': 'replaced',
    'b.gpx': 'added',
    'broken.gpx': 'failed',
    'c.gpx': 'duplicate',
    'gone.gpx': 'removed',
    'note.txt': 'unsupported',
    'same.gpx': 'duplicate',
  };
  t.true(body.planned);
  const plan = body.plan as { file: string; outcome: string }[];
  t.deepEqual(Object.fromEntries(plan.map(({ file, outcome }) => [file, outcome])), expected);
  t.like(body, { added: 1, replaced: 1, duplicates: 2, failed: 1, count: 2 });
  t.deepEqual(kept(), before);
  t.deepEqual((await names(daemon)).toSorted(), ['Camp', 'Porto']);
  const { body: real } = await importTree(daemon, {});
  for (const key of ['added', 'replaced', 'duplicates', 'failed', 'count', 'removed_files'])
    t.deepEqual(real[key], body[key], key);
  t.false('planned' in real);
});

test('a change that a crash has cut off is finished or dropped at the next start', async (t) => {
  const daemon = await startTestDaemon(t);
  await importTree(daemon, { 'ride.gpx': ride, 'camp.gpx': camp });
  await importTree(daemon, { 'lake.gpx': gpx([['Lake', 3, 4]]) });
  const [ride1, camp1] = [await idOf(daemon, 'ride'), await idOf(daemon, 'camp')];
  const lake1 = await idOf(daemon, 'lake');
  await daemon.close();
  // As a removal leaves them whose library has committed for one of two files, and of which nothing was answered.
  const store = new Database(daemon.paths.waypointsDatabase);
  // The second one's plan is cut off.
  store.exec(
    `INSERT INTO import_runs (id, kind, at, is_done) VALUES
      (70, 'remove', '2024-01-01T00:00:00Z', 0), (71, 'undo', '2024-01-01T00:00:01Z', -1)`,
  );
  for (const id of [ride1, camp1])
    store.exec(`INSERT INTO import_run_files VALUES (70, ${id}, 'active', 'removed')`);
  store.exec(`INSERT INTO import_run_files VALUES (71, ${lake1}, 'active', 'replaced')`);
  store.close();
  rmSync(join(daemon.paths.imports, 'ride.gpx'));
  const again = await daemon.restart();
  t.is((await again.get(`/api/imports/${ride1}`)).body.state, 'removed');
  t.is((await again.get(`/api/imports/${camp1}`)).body.state, 'removed');
  t.is(await (await contentOf(again, camp1)).text(), camp, 'its bytes are kept');
  t.is((await again.get(`/api/imports/${lake1}`)).body.state, 'active');
  t.deepEqual(await names(again), ['Lake']);
  await again.close();
  const after = new Database(daemon.paths.waypointsDatabase, { readonly: true });
  const runs = after.prepare('SELECT id, is_done FROM import_runs WHERE id >= 70').raw().all();
  t.deepEqual(runs, [[70, 1]]);
  after.close();
});

test('removing for ever leaves bytes that another removed file needs, and goes when that goes', async (t) => {
  const daemon = await startTestDaemon(t);
  await importTree(daemon, { 'one.gpx': ride });
  const one = await idOf(daemon, 'one');
  await daemon.call('DELETE', `/api/imports/${one}`);
  await importTree(daemon, { 'two.gpx': ride }, { files: ['two.gpx'], again: true });
  const two = await idOf(daemon, 'two');
  await daemon.call('DELETE', `/api/imports/${two}`);

  const erased = await daemon.call('DELETE', `/api/imports/${one}?forever=true`);
  t.is(erased.status, 200);
  t.is(await (await contentOf(daemon, two)).text(), ride, 'the other one has its bytes');
  t.is((await daemon.call('POST', `/api/imports/${two}/restore`)).body.state, 'active');
  t.deepEqual(filesBelow(daemon.paths.imports), ['two.gpx'], 'nothing is kept for the erased one');

  await daemon.call('DELETE', `/api/imports/${two}`);
  await daemon.call('DELETE', `/api/imports/${two}?forever=true`);
  t.deepEqual(filesBelow(daemon.paths.imports), []);
});

test('removing for ever and a restore that come together do not mix', async (t) => {
  const daemon = await startTestDaemon(t);
  await importTree(daemon, { 'ride.gpx': ride });
  const id = await idOf(daemon, 'ride');
  await daemon.call('DELETE', `/api/imports/${id}`);
  const [erased, restored] = await Promise.all([
    daemon.call('DELETE', `/api/imports/${id}?forever=true`),
    daemon.call('POST', `/api/imports/${id}/restore`),
  ]);
  t.is(erased.status, 200);
  t.true([200, 409].includes(restored.status));
  // In either order: erased, with nothing that shows and no bytes.
  if (restored.status === 409) t.deepEqual(filesBelow(daemon.paths.imports), []);
  const { body: file } = await daemon.get(`/api/imports/${id}`);
  const isActive = file.state === 'active';
  t.is((await names(daemon)).length, Number(isActive));
  t.is(file.observations, isActive ? 2 : 0);
  await daemon.call('DELETE', `/api/imports/${id}?forever=true`);
  t.deepEqual(filesBelow(daemon.paths.imports), []);
});
