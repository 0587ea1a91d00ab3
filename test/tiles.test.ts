import test from 'ava';
import { worldX, worldY } from '../model/mercator.ts';
import { valuesOf } from './helpers/fields.ts';
import { RawConnection, rawRequest } from './helpers/raw-http.ts';
import { document, point, served, track, type Fix } from './helpers/tracks.ts';

/** Where a position lies in a tile, in its units. */
function inTile(z: number, x: number, y: number, lat: number, lon: number): [number, number] {
  const units = 2 ** z * 4_096;
  return [Math.round(worldX(lon) * units - x * 4_096), Math.round(worldY(lat) * units - y * 4_096)];
}

const hourOfWalk: Fix[] = Array.from({ length: 61 }, (_, minute) => [
  47 + minute / 100,
  8,
  `2024-05-01T10:${String(minute % 60).padStart(2, '0')}:00Z`.replace(
    '10:00',
    minute === 60 ? '11:00' : '10:00',
  ),
]);

test('GET /api/tiles draws tracks by day, routes by name, single fixes and waypoints', async (t) => {
  const { daemon, tile, take } = await served(t);
  await take({
    'walk.gpx': track(hourOfWalk),
    'fix.gpx': track([[47.5, 8.5, '2024-05-02T10:00:00Z']]),
    'untimed.gpx': track([
      [46, 7],
      [46.5, 7.5],
    ]),
    'route.gpx': document(
      `<rte><name>Plan</name>${point([45, 6], 'rtept')}${point([45.5, 6.5], 'rtept')}</rte>`,
    ),
    'wpt.gpx': document('<wpt lat="44" lon="5"><name>Spring</name></wpt>'),
  });
  await daemon.call('POST', '/api/bookmarks', {
    name: 'Camp',
    lat: 43,
    lon: 4,
    tags: ['home', 'a b'],
  });
  const { body: listed } = await daemon.get('/api/imports');
  const ids = Object.fromEntries(
    listed.files.map(({ path, id }: { path: string; id: number }) => [path, id]),
  );
  const shown = await tile('5/16/11.mvt');
  t.deepEqual(Object.keys(shown), ['tracks', 'points', 'routes', 'waypoints']);
  const [walk, untimed] = shown['tracks']!;
  t.deepEqual(walk!.properties, { day: '2024-05-01', import: ids['walk.gpx'], n: 61 });
  t.deepEqual(walk!.geometry[0]![0], inTile(5, 16, 11, 47, 8));
  t.deepEqual(untimed, {
    type: 'line',
    geometry: [[inTile(5, 16, 11, 46, 7), inTile(5, 16, 11, 46.5, 7.5)]],
    properties: { import: ids['untimed.gpx'], n: 2 },
  });
  t.deepEqual(shown['points'], [
    {
      type: 'point',
      geometry: [[inTile(5, 16, 11, 47.5, 8.5)]],
      properties: { day: '2024-05-02', import: ids['fix.gpx'], n: 1 },
    },
  ]);
  t.deepEqual(shown['routes'], [
    {
      type: 'line',
      geometry: [[inTile(5, 16, 11, 45, 6), inTile(5, 16, 11, 45.5, 6.5)]],
      properties: { import: ids['route.gpx'], n: 2, name: 'Plan' },
    },
  ]);
  t.deepEqual(valuesOf(shown['waypoints']!, 'properties'), [
    { name: 'Spring', lat: 44, lon: 5, tags: '', bookmark: false },
    { name: 'Camp', lat: 43, lon: 4, tags: 'home, a b', bookmark: true },
  ]);
});

