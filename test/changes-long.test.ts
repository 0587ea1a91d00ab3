/** Changes of so many rows that they are made in slices. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import test from 'ava';
import Database from 'better-sqlite3';
import { revisionKey } from '../daemon/import/ledger-sync.ts';
import { gpxHead, gpxTail, gpxWaypoint } from '../formats/gpx-text.ts';
import type { ImportsQuery } from '../model/imports.ts';
import type { SyncedFile } from '../storage/library/synced-files.ts';
import { WaypointStore } from '../storage/store.ts';
import { ImportLedger } from '../storage/waypoints/imports.ts';
import { openWaypointStore } from '../storage/waypoints/open.ts';
import { startTestDaemon } from './helpers/daemon.ts';
import { until } from './helpers/until.ts';

test('a tag of many waypoints is renamed and taken back as one change, and a cut-off renaming is none', async (t) => {
  const count = 250;
  const daemon = await startTestDaemon(t);
  const wpts = Array.from({ length: count }, (_, at) =>
    gpxWaypoint({
      name: `S${at}`,
      lat: at % 80,
      lon: at / 2,
      tags: at % 50 === 0 ? ['old', 'new'] : ['old'],
    }),
  );
  await daemon.close();
  writeFileSync(daemon.paths.bookmarksFile, gpxHead() + wpts.join('') + gpxTail());
  let again = await daemon.restart();
  const tags = async (): Promise<Record<string, number>> => {
    const { body } = await again.get('/api/tags?distinct=1&counts=1&emoji=1');
    return Object.fromEntries(
      body.tags.map((tag: { raw: string; count: number }) => [tag.raw, tag.count]),
    );
  };
  await until(async () => (await tags())['old'] === count);
  const renamed = await again.call('PATCH', '/api/tags', { tag: 'old', newTag: 'new' });
  t.deepEqual(renamed.body, { renamed: true, waypoints: count });
  t.deepEqual(await tags(), { new: count });
  const id = Number(renamed.headers.get('x-change-id'));
  const listed = async () => (await again.get('/api/changes?limit=200')).body.changes;
  t.like((await listed())[0], { id, kind: 'tag_rename', count, undone: false, undoable: true });

  const part = await again.call('POST', `/api/changes/${id - 1}/undo`);
  t.is(part.status, 404, 'a part is no change');

  // Others' changes wait for a long one, so that it is whole or refused.
  const [undone, added] = await Promise.all([
    again.call('POST', `/api/changes/${id}/undo`),
    again.call('POST', '/api/tags', { name: 'S7', lat: 7, lon: 3.5, tag: 'more' }),
  ]);
  t.is(undone.status, 200);
  t.is(added.status, 201);
  t.deepEqual(await tags(), { old: count, new: 5, more: 1 });
  t.like((await listed())[1], { kind: 'undo', undoes: id, count });
  t.is((await again.call('POST', `/api/changes/${undone.body.change}/undo`)).status, 200);
  t.deepEqual(await tags(), { new: count, more: 1 });
  await again.call('DELETE', '/api/tags?name=S9&lat=9&lon=4.5&tag=new');
  t.is((await again.call('POST', `/api/changes/${id}/undo`)).status, 409, 'one has another tag');
  t.deepEqual(await tags(), { new: count - 1, more: 1 });

  // As a renaming leaves it that is killed after its first slice.
  await again.close();
  const { waypointsDatabase, libraryDatabase, backups } = again.paths;
  const options = { path: waypointsDatabase, backupsDirectory: backups, companions: [], now: 0 };
  const cutAfter = (slices: number, begin: (store: WaypointStore) => Iterator<unknown>): void => {
    const store = new WaypointStore(openWaypointStore(options), libraryDatabase);
    const change = begin(store);
    for (let i = 0; i < slices; i += 1) t.false(change.next().done);
    store.close();
  };
  cutAfter(2, ({ longChanges }) => longChanges.renameTag('new', 'cut'));
  // Two starts that take it back are killed as well.
  for (let i = 0; i < 2; i += 1) cutAfter(1, ({ longChanges }) => longChanges.mend());
  again = await again.restart();
  t.deepEqual(await tags(), { new: count - 1, more: 1 });
  const [undo, cut] = await listed();
  t.like(cut, { kind: 'tag_rename', undone: true });
  t.like(undo, { kind: 'undo', undoes: cut.id, undoable: true });
});

test('a long change whose first slice the journal has forgotten is not taken back in part', async (t) => {
  const first = await startTestDaemon(t);
  await first.close();
  const names = Array.from({ length: 250 }, (_, at) => `S${at}`);
  const wpts = names.map((name) => gpxWaypoint({ name, lat: 1, lon: 2, tags: ['old'] }));
  writeFileSync(first.paths.bookmarksFile, gpxHead() + wpts.join('') + gpxTail());
  const daemon = await first.restart();
  await until(async () => (await daemon.get('/api/waypoints')).body.length === names.length);
  const { headers } = await daemon.call('PATCH', '/api/tags', { tag: 'old', newTag: 'new' });
  const id = Number(headers.get('x-change-id'));
  await daemon.close();
  const db = new Database(daemon.paths.waypointsDatabase);
  db.prepare(
    "DELETE FROM changes WHERE id <= (SELECT details ->> 'parts' FROM changes WHERE id = ?)",
  ).run(id);
  db.close();
  const again = await daemon.restart();
  t.is((await again.call('POST', `/api/changes/${id}/undo`)).body.code, 'conflict');
  const { body } = await again.get('/api/tags?distinct=1');
  t.deepEqual(body.tags, ['new']);
});

test('a tag that many hidden waypoints have, or none of them, is renamed in slices', async (t) => {
  const daemon = await startTestDaemon(t);
  await daemon.call('POST', '/api/bookmarks', { name: 'A', lat: 1, lon: 2, tags: ['seen'] });
  await daemon.close();
  const { waypointsDatabase, libraryDatabase, backups } = daemon.paths;
  const options = { path: waypointsDatabase, backupsDirectory: backups, companions: [], now: 0 };
  const store = new WaypointStore(openWaypointStore(options), libraryDatabase);
  const db = new Database(waypointsDatabase);
  db.exec(`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 250)
    INSERT INTO hidden (name, lat_e6, lon_e6, bookmark_id, lat, lon, tags)
      SELECT n, 0, 0, 0, 0, 0, '["old","kept"]' FROM numbers`);
  const { longChanges } = store;
  const { slices, result } = slicesOf(longChanges.renameTag('seen', 'visited'));
  t.deepEqual([slices, result.result], [4, 1]);
  const renamed = slicesOf(longChanges.renameTag('old', 'new'));
  t.is(renamed.slices, 4);
  const tags = (): unknown[] => db.prepare('SELECT DISTINCT tags FROM hidden').pluck().all();
  t.deepEqual(tags(), ['["new","kept"]']);
  slicesOf(longChanges.undo(renamed.result.change!.id));
  t.deepEqual(tags(), ['["old","kept"]']);
  db.close();
  store.close();
});

test('waypoints that have both of two tags are looked for in slices', async (t) => {
  const daemon = await startTestDaemon(t);
  const last = { name: 'last', lat: 1, lon: 2 };
  await daemon.call('POST', '/api/bookmarks', { ...last, tags: ['a', 'b'] });
  await daemon.close();
  const { waypointsDatabase, libraryDatabase, backups } = daemon.paths;
  const options = { path: waypointsDatabase, backupsDirectory: backups, companions: [], now: 0 };
  const db = openWaypointStore(options);
  db.exec(`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 5000)
    INSERT INTO tags (name, lat_e6, lon_e6, raw, normal, enriched)
      SELECT n, 0, 0, iif(n % 2, 'a', 'b'), iif(n % 2, 'a', 'b'), '{}' FROM numbers`);
  const store = new WaypointStore(db, libraryDatabase);
  const { slices, result } = slicesOf(store.findTagged('AND', ['a', 'b'], 8));
  t.deepEqual(result, [{ ...last, source: 'bookmark' }]);
  t.is(slices, 2, 'one among bookmarks, one among imported waypoints');
  store.close();
});

/** Does all slices. @returns how many there were. */
function slicesOf<T>(work: Generator<unknown, T>): { readonly slices: number; readonly result: T } {
  for (let slices = 0; ; slices += 1) {
    const { done, value } = work.next();
    if (done === true) return { slices, result: value };
  }
}

