import { writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { worldX, worldY } from '../model/mercator.ts';
import { startTestDaemon, type TestDaemon, type TestDaemonOptions } from './helpers/daemon.ts';
import { decodeTile, type DecodedTile } from './helpers/vector-tile.ts';

/** A point of a track: latitude, longitude, and a time. */
type Fix = readonly [lat: number, lon: number, time?: string];

interface Served {
  readonly daemon: TestDaemon;
  readonly take: (files: Readonly<Record<string, string>>) => Promise<void>;
  /** Bytes and status of a tile, as they are. */
  readonly ask: (path: string, headers?: Record<string, string>) => Promise<Response>;
  readonly tile: (path: string) => Promise<DecodedTile>;
}

async function served(t: ExecutionContext, options?: TestDaemonOptions): Promise<Served> {
  const daemon = await startTestDaemon(t, options);
  const ask = (path: string, headers = {}) =>
    fetch(`${daemon.url}/api/tiles/${path}`, {
      headers: { authorization: `Bearer ${daemon.token}`, connection: 'close', ...headers },
    });
  return {
    daemon,
    ask,
    async take(files) {
      const dir = join(daemon.root, 'tracks');
      mkdirSync(dir, { recursive: true });
      for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
      const { status } = await daemon.call('POST', '/api/import', { dir });
      t.is(status, 200);
    },
    async tile(path) {
      const response = await ask(path);
      const bytes = new Uint8Array(await response.arrayBuffer());
      t.is(response.status, bytes.length === 0 ? 204 : 200);
      return decodeTile(bytes);
    },
  };
}

function point([lat, lon, time]: Fix, name: 'trkpt' | 'rtept'): string {
  const timed = time === undefined ? '' : `<time>${time}</time>`;
  return `<${name} lat="${lat}" lon="${lon}">${timed}</${name}>`;
}

function document(content: string): string {
  return `<?xml version="1.0"?><gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1">${content}</gpx>`;
}

function track(...segments: readonly (readonly Fix[])[]): string {
  const texts = segments.map((fixes) => fixes.map((fix) => point(fix, 'trkpt')).join(''));
  return document(`<trk>${texts.map((text) => `<trkseg>${text}</trkseg>`).join('')}</trk>`);
}

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
  t.deepEqual(
    shown['waypoints']!.map(({ properties }) => properties),
    [
      { name: 'Spring', lat: 44, lon: 5, tags: '', bookmark: false },
      { name: 'Camp', lat: 43, lon: 4, tags: 'home, a b', bookmark: true },
    ],
  );
});
