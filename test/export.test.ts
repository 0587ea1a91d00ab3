/** What was imported comes out of an export, and out of a second one from an import of the first. */
import test, { type ExecutionContext } from 'ava';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { exportPieces } from '../daemon/export-pieces.ts';
import { openJoinedReader } from '../storage/database.ts';
import { readLines } from '../storage/library/line-reader.ts';
import { waypointListPieces } from '../storage/waypoint-list.ts';
import { startTestDaemon, type TestDaemon } from './helpers/daemon.ts';
import { importTree } from './helpers/imported-files.ts';

const point = (kind: string, at: number, ...inside: string[]): string =>
  `<${kind} lat="${at / 10}" lon="-8.${at}">${inside.join('')}</${kind}>`;
const clock = (minute: number): string =>
  `<time>2024-05-01T10:${String(minute).padStart(2, '0')}:00Z</time>`;
const timed = (at: number, minute: number): string => point('trkpt', at, clock(minute));

/** Segments, times out of order, points with and without times in turn, names, routes, and what waypoints may say. */
const rich = `<gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1">
<wpt lat="1" lon="2"><ele>3.5</ele><time>2024-05-01T09:00:00Z</time><name>Camp</name><cmt>one\r\n\ttwo</cmt>
<desc>a&#10;b</desc><src>map</src><link href="https://example.org/a?b&amp;c"><text>Page</text></link>
<link href="javascript:x"/><sym>Flag, Blue</sym><type>stay</type></wpt>
<rte><name>Plan</name>${point('rtept', 1, '<name>Start</name>')}${point('rtept', 2, '<ele>7</ele>')}</rte>
<trk><name>Walk</name><desc>up
and down</desc><type>hiking</type><trkseg>${timed(1, 5)}${timed(2, 6)}</trkseg><trkseg>${timed(3, 1)}${timed(4, 9)}
${point('trkpt', 5)}${timed(6, 2)}</trkseg></trk>
<trk><name>No points</name></trk>
<trk><trkseg>${point('trkpt', 7, '<ele>-1.5</ele>')}${point('trkpt', 8)}</trkseg><trkseg/><trkseg>${point('trkpt', 9)}</trkseg></trk>
</gpx>`;

interface Feature {
  readonly geometry: { readonly type: string; readonly coordinates: readonly unknown[] };
  readonly properties: { readonly kind: string; readonly coordTimes?: readonly string[] };
}

async function withFiles(t: ExecutionContext<unknown>, files: Readonly<Record<string, string>>) {
  const daemon = await startTestDaemon(t);
  const { body } = await importTree(daemon, files);
  return { daemon, result: body };
}

async function exported(daemon: TestDaemon, query = ''): Promise<string> {
  const headers = { authorization: `Bearer ${daemon.token}` };
  const answer = await fetch(`${daemon.url}/api/export${query}`, { headers });
  return answer.text();
}

const parser = new XMLParser({
  ignoreAttributes: false,
  parseTagValue: false,
  trimValues: false,
  isArray: (name) => ['wpt', 'rte', 'trk', 'trkseg', 'trkpt', 'rtept', 'link'].includes(name),
});

/** A document without the time at which it was made, and without white space between elements. */
function contentOf(text: string): unknown {
  const { gpx } = parser.parse(
    text.replace(/<metadata>.*<\/metadata>/u, '').replaceAll(/>\n</g, '><'),
  );
  return gpx;
}

/** The coordinates of the segments of each track; those with a time have a star. */
function segmentsOf(text: string): string[] {
  const { trk = [] } = contentOf(text) as {
    trk?: { trkseg?: { trkpt?: Record<string, string>[] }[] }[];
  };
  return trk.map(({ trkseg = [] }) =>
    trkseg
      .map(({ trkpt = [] }) =>
        trkpt
          .map((at) => `${Number(at['@_lat']) * 10}${at['time'] === undefined ? '' : '*'}`)
          .join(' '),
      )
      .join(' | '),
  );
}