test('runs of long ago are forgotten in slices, all of them', async (t) => {
  const daemon = await startTestDaemon(t);
  await daemon.close();
  const { waypointsDatabase, libraryDatabase, backups } = daemon.paths;
  const options = { path: waypointsDatabase, backupsDirectory: backups, companions: [], now: 0 };
  const store = new WaypointStore(openWaypointStore(options), libraryDatabase);
  const { imports } = store;
  const [then, now] = ['2020-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'];
  const importAll = (version: string, at: string): number => {
    const run = slicesOf(imports.begin('import', at, {})).result;
    const files = Array.from({ length: 600 }, (_, i) => syncedFile(`${i}.gpx`, version, at));
    imports.record(run, files, at);
    slicesOf(imports.finish(run));
    return run;
  };
  const [old, newer, kept] = [importAll('a', then), importAll('b', then), importAll('c', now)];
  const { slices } = slicesOf(imports.purge(now));
  // 600 + 1,200 files of runs and 600 that were replaced, 100 at once.
  t.true(slices >= 24, `${slices}`);
  t.deepEqual(
    [old, newer, kept].map((run) => imports.kindOf(run)),
    [undefined, undefined, 'import'],
  );
  const { files } = slicesOf(imports.page({}, 2_000)).result;
  const states = files.map(({ state }) => state);
  t.deepEqual(countsOf(states), { active: 600, replaced: 600 });
  store.close();
});