test('GET /api/tiles answers 304, 204 and gzip as they are asked for, and refuses what is no tile', async (t) => {
  const { daemon, ask, take } = await served(t);
  t.is((await ask('0/0/0.mvt')).status, 204);
  await take({ 'walk.gpx': track(hourOfWalk) });
  const plain = await ask('0/0/0.mvt', { 'accept-encoding': 'identity' });
  t.is(plain.headers.get('content-type'), 'application/vnd.mapbox-vector-tile');
  t.is(plain.headers.get('cache-control'), 'private, no-cache');
  t.is(plain.headers.get('vary'), 'Accept-Encoding');
  t.is(plain.headers.get('content-encoding'), null);
  const zipped = await ask('0/0/0.mvt', { 'accept-encoding': 'gzip' });
  t.is(zipped.headers.get('content-encoding'), 'gzip');
  t.deepEqual(await zipped.bytes(), await plain.bytes());
  const etag = plain.headers.get('etag')!;
  const again = { 'accept-encoding': 'identity', 'if-none-match': etag };
  t.is((await ask('0/0/0.mvt', again)).status, 304);
  for (const other of ['0/0/0.mvt?layers=tracks', '0/0/0.mvt?from=2024-01-01', '1/1/0.mvt'])
    t.is((await ask(other, again)).status, 200, other);
  // Tracks do not change with a bookmark, tiles of everything do.
  const tracks = await ask('0/0/0.mvt?layers=tracks,points', again);
  const known = { ...again, 'if-none-match': tracks.headers.get('etag')! };
  await daemon.call('POST', '/api/bookmarks', { name: 'Camp', lat: 43, lon: 4 });
  t.is((await ask('0/0/0.mvt?layers=tracks,points', known)).status, 304);
  t.is((await ask('0/0/0.mvt', again)).status, 200);

  const statuses: readonly [path: string, status: number, field?: string][] = [
    ['16/65535/65535.mvt', 204],
    ['17/0/0.mvt', 404],
    ['16/65536/0.mvt', 404],
    ['0/0/1.mvt', 404],
    ['-1/0/0.mvt', 404],
    ['0/0/0.pbf', 404],
    ['0/0/0.mvt?layers=roads', 400, 'layers'],
    ['0/0/0.mvt?layers=', 400, 'layers'],
    ['0/0/0.mvt?from=2024-13-01', 400, 'from'],
    ['0/0/0.mvt?to=yesterday', 400, 'to'],
  ];
  for (const [path, status, field] of statuses) {
    const { status: found, body } = await daemon.get(`/api/tiles/${path}`);
    t.is(found, status, path);
    t.is(body?.field, field, path);
  }
});

test('tiles: lines end at gaps of more than 30 minutes, and at the antimeridian', async (t) => {
  const { tile, take } = await served(t);
  await take({
    'gap.gpx': track([
      [10, 10, '2024-05-01T10:00:00Z'],
      [10, 20, '2024-05-01T10:30:00Z'],
      [10, 30, '2024-05-01T11:00:01Z'],
      [10, 40, '2024-05-01T11:10:00Z'],
    ]),
    'ship.gpx': track([
      [-20, 170, '2024-06-01T10:00:00Z'],
      [-20, -170, '2024-06-01T10:10:00Z'],
    ]),
    'untimed.gpx': track([
      [-40, -175],
      [-40, 175],
    ]),
  });
  const at = (lat: number, lon: number) => inTile(0, 0, 0, lat, lon);
  const { tracks } = await tile('0/0/0.mvt');
  t.deepEqual(valuesOf(tracks!, 'geometry'), [
    [
      [at(10, 10), at(10, 20)],
      [at(10, 30), at(10, 40)],
    ],
    [
      [at(-20, 170), at(-20, 180)],
      [at(-20, -180), at(-20, -170)],
    ],
    [
      [at(-40, -175), at(-40, -180)],
      [at(-40, 180), at(-40, 175)],
    ],
  ]);
});

test('tiles: a track without times ends where its segments do, and where times come between, at each zoom', async (t) => {
  const { tile, take } = await served(t);
  const step = (at: number): Fix => [0.001 + at * 0.001, 0.001];
  await take({
    'two.gpx': track([step(0), step(1)], [step(3), step(4)]),
    'mixed.gpx': track([
      [0.001, 0.003],
      [0.002, 0.003],
      [0.003, 0.003, '2024-05-01T10:00:00Z'],
      [0.004, 0.003],
      [0.005, 0.003],
    ]),
  });
  for (const z of [10, 11, 14]) {
    const perDegree = (4_096 * 2 ** z) / 360;
    const { tracks } = await tile(`${z}/${2 ** (z - 1)}/${2 ** (z - 1) - 1}.mvt`);
    const lines = tracks!.flatMap(({ geometry }) => geometry as [number, number][][]);
    const lengths = lines.map((line) => line[0]![1] - line.at(-1)![1]);
    t.is(lengths.length, 4, `${z}`);
    for (const length of lengths) t.true(Math.abs(length - perDegree * 0.001) < 2, `${z}`);
  }
});

