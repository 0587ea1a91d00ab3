/** The list of imported files: what it tells, how it is read page by page, and that it outlives the library. */
import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import Database from 'better-sqlite3';
import type { ImportedFile } from '../model/imports.ts';
import { startTestDaemon, type TestDaemon } from './helpers/daemon.ts';
import { rowsOf, valuesOf } from './helpers/fields.ts';
import { contentOf, importTree, listed } from './helpers/imported-files.ts';
import { gpx } from './helpers/imports.ts';

async function content(t: ExecutionContext, daemon: TestDaemon, id: number): Promise<string> {
  const response = await contentOf(daemon, id);
  t.is(response.status, 200);
  t.is(response.headers.get('content-type'), 'application/octet-stream');
  return response.text();
}

const track = gpx([['Porto', 41.15, -8.61]], ['2024-05-01T10:00:00Z', '2024-05-02T11:00:00Z']);

test('GET /api/imports tells what each file holds, and its original bytes', async (t) => {
  const daemon = await startTestDaemon(t);
  t.deepEqual((await daemon.get('/api/imports')).body, { files: [] });
  await importTree(daemon, { 'a/ride.gpx': track, 'b.gpx': gpx([['Camp', 1, 2]]) });
  const files = await listed(daemon);
  t.deepEqual(valuesOf(files, 'path'), ['b.gpx', 'a/ride.gpx']);
  const ride = files[1]!;
  t.like(ride, {
    format: 'gpx',
    state: 'active',
    bytes: Buffer.byteLength(track),
    waypoints: 1,
    track_points: 2,
    observations: 2,
    untimed_points: 1,
    first_time: '2024-05-01T10:00:00Z',
    last_time: '2024-05-02T11:00:00Z',
    bbox: [-8.61, 41.15, 8.5, 47.1],
  });
  t.is((await daemon.get(`/api/imports/${ride.id}`)).text, JSON.stringify(ride));
  t.is(await content(t, daemon, ride.id), track);
  t.false(JSON.stringify(files).includes(daemon.root));
  for (const id of ['0', '99', 'x', '1.5', '1e3', '99999999999999999']) {
    t.is((await daemon.get(`/api/imports/${id}`)).status, 404, id);
    t.is((await daemon.get(`/api/imports/${id}/content`)).status, 404, id);
  }
  rmSync(join(daemon.paths.imports, 'a/ride.gpx'));
  t.is((await daemon.get(`/api/imports/${ride.id}/content`)).status, 404, 'it was deleted by hand');
});

test('pages, words and states choose what is listed', async (t) => {
  const daemon = await startTestDaemon(t);
  const files = Object.fromEntries(
    Array.from({ length: 7 }, (_, at) => [`Köln/${at}.gpx`, gpx([[`w${at}`, at, at]])]),
  );
  await importTree(daemon, files);
  await importTree(daemon, { 'Köln/0.gpx': gpx([['other', 5, 5]]) });
  const all = await listed(daemon);
  t.is(all.length, 8);
  const seen: ImportedFile[] = [];
  let pages = 0;
  for (let cursor = ''; pages === 0 || cursor !== ''; pages += 1) {
    const { body } = await daemon.get(`/api/imports?limit=3${cursor}`);
    seen.push(...body.files);
    cursor = body.next_cursor === undefined ? '' : `&cursor=${body.next_cursor}`;
  }
  t.is(pages, 3);
  t.deepEqual(seen, all);
  t.is((await listed(daemon, '?q=koln%2F3')).length, 1);
  t.is((await listed(daemon, '?q=nowhere')).length, 0);
  t.deepEqual(valuesOf(await listed(daemon, '?state=replaced'), 'path'), ['Köln/0.gpx']);
  t.is((await listed(daemon, '?state=active')).length, 7);
  for (const [query, field] of [
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['cursor=x', 'cursor'],
    ['state=gone', 'state'],
    [`q=${'x'.repeat(257)}`, 'q'],
  ]) {
    const { status, body } = await daemon.get(`/api/imports?${query}`);
    t.is(status, 400, query);
    t.is(body.field, field, query);
  }
  t.is((await daemon.get(`/api/imports?limit=1000&q=${'x'.repeat(256)}`)).status, 200);
});

test('replaced bytes are there for 30 days', async (t) => {
  let now = Date.now();
  const clock = { now: () => now, monotonic: () => performance.now() };
  const daemon = await startTestDaemon(t, { clock });
  await importTree(daemon, { 'a.gpx': track });
  const [old] = await listed(daemon);
  await importTree(daemon, { 'a.gpx': gpx([['new', 1, 2]]) });
  t.is((await listed(daemon)).length, 2);
  t.is((await daemon.get(`/api/imports/${old!.id}`)).body.state, 'replaced');
  t.is(await content(t, daemon, old!.id), track);
  let later = daemon;
  for (let weeks = 0; weeks < 5; weeks += 1) {
    t.is((await later.get(`/api/imports/${old!.id}`)).status, 200, `after ${weeks} times six days`);
    now += 6 * 86_400_000 + 61_000;
    later = await later.restart();
  }
  t.is((await daemon.get(`/api/imports/${old!.id}`).catch(() => undefined))?.status, undefined);
  t.is((await later.get(`/api/imports/${old!.id}`)).status, 404);
  t.is((await listed(later)).length, 1);
});

