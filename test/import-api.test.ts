/** `/api/import` of a whole daemon, and the run behind it. */
import { existsSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { LibraryWork, type ImportTasks } from '../daemon/import/library-work.ts';
import { ImportRun } from '../daemon/import/run.ts';
import { WorkerPool } from '../daemon/pool.ts';
import { WaypointError } from '../model/failure.ts';
import type { ImportResult, ImportStatus } from '../model/import.ts';
import { importRoutes } from '../daemon/routes/import.ts';
import type { DaemonParts } from '../daemon/parts.ts';
import type { ImportTask } from '../worker/import/import-directory.ts';
import { Tally, type DirectoryResult } from '../worker/import/tally.ts';
import { rowsOf, valuesOf } from './helpers/fields.ts';
import { startHttpServer } from './helpers/http-server.ts';
import { prepareLibrary } from '../storage/library/prepare.ts';
import { startTestDaemon, type TestAnswer, type TestDaemon } from './helpers/daemon.ts';
import { dumpLibrary, emptyList, filesBelow, gpx, noList, writeTree } from './helpers/imports.ts';
import { silentLog } from './helpers/logs.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';
import { answerWhen, until } from './helpers/until.ts';

const camp = gpx([['Camp', 42.123456, -8.3]], ['2024-05-01T08:00:00Z', '2024-05-02T08:00:00Z']);
const hut = gpx([['Hut', 46.5, 8.2]]);

function sourceOf(daemon: TestDaemon, files: Readonly<Record<string, string>> = {}): string {
  const source = join(daemon.root, 'source');
  mkdirSync(source, { recursive: true });
  writeTree(source, files);
  return source;
}

/** A track of 84 bytes a point. */
function longTrack(points = 120_000): string {
  const point =
    '<trkpt lat="47.1" lon="8.5"><ele>400</ele><time>2024-05-01T08:00:00Z</time></trkpt>\n';
  return `<?xml version="1.0"?><gpx version="1.1"><trk><trkseg>${point.repeat(points)}</trkseg></trk></gpx>`;
}

function statusWhen(daemon: TestDaemon, isWanted: (status: ImportStatus) => boolean) {
  return answerWhen(async () => (await daemon.get<ImportStatus>('/api/import')).body, isWanted);
}

test('POST /api/import answers with the summary, and everything is there when it does', async (t) => {
  const daemon = await startTestDaemon(t);
  const dir = sourceOf(daemon, { 'a.gpx': camp, 'b.gpx': hut, 'sub/c.gpx': hut });
  await daemon.call('POST', '/api/bookmarks', { name: 'Camp', lat: 42.123456, lon: -8.3 });
  await daemon.call('POST', '/api/bookmarks', { name: 'Home', lat: 1, lon: 2 });
  const begin = Date.now();
  const { status, body } = await daemon.call<ImportResult>('POST', '/api/import', { dir });
  t.is(status, 200);
  t.like(body, {
    imported: true,
    dir,
    count: 2,
    added: 2,
    observations: 2,
    gpx_in_subfolders: 1,
    dedup_count: 3,
  });
  const waypoints = await daemon.get('/api/waypoints');
  t.deepEqual(valuesOf(waypoints.body, 'name'), ['Camp', 'Home', 'Hut']);
  const clusters = await daemon.get('/api/clusters?zoom=20');
  t.is(clusters.body.length, 3);
  const suggested = await daemon.get('/api/suggest?q=hut');
  t.is(suggested.body.suggestions[0].name, 'Hut');

  const idle = await daemon.get<ImportStatus>('/api/import');
  const { finished_at: finishedAt, ...last } = idle.body.last!;
  t.deepEqual(last, body);
  const finished = Date.parse(finishedAt);
  t.true(finished >= begin && finished <= Date.now());
  t.like(idle.body, {
    state: 'idle',
    files_total: 2,
    files_done: 2,
    waypoints: 2,
    observations: 2,
  });
  t.false('started_at' in idle.body);
});

test('an import over HTTP says nothing of names and places in the log', async (t) => {
  const daemon = await startTestDaemon(t);
  const dir = sourceOf(daemon, { 'secret-trip.gpx': camp, 'broken-trip.gpx': '<gpx>' });
  await daemon.call('POST', '/api/import', { dir });
  await daemon.call('POST', '/api/import', { dir: join(dir, 'missing-trip') });
  await daemon.close();
  const lines = daemon.logged.join('\n');
  t.regex(lines, /import\.finished/);
  t.notRegex(lines, /trip|Camp|42\.1234|source|waypointd-test/);
});

test('a request that cannot be an import is refused, with the field that is wrong', async (t) => {
  const daemon = await startTestDaemon(t);
  const dir = sourceOf(daemon, { 'a.gpx': camp, 'file.txt': '' });
  const imports = daemon.paths.imports;
  mkdirSync(join(imports, 'sub'), { recursive: true });
  symlinkSync(join(imports, 'sub'), join(daemon.root, 'link'));
  const cases: [body: object, field: string | undefined][] = [
    [{}, 'dir'],
    [{ dir: '' }, 'dir'],
    [{ dir: 'source' }, 'dir'],
    [{ dir: join(dir, 'missing') }, 'dir'],
    [{ dir: join(dir, 'file.txt') }, 'dir'],
    [{ dir: `${dir}\0` }, 'dir'],
    [{ dir: imports }, 'dir'],
    [{ dir: join(daemon.root, 'link') }, 'dir'],
    [{ dir, recursive: 'yes' }, 'recursive'],
    [{ dir, files: ['../x.gpx'] }, 'files'],
    [{ dir, files: ['/etc/passwd'] }, 'files'],
    [{ dir, files: [''] }, 'files'],
    [{ dir, into: '../up' }, 'into'],
    [{ dir, into: '/abs' }, 'into'],
    [{ dir, into: '.replaced' }, 'into'],
    [{ dir, unknown: 1 }, undefined],
  ];
  for (const [body, field] of cases) {
    const answer = await daemon.call('POST', '/api/import', body);
    t.is(answer.status, 400, JSON.stringify(body));
    t.is(answer.body.field, field, JSON.stringify(body));
  }
  const idle = await daemon.get<ImportStatus>('/api/import');
  t.like(idle.body, { state: 'idle', last: null });
  t.false(existsSync(join(imports, 'a.gpx')));
});

interface Started {
  readonly daemon: TestDaemon;
  readonly dir: string;
  /** The status while `b.gpx` was read. */
  readonly busy: ImportStatus;
  readonly running: Promise<TestAnswer<ImportResult>>;
}

interface SteppedIn {
  /** What the import answered. */
  readonly answer: TestAnswer<ImportResult>;
}

/** Files of more bytes than this take any machine long enough. */
const mostPoints = 2_400_000;

/**
 * Imports `a.gpx`, a large `b.gpx` and `c.gpx`, and steps in while `b.gpx` is read, which is to cancel the import. Where
 * that came too late, as it may on a busy machine, all is done again with a larger one.
 */
async function whileImporting<T extends SteppedIn>(
  t: ExecutionContext,
  stepIn: (started: Started) => Promise<T>,
): Promise<Started & T> {
  for (let points = 600_000; ; points *= 2) {
    const daemon = await startTestDaemon(t);
    const files = { 'a.gpx': hut, 'b.gpx': longTrack(points), 'c.gpx': camp };
    const dir = sourceOf(daemon, files);
    const running = daemon.call<ImportResult>('POST', '/api/import', { dir });
    const busy = await statusWhen(
      daemon,
      ({ files_done: done, bytes_done: bytes }) => done > 1 || (done === 1 && bytes > 1_000),
    );
    const started = { daemon, dir, busy, running };
    const seen = await stepIn(started);
    if (seen.answer.body.cancelled === true || points >= mostPoints) return { ...started, ...seen };
    await daemon.close();
  }
}

test('one import at a time; it can be watched and stopped, and the file in progress is undone', async (t) => {
  const seen = await whileImporting(t, async ({ daemon, dir, running }) => {
    const second = await daemon.call('POST', '/api/import', { dir });
    const other = await daemon.get('/api/waypoints');
    const cancelled = await daemon.call('DELETE', '/api/import');
    return { second, other, cancelled, answer: await running };
  });
  const { daemon, dir, busy } = seen;
  t.like(busy, { state: 'running', files_total: 3, waypoints: 1 });
  t.true(busy.bytes_done < busy.bytes_total);
  t.truthy(busy.started_at);
  t.is(seen.second.status, 409);
  t.is(seen.other.status, 200, 'other requests are answered meanwhile');
  t.is(seen.cancelled.status, 202);
  t.deepEqual(seen.cancelled.body, { status: 'cancelling' });

  const { status, body } = seen.answer;
  t.is(status, 200);
  t.like(body, { cancelled: true, added: 1, files: 1, failed: 0, dedup_count: 1 });
  t.deepEqual(filesBelow(daemon.paths.imports), ['a.gpx']);
  t.is(dumpLibrary(daemon.paths.libraryDatabase)['files']!.length, 1);
  t.is((await daemon.call('DELETE', '/api/import')).status, 409);

  rmSync(join(dir, 'b.gpx'));
  const again = await daemon.call<ImportResult>('POST', '/api/import', { dir });
  t.like(again.body, { added: 1, duplicates: 1 });
  t.false('cancelled' in again.body);
});

test('closing the daemon cancels the import, whose request is still answered', async (t) => {
  const { daemon, dir, answer } = await whileImporting(t, async (started) => {
    const [result] = await Promise.all([started.running, started.daemon.close()]);
    return { answer: result };
  });
  t.like(answer.body, { cancelled: true, added: 1 });
  t.deepEqual(filesBelow(daemon.paths.imports), ['a.gpx']);
  const next = await daemon.restart();
  t.is((await next.call('POST', '/api/import', { dir })).body.added, 2);
});

test('what was imported is there after a restart, also after the library was lost or damaged', async (t) => {
  const first = await startTestDaemon(t);
  const dir = sourceOf(first, { 'a.gpx': camp, 'sub/b.gpx': hut });
  await first.call('POST', '/api/import', { dir, recursive: true });
  const before = (await first.get('/api/waypoints')).body;
  const content = dumpLibrary(first.paths.libraryDatabase);
  await first.close();
  const { libraryDatabase } = first.paths;
  for (const harm of [
    () => {},
    () => rmSync(libraryDatabase),
    () => writeFileSync(libraryDatabase, 'no database at all '.repeat(300)),
    () => truncateSync(libraryDatabase, 8_192),
  ]) {
    harm();
    const daemon = await startTestDaemon(t, { root: first.root });
    // All at once, and before anything else: each waits for the rebuilding.
    const place = { name: 'Hut', lat: 46.5, lon: 8.2 };
    const [list, clusters, tagged] = await Promise.all([
      daemon.get('/api/waypoints'),
      daemon.get('/api/clusters?zoom=20'),
      daemon.call('POST', '/api/tags', { ...place, tag: 'x' }),
    ]);
    t.is(list.body.length, 2);
    t.is(clusters.body.length, 2);
    t.true(tagged.status < 300);
    await daemon.call('DELETE', '/api/tags?name=Hut&lat=46.5&lon=8.2&tag=x');
    const { body } = await daemon.call('POST', '/api/import', { dir, recursive: true });
    t.like(body, { added: 0, duplicates: 2, dedup_count: 2 });
    t.deepEqual((await daemon.get('/api/waypoints')).body, before);
    t.is((await daemon.get('/api/clusters?zoom=20')).body.length, 2);
    await daemon.close();
    t.deepEqual(dumpLibrary(libraryDatabase), content);
  }
});

test('while the library lacks its files, a twin is reckoned with: tags are kept, and what was renamed away stays hidden', async (t) => {
  const first = await startTestDaemon(t);
  const [hut, top] = ['Hut', 'Top'].map((name) => ({ name, lat: 46.5, lon: 8.2 }));
  const dir = sourceOf(first, {
    'a.gpx': gpx([
      ['Hut', 46.5, 8.2],
      ['Top', 46.5, 8.2],
    ]),
  });
  await first.call('POST', '/api/import', { dir });
  for (const place of [hut, top])
    await first.call('POST', '/api/bookmarks', { ...place, tags: ['home'] });
  await first.close();

  // Before the twins comes a file of holes that takes minutes to read, so that the library lacks them until it is closed.
  const holes = join(first.paths.imports, '0.gpx');
  writeFileSync(holes, '');
  truncateSync(holes, 2 ** 38);
  rmSync(first.paths.libraryDatabase);
  const second = await first.restart();
  t.is((await second.call('DELETE', '/api/bookmarks?name=Hut&lat=46.5&lon=8.2')).status, 200);
  const renamed = { oldName: 'Top', lat: 46.5, lon: 8.2, newName: 'Peak' };
  t.is((await second.call('PATCH', '/api/bookmarks', renamed)).status, 200);
  t.is((await second.get('/api/status')).body.library.state, 'reading');
  await second.close();

  rmSync(holes);
  const third = await second.restart();
  const { body } = await third.get('/api/waypoints');
  t.deepEqual(rowsOf(body, 'name', 'bookmark', 'tags'), [
    ['Peak', true, ['home']],
    ['Hut', false, ['home']],
  ]);
});

/** A pool whose tasks end when the test says so. */
class GatedPool extends WorkerPool<ImportTasks> {
  readonly calls: string[] = [];
  /** What each import was told of the index in use. */
  readonly hadIndex: boolean[] = [];
  readonly gates: PromiseWithResolvers<unknown>[] = [];

  constructor() {
    super({ file: 'tasks' });
  }

  override run(name: string, task: unknown): Promise<never> {
    const gate = Promise.withResolvers<unknown>();
    this.calls.push(name);
    if (name === 'importDirectory') this.hadIndex.push((task as ImportTask).hasIndex);
    this.gates.push(gate);
    return gate.promise as Promise<never>;
  }
}

function gatedRun(t: ExecutionContext): {
  run: ImportRun;
  library: LibraryWork;
  pool: GatedPool;
  dir: string;
  indexes: unknown[];
} {
  const root = temporaryDirectory(t);
  const indexes: unknown[] = [];
  const pool = new GatedPool();
  const dir = join(root, 'source');
  mkdirSync(dir);
  mkdirSync(join(root, 'imports'));
  const shared = {
    importsDirectory: join(root, 'imports'),
    clock: { now: () => 0, monotonic: () => 0 },
    log: silentLog,
  };
  const library = new LibraryWork({
    ...shared,
    libraryPath: join(root, 'library.sqlite'),
    waypointsPath: join(root, 'waypoints.sqlite'),
    ownFiles: [],
    list: noList,
    onIndex: (index) => void indexes.push(index),
    pool,
  });
  const run = new ImportRun({ ...shared, library, countWaypoints: () => 7 });
  return { run, library, pool, dir, indexes };
}

/** What the worker answers for a directory in which it found nothing, but for what is given. */
function outcomeOf(dir: string, result: Partial<DirectoryResult> = {}, isDiskFull = false) {
  const found = { ...new Tally().result(dir, undefined, false), ...result };
  return { result: found, isDiskFull };
}

test('an empty library and empty imports start no worker', async (t) => {
  const { library, pool } = gatedRun(t);
  await library.reconcile(true);
  t.deepEqual(pool.calls, []);
  t.true(library.isWhole);
});

test('an import waits for the start-up to end instead of failing', async (t) => {
  const { run, library, pool, dir, indexes } = gatedRun(t);
  const starting = library.reconcile(false);
  const importing = run.start({ dir });
  await until(() => pool.calls.length > 0);
  t.is(run.status().state, 'running');
  await t.throwsAsync(run.start({ dir }), { instanceOf: WaypointError, message: /running/ });
  t.deepEqual(pool.calls, ['followList']);
  t.false(library.isWhole);
  pool.gates[0]!.resolve({ index: 'first', isWhole: true });
  await starting;
  t.true(library.isWhole);
  await until(() => pool.calls.length === 2);
  pool.gates[1]!.resolve({ ...outcomeOf(dir), index: 'second' });
  t.like((await importing).result, { dir, dedup_count: 7 });
  t.deepEqual(indexes, ['first', 'second']);
});

test('an import that waits can be cancelled at once', async (t) => {
  const { run, library, pool, dir } = gatedRun(t);
  void library.reconcile(false);
  const importing = run.start({ dir });
  await until(() => pool.calls.length > 0);
  run.cancel();
  t.like((await importing).result, { cancelled: true, imported: false, dedup_count: 7 });
  t.is(run.status().state, 'idle');
});

test('an import that waits for mending can be cancelled at once', async (t) => {
  const { run, pool, dir } = gatedRun(t);
  const importing = run.start({ dir });
  await until(() => pool.calls.length > 0);
  t.deepEqual(pool.calls, ['followList'], 'nobody had reconciled it');
  run.cancel();
  t.true((await importing).result.cancelled);
});

test('a worker that dies fails its import; the next one mends the library first', async (t) => {
  const { run, library, pool, dir } = gatedRun(t);
  await library.reconcile(true);
  const dying = run.start({ dir });
  await until(() => pool.calls.length === 1);
  pool.gates[0]!.reject(new Error('worker exited with code: 1'));
  await t.throwsAsync(dying, { instanceOf: WaypointError, message: /log has the details/ });
  t.false(library.isWhole);
  t.is(run.status().last, null);
  const next = run.start({ dir });
  await until(() => pool.calls.length === 2);
  pool.gates[1]!.resolve({ index: 'mended', isWhole: true });
  await until(() => pool.calls.length === 3);
  pool.gates[2]!.resolve(outcomeOf(dir));
  t.is((await next).result.dedup_count, 7);
  t.deepEqual(pool.calls, ['importDirectory', 'followList', 'importDirectory']);
  t.deepEqual(pool.hadIndex, [true, true]);
});

test('an import after a start-up that failed is told to build the index', async (t) => {
  const { run, library, pool, dir } = gatedRun(t);
  const starting = library.reconcile(false);
  pool.gates[0]!.reject(new Error('worker exited with code: 1'));
  await t.throwsAsync(starting);
  const importing = run.start({ dir });
  await until(() => pool.calls.length === 2);
  pool.gates[1]!.reject(new Error('worker exited with code: 1'));
  await until(() => pool.calls.length === 3);
  pool.gates[2]!.resolve({ ...outcomeOf(dir), index: 'new' });
  await importing;
  t.deepEqual(pool.calls, ['followList', 'followList', 'importDirectory']);
  t.deepEqual(pool.hadIndex, [false]);
});

test('a full disk is 507, after the index of what was finished is in use', async (t) => {
  const { run, library, pool, dir, indexes } = gatedRun(t);
  await library.reconcile(true);
  const importing = run.start({ dir });
  await until(() => pool.calls.length === 1);
  pool.gates[0]!.resolve({ ...outcomeOf(dir, { added: 1 }, true), index: 'new' });
  const error = await t.throwsAsync(importing, { instanceOf: WaypointError });
  t.is(error?.status, 507);
  t.deepEqual(indexes, ['new']);
  t.like(run.status().last, { added: 1, dedup_count: 7 });
});

test('a real worker that dies takes neither the daemon nor the pool with it', async (t) => {
  const root = temporaryDirectory(t);
  const libraryPath = join(root, 'library.sqlite');
  prepareLibrary(libraryPath, 0);
  const pool = new WorkerPool<ImportTasks>({ file: 'tasks', heapMb: 1_024 });
  t.teardown(() => pool.close());
  const broken = {
    libraryPath: root,
    waypointsPath: emptyList(temporaryDirectory(t)),
    importsDirectory: root,
    progress: new SharedArrayBuffer(56),
    now: 0,
  };
  const error = await t.throwsAsync(pool.run('followList', broken));
  t.notRegex(`${error?.message}${error?.stack}`, new RegExp(root), 'no path crosses');
  const { loaded } = await pool.run('followList', { ...broken, libraryPath });
  t.is(loaded, 0);
});

test('hanging up does not stop an import', async (t) => {
  const { run, library, pool, dir } = gatedRun(t);
  await library.reconcile(true);
  const { port } = await startHttpServer(t, {
    routes: importRoutes({ imports: run } as DaemonParts),
  });
  const hangUp = new AbortController();
  const request = fetch(`http://127.0.0.1:${port}/api/import`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ dir }),
    signal: hangUp.signal,
  });
  await until(() => pool.calls.length === 1);
  hangUp.abort();
  await t.throwsAsync(request);
  t.is(run.status().state, 'running');
  pool.gates[0]!.resolve(outcomeOf(dir, { added: 2 }));
  await until(() => run.status().state === 'idle');
  t.like(run.status().last, { added: 2, dedup_count: 7 });
});

test('the lists of the last result are cut, its numbers are not', async (t) => {
  const { run, library, pool, dir } = gatedRun(t);
  await library.reconcile(true);
  const importing = run.start({ dir });
  await until(() => pool.calls.length === 1);
  const files = Array.from({ length: 1_001 }, (_, i) => `${i}.txt`);
  const result = {
    unsupported_files: files,
    unsupported: files.length,
    files_without_data: files,
    without_data: files.slice(1).map((file) => ({ file, reason: 'no_points' as const })),
  };
  pool.gates[0]!.resolve(outcomeOf(dir, result));
  t.is((await importing).result.unsupported_files.length, 1_001);
  t.is(run.status().last?.unsupported_files.length, 1_000);
  t.is(run.status().last?.unsupported, 1_001);
  t.is(run.status().last?.files_without_data.length, 1_000);
  t.deepEqual(run.status().last?.without_data, result.without_data, 'at the limit');
});