test('a GPX export has what the file had, and an import of it gives the same export', async (t) => {
  const { daemon, result } = await withFiles(t, { 'rich.gpx': rich });
  t.like(result, {
    count: 1,
    tracks: 2,
    track_points: 9,
    routes: 1,
    route_points: 2,
    observations: 6,
    untimed_points: 4,
    files_without_data: [],
  });
  const text = await exported(daemon);
  t.true(XMLValidator.validate(text));
  t.deepEqual(segmentsOf(text), ['1* 2* | 3* 4* 5 6*', '7 8 | 9']);
  t.like(contentOf(text), {
    wpt: [
      {
        '@_lat': '1',
        ele: '3.5',
        name: 'Camp',
        cmt: 'one\n\ttwo',
        desc: 'a\nb',
        src: 'map',
        link: [{ '@_href': 'https://example.org/a?b&c', text: 'Page' }],
        sym: 'Flag, Blue',
        type: 'stay',
      },
    ],
    rte: [{ name: 'Plan', rtept: [{ name: 'Start' }, { ele: '7' }] }],
    trk: [{ name: 'Walk', desc: 'up\nand down', type: 'hiking' }, { name: undefined }],
  });
  const [listed] = (await daemon.get('/api/waypoints')).body;
  t.like(listed, { sym: 'Flag, Blue', cmt: 'one\n\ttwo', desc: 'a\nb', type: 'stay', src: 'map' });
  t.deepEqual(listed.links, [{ href: 'https://example.org/a?b&c', text: 'Page' }]);
  const again = await withFiles(t, { 'rich.gpx': text });
  t.deepEqual(contentOf(await exported(again.daemon)), contentOf(text));
});

test('a period and a box cut segments; what has no time is in no period', async (t) => {
  const { daemon } = await withFiles(t, { 'rich.gpx': rich });
  const from = '?from=2024-05-01T10:02:00Z&to=2024-05-01T10:06:00Z';
  t.deepEqual(segmentsOf(await exported(daemon, from)), ['1* 2* | 6*']);
  t.deepEqual(segmentsOf(await exported(daemon, '?from=2024-05-02')), []);
  const day = contentOf(await exported(daemon, '?from=2024-05-01&to=2024-05-01'));
  t.like(day, { wpt: [{ name: 'Camp' }], rte: undefined });
  t.deepEqual(segmentsOf(await exported(daemon, '?bbox=-9,0.15,-8,0.75')), [
    '2* | 3* 4* 5 6*',
    '7',
  ]);
  t.deepEqual(segmentsOf(await exported(daemon, '?bbox=179,0,-179,1')), []);
});

test('a box holds what lies upon its edges', async (t) => {
  // Times ten million, no such number is whole in floating point.
  const degrees = ['40.0000', '40.0001', '40.0014', '40.0015'];
  const points = degrees.map((at) => `<trkpt lat="${at}" lon="${at}"/>`).join('');
  const gpx = `<gpx version="1.1"><trk><trkseg>${points}</trkseg></trk></gpx>`;
  const { daemon } = await withFiles(t, { 'edges.gpx': gpx });
  const text = await exported(daemon, '?bbox=40.0001,40.0001,40.0014,40.0014');
  const found = [...text.matchAll(/ lat="([^"]+)"/gu)].map(([, lat]) => lat);
  t.deepEqual(found, ['40.0001', '40.0014']);
});

test('contents, bookmarks and tags choose what an export holds', async (t) => {
  const { daemon } = await withFiles(t, { 'rich.gpx': rich });
  await daemon.call('POST', '/api/bookmarks', { name: 'Home', lat: 5, lon: 6, tags: ['home'] });
  const keys = async (query: string): Promise<string[]> =>
    Object.keys(contentOf(await exported(daemon, query)) as object).filter((key) =>
      /^[a-z]{3}$/u.test(key),
    );
  t.deepEqual(await keys(''), ['wpt', 'rte', 'trk']);
  t.deepEqual(await keys('?contents=routes,tracks'), ['rte', 'trk']);
  t.deepEqual(await keys('?bookmarksOnly=true'), ['wpt']);
  t.deepEqual(await keys('?tag=home'), ['wpt']);
  t.is((await daemon.get('/api/export?contents=all')).body.field, 'contents');
  t.is((await daemon.get('/api/export?from=2024-02-30')).body.field, 'from');
  t.is((await daemon.get('/api/export?format=shp')).body.field, 'format');
});