test('replaced bytes outlast a clock that jumps a year and back', async (t) => {
  let now = Date.now();
  const clock = { now: () => now, monotonic: () => performance.now() };
  let daemon = await startTestDaemon(t, { clock });
  await importTree(daemon, { 'a.gpx': track });
  const years = [0, 365, -365, 0];
  for (const [version, days] of years.entries()) {
    now = Date.now() + days * 86_400_000;
    await importTree(daemon, { 'a.gpx': gpx([['new', version, 2]]) });
    daemon = await daemon.restart();
    const replaced = await listed(daemon, '?state=replaced');
    t.is(replaced.length, version + 1, `the clock at ${days} days`);
    for (const { id } of replaced) await content(t, daemon, id);
  }
});

test('ids outlive a lost library, and a library from before the list fills it', async (t) => {
  const daemon = await startTestDaemon(t);
  await importTree(daemon, { 'a.gpx': track, 'b.gpx': gpx([['Camp', 1, 2]]) });
  const before = await listed(daemon);
  const rebuilt = await daemon.restartWithoutLibrary();
  t.deepEqual(await listed(rebuilt), before);
  await rebuilt.close();
  const store = new Database(daemon.paths.waypointsDatabase);
  store.exec('DELETE FROM imports');
  store.exec("DELETE FROM meta WHERE key = 'imports_library'");
  store.close();
  const filled = await rebuilt.restart();
  const known = ({ path, sha256, observations, bbox }: ImportedFile) => ({
    path,
    sha256,
    observations,
    bbox,
  });
  t.deepEqual(
    (await listed(filled, '?q=gpx')).map(known).toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    before.map(known).toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  );
});

test('files that a person changes below imports/ are followed', async (t) => {
  const daemon = await startTestDaemon(t);
  await importTree(daemon, { 'a.gpx': track, 'b.gpx': gpx([['Camp', 1, 2]]) });
  await daemon.close();
  rmSync(join(daemon.paths.imports, 'b.gpx'));
  writeFileSync(join(daemon.paths.imports, 'a.gpx'), gpx([['by hand', 3, 4]]));
  const after = await daemon.restart();
  t.deepEqual(rowsOf(await listed(after, '?state=active'), 'path', 'waypoints'), [['a.gpx', 1]]);
  // Not removed by the user through the daemon: importing the source again brings it back.
  const { body } = await importTree(after, {
    'b.gpx': readFileSync(join(daemon.root, 'source/b.gpx'), 'utf8'),
  });
  t.is(body.added + body.replaced, 2);
});

test('what was replaced long ago is forgotten at a start, wherever it is in the list, and nothing else', async (t) => {
  const daemon = await startTestDaemon(t);
  await importTree(daemon, { 'ride.gpx': track });
  await daemon.close();
  const db = new Database(daemon.paths.waypointsDatabase);
  const insert = db.prepare(`
    INSERT INTO imports SELECT $id, $id || '.gpx', $id || '.gpx', $id || '.gpx', 'content ' || $id, bytes,
      format, imported_at, $state, $ended, folder_id, summary, $undone
    FROM imports WHERE id = 1`);
  const ids = [
    4_095,
    4_096,
    4_097,
    ...Array.from({ length: 201 }, (_, at) => 5_000 + at),
    8_192,
    8_193,
  ];
  const old = { state: 'replaced', ended: '2020-01-01T00:00:00Z', undone: null };
  for (const id of ids) insert.run({ ...old, id });
  const recent = { ...old, ended: new Date().toISOString() };
  const stays = [recent, { ...old, state: 'removed' }, { ...old, undone: 1 }];
  for (const [at, row] of stays.entries())
    for (const id of [4_090 + at, 5_300 + at, 8_200 + at]) insert.run({ ...row, id });
  db.close();
  const files = await listed(await daemon.restart(), '?limit=1000');
  t.deepEqual(
    valuesOf(files, 'id').toSorted((a, b) => a - b),
    [1, 4_090, 4_091, 4_092, 5_300, 5_301, 5_302, 8_200, 8_201, 8_202],
  );
});

test('a file that was put into imports/ is listed with its time, but not with one to come', async (t) => {
  const daemon = await startTestDaemon(t);
  await daemon.close();
  mkdirSync(daemon.paths.imports, { recursive: true });
  for (const [name, seconds] of Object.entries({ past: 1.7e9, future: 4e9, far: 3e11 })) {
    const path = join(daemon.paths.imports, `${name}.gpx`);
    writeFileSync(path, gpx([[name, 1, 2]]));
    utimesSync(path, seconds, seconds);
  }
  const files = await listed(await daemon.restart());
  const times = new Map(files.map(({ path, imported_at }) => [path, imported_at]));
  t.is(times.get('past.gpx'), '2023-11-14T22:13:20Z');
  // Some file systems have years of five digits.
  for (const name of ['future.gpx', 'far.gpx'])
    t.true(Date.parse(times.get(name)!) <= Date.now(), name);
});
