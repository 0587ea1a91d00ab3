/** Changes of many rows, each one transaction, and lists of many imported files. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import Database from 'better-sqlite3';
import { gpxHead, gpxTail, gpxWaypoint } from '../formats/gpx-text.ts';
import { openWaypointStore } from '../storage/waypoints/open.ts';
import { waypointMigrations } from '../storage/schema/waypoints.ts';
import { startTestDaemon } from './helpers/daemon.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';
import { until } from './helpers/until.ts';

test('a tag of many waypoints is renamed and taken back as one change', async (t) => {
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
  const again = await daemon.restart();
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

  const [undone, added] = await Promise.all([
    again.call('POST', `/api/changes/${id}/undo`),
    again.call('POST', '/api/tags', { name: 'S7', lat: 7, lon: 3.5, tag: 'more' }),
  ]);
  t.is(undone.status, 200);
  t.is(added.status, 201);
  t.deepEqual(await tags(), { old: count, new: 5, more: 1 });
  const undo = (await listed()).find((change: { kind: string }) => change.kind === 'undo');
  t.like(undo, { undoes: id, count });
  t.is((await again.call('POST', `/api/changes/${undone.body.change}/undo`)).status, 200);
  t.deepEqual(await tags(), { new: count, more: 1 });
  await again.call('DELETE', '/api/tags?name=S9&lat=9&lon=4.5&tag=new');
  t.is((await again.call('POST', `/api/changes/${id}/undo`)).status, 409, 'one has another tag');
  t.deepEqual(await tags(), { new: count - 1, more: 1 });
});

test('a change that an earlier version wrote in parts becomes one, also where a crash has cut it off', (t) => {
  const path = join(temporaryDirectory(t), 'waypoints.sqlite');
  const options = { path, backupsDirectory: `${path}.backups`, companions: [], now: 0 };
  const partsVersion = 6;
  openWaypointStore({
    ...options,
    migrations: waypointMigrations.slice(0, partsVersion),
  }).close();
  const db = new Database(path);
  const tagRow = (id: number, raw: string) => ({ id, name: `S${id}`, latE6: 0, lonE6: 0, raw });
  const add = (kind: string, finished: number, details: unknown): void => {
    db.prepare(
      'INSERT INTO changes (at, kind, revision, count, finished, details) VALUES (1, ?, 2, 1, ?, ?)',
    ).run(kind, finished, JSON.stringify(details));
  };
  const renamed = (id: number, from: string, to: string) => [
    { of: 'tag', before: tagRow(id, from), after: tagRow(id, to) },
  ];
  add('tag_rename', 0, [...renamed(1, 'a', 'b'), ...renamed(2, 'a', 'b')]);
  add('tag_rename', 0, renamed(3, 'a', 'b'));
  add('tag_rename', 1, { parts: 1 });
  add('tag_rename', 1, { parts: 77 });
  add('import', 1, { run: 4 });
  add('undo', 0, renamed(3, 'b', 'a'));
  add('undo', 0, renamed(2, 'b', 'a'));
  db.prepare("INSERT INTO meta VALUES ('open_change', ?)").run(
    JSON.stringify({ first: 6, count: 2, mends: 3 }),
  );
  db.close();
  const store = openWaypointStore(options);
  const rows = store
    .prepare('SELECT id, kind, count, undoes, undone_by, details FROM changes')
    .all();
  const expected = [
    [3, 'tag_rename', 1, null, 7, [1, 2, 3]],
    [4, 'tag_rename', 1, null, null, []],
    [5, 'import', 1, null, null, { imports: false }],
    [7, 'undo', 2, 3, null, [3, 2]],
  ];
  t.deepEqual(
    (rows as { details: string }[]).map(({ details, ...row }) => {
      const what = JSON.parse(details) as { imports: boolean } | { after: { id: number } }[];
      return [
        ...Object.values(row),
        Array.isArray(what) ? what.map(({ after }) => after.id) : what,
      ];
    }),
    expected,
  );
  t.is(store.prepare("SELECT 1 FROM meta WHERE key = 'open_change'").get(), undefined);
  store.close();
});