test('GeoJSON, KML and CSV have every point, by segment and with times', async (t) => {
  const { daemon } = await withFiles(t, { 'rich.gpx': rich });
  const { features } = JSON.parse(await exported(daemon, '?format=geojson&contents=routes,tracks'));
  const shapes = (features as Feature[]).map(({ geometry, properties }) => [
    properties.kind,
    geometry.type,
    geometry.coordinates.length,
    properties.coordTimes?.length ?? 0,
  ]);
  t.deepEqual(shapes, [
    ['route', 'LineString', 2, 0],
    ['track', 'LineString', 2, 2],
    ['track', 'LineString', 2, 2],
    ['track', 'MultiPoint', 1, 0],
    ['track', 'MultiPoint', 1, 1],
    ['track', 'LineString', 2, 0],
    ['track', 'MultiPoint', 1, 0],
  ]);
  const kml = await exported(daemon, '?format=kml');
  t.true(XMLValidator.validate(kml));
  t.is(kml.match(/<gx:coord>/gu)?.length, 5);
  t.is(kml.match(/<Placemark>/gu)?.length, 8);
  const csv = (await exported(daemon, '?format=csv')).trimEnd();
  t.is(csv.match(/,track,\d+,\d+/gu)?.length, 9);
  t.is(csv.match(/,route,\d+,\d+/gu)?.length, 2);
});

test('a bookmark that was exported comes in as a waypoint and makes no observation', async (t) => {
  const daemon = await startTestDaemon(t);
  await daemon.call('POST', '/api/bookmarks', { name: 'Rome', lat: 41.9, lon: 12.5 });
  const { result, daemon: other } = await withFiles(t, {
    'b.gpx': await exported(daemon),
    'empty.gpx': '<gpx/>',
    'bad.gpx': '<gpx><wpt lat="91" lon="0"/></gpx>',
  });
  t.like(result, {
    count: 1,
    observations: 0,
    untimed_points: 0,
    own_bookmarks: 1,
    files_without_data: ['bad.gpx', 'empty.gpx'],
    without_data: [
      { file: 'bad.gpx', reason: 'unusable_points' },
      { file: 'empty.gpx', reason: 'no_points' },
    ],
  });
  t.like((await other.get('/api/waypoints')).body, [{ name: 'Rome', bookmark: false }]);
});

for (const format of ['geojson', 'kml', 'csv'] as const) {
  test(`${format} of ours comes in with its waypoints and its times; bookmarks are no observations`, async (t) => {
    const { daemon } = await withFiles(t, { 'rich.gpx': rich });
    const desc = '=of "two"\n\nparagraphs';
    const bookmark = { name: "'@Rome", lat: 41.9, lon: 12.5, time: '2024-05-01T12:00:00Z', desc };
    t.is((await daemon.call('POST', '/api/bookmarks', bookmark)).status, 201);
    const text = await exported(daemon, `?format=${format}`);
    const { result, daemon: other } = await withFiles(t, { [`a.${format}`]: text });
    const { body: files } = await daemon.get('/api/imports');
    t.like(result, { failed: 0, own_bookmarks: 1, observations: files.files[0].observations });
    const names = async (asked: typeof daemon): Promise<unknown[]> =>
      (await asked.get('/api/waypoints')).body.map(({ name }: { name: string }) => name);
    t.deepEqual(await names(other), await names(daemon));
    t.is((await other.get('/api/waypoints')).body[0].desc, desc);
  });
}

