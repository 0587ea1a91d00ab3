import test from 'ava';
import Database from 'better-sqlite3';
import { enrichTag, normalTag, type Tag } from '../model/tag.ts';
import { openReader } from '../storage/database.ts';
import { vocabularyPieces } from '../storage/waypoints/vocabulary.ts';
import { startTestDaemon, type TestDaemon } from './helpers/daemon.ts';
import { rowsOf, valuesOf } from './helpers/fields.ts';
import { importTree } from './helpers/imported-files.ts';
import { gpx } from './helpers/imports.ts';

const camp = { name: 'Camp', lat: 42.1, lon: -8.3 };
const campQuery = 'name=Camp&lat=42.1&lon=-8.3';

async function withCamp(daemon: TestDaemon, tags: string[] = []): Promise<void> {
  await daemon.call('POST', '/api/bookmarks', { ...camp, tags });
}

test('tags: words, symbols, repeats, emoji and unknown ones have their emoji, display and normal form', (t) => {
  const rows: [string, string, string, string, string][] = [
    ['beach', '🏖️', 'beach', '🏖️ beach', 'beach'],
    ['BEACH', '🏖️', 'beach', '🏖️ BEACH', 'beach'],
    ['*', '⭐', 'star', '⭐', '*'],
    ['**', '⭐', 'star', '⭐⭐', '**'],
    ['$$$', '💰', 'money', '💰💰💰', '$$$'],
    ['⭐', '⭐', 'star', '⭐', '*'],
    ['⭐⭐', '⭐', 'star', '⭐⭐', '**'],
    ['🏖', '🏖️', 'beach', '🏖️', 'beach'],
    ['🏖️', '🏖️', 'beach', '🏖️', 'beach'],
    ['star', '', '', 'star', 'star'],
    ['*$', '', '', '*$', '*$'],
    ['Öko', '', '', 'Öko', 'öko'],
  ];
  for (const [raw, emoji, name, display, normal] of rows) {
    t.deepEqual(enrichTag(raw), { raw, emoji, name, display, normal });
  }
  t.is(normalTag('  Café  '), 'café');
  t.is(normalTag('⭐ hotel'), '* hotel');
});

test('POST /api/tags adds to a bookmark: 201 with all tags, 200 when nothing was new', async (t) => {
  const daemon = await startTestDaemon(t);
  await withCamp(daemon, ['home']);
  const added = await daemon.call('POST', '/api/tags', { ...camp, tags: ['Beach', '*'] });
  t.is(added.status, 201);
  t.deepEqual(added.body, { ...camp, tags: ['home', 'Beach', '*'] });
  const again = await daemon.call('POST', '/api/tags?emoji=true', { ...camp, tag: '⭐' });
  t.is(again.status, 200);
  t.deepEqual(valuesOf(again.body.tags, 'display'), ['🏠 home', '🏖️ Beach', '⭐']);
});

test('POST /api/tags: unknown waypoint 404, no tag 400, a tag of 129 code points 400', async (t) => {
  const daemon = await startTestDaemon(t);
  await withCamp(daemon);
  t.is((await daemon.call('POST', '/api/tags', { ...camp, name: 'Nobody', tag: 'x' })).status, 404);
  t.is((await daemon.call('POST', '/api/tags', camp)).status, 400);
  t.is((await daemon.call('POST', '/api/tags', { ...camp, tags: [] })).status, 400);
  t.is((await daemon.call('POST', '/api/tags', { ...camp, tag: '😀'.repeat(129) })).status, 400);
  t.is((await daemon.call('POST', '/api/tags', { ...camp, tag: '😀'.repeat(128) })).status, 201);
});