test('tiles: a line through a tile from a day that is nowhere near it is where it was', async (t) => {
  const { tile, take } = await served(t);
  const place: Fix = [47.001234, 8.001234];
  await take({
    // Both days go round the tile.
    'night.gpx': track([
      [47.05, 8.05, '2024-05-01T23:30:00Z'],
      [47.05, 7.95, '2024-05-01T23:40:00Z'],
      [47.001234, 7.98, '2024-05-01T23:59:50Z'],
      [47.001234, 8.02, '2024-05-02T00:00:10Z'],
      [46.95, 8.05, '2024-05-02T00:10:00Z'],
      [46.95, 7.95, '2024-05-02T00:20:00Z'],
    ]),
  });
  const [x, y] = [Math.floor(worldX(place[1]) * 65_536), Math.floor(worldY(place[0]) * 65_536)];
  const { tracks } = await tile(`16/${x}/${y}.mvt`);
  const [, at] = inTile(16, x, y, place[0], place[1]);
  const [[from, to] = []] = tracks![0]!.geometry;
  t.deepEqual([from![0], to![0]], [-64, 4_160]);
  for (const [, down] of [from!, to!]) t.true(Math.abs(down - at) < 8);
});

test('tiles: a short way into a tile is shown, though a thinned line would leave it out', async (t) => {
  const { tile, take } = await served(t);
  await take({
    'near.gpx': track([
      [-0.001, -0.00013, '2024-05-01T10:00:00Z'],
      [-0.001, 0.0001, '2024-05-01T10:00:10Z'],
      [-0.001, -0.00013, '2024-05-01T10:00:20Z'],
    ]),
  });
  const { tracks } = await tile('16/32768/32768.mvt');
  t.deepEqual(tracks![0]!.geometry.flat()[1], inTile(16, 32_768, 32_768, -0.001, 0.0001));
});

test('tiles: a flight over the poles is drawn at the edges of the world', async (t) => {
  const { tile, take } = await served(t);
  await take({
    'pole.gpx': track([
      [80, 0, '2024-05-01T10:00:00Z'],
      [90, 0, '2024-05-01T10:10:00Z'],
      [88, 90, '2024-05-01T10:20:00Z'],
    ]),
    'south.gpx': track([[-90, -90, '2024-05-02T10:00:00Z']]),
  });
  const { tracks, points } = await tile('0/0/0.mvt');
  const [x, y] = inTile(0, 0, 0, 80, 0);
  t.deepEqual(tracks![0]!.geometry, [
    [
      [x, y],
      [2_048, 0],
      [3_072, 0],
    ],
  ]);
  t.deepEqual(points![0]!.geometry, [[[1_024, 4_096]]]);
});

test('tiles: a period of dates or times shows the points in it, and nothing without a time', async (t) => {
  const { tile, take } = await served(t);
  await take({
    'one.gpx': track([
      [10, 10, '2024-05-01T10:00:00Z'],
      [10, 20, '2024-05-01T10:10:00Z'],
      [10, 30, '2024-05-01T10:20:00Z'],
    ]),
    'two.gpx': track([
      [20, 10, '2024-05-02T10:00:00Z'],
      [20, 20, '2024-05-02T10:10:00Z'],
    ]),
    'untimed.gpx': track([
      [30, 10],
      [30, 20],
    ]),
    'route.gpx': document(`<rte>${point([40, 6], 'rtept')}${point([40, 60], 'rtept')}</rte>`),
  });
  const shown = async (query: string) => {
    const layers = await tile(`0/0/0.mvt?${query}`);
    return Object.entries(layers).flatMap(([layer, features]) =>
      features.map(({ geometry, properties: { day } }) => [layer, day, geometry.flat().length]),
    );
  };
  const [one, two] = [
    ['tracks', '2024-05-01', 3],
    ['tracks', '2024-05-02', 2],
  ];
  const periods: readonly [query: string, found: unknown[]][] = [
    ['', [one, two, ['tracks', undefined, 2], ['routes', undefined, 2]]],
    ['from=2024-05-01', [one, two]],
    ['to=2024-05-01', [one]],
    ['from=2024-05-02&to=2024-05-02', [two]],
    ['from=2024-05-03', []],
    ['from=2024-05-01T10:10:00Z&to=2024-05-01T12:00:00Z', [['tracks', '2024-05-01', 2]]],
    ['from=2024-05-01T10:09:59Z&to=2024-05-01T10:10:00Z', [['points', '2024-05-01', 1]]],
    ['from=2024-05-01T10:10:01Z&to=2024-05-01T10:19:59Z', []],
    ['layers=routes', [['routes', undefined, 2]]],
    ['layers=points', []],
  ];
  for (const [query, found] of periods) t.deepEqual(await shown(query), found, query);
});

