import test from 'ava';
import { limits } from '../model/limits.ts';
import { document, point, served, track, type Fix } from './helpers/tracks.ts';

const drive: readonly Fix[] = [
  [47, 8, '2024-05-01T10:00:00Z'],
  [47, 8.5, '2024-05-01T10:10:00Z'],
  [47, 8.500001, '2024-05-01T10:20:00Z'],
  [48, 9, '2024-05-01T12:00:00Z'],
  [48, 9.5, '2024-05-02T12:00:00Z'],
  [48, 10, '2024-05-02T12:10:00Z'],
];

test('GET /api/tracks lists lines with their times, and points where there is no line', async (t) => {
  const { daemon, take } = await served(t);
  await take({
    'drive.gpx': track(drive),
    'route.gpx': document(
      `<rte><name>"Plan"</name>${point([45, 6], 'rtept')}${point([45.5, 6.5], 'rtept')}</rte>`,
    ),
  });
  const { body: listed } = await daemon.get('/api/imports');
  const [route, file] = listed.files.map(({ id }: { id: number }) => id);
  const { body, headers } = await daemon.get('/api/tracks');
  t.is(headers.get('content-type'), 'application/geo+json');
  const first = { kind: 'track', import: file, day: '2024-05-01', n: 4 };
  t.deepEqual(body, {
    type: 'FeatureCollection',
    truncated: false,
    features: [
      {
        type: 'Feature',
        geometry: {
          type: 'LineString',
          coordinates: [
            [8, 47],
            [8.5, 47],
          ].map(near),
        },
        properties: {
          ...first,
          first_time: '2024-05-01T10:00:00Z',
          // Somebody stayed at its end.
          last_time: '2024-05-01T10:20:00Z',
        },
      },
      {
        type: 'Feature',
        geometry: { type: 'Point', coordinates: near([9, 48]) },
        properties: {
          ...first,
          first_time: '2024-05-01T12:00:00Z',
          last_time: '2024-05-01T12:00:00Z',
        },
      },
      {
        type: 'Feature',
        geometry: {
          type: 'LineString',
          coordinates: [
            [9.5, 48],
            [10, 48],
          ].map(near),
        },
        properties: {
          kind: 'track',
          import: file,
          day: '2024-05-02',
          n: 2,
          first_time: '2024-05-02T12:00:00Z',
          last_time: '2024-05-02T12:10:00Z',
        },
      },
      {
        type: 'Feature',
        geometry: {
          type: 'LineString',
          coordinates: [
            [6, 45],
            [6.5, 45.5],
          ],
        },
        properties: { kind: 'route', import: route, name: '"Plan"', n: 2 },
      },
    ],
  });
  const etag = headers.get('etag')!;
  t.is((await daemon.get('/api/tracks', { 'if-none-match': etag })).status, 304);
  t.is((await daemon.get('/api/tracks?limit=5', { 'if-none-match': etag })).status, 200);
});

/** As outlines keep it: in units of 32e-7 degree. */
function near(place: readonly number[]): number[] {
  return place.map((degrees) => Math.round(Math.round(degrees / 32e-7) * 3.2) / 1e6);
}

test('GET /api/tracks tells the last time of a line at every zoom, also of points that are left out', async (t) => {
  const { daemon, take } = await served(t);
  const end: Fix = [47, 8.51, '2024-05-01T10:30:00Z'];
  await take({ 'drive.gpx': track([...drive.slice(0, 2), end]) });
  for (const zoom of [0, 3, 9, 13, 24]) {
    const { body } = await daemon.get(`/api/tracks?zoom=${zoom}`);
    t.is(body.features.length, 1);
    t.is(body.features[0].properties.last_time, '2024-05-01T10:30:00Z', String(zoom));
  }
});