test('POST /api/tags takes 1,000 tags at once and refuses 1,001', async (t) => {
  const daemon = await startTestDaemon(t);
  await withCamp(daemon);
  const tags = Array.from({ length: 1_001 }, (_, i) => `t${i}`);
  const all = await daemon.call('POST', '/api/tags', { ...camp, tags: tags.slice(1) });
  t.is(all.body.tags.length, 1_000);
  const refused = await daemon.call('POST', '/api/tags', { ...camp, tags });
  t.like(refused, { status: 400, body: { field: 'tags' } });
  t.is((await daemon.call('POST', '/api/bookmarks', { ...camp, name: 'New', tags })).status, 400);
});

test('a waypoint has at most 1,000 tags, however they came', async (t) => {
  const daemon = await startTestDaemon(t);
  await withCamp(daemon, ['first']);
  const tags = Array.from({ length: 999 }, (_, i) => `t${i}`);
  t.is((await daemon.call('POST', '/api/tags', { ...camp, tags })).status, 201);
  const tooMany = { status: 400, body: { message: 'A waypoint may have at most 1,000 tags.' } };
  t.like(await daemon.call('POST', '/api/tags', { ...camp, tag: 'one more' }), tooMany);
  t.is((await daemon.call('POST', '/api/tags', { ...camp, tag: 'FIRST' })).status, 200);

  const there = { name: 'There', lat: 3, lon: 4 };
  const gpx = '<gpx version="1.1"><wpt lat="3" lon="4"><name>There</name></wpt></gpx>';
  t.is((await importTree(daemon, { 'there.gpx': gpx })).body.count, 1);
  t.is((await daemon.call('POST', '/api/tags', { ...there, tag: 'beach' })).status, 201);
  const move = { oldName: camp.name, lat: camp.lat, lon: camp.lon };
  const target = { newName: 'There', newLat: 3, newLon: 4 };
  t.like(await daemon.call('PATCH', '/api/bookmarks', { ...move, ...target }), tooMany);
  const full = { ...there, tags: ['x', ...tags] };
  t.like(await daemon.call('POST', '/api/bookmarks', full), tooMany);
  t.is((await daemon.get(`/api/tags?${campQuery}`)).body.tags.length, 1_000, 'nothing has changed');
  t.is((await daemon.get('/api/waypoints?bookmarksOnly=1')).body.length, 1);
});

test('GET /api/tags answers none for an unknown waypoint and wants name, lat and lon', async (t) => {
  const daemon = await startTestDaemon(t);
  await withCamp(daemon, ['home']);
  t.deepEqual((await daemon.get(`/api/tags?${campQuery}`)).body, { ...camp, tags: ['home'] });
  t.deepEqual((await daemon.get('/api/tags?name=Nobody&lat=1&lon=2')).body, {
    name: 'Nobody',
    lat: 1,
    lon: 2,
    tags: [],
  });
  for (const field of ['name', 'lat', 'lon']) {
    const query = campQuery
      .split('&')
      .filter((part) => !part.startsWith(field))
      .join('&');
    const { status, body } = await daemon.get(`/api/tags?${query}`);
    t.is(status, 400);
    t.is(body.field, field);
  }
});

test('DELETE /api/tags leaves the remaining ones, takes any spelling, and an absent tag is 200', async (t) => {
  const daemon = await startTestDaemon(t);
  await withCamp(daemon, ['Home', '**', '*']);
  const gone = await daemon.call('DELETE', `/api/tags?${campQuery}&tag=home`);
  t.deepEqual(gone.body, { ...camp, tags: ['**', '*'] });
  const absent = await daemon.call('DELETE', `/api/tags?${campQuery}&tag=nothing&emoji=true`);
  t.is(absent.status, 200);
  t.is(absent.body.tags.length, 2);
  t.is((await daemon.call('DELETE', '/api/tags?name=x&lat=1&lon=1&tag=home')).status, 404);
  t.is((await daemon.call('DELETE', `/api/tags?${campQuery}`)).status, 400);
});

