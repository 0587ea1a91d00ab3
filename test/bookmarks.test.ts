import test from 'ava';
import { startTestDaemon } from './helpers/daemon.ts';
import { valuesOf } from './helpers/fields.ts';

const camp = { name: 'Camp', lat: 42.1, lon: -8.3 };
const query = (
  place: { name: string; lat: number | string; lon: number | string },
  more = '',
): string => `name=${encodeURIComponent(place.name)}&lat=${place.lat}&lon=${place.lon}${more}`;

test('POST /api/bookmarks answers 201 with the waypoint; its time defaults to now', async (t) => {
  const now = Date.parse('2026-03-01T10:00:00Z');
  const daemon = await startTestDaemon(t, { clock: { now: () => now, monotonic: () => 0 } });
  const { status, body } = await daemon.call('POST', '/api/bookmarks', camp);
  t.is(status, 201);
  t.deepEqual(body, { ...camp, time: '2026-03-01T10:00:00Z', bookmark: true });
  t.deepEqual((await daemon.get('/api/waypoints')).body, [body]);
});

test('POST /api/bookmarks keeps every optional field, tags raw or enriched', async (t) => {
  const daemon = await startTestDaemon(t);
  const full = { ...camp, ele: 12.5, time: '2020-01-02T03:04:05+02:00' };
  const raw = await daemon.call('POST', '/api/bookmarks', {
    ...full,
    desc: 'by the river\r\n\tcold\rand deep',
    tags: ['home', { raw: 'quiet' }],
  });
  t.deepEqual(raw.body, {
    ...full,
    time: '2020-01-02T01:04:05Z',
    desc: 'by the river\n\tcold\nand deep',
    bookmark: true,
    tags: ['home', 'quiet'],
  });
  const other = { ...camp, name: 'Other', tags: ['Beach'], unknown: 1 };
  const { body } = await daemon.call('POST', '/api/bookmarks?emoji=true', other);
  t.deepEqual(body.tags, [
    { raw: 'Beach', emoji: '🏖️', name: 'beach', display: '🏖️ Beach', normal: 'beach' },
  ]);
});

test('POST /api/bookmarks refuses each field one past its limit and takes it at the limit', async (t) => {
  const daemon = await startTestDaemon(t);
  const refused: [string, object][] = [
    ['lat', { lat: 90.000001 }],
    ['lat', { lat: -90.000001 }],
    ['lat', { lat: '42' }],
    ['lat', { lat: undefined }],
    ['lon', { lon: 180.000001 }],
    ['lon', { lon: -180.000001 }],
    ['name', { name: '   ' }],
    ['name', { name: '😀'.repeat(513) }],
    ['name', { name: 'a\u0007b' }],
    ['name', { name: 'a\ud800b' }],
    ['desc', { desc: 'x'.repeat(8193) }],
    ['tags', { tags: ['t'.repeat(129)] }],
    ['tags', { tags: [' '] }],
    ['tags', { tags: 'home' }],
    ['ele', { ele: '3' }],
    ['time', { time: 'yesterday' }],
    ['time', { time: '2021-02-29T00:00:00Z' }],
  ];
  for (const [field, change] of refused) {
    const { status, body } = await daemon.call('POST', '/api/bookmarks', { ...camp, ...change });
    t.is(status, 400, JSON.stringify(change).slice(0, 60));
    t.is(body.field, field);
  }
  t.deepEqual((await daemon.get('/api/waypoints')).body, []);
  const taken = [
    { lat: 90, lon: 180, name: '😀'.repeat(512), desc: 'x'.repeat(8192), tags: ['t'.repeat(128)] },
    { lat: -90, lon: -180, name: 'n' },
  ];
  for (const bookmark of taken)
    t.is((await daemon.call('POST', '/api/bookmarks', bookmark)).status, 201);
});

