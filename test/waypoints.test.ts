import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import test from 'ava';
import { openAnswer, startTestDaemon, type TestDaemon } from './helpers/daemon.ts';
import { valuesOf } from './helpers/fields.ts';
import { importTree } from './helpers/imported-files.ts';
import { answerWhen } from './helpers/until.ts';

interface Wpt {
  name: string;
  lat: number;
  lon: number;
  more?: string;
}

const gpx = (points: Wpt[]): string =>
  `<gpx version="1.1">${points.map(({ name, lat, lon, more = '' }) => `<wpt lat="${lat}" lon="${lon}"><name>${name}</name>${more}</wpt>`).join('')}</gpx>`;

/** Imports files given by relative path. */
async function importFiles(daemon: TestDaemon, files: Record<string, Wpt[]>): Promise<void> {
  const texts = Object.entries(files).map(([path, points]) => [path, gpx(points)]);
  const { status, body } = await importTree(daemon, Object.fromEntries(texts));
  if (status !== 200 || body.failed > 0) throw new Error(`import failed: ${status}`);
}

const names = (body: { name: string }[]): string[] => body.map(({ name }) => name);
const a = { name: 'A', lat: 10, lon: 20 };
const b = { name: 'B', lat: 11, lon: 21 };
const c = { name: 'C', lat: 12, lon: 22 };

test('GET /api/waypoints: bookmarks in creation order, then imported ones by file and position, each identity once', async (t) => {
  const daemon = await startTestDaemon(t);
  t.deepEqual((await daemon.get('/api/waypoints')).body, []);
  await importFiles(daemon, { 'z.gpx': [a, b], 'k/a.gpx': [c, a, { ...c, lat: 12.0000001 }] });
  await daemon.call('POST', '/api/bookmarks', { ...b, name: 'Y' });
  await daemon.call('POST', '/api/bookmarks', { ...b, name: 'X' });
  const { body } = await daemon.get('/api/waypoints');
  t.deepEqual(names(body), ['Y', 'X', 'C', 'A', 'B']);
  t.deepEqual(body[2], { ...c, bookmark: false });
});

test('GET /api/waypoints carries ele, time, desc and tags of imported waypoints and leaves absent fields out', async (t) => {
  const daemon = await startTestDaemon(t);
  const more = '<ele>7.5</ele><time>2020-01-01T00:00:00Z</time><desc>a &lt;note&gt;</desc>';
  await importFiles(daemon, { 'a.gpx': [{ ...a, more }, b] });
  await daemon.call('POST', '/api/tags', { ...a, tags: ['home', 'x'] });
  const { body } = await daemon.get('/api/waypoints');
  t.deepEqual(body, [
    {
      ...a,
      ele: 7.5,
      time: '2020-01-01T00:00:00Z',
      desc: 'a <note>',
      bookmark: false,
      tags: ['home', 'x'],
    },
    { ...b, bookmark: false },
  ]);
  const enriched = await daemon.get('/api/waypoints?emoji=true');
  t.is(enriched.body[0].tags[0].display, '🏠 home');
});

test('numbers keep full precision from request to answer', async (t) => {
  const daemon = await startTestDaemon(t);
  const exact = { name: 'Exact', lat: 42.123456789012344, lon: -8.300000000000002, ele: 1e-7 };
  await daemon.call('POST', '/api/bookmarks', exact);
  const [{ lat, lon, ele }] = (await daemon.get('/api/waypoints')).body;
  t.deepEqual({ name: 'Exact', lat, lon, ele }, exact);
});

test('GET /api/waypoints filters by bookmarksOnly, bbox (also across the antimeridian) and tag', async (t) => {
  const daemon = await startTestDaemon(t);
  const east = { name: 'East', lat: 0, lon: 179 };
  const west = { name: 'West', lat: 0, lon: -179 };
  await importFiles(daemon, { 'a.gpx': [east, west, a] });
  await daemon.call('POST', '/api/bookmarks', { ...b, tags: ['Home'] });
  await daemon.call('POST', '/api/tags', { ...a, tag: 'home' });
  const list = async (query: string): Promise<string[]> =>
    names((await daemon.get(`/api/waypoints?${query}`)).body);
  t.deepEqual(await list('bookmarksOnly=1'), ['B']);
  t.deepEqual(await list('bbox=170,-1,-170,1'), ['East', 'West']);
  t.deepEqual(await list('bbox=20,10,21,11'), ['B', 'A']);
  t.deepEqual(await list('tag=HOME'), ['B', 'A']);
  t.deepEqual(await list('tag=HOME&bookmarksOnly=true'), ['B']);
  t.deepEqual(await list('bookmarksOnly=0'), ['B', 'East', 'West', 'A']);
  for (const query of [
    'bbox=1,2,3',
    'bbox=1,2,3,4,5',
    'bbox=0,2,0,1',
    'bbox=0,0,181,1',
    'bbox=a,0,1,1',
    'bookmarksOnly=yes',
    'emoji=',
    'format=xml',
    'tag=',
  ]) {
    t.is((await daemon.get(`/api/waypoints?${query}`)).status, 400, query);
  }
});

test('GET /api/waypoints?format=geojson is a FeatureCollection with lon before lat', async (t) => {
  const daemon = await startTestDaemon(t);
  await daemon.call('POST', '/api/bookmarks', {
    ...a,
    ele: 5,
    time: '2020-01-01T00:00:00Z',
    tags: ['x'],
  });
  const { body } = await daemon.get('/api/waypoints?format=geojson');
  t.deepEqual(body, {
    type: 'FeatureCollection',
    features: [
      {
        type: 'Feature',
        geometry: { type: 'Point', coordinates: [20, 10, 5] },
        properties: {
          name: 'A',
          ele: 5,
          time: '2020-01-01T00:00:00Z',
          bookmark: true,
          tags: ['x'],
        },
      },
    ],
  });
  await daemon.call('DELETE', '/api/bookmarks?name=A&lat=10&lon=20');
  t.deepEqual((await daemon.get('/api/waypoints?format=geojson')).body.features, []);
});