test('GET /api/tags?distinct=true: the spelling most used, then first made; sorted without case; counts on request', async (t) => {
  const daemon = await startTestDaemon(t);
  const spellings = ['beach', 'Beach', 'Beach', 'zoo', 'Apple', 'apple'];
  for (const [i, tag] of spellings.entries()) {
    await daemon.call('POST', '/api/bookmarks', { ...camp, name: `n${i}`, tags: [tag] });
  }
  t.deepEqual((await daemon.get('/api/tags?distinct=true')).body, {
    distinct: true,
    tags: ['Apple', 'Beach', 'zoo'],
  });
  const counted = await daemon.get('/api/tags?distinct=true&emoji=true&counts=1');
  t.deepEqual(rowsOf(counted.body.tags, 'raw', 'count'), [
    ['Apple', 2],
    ['Beach', 3],
    ['zoo', 1],
  ]);
  const plain = await daemon.get('/api/tags?distinct=1&emoji=1');
  t.false('count' in plain.body.tags[0]);
});

test('GET /api/tags?distinct=true reads and writes many tags in steps of a few hundred', async (t) => {
  const daemon = await startTestDaemon(t);
  const tags = Array.from({ length: 1_500 }, (_, i) => `${i % 2 === 0 ? 'home' : '🏠'} ${i}`);
  await withCamp(daemon, tags.slice(0, 750));
  const other = { ...camp, name: 'Other', tags: tags.slice(750) };
  await daemon.call('POST', '/api/bookmarks', other);
  const { body } = await daemon.get('/api/tags?distinct=true');
  t.deepEqual(body.tags, tags.toSorted());
  const db = openReader(daemon.paths.waypointsDatabase);
  const atOnce: number[] = [];
  const shown = (step: readonly Tag[]): readonly Tag[] => {
    atOnce.push(step.length);
    return step;
  };
  const pieces = [...vocabularyPieces(db, shown)];
  db.close();
  t.deepEqual(pieces.slice(0, 2), ['', ''], 'steps of reading, after which others have their turn');
  t.deepEqual(atOnce, [512, 512, 476]);
  t.is(pieces.length, 2 + atOnce.length + 2);
});

test('tags of a version that knew fewer words are in line with those of this one after a start', async (t) => {
  const daemon = await startTestDaemon(t);
  await daemon.call('POST', '/api/bookmarks', {
    name: 'A',
    lat: 1,
    lon: 2,
    tags: ['✅', 'done', 'Todo'],
  });
  await daemon.call('POST', '/api/bookmarks', { name: 'B', lat: 1, lon: 2, tags: ['Todo'] });
  await daemon.close();
  const db = new Database(daemon.paths.waypointsDatabase);
  const old = JSON.stringify({ raw: 'Todo', emoji: '', name: '', display: 'Todo', normal: 'todo' });
  db.prepare("UPDATE tags SET enriched = ? WHERE raw = 'Todo'").run(old);
  db.exec(`INSERT INTO tags (name, lat_e6, lon_e6, raw, normal, enriched)
    VALUES ('B', 1000000, 2000000, '✅', '✅', '{}')`);
  db.close();
  const again = await startTestDaemon(t, { root: daemon.root });
  const { body } = await again.get('/api/tags?distinct=true&emoji=true&counts=1');
  t.deepEqual(body.tags, [
    { raw: 'Todo', emoji: '📝', name: 'todo', display: '📝 Todo', normal: 'todo', count: 2 },
    { raw: '✅', emoji: '✅', name: 'done', display: '✅', normal: 'done', count: 2 },
  ]);
});

test('a bookmark that is deleted in the first moments of a start takes its tags along', async (t) => {
  const daemon = await startTestDaemon(t);
  await importTree(daemon, { 'a.gpx': gpx([['Hut', 46, 8]]) });
  await daemon.call('POST', '/api/bookmarks', { name: 'Camp', lat: 46, lon: 8, tags: ['quiet'] });
  const again = await daemon.restart();
  t.is((await again.call('DELETE', '/api/bookmarks?name=Camp&lat=46&lon=8')).status, 200);
  t.deepEqual((await again.get('/api/tags?distinct=true')).body.tags, []);
});