test('each further field of a bookmark is taken at its limit, and refused one past it', async (t) => {
  const daemon = await startTestDaemon(t);
  const link = (length: number, text = 1) => ({
    href: 'https://e.org/'.padEnd(length, 'x'),
    text: 't'.repeat(text),
  });
  const cases: [field: string, atLimit: unknown, past: unknown][] = [
    ...['sym', 'type', 'src'].map((field): [string, string, string] => [
      field,
      '😀'.repeat(512),
      '😀'.repeat(513),
    ]),
    ['cmt', 'c'.repeat(8_192), 'c'.repeat(8_193)],
    ['links', Array.from({ length: 8 }, () => link(20)), Array.from({ length: 9 }, () => link(20))],
    ['links', [link(2_048)], [link(2_049)]],
    ['links', [link(20, 512)], [link(20, 513)]],
  ];
  for (const [at, [field, taken, past]] of cases.entries()) {
    const bookmark = { ...camp, name: `Camp ${at}` };
    const refused = await daemon.call('POST', '/api/bookmarks', { ...bookmark, [field]: past });
    t.is(refused.status, 400, `${field} ${at}`);
    t.true(String(refused.body.field).startsWith(field), `${field} ${at}`);
    const made = await daemon.call('POST', '/api/bookmarks', { ...bookmark, [field]: taken });
    t.is(made.status, 201, `${field} ${at}`);
  }
});

test('POST /api/bookmarks refuses the same identity with 409: names composed and trimmed, places in microdegrees', async (t) => {
  const daemon = await startTestDaemon(t);
  t.is((await daemon.call('POST', '/api/bookmarks', { ...camp, name: 'Café' })).status, 201);
  const twin = { name: ' Cafe\u0301 ', lat: camp.lat + 0.0000004, lon: camp.lon };
  t.is((await daemon.call('POST', '/api/bookmarks', twin)).status, 409);
  const next = { ...camp, name: 'Café', lat: camp.lat + 0.000001 };
  t.is((await daemon.call('POST', '/api/bookmarks', next)).status, 201);
  t.is((await daemon.call('POST', '/api/bookmarks', { ...camp, name: 'Bar' })).status, 201);
});

test('−180 and 180 are one meridian, −0 and 0 one equator', async (t) => {
  const daemon = await startTestDaemon(t);
  t.is(
    (await daemon.call('POST', '/api/bookmarks', { name: 'Date line', lat: 0, lon: 180 })).status,
    201,
  );
  const twin = await daemon.call(
    'POST',
    '/api/bookmarks',
    '{"name":"Date line","lat":-0,"lon":-180}',
  );
  t.is(twin.status, 409);
  const gone = await daemon.call(
    'DELETE',
    `/api/bookmarks?${query({ name: 'Date line', lat: '-0', lon: -180 })}`,
  );
  t.is(gone.status, 200);
});

test('a lookup takes the exact key, else the nearest of the neighbouring keys, and none beyond them', async (t) => {
  const daemon = await startTestDaemon(t);
  await daemon.call('POST', '/api/bookmarks', { ...camp, lat: 10 });
  await daemon.call('POST', '/api/bookmarks', { ...camp, lat: 10.000002 });
  const rename = (lat: number, newName: string) =>
    daemon.call('PATCH', '/api/bookmarks', { oldName: 'Camp', lat, lon: camp.lon, newName });
  t.is((await rename(10.000004, 'too far')).status, 404);
  t.is((await rename(10.0000012, 'nearer to the second')).status, 200);
  t.is((await rename(10.000001, 'first')).status, 200);
  const { body } = await daemon.get('/api/waypoints');
  t.deepEqual(valuesOf(body, 'name'), ['first', 'nearer to the second']);
});

