import Database from 'better-sqlite3';
import test from 'ava';
import { openAnswer, startTestDaemon } from './helpers/daemon.ts';
import { rowsOf, valuesOf } from './helpers/fields.ts';
import { importTree } from './helpers/imported-files.ts';
import { gpx } from './helpers/imports.ts';

const place = (name: string, lat: number, lon: number) => ({ name, lat, lon });

test('GET /api/clusters groups imported waypoints and bookmarks by cell', async (t) => {
  const daemon = await startTestDaemon(t);
  t.deepEqual((await daemon.get('/api/clusters')).body, []);
  await importTree(daemon, {
    'a.gpx': gpx([
      ['North', 40, 20],
      ['South', -40, 20],
    ]),
  });
  await daemon.call('POST', '/api/bookmarks', place('Near north', 40.001, 20.001));
  const far = await daemon.get('/api/clusters?zoom=5&bounds=1');
  t.is(far.body.length, 2);
  t.is(far.body[0].type, 'cluster');
  t.is(far.body[0].count, 2);
  t.deepEqual(far.body[0].bbox, [20, 40, 20.001, 40.001]);
  t.deepEqual(far.body[1], { type: 'waypoint', ...place('South', -40, 20), bookmark: false });
  const own = await daemon.get('/api/clusters?zoom=5&bookmarksOnly=1');
  t.deepEqual(own.body, [
    { type: 'waypoint', ...place('Near north', 40.001, 20.001), bookmark: true },
  ]);
  const box = await daemon.get('/api/clusters?bbox=19,-41,21,0&zoom=3.5&grid=33.3');
  t.is(box.body.length, 1);
});

test('GET /api/clusters: zoom 0…24 and grid 8…512 at the limit and one past it', async (t) => {
  const daemon = await startTestDaemon(t);
  for (const query of ['zoom=0', 'zoom=24', 'zoom=3.25', 'grid=8', 'grid=512', 'grid=8.5']) {
    t.is((await daemon.get(`/api/clusters?${query}`)).status, 200, query);
  }
  for (const query of [
    'zoom=-0.1',
    'zoom=24.1',
    'zoom=',
    'zoom=a',
    'grid=7.9',
    'grid=512.1',
    'grid=',
    'bbox=1',
    'bounds=2',
  ]) {
    const { status, body } = await daemon.get(`/api/clusters?${query}`);
    t.is(status, 400, query);
    t.is(body.field, query.split('=')[0]);
  }
});

test('GET /api/clusters: ETag and 304 until something changes', async (t) => {
  const daemon = await startTestDaemon(t);
  await daemon.call('POST', '/api/bookmarks', place('A', 1, 1));
  const etag = (await daemon.get('/api/clusters?zoom=3')).headers.get('etag') ?? '';
  t.is((await daemon.get('/api/clusters?zoom=3', { 'if-none-match': etag })).status, 304);
  t.is((await daemon.get('/api/clusters?zoom=4', { 'if-none-match': etag })).status, 200);
  await daemon.call('POST', '/api/bookmarks', place('B', 1, 1));
  t.is((await daemon.get('/api/clusters?zoom=3', { 'if-none-match': etag })).status, 200);
});

test('GET /api/suggest ranks whole name, prefix, word start, inside; bookmarks first among equals; case and accents do not matter', async (t) => {
  const daemon = await startTestDaemon(t);
  const names = ['Delfini', 'Bar Fini', 'Finisterre', 'FINÍ'];
  await importTree(daemon, { 'a.gpx': gpx(names.map((name, at) => [name, 1, at + 1])) });
  await daemon.call('POST', '/api/bookmarks', place('Finikas', 2, 3));
  await daemon.call('POST', '/api/bookmarks', place('Fini', 2, 4));
  const { body } = await daemon.get('/api/suggest?q=%20fini%20');
  t.is(body.query, 'fini');
  t.deepEqual(rowsOf(body.suggestions, 'name', 'source'), [
    ['Fini', 'bookmark'],
    ['FINÍ', 'waypoint'],
    ['Finikas', 'bookmark'],
    ['Finisterre', 'waypoint'],
    ['Bar Fini', 'waypoint'],
    ['Delfini', 'waypoint'],
  ]);
  t.deepEqual((await daemon.get('/api/suggest?query=zzz')).body, { query: 'zzz', suggestions: [] });
  for (const blank of ['', '?q=', '?q=%20']) {
    t.deepEqual((await daemon.get(`/api/suggest${blank}`)).body, { query: '', suggestions: [] });
  }
});

test('GET /api/suggest gives at most 8, and refuses 257 code points', async (t) => {
  const daemon = await startTestDaemon(t);
  const places = Array.from({ length: 12 }, (_, i) => [`place ${i}`, i, i] as const);
  await importTree(daemon, { 'a.gpx': gpx(places) });
  t.is((await daemon.get('/api/suggest?q=place')).body.suggestions.length, 8);
  const long = encodeURIComponent('😀'.repeat(256));
  t.is((await daemon.get(`/api/suggest?q=${long}`)).status, 200);
  const { status, body } = await daemon.get(`/api/suggest?q=${long}a`);
  t.is(status, 400);
  t.is(body.field, 'q');
});

