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
import { startTestDaemon, tellTimeline, type TestDaemon } from './helpers/daemon.ts';
import { valuesOf } from './helpers/fields.ts';
import { contentOf, fileId, importTree, listed } from './helpers/imported-files.ts';
import { filesBelow, gpx, writeTree } from './helpers/imports.ts';
import { LibraryWriter } from '../storage/library/writer.ts';
import { WaypointStore } from '../storage/store.ts';
import { openWaypointStore } from '../storage/waypoints/open.ts';
import { followList, type FollowOutcome } from '../worker/import/follow.ts';
import { ImportProgress } from '../worker/import/progress.ts';

const ride = gpx([['Porto', 41.15, -8.61]], ['2024-05-01T10:00:00Z', '2024-05-01T11:00:00Z']);
const camp = gpx([['Camp', 1, 2]]);

async function names(daemon: TestDaemon): Promise<string[]> {
  // Once the list is followed.
  await listed(daemon);
  const { body } = await daemon.get<{ name: string }[]>('/api/waypoints');
  return body.map(({ name }) => name);
}

async function observations(daemon: TestDaemon): Promise<number> {
  const request = { start_date: '2024-05-01', end_date: '2024-05-01' };
  return (await tellTimeline(daemon, request)).summary.recorded_observations;
}

/** A daemon that has imported files, of which one is looked at. @returns its id, and those at which requests about it go. */
async function withFile(
  t: ExecutionContext,
  files: Readonly<Record<string, string>> = { 'ride.gpx': ride },
) {
  const daemon = await startTestDaemon(t);
  await importTree(daemon, files);
  const id = await fileId(daemon, 'ride');
  return { daemon, id, path: `/api/imports/${id}` };
}

test('a removed file is gone everywhere, stays out of later imports, and comes back', async (t) => {
  const { daemon, id, path } = await withFile(t, { 'ride.gpx': ride, 'camp.gpx': camp });
  const removed = await daemon.call('DELETE', path);
  t.is(removed.status, 200);
  t.is(removed.body.state, 'removed');
  t.deepEqual(await names(daemon), ['Camp']);
  t.deepEqual((await daemon.get('/api/suggest?q=Porto')).body.suggestions, []);
  t.is((await daemon.get('/api/clusters?zoom=20')).body.length, 1);
  t.is(await observations(daemon), 0);
  t.false(existsSync(join(daemon.paths.imports, 'ride.gpx')));
  t.is(await (await contentOf(daemon, id)).text(), ride, 'its bytes are kept');
  t.is((await daemon.call('DELETE', path)).body.state, 'removed', 'twice is once');

  const { body } = await importTree(daemon, { 'moved/ride.gpx': ride });
  t.is(body.added, 0);
  t.deepEqual(body.removed_files, ['moved/ride.gpx', 'ride.gpx']);
  t.deepEqual(await names(daemon), ['Camp']);
  const back = await daemon.call('POST', `${path}/restore`);
  t.is(back.status, 200);
  t.like(back.body, { id, state: 'active', path: 'ride.gpx', observations: 2 });
  t.deepEqual((await names(daemon)).toSorted(), ['Camp', 'Porto']);
  t.is(await observations(daemon), 2);
  t.is((await daemon.call('POST', `${path}/restore`)).status, 200, 'twice is once');
  t.deepEqual(filesBelow(daemon.paths.imports), ['camp.gpx', 'ride.gpx'], 'nothing is left over');
  for (const path of ['/api/imports/99', '/api/imports/99/restore']) {
    const method = path.endsWith('restore') ? 'POST' : 'DELETE';
    t.is((await daemon.call(method, path)).status, 404);
  }
});

test('removal survives restarts and a lost library', async (t) => {
  const { daemon, path } = await withFile(t, { 'ride.gpx': ride, 'camp.gpx': camp });
  await daemon.call('DELETE', path);
  const again = await daemon.restartWithoutLibrary();
  t.deepEqual(await names(again), ['Camp']);
  t.deepEqual((await importTree(again, {})).body.removed_files, ['ride.gpx']);
  t.is((await again.get(path)).body.state, 'removed');
});

test('`again` takes a removed file in', async (t) => {
  const { daemon, path } = await withFile(t);
  await daemon.call('DELETE', path);
  const { body } = await importTree(daemon, {}, { again: true });
  t.like(body, { added: 1, removed_files: [] });
  t.is((await daemon.get(path)).body.state, 'active');
  t.is((await importTree(daemon, {})).body.duplicates, 1);
});