test('PATCH /api/bookmarks renames, moves, edits and clears; tags stay', async (t) => {
  const daemon = await startTestDaemon(t);
  await daemon.call('POST', '/api/bookmarks', { ...camp, desc: 'old', ele: 5, tags: ['home'] });
  const renamed = await daemon.call('PATCH', '/api/bookmarks', {
    oldName: 'Camp',
    lat: 42.1,
    lon: -8.3,
    newName: 'Casa',
  });
  t.deepEqual(renamed.body, {
    renamed: true,
    oldName: 'Camp',
    newName: 'Casa',
    lat: 42.1,
    lon: -8.3,
  });
  const moved = await daemon.call('PATCH', '/api/bookmarks', {
    oldName: 'Casa',
    lat: 42.1,
    lon: -8.3,
    newLat: 43,
    newLon: -9,
    desc: 'new',
    ele: null,
  });
  t.deepEqual(moved.body, { renamed: true, oldName: 'Casa', newName: 'Casa', lat: 43, lon: -9 });
  const [waypoint] = (await daemon.get('/api/waypoints')).body;
  const { time: _time, ...rest } = waypoint;
  t.deepEqual(rest, {
    name: 'Casa',
    lat: 43,
    lon: -9,
    desc: 'new',
    bookmark: true,
    tags: ['home'],
  });
});

test('PATCH /api/bookmarks: same name 200, no change 400, not a bookmark 404, target taken 409', async (t) => {
  const daemon = await startTestDaemon(t);
  await daemon.call('POST', '/api/bookmarks', camp);
  await daemon.call('POST', '/api/bookmarks', { ...camp, name: 'Other' });
  const patch = (body: object) => daemon.call('PATCH', '/api/bookmarks', body);
  const who = { oldName: 'Camp', lat: camp.lat, lon: camp.lon };
  const same = await patch({ ...who, newName: 'Camp' });
  t.is(same.status, 200);
  t.true(same.body.renamed);
  t.is((await patch(who)).status, 400);
  t.is((await patch({ ...who, newName: '' })).status, 400);
  t.is((await patch({ ...who, oldName: 'Nobody', newName: 'x' })).status, 404);
  t.is((await patch({ ...who, newName: 'Other' })).status, 409);
  t.is((await daemon.get('/api/waypoints')).body.length, 2);
});

test('DELETE /api/bookmarks takes the tags along; a second time it is 404', async (t) => {
  const daemon = await startTestDaemon(t);
  await daemon.call('POST', '/api/bookmarks', { ...camp, tags: ['home'] });
  const path = `/api/bookmarks?${query(camp)}`;
  t.deepEqual((await daemon.call('DELETE', path)).body, { deleted: true, ...camp });
  t.is((await daemon.call('DELETE', path)).status, 404);
  t.deepEqual((await daemon.get('/api/tags?distinct=true')).body, { distinct: true, tags: [] });
});

test('DELETE /api/bookmarks refuses numbers that are none', async (t) => {
  const daemon = await startTestDaemon(t);
  for (const lat of ['', '0x10', 'NaN', '1e', '90.1', ' 1', '1,5']) {
    const { status, body } = await daemon.call(
      'DELETE',
      `/api/bookmarks?${query({ ...camp, lat: encodeURIComponent(lat) })}`,
    );
    t.is(status, 400, lat);
    t.is(body.field, 'lat');
  }
  await daemon.call('POST', '/api/bookmarks', { name: 'Tiny', lat: 1e-7, lon: -0 });
  const tiny = await daemon.call(
    'DELETE',
    `/api/bookmarks?${query({ name: 'Tiny', lat: '1e-7', lon: '-0' })}`,
  );
  t.is(tiny.status, 200);
});

test('bookmarks, tags and history are there after a restart', async (t) => {
  const first = await startTestDaemon(t);
  await first.call('POST', '/api/bookmarks', { ...camp, tags: ['home'] });
  await first.call('POST', '/api/history', { query: 'fini' });
  const before = await first.get('/api/waypoints?emoji=true');
  const second = await first.restart();
  t.deepEqual((await second.get('/api/waypoints?emoji=true')).body, before.body);
  t.deepEqual((await second.get('/api/recent_suggest')).body.queries, ['fini']);
  t.not(second.token, first.token);
});