test('tiles: removed imports and hidden waypoints are gone, and back when they are restored', async (t) => {
  const { daemon, tile, take } = await served(t);
  await take({
    'walk.gpx': track(hourOfWalk),
    'wpt.gpx': document('<wpt lat="44" lon="5"><name>Spring</name></wpt>'),
  });
  const layers = async () => Object.keys(await tile('5/16/11.mvt'));
  t.deepEqual(await layers(), ['tracks', 'waypoints']);
  await daemon.call('DELETE', '/api/waypoints?name=Spring&lat=44&lon=5');
  t.deepEqual(await layers(), ['tracks']);
  const { body } = await daemon.get('/api/imports?q=walk');
  const { id } = body.files[0];
  await daemon.call('DELETE', `/api/imports/${id}`);
  t.deepEqual(await layers(), []);
  await daemon.call('POST', `/api/imports/${id}/restore`);
  t.deepEqual(await layers(), ['tracks']);
});

test('tiles: waypoints are clusters below zoom 12, and from there on where more than 1,000 meet', async (t) => {
  const { daemon, tile, take } = await served(t);
  const waypoints = (count: number) =>
    Array.from({ length: count }, (_, at) => `<wpt lat="47.3" lon="8.5"><name>P${at}</name></wpt>`);
  await take({ 'wpt.gpx': document(waypoints(1_000).join('')) });
  const counts = async (z: number) => {
    const x = Math.floor(worldX(8.5) * 2 ** z);
    const y = Math.floor(worldY(47.3) * 2 ** z);
    const { waypoints: found = [] } = await tile(`${z}/${x}/${y}.mvt?layers=waypoints`);
    return found.map(({ properties }) => properties['count']);
  };
  t.deepEqual(await counts(11), [1_000]);
  t.deepEqual(new Set(await counts(12)), new Set([undefined]));
  t.is((await counts(12)).length, 1_000);
  await daemon.call('POST', '/api/bookmarks', { name: 'Camp', lat: 47.3, lon: 8.5 });
  t.deepEqual(await counts(16), [1_001]);
});

test('tiles: a waypoint on an edge is in one tile, also at the ends of the world', async (t) => {
  const { daemon, tile } = await served(t);
  const corners: readonly [lat: number, lon: number][] = [
    [0, 0],
    [90, 180],
    [-90, -180],
    [0, 180],
  ];
  for (const [lat, lon] of corners)
    await daemon.call('POST', '/api/bookmarks', { name: `${lat},${lon}`, lat, lon });
  const names: unknown[] = [];
  for (const path of ['1/0/0', '1/1/0', '1/0/1', '1/1/1']) {
    const { waypoints = [] } = await tile(`${path}.mvt`);
    names.push(waypoints.map(({ properties }) => properties['name']));
  }
  t.deepEqual(names, [[], ['90,180'], ['-90,-180'], ['0,0', '0,180']]);
});