test('GET /api/tracks is narrowed by period, box, zoom and number of lines', async (t) => {
  const { daemon, take } = await served(t);
  await take({
    'drive.gpx': track(drive),
    'untimed.gpx': track([
      [-20, 179],
      [-20, -179],
    ]),
    'meridian.gpx': track([
      [60, -180],
      [61, -180],
    ]),
  });
  const found = async (query: string) => {
    const { body } = await daemon.get(`/api/tracks?${query}`);
    return [body.features.length, body.truncated];
  };
  const queries: readonly [query: string, lines: number, truncated?: boolean][] = [
    ['', 6],
    ['from=2024-05-02', 1],
    ['to=2024-05-01T10:05:00Z', 1],
    ['from=2025-01-01', 0],
    ['bbox=8.4,46,8.6,48', 1],
    ['bbox=8.1,46.9,8.2,47.1', 1],
    ['bbox=178,-30,-178,-10', 2],
    ['bbox=178,-30,180,-10', 1],
    ['bbox=178,50,180,70', 1],
    ['bbox=-180,50,-178,70', 1],
    ['bbox=180,50,180,70', 1],
    ['zoom=0', 6],
    ['zoom=24', 6],
    ['limit=6', 6],
    ['limit=5', 5, true],
    ['limit=4', 4, true],
    ['limit=1', 1, true],
  ];
  for (const [query, lines, truncated = false] of queries)
    t.deepEqual(await found(query), [lines, truncated], query);
  const { body } = await daemon.get('/api/tracks?bbox=8.4,46,8.6,48&zoom=24');
  t.deepEqual(body.features[0].geometry.coordinates, [
    [8, 47],
    [8.5, 47],
    [8.500001, 47],
  ]);
  for (const [query, field] of [
    ['limit=0', 'limit'],
    [`limit=${limits.tracksMax + 1}`, 'limit'],
    ['zoom=24.1', 'zoom'],
    ['bbox=1,2,3', 'bbox'],
    ['from=x', 'from'],
  ])
    t.is((await daemon.get(`/api/tracks?${query}`)).body.field, field, query);
  t.is((await daemon.get(`/api/tracks?limit=${limits.tracksMax}`)).status, 200);
});

/** So many corners that the line takes more than 2 MB, and half of it less. */
const wild: Fix[] = Array.from({ length: 120_000 }, (_, at) => [
  (at % 2) + at / 1e6,
  (at % 1_000) / 10 + at / 1e6,
]);

test('GET /api/tracks has what lies upon the edges of a box', async (t) => {
  const { daemon, take } = await served(t);
  // Times ten million, no such number is whole in floating point.
  const fixes = [40.0001, 40.0014].map((at, i): Fix => [at, at, `2024-05-01T1${i}:00:00Z`]);
  await take({ 'edges.gpx': track(fixes) });
  for (const box of ['40.0001,40.0001,40.001,40.001', '40.001,40.001,40.0014,40.0014']) {
    const { body } = await daemon.get(`/api/tracks?bbox=${box}&zoom=24`);
    t.is(body.features.length, 1, box);
  }
});

test('GET /api/tracks says no more than 2 MB', async (t) => {
  const { daemon, take } = await served(t);
  await take({ 'a.gpx': track(wild.slice(0, 60_000)), 'b.gpx': track(wild.slice(60_000)) });
  const { body, text } = await daemon.get('/api/tracks');
  t.is(body.features.length, 1);
  t.true(body.truncated);
  t.true(text.length < limits.tracksBytes);
});

test('GET /api/tracks leaves out a line that is longer than all it may say, never half of it', async (t) => {
  const { daemon, take } = await served(t);
  await take({ 'a.gpx': track(wild) });
  const { body } = await daemon.get('/api/tracks');
  t.deepEqual(body.features, []);
  t.true(body.truncated);
});

