/** fixtures/first-version is a whole data directory that the first version (commit aa16b31) has written. */
import { cpSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import Database from 'better-sqlite3';
import { sql } from 'kysely';
import type { Migration } from '../storage/migrate.ts';
import { openObjectsDatabase } from '../storage/objects/open.ts';
import { objectMigrations } from '../storage/objects/schema.ts';
import { waypointMigrations } from '../storage/schema/waypoints.ts';
import { openWaypointStore } from '../storage/waypoints/open.ts';
import { startTestDaemon, tellTimeline, type TestDaemon } from './helpers/daemon.ts';
import { valuesOf } from './helpers/fields.ts';
import { oidOf, startTestObjects } from './helpers/objects.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';

const fixture = path.join(import.meta.dirname, '../fixtures/first-version');
const harbour = {
  name: 'Harbour',
  lat: 41.15,
  lon: -8.6,
  ele: 7.5,
  time: '2024-01-02T03:04:05Z',
  desc: 'by the bridge',
  bookmark: true,
  tags: ['sea', 'home'],
};
/** Camp Beta was called as the imported Camp Alpha, which it hides since. */
const waypoints = [
  harbour,
  { name: 'Camp Beta', lat: 41.3, lon: -8.5, time: '2024-01-03T00:00:00Z', bookmark: true },
  { name: 'Lighthouse', lat: 41.2, lon: -8.7, desc: 'white tower', bookmark: false, tags: ['sea'] },
  { name: 'Old Mill', lat: 41.4, lon: -8.4, bookmark: false },
];

/** A copy of the fixture as the data directory below a root; Git keeps no empty directories and no modes. */
function copyOfFirstVersion(t: ExecutionContext): string {
  const root = temporaryDirectory(t);
  cpSync(fixture, path.join(root, 'data'), { recursive: true });
  return root;
}

function backupsIn(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory) : [];
}

async function observationsOf(daemon: TestDaemon, day: string): Promise<number> {
  const period = { start_date: day, end_date: day };
  return (await tellTimeline(daemon, period)).summary.recorded_observations;
}

test('what the first version wrote opens: bookmarks, tags, hidden waypoints, history, imports', async (t) => {
  const root = copyOfFirstVersion(t);
  const daemon = await startTestDaemon(t, { root });
  const again = await daemon.restart();
  t.deepEqual((await again.get('/api/waypoints')).body, waypoints);
  const { entries } = (await again.get('/api/recent_suggest')).body;
  t.deepEqual(entries, [{ query: 'harbour', lat: 41.15, lon: -8.6 }, { query: 'bridge' }]);
  t.is(await observationsOf(again, '2023-05-01'), 9);
  t.is(await observationsOf(again, '2024-06-02'), 8);
  const copies = backupsIn(again.paths.backups).filter((name) => name.startsWith('waypoints-v1-'));
  t.is(copies.length, waypointMigrations.length > 1 ? 1 : 0);
  const beta = new URLSearchParams({ name: 'Camp Beta', lat: '41.3', lon: '-8.5' });
  t.is((await again.call('DELETE', `/api/bookmarks?${beta.toString()}`)).status, 200);
  const shown = (await again.get('/api/waypoints')).body as { name: string }[];
  t.deepEqual(valuesOf(shown, 'name'), ['Harbour', 'Lighthouse', 'Camp Alpha', 'Old Mill']);
  const [old = ''] = readdirSync(path.join(fixture, 'imports/.replaced'));
  t.true(existsSync(path.join(again.paths.replaced, old)), 'the file that was replaced is kept');
});

test('the object store of the first version opens: users, rights, contents, sums', async (t) => {
  const directory = path.join(copyOfFirstVersion(t), 'data/objects');
  const content = readFileSync(
    path.join(directory, 'objects/6c/91', oidOf(Buffer.from('some large file\n'))),
  );
  const objects = await startTestObjects(t, { directory });
  const answer = await objects.call('GET', `/club/maps/objects/${oidOf(content)}`, {
    as: 'ann:a good password',
  });
  t.is(answer.status, 200);
  t.deepEqual((await objects.follow('GET', answer.body._links.download)).bytes, content);
  t.is((await objects.call('GET', `/club/maps/objects/${oidOf(content)}`)).status, 401);
  const repository = await objects.admin.directory.findRepository('club/maps');
  t.like(repository, { bytes: content.length, objects: 1 });
  t.is((await objects.send('club/maps', Buffer.from('more'), 'ann:a good password')).status, 200);
  const copies = backupsIn(path.join(directory, 'backups'));
  t.is(copies.length, objectMigrations.length > 1 ? 1 : 0);
});

/** Opens a store of the fixture with steps beyond those of this version. */
type Open = (root: string, more: readonly Migration[]) => Database.Database;

const stores: readonly [
  name: string,
  known: readonly Migration[],
  backups: string,
  rows: string,
  open: Open,
][] = [
  [
    'waypoints',
    waypointMigrations,
    'data/backups',
    'SELECT count(*) FROM bookmarks',
    (root, more) =>
      openWaypointStore({
        path: path.join(root, 'data/waypoints.sqlite'),
        backupsDirectory: path.join(root, 'data/backups'),
        companions: [],
        now: 0,
        migrations: [...waypointMigrations, ...more],
      }),
  ],
  [
    'objects',
    objectMigrations,
    'data/objects/backups',
    'SELECT 2 * count(*) FROM holdings',
    (root, more) =>
      openObjectsDatabase({
        path: path.join(root, 'data/objects/objects.sqlite'),
        waitMs: 0,
        areCommitsSynced: true,
        hasContents: true,
        migrations: [...objectMigrations, ...more],
      }),
  ],
];

for (const [name, known, backups, rows, open] of stores) {
  test(`${name}: a copy is made before a migration, whole and private, also of one that fails`, (t) => {
    const root = copyOfFirstVersion(t);
    open(root, []).close();
    const before = new Set(backupsIn(path.join(root, backups)));
    t.throws(() => open(root, [() => [sql.raw('CREATE TABLE more (a); SELECT nonsense()')]]));
    const db = open(root, [() => [sql.raw('CREATE TABLE more (a)')]]);
    t.is(db.pragma('user_version', { simple: true }), known.length + 1);
    t.is(db.prepare(rows).pluck().get(), 2);
    db.close();
    const made = backupsIn(path.join(root, backups)).filter((copy) => !before.has(copy));
    t.true(made.length > 0);
    for (const file of made) {
      t.true(file.startsWith(`${name}-v${known.length}-`), file);
      const full = path.join(root, backups, file);
      if (process.platform !== 'win32') t.is(statSync(full).mode & 0o777, 0o600);
      const copy = new Database(full, { readonly: true });
      t.is(copy.pragma('user_version', { simple: true }), known.length);
      t.is(copy.prepare(rows).pluck().get(), 2);
      copy.close();
    }
  });
}