test('times that go back over many points keep their order', async (t) => {
  const points = Array.from({ length: 70_000 }, (_, at) => {
    const time = new Date(Date.UTC(2024, 0, 1) + ((at * 7_919) % 70_000) * 500_000).toISOString();
    return `<trkpt lat="${(at / 1_000).toFixed(3)}" lon="1"><time>${time}</time></trkpt>\n`;
  });
  const text = `<gpx><trk><trkseg>${points.join('')}</trkseg></trk></gpx>`;
  const { daemon } = await withFiles(t, { 'a.gpx': text });
  const written = await exported(daemon);
  const lats = [...written.matchAll(/<trkpt lat="([^"]+)"/gu)].map(([, lat]) => Number(lat));
  t.deepEqual(
    lats,
    points.map((_, at) => at / 1_000),
  );
  const { waypointsDatabase, libraryDatabase } = daemon.paths;
  const db = openJoinedReader(waypointsDatabase, libraryDatabase);
  const steps = [...readLines(db, 'track', {})];
  db.close();
  t.true(steps.findIndex((step) => step !== undefined) > 2, 'others have their turn between days');
});

test('a waypoint of several files is one, and each field is that of the newest that has it', async (t) => {
  const daemon = await startTestDaemon(t);
  const wpt = (inside: string): string =>
    `<gpx><wpt lat="1" lon="2"><name>Camp</name>${inside}</wpt></gpx>`;
  const take = async (file: string, inside?: string): Promise<void> => {
    const files = inside === undefined ? {} : { [file]: wpt(inside) };
    await importTree(daemon, files, { files: [file] });
  };
  const camp = async (of = daemon): Promise<object> => (await of.get('/api/waypoints')).body;
  const place = { name: 'Camp', lat: 1, lon: 2, bookmark: false };
  await take('b.gpx', '<desc>first</desc><sym>Flag</sym>');
  await take('c.gpx', '<ele>5</ele><desc>second</desc><cmt>c</cmt>');
  const both = { ...place, ele: 5, desc: 'second', sym: 'Flag', cmt: 'c' };
  t.deepEqual(await camp(), [both]);
  // It comes first by its path, and shows from then on.
  await take('a.gpx', '<sym>Pin</sym>');
  t.deepEqual(await camp(), [{ ...both, sym: 'Pin' }]);
  await take('c.gpx', '<time>2024-05-01T09:00:00Z</time>');
  const third = { ...place, time: '2024-05-01T09:00:00Z', desc: 'first', sym: 'Pin' };
  t.deepEqual(await camp(), [third]);
  const again = await daemon.restartWithoutLibrary();
  await again.get('/api/waypoints');
  t.deepEqual(await camp(again), [third]);
});

test('lists and exports yield after some files that hold nothing of it, and after some points of a long segment', async (t) => {
  const files = Array.from({ length: 200 }, (_, i) => [
    `${i}.gpx`,
    `<gpx version="1.1">${point('wpt', i % 90, `<name>w${i}</name>`)}</gpx>`,
  ]);
  const points = Array.from({ length: 20_000 }, (_, i) => timed(i % 90, i % 60)).join('');
  const long = `<gpx version="1.1"><trk><trkseg>${points}</trkseg></trk></gpx>`;
  const { daemon } = await withFiles(t, { ...Object.fromEntries(files), 'long.gpx': long });
  const db = openJoinedReader(daemon.paths.waypointsDatabase, daemon.paths.libraryDatabase);
  const steps = [...waypointListPieces(db, { tag: 'nobody has it' })];
  t.true(steps.filter((step) => step === '').length >= 200 / 64);
  t.is(steps.join(''), '[]');
  t.is([...readLines(db, 'route', {})].length, 201, 'a step for each file');
  for (const format of ['geojson', 'kml'] as const) {
    const pieces = [...exportPieces(db, { format }, 0)];
    t.true(Math.max(...pieces.map((piece) => piece.length)) < 2 * 65_536);
    t.is(pieces.join(''), await exported(daemon, `?format=${format}`));
  }
  db.close();
});