test('a replaced file takes its place back', async (t) => {
  const daemon = await startTestDaemon(t);
  await importTree(daemon, { 'a.gpx': ride });
  const old = await fileId(daemon, 'a.gpx');
  await importTree(daemon, { 'a.gpx': camp });
  const young = await fileId(daemon, 'a.gpx');
  t.deepEqual(await names(daemon), ['Camp']);
  t.is((await daemon.call('POST', `/api/imports/${old}/restore`)).body.state, 'active');
  t.is((await daemon.get(`/api/imports/${young}`)).body.state, 'replaced');
  t.deepEqual(await names(daemon), ['Porto']);
  t.is(await (await contentOf(daemon, young)).text(), camp);
});

test('kept bytes that a killed restoring has left go only where the file has them', async (t) => {
  let daemon = await startTestDaemon(t);
  const { imports } = daemon.paths;
  await importTree(daemon, { 'ride.gpx': ride });
  const path = `/api/imports/${await fileId(daemon, 'ride')}`;
  await daemon.call('DELETE', path);
  const [kept = ''] = filesBelow(imports);
  const copy = join(daemon.root, 'kept');
  cpSync(join(imports, kept), copy);
  await daemon.call('POST', `${path}/restore`);
  const afterKill = async (): Promise<string[]> => {
    await daemon.close();
    cpSync(copy, join(imports, kept));
    daemon = await daemon.restart();
    await listed(daemon);
    return filesBelow(imports);
  };
  t.deepEqual(await afterKill(), ['ride.gpx']);
  writeFileSync(join(imports, 'ride.gpx'), 'damaged');
  t.deepEqual(await afterKill(), [`.replaced/${hash('sha256', 'damaged')}.gpx`, 'ride.gpx']);
  t.deepEqual(await names(daemon), ['Porto'], 'from the kept bytes');
});

/** Imports files, and closes the daemon. @returns sets the states of all, and follows the list. */
async function followingOf(daemon: TestDaemon, tree: Readonly<Record<string, string>>) {
  const { imports, libraryDatabase, waypointsDatabase, backups } = daemon.paths;
  await importTree(daemon, tree);
  const ids = (await listed(daemon, '?limit=1000')).map(({ id }) => id);
  await daemon.close();
  return (after: 'active' | 'replaced'): FollowOutcome => {
    const options = { path: waypointsDatabase, backupsDirectory: backups, companions: [], now: 0 };
    const store = new WaypointStore(openWaypointStore(options), libraryDatabase);
    const states = ids.map((id) => ({ id, after }));
    store.imports.setStates('undo', states, new Date().toISOString());
    store.close();
    return followList({
      libraryPath: libraryDatabase,
      importsDirectory: imports,
      waypointsPath: waypointsDatabase,
      progress: new ImportProgress().shared,
      ids,
      hasIndex: true,
      now: Date.now(),
    });
  };
}

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

test.serial('what the disk has no room for follows the list at the next start', async (t) => {
  let daemon = await startTestDaemon(t);
  const three = { 'a.gpx': ride, 'b/c.gpx': camp, 'd.gpx': gpx([['Lake', 3, 4]]) };
  const { imports } = daemon.paths;
  const follow = await followingOf(daemon, three);
  failCommitsOf(t, (at) => at !== 1 && at !== 2);
  t.like(follow('replaced'), { isWhole: false, isDiskFull: true });
  daemon = await daemon.restart();
  t.deepEqual(await names(daemon), []);
  t.true(filesBelow(imports).every((file) => file.startsWith('.replaced/')));
  await daemon.close();
  t.like(follow('active'), { isWhole: false, isDiskFull: true });
  daemon = await daemon.restart();
  t.deepEqual((await names(daemon)).toSorted(), ['Camp', 'Lake', 'Porto']);
  t.deepEqual(filesBelow(imports), Object.keys(three));
});

test('what could not be restored is as before in the list', async (t) => {
  const daemon = await startTestDaemon(t);
  await importTree(daemon, { 'ride.gpx': ride });
  await importTree(daemon, { 'ride.gpx': camp });
  const [young, old] = [
    await fileId(daemon, 'ride'),
    (await listed(daemon, '?state=replaced'))[0]!,
  ];
  const [kept = ''] = filesBelow(daemon.paths.imports);
  writeFileSync(join(daemon.paths.imports, kept), 'damaged');
  const answer = await daemon.call('POST', `/api/imports/${old.id}/restore`);
  t.is(answer.status, 409, answer.text);
  t.is((await daemon.get(`/api/imports/${old.id}`)).body.state, 'replaced');
  t.is((await daemon.get(`/api/imports/${young}`)).body.state, 'active');
  t.deepEqual(await names(daemon), ['Camp']);
  t.is(readFileSync(join(daemon.paths.imports, 'ride.gpx'), 'utf8'), camp);
  const { changes } = (await daemon.get('/api/changes?limit=2')).body;
  t.like(changes[1], { kind: 'import_restore', undone: true });
});