test('GET /api/tracks/days tells how many points each day has', async (t) => {
  const { daemon, take } = await served(t);
  t.deepEqual((await daemon.get('/api/tracks/days')).body, { days: [], truncated: false });
  await take({
    'drive.gpx': track(drive),
    'more.gpx': track([
      [1, 1, '2024-05-02T00:00:00Z'],
      [1, 1],
    ]),
    'wpt.gpx': document(
      '<wpt lat="1" lon="1"><name>W</name><time>2024-07-01T00:00:00Z</time></wpt>',
    ),
  });
  const first = { day: '2024-05-01', points: 4 };
  const second = { day: '2024-05-02', points: 3 };
  const found = async (query: string) => (await daemon.get(`/api/tracks/days${query}`)).body.days;
  t.deepEqual(await found(''), [first, second]);
  t.deepEqual(await found('?from=2024-05-02'), [second]);
  t.deepEqual(await found('?to=2024-05-01'), [first]);
  t.is((await daemon.get('/api/tracks/days?from=5')).body.field, 'from');
});

test('GET /api/tracks/points lists points with elevation, of all imports or one, thinned by time', async (t) => {
  const { daemon, take } = await served(t);
  const minutes = Array.from({ length: 60 }, (_, at) => String(at).padStart(2, '0'));
  const trkpt = (minute: string) =>
    `<trkpt lat="47.1234567" lon="8"><ele>${minute}.5</ele><time>2024-05-01T10:${minute}:00Z</time></trkpt>`;
  await take({
    'high.gpx': document(`<trk><trkseg>${minutes.map(trkpt).join('')}</trkseg></trk>`),
    'other.gpx': track([
      [1, 1, '2024-05-01T10:00:30Z'],
      [1, 1, '2024-05-03T00:00:00Z'],
    ]),
  });
  const { body: listed } = await daemon.get('/api/imports?q=high');
  const { id } = listed.files[0];
  const found = async (query: string) => (await daemon.get(`/api/tracks/points?${query}`)).body;
  const whole = await found('from=2024-05-01&to=2024-05-01');
  t.false(whole.thinned);
  t.is(whole.points.length, 61);
  t.deepEqual(whole.points[0], {
    time: '2024-05-01T10:00:00Z',
    lat: 47.1234567,
    lon: 8,
    ele: 0.5,
    import: id,
  });
  t.false('ele' in whole.points[1]);
  const own = await found(`from=2024-05-01&to=2024-05-01&import=${id}`);
  t.is(own.points.length, 60);
  t.deepEqual(await found('from=2024-05-01&to=2024-05-01&import=99'), {
    points: [],
    thinned: false,
  });
  const some = await found(`from=2024-05-01&to=2024-05-01&import=${id}&limit=59`);
  t.true(some.thinned);
  t.true(some.points.length > 20 && some.points.length <= 59);
  t.is((await found(`from=2024-05-01&to=2024-05-01&import=${id}&limit=60`)).thinned, false);
  t.is((await found('from=2024-05-01T10:01:00Z&to=2024-05-01T10:01:00Z')).points.length, 1);
  t.is((await found('from=2024-05-01&to=2024-05-07')).points.length, 62);
  const refused: readonly [query: string, field: string][] = [
    ['to=2024-05-01', 'from'],
    ['from=2024-05-01', 'to'],
    ['from=2024-05-01T00:00:00Z&to=2024-05-08T00:00:00.001Z', 'to'],
    ['from=2024-05-01&to=2024-05-01&limit=0', 'limit'],
    [`from=2024-05-01&to=2024-05-01&limit=${limits.trackPointsMax + 1}`, 'limit'],
    ['from=2024-05-01&to=2024-05-01&import=0', 'import'],
  ];
  for (const [query, field] of refused)
    t.is((await daemon.get(`/api/tracks/points?${query}`)).body.field, field, query);
  const week = 'from=2024-05-01T00:00:00Z&to=2024-05-08T00:00:00Z';
  t.is((await daemon.get(`/api/tracks/points?${week}`)).status, 200);
});