test('GET /api/waypoints: the ETag stays while nothing changes, differs by parameters, and gives 304', async (t) => {
  const daemon = await startTestDaemon(t);
  await daemon.call('POST', '/api/bookmarks', a);
  const first = await daemon.get('/api/waypoints');
  const etag = first.headers.get('etag') ?? '';
  t.is(first.headers.get('cache-control'), 'private, no-cache');
  const unchanged = await daemon.get('/api/waypoints', { 'if-none-match': etag });
  t.is(unchanged.status, 304);
  t.is(unchanged.text, '');
  t.not((await daemon.get('/api/waypoints?emoji=true')).headers.get('etag'), etag);
  await daemon.call('POST', '/api/tags', { ...a, tag: 'x' });
  t.is((await daemon.get('/api/waypoints', { 'if-none-match': etag })).status, 200);
  const tagged = (await daemon.get('/api/waypoints')).headers.get('etag') ?? '';
  await importFiles(daemon, { 'a.gpx': [b] });
  t.is((await daemon.get('/api/waypoints', { 'if-none-match': tagged })).status, 200);
});

test('every waypoint of a list stands on a line of its own', async (t) => {
  const daemon = await startTestDaemon(t);
  await daemon.call('POST', '/api/bookmarks', { ...a, name: 'two lines: \u2028' });
  await daemon.call('POST', '/api/bookmarks', b);
  const lines = (await daemon.get('/api/waypoints')).text.split('\n');
  t.is(lines.length, 4);
  t.is(JSON.parse(lines[2] ?? '').name, 'B');
});

test('GET /api/waypoints: four lists are sent at once, a fifth is 429 with Retry-After until one ends, and two lists of tags have room beside', async (t) => {
  const daemon = await startTestDaemon(t);
  const db = new Database(daemon.paths.waypointsDatabase);
  // More than the sockets of a reader that stands still can take.
  db.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)
    INSERT INTO bookmarks (name, lat, lon, lat_e6, lon_e6, desc)
    SELECT 'n' || i, 0, 0, 0, 0, printf('%.8000c', 'x') FROM n`);
  db.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
    INSERT INTO tag_spellings SELECT 't' || i, 't' || i, json_object('raw', printf('%.8000c', 'x')), 1, i FROM n`);
  db.close();
  const lists = await Promise.all(
    Array.from({ length: 4 }, () => openAnswer(daemon, '/api/waypoints')),
  );
  t.deepEqual(valuesOf(lists, 'statusCode'), [200, 200, 200, 200]);
  const fifth = await daemon.get('/api/waypoints');
  t.is(fifth.status, 429);
  t.is(fifth.body.code, 'busy');
  t.is(fifth.headers.get('retry-after'), '1');
  t.is((await daemon.get('/api/version')).status, 200);
  const tags = '/api/tags?distinct=1';
  for (const status of [200, 200, 429]) {
    const answer = await openAnswer(daemon, tags);
    t.is(answer.statusCode, status);
    if (status === 200) lists.push(answer);
    else answer.resume();
  }
  for (const list of lists.splice(4)) list.destroy();
  await answerWhen(
    () => openAnswer(daemon, tags),
    (answer) => answer.destroy().statusCode !== 429,
  );
  t.is((await daemon.get('/api/waypoints')).status, 429, 'nor is there room where tags were');
  lists[0]?.destroy();
  const freed = await answerWhen(
    () => openAnswer(daemon, '/api/waypoints'),
    ({ statusCode }) => statusCode !== 429,
  );
  t.is(freed.statusCode, 200);
  for (const list of [...lists, freed]) list.destroy();
  await daemon.close();
  const log = `${daemon.paths.waypointsDatabase}-wal`;
  t.false(existsSync(log), 'its last connection empties it: none is left to a list');
});

test('GET /api/version tells runtime, platform, program and SQLite', async (t) => {
  const daemon = await startTestDaemon(t);
  const { body } = await daemon.get('/api/version');
  t.is(body.api, 1);
  t.is(body.module.name, 'waypointd');
  t.regex(body.sqlite, /^3\./);
  t.is(body.runtime.version, process.versions.node);
});

test('GET /api/waypoints looks at many rows in steps: order, filters and ends stay right across them', async (t) => {
  const daemon = await startTestDaemon(t);
  const many = Array.from({ length: 9_000 }, (_, i) => ({ name: `n${i}`, lat: i / 100, lon: 10 }));
  await importFiles(daemon, { 'a.gpx': many, 'b.gpx': [a, b] });
  const all = (await daemon.get('/api/waypoints')).body;
  t.deepEqual(names(all), [...many.map(({ name }) => name), 'A', 'B']);
  t.deepEqual(names((await daemon.get('/api/waypoints?bbox=9,89.9,11,90')).body), [
    'n8990',
    'n8991',
    'n8992',
    'n8993',
    'n8994',
    'n8995',
    'n8996',
    'n8997',
    'n8998',
    'n8999',
  ]);
  t.deepEqual((await daemon.get('/api/waypoints?bbox=100,0,101,1')).body, []);
  t.deepEqual(names((await daemon.get('/api/waypoints?bbox=19,9,22,12')).body), ['A', 'B']);
});