test('a listed file that is missing stays listed, and is active once it is back', async (t) => {
  let daemon = await startTestDaemon(t);
  await importTree(daemon, { 'ride.gpx': ride, 'camp.gpx': camp });
  const id = await fileId(daemon, 'ride');
  await daemon.close();
  const path = join(daemon.paths.imports, 'ride.gpx');
  renameSync(path, `${path}.away`);
  daemon = await daemon.restart();
  t.deepEqual(await names(daemon), ['Camp']);
  t.deepEqual(valuesOf(await listed(daemon, '?state=missing'), 'id'), [id]);
  await daemon.close();
  renameSync(`${path}.away`, path);
  daemon = await daemon.restart();
  t.deepEqual((await names(daemon)).toSorted(), ['Camp', 'Porto']);
  t.is((await daemon.get(`/api/imports/${id}`)).body.state, 'active');
});

test('a restored older list stands beside newer files: none is removed', async (t) => {
  let daemon = await startTestDaemon(t);
  await importTree(daemon, { 'ride.gpx': ride, 'camp.gpx': camp });
  await daemon.close();
  const { waypointsDatabase, imports } = daemon.paths;
  const copy = join(daemon.root, 'older.sqlite');
  cpSync(waypointsDatabase, copy);
  daemon = await daemon.restart();
  const lake = gpx([['Lake', 3, 4]]);
  await importTree(daemon, { 'lake.gpx': lake, 'camp.gpx': gpx([['Camp 2', 1, 2]]) });
  await daemon.call('DELETE', `/api/imports/${await fileId(daemon, 'ride')}`);
  await daemon.close();
  cpSync(copy, waypointsDatabase);
  daemon = await daemon.restart();
  t.deepEqual(
    (await names(daemon)).toSorted(),
    ['Camp 2', 'Lake', 'Porto'],
    'what is kept is back',
  );
  t.deepEqual((await listed(daemon, '?state=active')).map((file) => file.path).toSorted(), [
    'camp.gpx',
    'lake.gpx',
    'ride.gpx',
  ]);
  const [old] = await listed(daemon, '?state=replaced');
  t.is(await (await contentOf(daemon, old!.id)).text(), camp);
  t.is(readFileSync(join(imports, 'lake.gpx'), 'utf8'), lake);
});

test('what is removed for ever is gone, and stays out', async (t) => {
  const { daemon, id, path } = await withFile(t);
  const { body } = await daemon.call('DELETE', `${path}?forever=true`);
  t.like(body, { state: 'removed', observations: 0 });
  t.false('bbox' in body || 'first_time' in body);
  t.deepEqual(filesBelow(daemon.paths.imports), []);
  t.is((await contentOf(daemon, id)).status, 404);
  t.is((await daemon.call('POST', `${path}/restore`)).status, 409);
  t.deepEqual((await importTree(daemon, {})).body.removed_files, ['ride.gpx']);
});

test('what is removed for ever is in no library that was set aside', async (t) => {
  const daemon = await startTestDaemon(t);
  await importTree(daemon, { 'ride.gpx': ride });
  await daemon.close();
  writeFileSync(`${daemon.paths.libraryDatabase}.damaged`, '');
  const again = await startTestDaemon(t, { root: daemon.root });
  const path = `/api/imports/${await fileId(again, 'ride')}`;
  const setAside = () => readdirSync(again.paths.data).filter((name) => name.includes('set-aside'));
  t.not(setAside().length, 0);
  t.is((await again.call('DELETE', `${path}?forever=true`)).status, 200);
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
  await daemon.call('DELETE', `/api/imports/${await fileId(daemon, 'gone')}`);
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

test('removing for ever leaves bytes that another removed file needs, and goes when that goes', async (t) => {
  const daemon = await startTestDaemon(t);
  await importTree(daemon, { 'one.gpx': ride });
  const one = await fileId(daemon, 'one');
  await daemon.call('DELETE', `/api/imports/${one}`);
  await importTree(daemon, { 'two.gpx': ride }, { files: ['two.gpx'], again: true });
  const two = await fileId(daemon, 'two');
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
  const { daemon, path } = await withFile(t);
  await daemon.call('DELETE', path);
  const [erased, restored] = await Promise.all([
    daemon.call('DELETE', `${path}?forever=true`),
    daemon.call('POST', `${path}/restore`),
  ]);
  t.is(erased.status, 200);
  t.true([200, 409].includes(restored.status));
  // In either order: erased, with nothing that shows and no bytes.
  if (restored.status === 409) t.deepEqual(filesBelow(daemon.paths.imports), []);
  const { body: file } = await daemon.get(path);
  const isActive = file.state === 'active';
  t.is((await names(daemon)).length, Number(isActive));
  t.is(file.observations, isActive ? 2 : 0);
  await daemon.call('DELETE', `${path}?forever=true`);
  t.deepEqual(filesBelow(daemon.paths.imports), []);
});