test('many imported files are searched through, and those that are gone are noted, in slices', async (t) => {
  const at = '2026-01-01T00:00:00.000Z';
  const daemon = await startTestDaemon(t);
  await daemon.close();
  const db = new Database(daemon.paths.waypointsDatabase);
  const { summary } = syncedFile('', '', '');
  db.prepare(
    `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20000)
    INSERT INTO imports (path, path_key, folded, sha256, bytes, format, imported_at, state, summary)
      SELECT n, n, n || '.gpx', printf('%064d', n), 1, 'gpx', ?, 'active', ? FROM numbers`,
  ).run(at, JSON.stringify(summary));
  db.exec(`DELETE FROM meta WHERE key = '${revisionKey}'`);
  const list = new ImportLedger(db, () => 0);
  const found = (query: ImportsQuery): unknown => {
    const { slices, result } = slicesOf(list.page(query, 1));
    return [slices, result.files.map(({ path }) => path), result.next];
  };
  t.deepEqual(found({}), [0, ['20000'], `${at}_20000`]);
  t.deepEqual(found({ q: '3456.gpx', state: 'active' }), [1, ['13456'], `${at}_13456`]);
  t.deepEqual(found({ q: '02.gpx', cursor: `${at}_103` }), [0, ['102'], undefined]);
  t.deepEqual(found({ q: 'nowhere' }), [1, [], undefined]);
  db.close();
  const again = await daemon.restart();
  t.is((await again.get('/api/imports?q=3456.gpx')).body.files.length, 2);
  t.deepEqual((await again.get('/api/imports?state=active')).body, { files: [] });
});

function syncedFile(path: string, version: string, at: string): SyncedFile {
  const summary = {
    waypoints: 0,
    track_points: 0,
    route_points: 0,
    observations: 0,
    untimed_points: 0,
    unusable_points: 0,
  };
  const sha256 = createHash('sha256')
    .update(path + version)
    .digest('hex');
  return {
    libraryId: 0,
    path,
    pathKey: path,
    sha256,
    size: 1,
    format: 'gpx',
    copiedAt: at,
    copiedNs: '0',
    summary,
  };
}

function countsOf(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
