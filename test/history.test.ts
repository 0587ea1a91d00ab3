import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import test from 'ava';
import { openReader } from '../storage/database.ts';
import { startTestDaemon } from './helpers/daemon.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';
import { until } from './helpers/until.ts';

test('POST /api/history records; GET /api/recent_suggest lists distinct texts, newest first', async (t) => {
  const daemon = await startTestDaemon(t);
  t.deepEqual((await daemon.get('/api/recent_suggest')).body, { queries: [], entries: [] });
  const first = await daemon.call('POST', '/api/history', {
    query: ' Fini ',
    lat: 42.1,
    lon: -8.3,
  });
  t.is(first.status, 201);
  t.deepEqual(first.body, { stored: 1, multiple: false });
  const several = await daemon.call('POST', '/api/history', { queries: ['a', 'b'] });
  t.deepEqual(several.body, { stored: 2, multiple: true });
  await daemon.call('POST', '/api/history', { query: 'a' });
  await daemon.call('POST', '/api/history', { query: 'fini' });
  t.deepEqual((await daemon.get('/api/recent_suggest')).body, {
    queries: ['fini', 'a', 'b', 'Fini'],
    entries: [
      { query: 'fini' },
      { query: 'a' },
      { query: 'b' },
      { query: 'Fini', lat: 42.1, lon: -8.3 },
    ],
  });
});

test('what is cleared is on the disk no more: not in the log of the store, nor in its copy of before an upgrade', async (t) => {
  const root = temporaryDirectory(t);
  cpSync(join(import.meta.dirname, '../fixtures/first-version'), join(root, 'data'), {
    recursive: true,
  });
  const daemon = await startTestDaemon(t, { root });
  const has = (query: string): string[] => {
    const { data, backups } = daemon.paths;
    const files = [data, backups].flatMap((place) =>
      readdirSync(place, { withFileTypes: true }).filter(
        // The mirror's thread may be writing the bookmarks file.
        (entry) => entry.isFile() && !entry.name.endsWith('.tmp'),
      ),
    );
    return files
      .map((file) => join(file.parentPath, file.name))
      .filter((file) => readFileSync(file).includes(query))
      .map((file) => basename(file).replace(/\d{8}T\d{6}Z/u, 'NOW'));
  };
  t.deepEqual(has('harbour'), ['waypoints.sqlite']);
  await daemon.call('POST', '/api/history', { queries: ['first hotel', 'second hotel'] });
  t.deepEqual(has('second hotel'), ['waypoints.sqlite-wal']);
  await daemon.call('DELETE', '/api/history?query=second%20hotel');
  t.deepEqual(has('second hotel'), []);
  t.is((await daemon.call('DELETE', '/api/history')).body.deleted, 3);
  t.deepEqual(has('first hotel'), []);
  t.deepEqual((await daemon.get('/api/recent_suggest')).body.queries, []);
  const reader = openReader(daemon.paths.waypointsDatabase);
  t.teardown(() => reader.close());
  reader.exec('BEGIN; SELECT count(*) FROM bookmarks');
  await daemon.call('POST', '/api/history', { queries: ['third hotel'] });
  t.is((await daemon.call('DELETE', '/api/history')).body.deleted, 1);
  t.deepEqual(has('third hotel'), ['waypoints.sqlite-wal']);
  reader.exec('COMMIT');
  await until(() => has('third hotel').length === 0);
});

test('POST /api/history refuses blanks, half a place, and 257 code points', async (t) => {
  const daemon = await startTestDaemon(t);
  const refused = [
    {},
    { query: ' ' },
    { query: '😀'.repeat(257) },
    { queries: [] },
    { queries: ['a', ' '] },
    { queries: Array.from({ length: 20_001 }, (_, i) => `q${i}`) },
    { query: 'a', queries: ['b'] },
    { query: 'a', lat: 1 },
    { query: 'a', lon: 1 },
    { query: 'a', lat: 91, lon: 1 },
  ];
  for (const body of refused)
    t.is((await daemon.call('POST', '/api/history', body)).status, 400, JSON.stringify(body));
  t.deepEqual((await daemon.get('/api/recent_suggest')).body.queries, []);
  t.is(
    (await daemon.call('POST', '/api/history', { query: '😀'.repeat(256), unknown: 1 })).status,
    201,
  );
});

test('GET /api/recent_suggest: limit 1 to 200, default 10', async (t) => {
  const daemon = await startTestDaemon(t);
  const queries = Array.from({ length: 205 }, (_, i) => `q${i}`);
  await daemon.call('POST', '/api/history', { queries });
  const length = async (query: string): Promise<number> =>
    (await daemon.get(`/api/recent_suggest${query}`)).body.queries.length;
  t.is(await length(''), 10);
  t.is(await length('?limit=1'), 1);
  t.is(await length('?limit=200'), 200);
  for (const limit of ['0', '201', '', '1.5', 'ten', '-1', '1e2']) {
    t.is((await daemon.get(`/api/recent_suggest?limit=${limit}`)).status, 400, limit);
  }
});

test('the newest 10,000 searches are kept', async (t) => {
  const daemon = await startTestDaemon(t);
  const queries = Array.from({ length: 20_000 }, (_, i) => `q${i - 10_000}`);
  t.deepEqual((await daemon.call('POST', '/api/history', { queries })).body.stored, 20_000);
  await daemon.call('POST', '/api/history', { query: 'one more' });
  const { body } = await daemon.call('DELETE', '/api/history?query=q0');
  t.is(body.deleted, 0);
  t.is((await daemon.call('DELETE', '/api/history?query=q1')).body.deleted, 1);
  t.is((await daemon.call('DELETE', '/api/history')).body.deleted, 9_999);
});

test('history: false stores nothing and says so', async (t) => {
  const daemon = await startTestDaemon(t, { settings: { history: false } });
  const { status, body } = await daemon.call('POST', '/api/history', { query: 'secret' });
  t.is(status, 201);
  t.deepEqual(body, { stored: 0, multiple: false });
  t.deepEqual((await daemon.get('/api/recent_suggest')).body.queries, []);
});