test('GET /api/suggest: a tag of that very name follows the names, each waypoint once', async (t) => {
  const daemon = await startTestDaemon(t);
  await daemon.call('POST', '/api/bookmarks', { ...place('Beach hut', 1, 1), tags: ['beach'] });
  await daemon.call('POST', '/api/bookmarks', { ...place('Ria', 2, 2), tags: ['🏖️'] });
  const { body } = await daemon.get('/api/suggest?q=BEACH');
  t.deepEqual(body.suggestions, [
    { ...place('Beach hut', 1, 1), source: 'bookmark' },
    { ...place('Ria', 2, 2), source: 'bookmark', class: 'tag', type: 'single' },
  ]);
});

test('GET /api/suggest: tag queries with AND and OR match normal forms of bookmarks and imported waypoints', async (t) => {
  const daemon = await startTestDaemon(t);
  await importTree(daemon, {
    'a.gpx': gpx([
      ['Cove', 3, 3],
      ['Hidden cove', 4, 4],
    ]),
  });
  await daemon.call('POST', '/api/bookmarks', { ...place('Casa', 1, 1), tags: ['Home', 'beach'] });
  await daemon.call('POST', '/api/bookmarks', { ...place('Flat', 2, 2), tags: ['home'] });
  await daemon.call('POST', '/api/tags', { ...place('Cove', 3, 3), tag: 'beach' });
  const find = async (query: string): Promise<unknown> => {
    const { body } = await daemon.get(`/api/suggest?q=${encodeURIComponent(query)}`);
    return body.suggestions.map((item: Record<string, string>) => [
      item['name'],
      item['class'],
      item['type'],
    ]);
  };
  t.deepEqual(await find('tag:home'), [
    ['Casa', 'tag', 'single'],
    ['Flat', 'tag', 'single'],
  ]);
  t.deepEqual(await find('TAG:home and 🏖️'), [['Casa', 'tag', 'AND']]);
  t.deepEqual(await find('tag:"home OR beach"'), [
    ['Casa', 'tag', 'OR'],
    ['Flat', 'tag', 'OR'],
    ['Cove', 'tag', 'OR'],
  ]);
  t.deepEqual(await find('tag:home AND tag:beach'), [['Casa', 'tag', 'AND']]);
  t.deepEqual(await find('tag:home AND '), [
    ['Casa', 'tag', 'single'],
    ['Flat', 'tag', 'single'],
  ]);
  for (const begun of ['A', 'an', 'O'])
    t.deepEqual(await find(`tag:home AND beach ${begun}`), [['Casa', 'tag', 'AND']], begun);
  t.deepEqual(await find('tag:home OR beach o'), await find('tag:home OR beach'));
  await daemon.call('POST', '/api/tags', { ...place('Hidden cove', 4, 4), tag: 'an' });
  t.deepEqual(await find('tag:home AND an'), []);
  t.deepEqual(await find('tag:beach x'), []);
  t.deepEqual(await find('tag:'), []);
  t.deepEqual(await find('tag:nothing'), []);
  const mixed = await daemon.get('/api/suggest?q=tag:a%20AND%20b%20OR%20c');
  t.like(mixed, { status: 400, body: { code: 'invalid', field: 'q' } });
});

test('GET /api/suggest: a position comes first, in any form that the commands take', async (t) => {
  const daemon = await startTestDaemon(t);
  await daemon.call('POST', '/api/bookmarks', place('42.1, -8.3 camp', 1, 1));
  for (const q of ['42.1, -8.3', '42.1 -8.3', ' geo:42.1,-8.3', '42.1N 8.3W', '42.1°N, 8.3°W']) {
    const { body } = await daemon.get(`/api/suggest?q=${encodeURIComponent(q)}`);
    const type = { class: 'position', type: 'position' };
    const expected = { name: q.trim(), lat: 42.1, lon: -8.3, source: 'geocode', ...type };
    t.deepEqual(body.suggestions[0], expected);
  }
  for (const q of ['91,1', '1,181', '42', '42,', '1,2,3', '42.1N'])
    t.false((await daemon.get(`/api/suggest?q=${q}`)).text.includes('position'), q);
});

test('GET /api/clusters: two big answers are sent at once, a third is 429 with Retry-After', async (t) => {
  const empty = await startTestDaemon(t);
  await empty.close();
  const db = new Database(empty.paths.waypointsDatabase);
  // Each in a cell of its own at zoom 24: more than one slice can group, and than sockets can take.
  db.exec(`WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 149999)
    INSERT INTO bookmarks (name, lat, lon, lat_e6, lon_e6)
    SELECT 'n' || i, i / 500 / 10.0, i % 500 / 10.0, i / 500 * 100000, i % 500 * 100000 FROM n`);
  db.close();
  const daemon = await startTestDaemon(t, { root: empty.root });
  const big = '/api/clusters?zoom=24&grid=8';
  const answers = [await openAnswer(daemon, big), await openAnswer(daemon, big)];
  t.deepEqual(valuesOf(answers, 'statusCode'), [200, 200]);
  const third = await daemon.get(big);
  t.is(third.status, 429);
  t.is(third.headers.get('retry-after'), '1');
  for (const answer of answers) answer.destroy();
});
