/** A store whose list of imports an earlier version wrote, with changes that a crash has cut off. */
import { hash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import Database from 'better-sqlite3';
import { waypointMigrations } from '../storage/schema/waypoints.ts';
import { openWaypointStore } from '../storage/waypoints/open.ts';
import { startTestDaemon } from './helpers/daemon.ts';
import { rowsOf } from './helpers/fields.ts';
import { contentOf, listed } from './helpers/imported-files.ts';
import { filesBelow, gpx, writeTree } from './helpers/imports.ts';

/** The last version that kept runs of the list. */
const runsVersion = 7;
const at = new Date().toISOString();
const [ride, camp, lake, young, erased] = ['Ride', 'Camp', 'Lake', 'Young', 'Erased'].map((name) =>
  gpx([[name, 1, 2]]),
) as [string, string, string, string, string];

/** Makes the store of an earlier version, and the folder as a crash leaves it: one of two files that are to be removed is out. */
function writeOldStore(data: string): void {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const path = join(data, 'waypoints.sqlite');
  openWaypointStore({
    path,
    backupsDirectory: join(data, 'backups'),
    companions: [],
    now: 0,
    migrations: waypointMigrations.slice(0, runsVersion),
  }).close();
  const db = new Database(path);
  const insert = db.prepare(`
    INSERT INTO imports (id, path, path_key, folded, sha256, bytes, format, imported_at, state, ended_at, summary, copied_ns)
      VALUES (?, ?, ?, ?, ?, ?, 'gpx', '${at}', ?, ?, ?, '1')`);
  const summary = JSON.stringify({
    waypoints: 1,
    track_points: 0,
    route_points: 0,
    observations: 0,
    untimed_points: 0,
    unusable_points: 0,
  });
  const add = (
    id: number,
    name: string,
    text: string,
    state: string,
    ended: string | null,
  ): void => {
    const [path_, sha256] = [`${name}.gpx`, hash('sha256', text)];
    insert.run(id, path_, path_, path_, sha256, Buffer.byteLength(text), state, ended, summary);
  };
  add(1, 'ride', ride, 'active', null);
  add(2, 'camp', camp, 'active', null);
  add(3, 'lake', lake, 'replaced', new Date().toISOString());
  add(4, 'lake', young, 'active', null);
  add(5, 'erased', erased, 'removed', null);
  const run = db.prepare(
    'INSERT INTO import_runs (id, kind, at, is_done, undoes) VALUES (?, ?, ?, ?, ?)',
  );
  const file = db.prepare('INSERT INTO import_run_files VALUES (?, ?, ?, ?)');
  const change = db.prepare(`
    INSERT INTO changes (id, at, kind, revision, count, undoes, details) VALUES (?, ?, ?, 1, 1, NULL, ?)`);
  run.run(1, 'import', at, 1, null);
  for (const id of [1, 2, 3, 5]) file.run(1, id, null, 'active');
  run.run(2, 'import', at, 1, null);
  file.run(2, 3, 'active', 'replaced');
  file.run(2, 4, null, 'active');
  run.run(3, 'erase', at, 1, null);
  file.run(3, 5, 'active', 'removed');
  for (const [id, kind] of [
    [1, 'import'],
    [2, 'import'],
    [3, 'import_remove'],
  ] as const)
    change.run(id, Date.parse(at), kind, JSON.stringify({ run: id }));
  // Cut off: a removal with one file done, what brings back an older file, one whose plan is not whole, and an import.
  run.run(70, 'remove', at, 0, null);
  for (const id of [1, 2]) file.run(70, id, 'active', 'removed');
  run.run(71, 'restore', at, 0, null);
  file.run(71, 3, 'replaced', 'active');
  run.run(72, 'remove', at, -1, null);
  file.run(72, 4, 'active', 'removed');
  run.run(73, 'import', at, 0, null);
  db.close();
  writeTree(join(data, 'imports'), {
    'camp.gpx': camp,
    'lake.gpx': young,
    'unlisted.gpx': gpx([['Unlisted', 5, 6]]),
    [`.replaced/${hash('sha256', ride)}.gpx`]: ride,
    [`.replaced/${hash('sha256', lake)}.gpx`]: lake,
  });
}

test('changes of imports that an earlier version was cut off in are finished, and all can be undone', async (t) => {
  const first = await startTestDaemon(t);
  await first.close();
  const root = join(first.root, 'old');
  const { data } = { data: join(root, 'data') };
  writeOldStore(data);
  const daemon = await startTestDaemon(t, { root });
  t.is(daemon.paths.data, data);
  const states = async () =>
    (await listed(daemon))
      .toSorted((a, b) => a.id - b.id)
      .map(({ id, path, state }) => `${id} ${path} ${state}`);
  t.deepEqual(await states(), [
    '1 ride.gpx removed',
    '2 camp.gpx removed',
    '3 lake.gpx active',
    '4 lake.gpx replaced',
    '5 erased.gpx removed',
    '6 unlisted.gpx active',
  ]);
  const names = async () =>
    (await daemon.get<{ name: string }[]>('/api/waypoints')).body
      .map(({ name }) => name)
      .toSorted();
  t.deepEqual(await names(), ['Lake', 'Unlisted']);
  t.is(await (await contentOf(daemon, 2)).text(), camp, 'its bytes are kept');
  const visible = filesBelow(daemon.paths.imports).filter((file) => !file.startsWith('.'));
  t.deepEqual(visible, ['lake.gpx', 'unlisted.gpx']);
  const { changes } = (await daemon.get('/api/changes')).body;
  t.deepEqual(rowsOf(changes, 'id', 'kind', 'count', 'undoable'), [
    [5, 'import_restore', 1, true],
    [4, 'import_remove', 2, true],
    [3, 'import_remove', 1, false],
    [2, 'import', 1, false],
    [1, 'import', 1, false],
  ]);
  for (const [id, expected] of [
    [5, ['Unlisted', 'Young']],
    [4, ['Camp', 'Ride', 'Unlisted', 'Young']],
    [2, ['Camp', 'Lake', 'Ride', 'Unlisted']],
  ] as const) {
    const answer = await daemon.call('POST', `/api/changes/${id}/undo`);
    t.is(answer.status, 200, answer.text);
    t.deepEqual(await names(), [...expected]);
  }
  t.is((await daemon.call('POST', '/api/changes/3/undo')).status, 409);
});