test('tiles: every fix is a point from zoom 14 on, where points are asked for by name', async (t) => {
  const { tile, take } = await served(t);
  // 40 m apart: eight pixels at zoom 13.
  await take({
    'walk.gpx': track(
      Array.from({ length: 9 }, (_, at) => [47 + at * 36e-5, 8, `2024-05-01T10:0${at}:00Z`]),
    ),
  });
  const found = async (z: number, query: string) => {
    const path = `${z}/${Math.floor(worldX(8) * 2 ** z)}/${Math.floor(worldY(47.0014) * 2 ** z)}`;
    const { points = [], tracks = [] } = await tile(`${path}.mvt${query}`);
    return [points.length, tracks.length];
  };
  t.deepEqual(await found(14, ''), [0, 1]);
  t.deepEqual(await found(13, '?layers=tracks,points'), [0, 1]);
  t.deepEqual(await found(14, '?layers=tracks,points'), [1, 1]);
});

test('tiles: a single fix is there at the higher zooms, and one at a pole hides nothing of its day', async (t) => {
  const { tile, take } = await served(t);
  const fixes: Fix[] = Array.from({ length: 300 }, (_, at) => {
    const time = new Date(Date.UTC(2024, 4, 2, 10, 0, at)).toISOString();
    return [47.5 + at / 1e5, 8.5, time];
  });
  for (const lat of [90, -90]) fixes.push([lat, 8.5, `2024-05-02T10:1${lat < 0 ? 1 : 0}:00Z`]);
  await take({ 'pole.gpx': track(fixes), 'fix.gpx': track([[46, 8.5, '2024-05-01T10:00:00Z']]) });
  const at = (z: number, lat: number): string =>
    `${z}/${Math.floor(worldX(8.5) * 2 ** z)}/${Math.floor(worldY(lat) * 2 ** z)}.mvt`;
  for (let z = 10; z <= 16; z += 1) {
    const { points = [] } = await tile(at(z, 46));
    t.is(points.length, 1, `${z}`);
    const { tracks = [] } = await tile(at(z, 47.5));
    t.is(tracks.length, 1, `${z}`);
  }
});

test('tiles: a line from the last fix of a day to the next day begins there', async (t) => {
  const { tile, take } = await served(t);
  const night: Fix[] = [
    [46, 8.5, '2024-05-01T23:59:55Z'],
    [46.001, 8.5, '2024-05-02T00:00:05Z'],
    [46.002, 8.5, '2024-05-02T00:00:15Z'],
  ];
  await take({ 'night.gpx': track(night) });
  for (const z of [11, 16]) {
    const [x, y] = [worldX(8.5), worldY(46)].map((at) => Math.floor(at * 2 ** z)) as [
      number,
      number,
    ];
    const { tracks = [] } = await tile(`${z}/${x}/${y}.mvt`);
    const [first] = tracks;
    t.deepEqual(first?.geometry[0]?.[0], inTile(z, x, y, 46, 8.5), `${z}`);
  }
});

test('GET /api/tiles.json tells where the tiles are, what is in them and what they cover', async (t) => {
  const { daemon, take } = await served(t);
  const { body: empty } = await daemon.get('/api/tiles.json');
  t.deepEqual(empty.bounds, [-180, -90, 180, 90]);
  await take({
    'untimed.gpx': track([
      [46, 7],
      [46.5, 7.5],
    ]),
  });
  const { body } = await daemon.get('/api/tiles.json?from=2024-01-01&layers=tracks');
  t.deepEqual(body.bounds, [7, 46, 7.5, 46.5]);
  t.deepEqual(body.tiles, [
    `${daemon.url}/api/tiles/{z}/{x}/{y}.mvt?from=2024-01-01&layers=tracks`,
  ]);
  t.deepEqual([body.minzoom, body.maxzoom], [0, 16]);
  t.is((await daemon.get('/api/tiles.json?layers=roads')).status, 400);
  // The authority of an absolute target stands for Host everywhere.
  const headers = [`Authorization: Bearer ${daemon.token}`, 'Host: evil.example'];
  const line = `GET ${daemon.url}/api/tiles.json`;
  const port = Number(new URL(daemon.url).port);
  const asked = await RawConnection.open(port, rawRequest(line, headers));
  const answer = await asked.answer();
  t.true(answer?.body.includes(`"${daemon.url}/api/tiles/{z}`), answer?.body);
  asked.socket.destroy();
});
