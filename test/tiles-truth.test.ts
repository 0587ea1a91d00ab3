/**
 * What a tile shows is true: every vertex lies within a pixel of what was recorded, and everything that was recorded lies
 * within two pixels of something drawn.
 */
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { worldX, worldY, type TileAddress } from '../model/mercator.ts';
import { prepareLibrary } from '../storage/library/prepare.ts';
import { TrackReader } from '../storage/library/track-reader.ts';
import { LibraryWriter } from '../storage/library/writer.ts';
import { makeTile } from '../worker/tiles/make-tile.ts';
import type { TileTask } from '../worker/tiles/task.ts';
import { clippedLines, tileBuffer } from '../worker/tiles/tile-lines.ts';
import { tileExtent } from '../worker/tiles/write-mvt.ts';
import { rounds } from './helpers/effort.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';
import { decodeTile } from './helpers/vector-tile.ts';

interface Fix {
  readonly lat: number;
  readonly lon: number;
  /** NaN for none. */
  readonly timeMs: number;
}
type Value<T> = T extends fc.Arbitrary<infer V> ? V : never;
type Place = readonly [x: number, y: number];

const pixel = 8;
const gapMs = 30 * 60_000;
const dayMs = 86_400_000;
const startMs = Date.UTC(2024, 4, 1, 23, 30);

/** A zoom and a place, which may be at an edge of the world or at a corner of tiles. */
const scenes = fc.record({
  z: fc.oneof(fc.integer({ min: 0, max: 16 }), fc.constantFrom(3, 10, 15, 16)),
  lat: fc.oneof(
    fc.double({ min: -80, max: 80, noNaN: true }),
    fc.constantFrom(-90, -85, 0, 0, 0, 84.9),
  ),
  lon: fc.oneof(fc.double({ min: -180, max: 180, noNaN: true }), fc.constantFrom(-180, 0, 0, 180)),
});

/**
 * Steps of a fiftieth of a pixel to a hundred pixels, of seconds to an hour. The same way may be gone again on other days, a
 * little beside, and times may be absent.
 */
const walks = fc.record({
  pixels: fc.constantFrom(0.02, 0.2, 0.5, 2, 10, 100),
  days: fc.integer({ min: 1, max: 4 }),
  beside: fc.constantFrom(0, 0.1, 2),
  isTimed: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
  steps: fc.array(
    fc.tuple(
      fc.double({ min: -1, max: 1, noNaN: true }),
      fc.double({ min: -1, max: 1, noNaN: true }),
      fc.oneof(
        { weight: 9, arbitrary: fc.integer({ min: 0, max: 60 }) },
        fc.integer({ min: 1_700, max: 1_900 }),
      ),
    ),
    { minLength: 1, maxLength: 40 },
  ),
});

function fixesOf(
  { z, lat, lon }: Value<typeof scenes>,
  { pixels, days, beside, isTimed, steps }: Value<typeof walks>,
): Fix[] {
  const pixelDegrees = 360 / 512 / 2 ** z;
  const fixes: Fix[] = [];
  for (let day = 0; day < days; day += 1) {
    const start = { lat, lon, timeMs: startMs + day * dayMs };
    let fix = moved(start, [day, -day], pixelDegrees * beside);
    // One day alone is long enough to be read piece by piece.
    const turns = days === 1 ? 12 : 1;
    for (const [dLat, dLon, seconds] of Array.from({ length: turns }, () => steps).flat()) {
      fix = moved(fix, [dLat, dLon], pixelDegrees * pixels);
      fix = { ...fix, timeMs: isTimed ? fix.timeMs + seconds * 1_000 : Number.NaN };
      fixes.push(fix);
    }
  }
  return fixes;
}

function moved(fix: Fix, [dLat, dLon]: readonly [number, number], scale: number): Fix {
  const east = fix.lon + dLon * scale;
  return {
    ...fix,
    lat: rounded(Math.min(Math.max(fix.lat + dLat * scale, -90), 90)),
    lon: rounded(east > 180 ? east - 360 : east < -180 ? east + 360 : east),
  };
}

function rounded(degrees: number): number {
  return Math.round(degrees * 1e7) / 1e7;
}

/** Along the edge of the world, over it from the second row of tiles, and slowly, with fixes too far apart for a line. */
const way = { days: 1, beside: 0, isTimed: true };
const step = [0, 0.4763906275555686, 0];
const still = [0, 0, 0];
const overEdge = { pixels: 10, days: 3, beside: 2, isTimed: false, steps: [still, step, still] };
const rareWays = [
  [7, 85.0505, { ...way, pixels: 10, steps: [[0, 1, 30]] }],
  [
    10,
    85,
    {
      ...way,
      pixels: 100,
      steps: [
        [0, 0, 30],
        [0.9, 0.9, 30],
      ],
    },
  ],
  [3, 10, { ...way, pixels: 0.5, steps: [[0.8, 0, 3_600]] }],
  // Thrice round the world, and over the antimeridian beyond the edge of the map.
  [0, 0, { ...way, pixels: 100, steps: [[-0.0014, -0.64, 0]] }],
  [4, 84.9, overEdge, -180],
].map(([z, lat, walk, lon = 10]) => [{ z, lat, lon }, [walk], 0, false]) as [
  Value<typeof scenes>,
  Value<typeof walks>[],
  number,
  boolean,
][];

test('tiles: every vertex is near the truth, and every true point near something drawn', (t) => {
  const library = openLibrary(t);
  fc.assert(
    fc.property(
      scenes,
      fc.array(walks, { minLength: 1, maxLength: 3 }),
      fc.nat(),
      fc.boolean(),
      (scene, walked, pick, everyPoint) => {
        const { z } = scene;
        const tracks = walked.map((walk) => fixesOf(scene, walk));
        for (const file of [0, 1, 2]) library.replace(file, tracks[file] ?? []);
        const fixes = tracks.flat();
        const { lat, lon } = fixes[pick % fixes.length]!;
        const tiles = 2 ** z;
        const tile = {
          z,
          x: Math.min(Math.floor(worldX(lon) * tiles), tiles - 1),
          y: Math.min(Math.floor(worldY(lat) * tiles), tiles - 1),
        };
        const drawn = library.read({ tile, everyPoint: everyPoint && z >= 14 });
        const truth = tracks.flatMap((track) => linesOf(track, tile));
        t.true(farthest(drawn.flat(), truth) <= pixel);
        const places = fixes.map((fix) => placeOf(fix, tile)).filter((place) => isIn(place));
        t.true(farthest(places, drawn) <= 2 * pixel);
      },
    ),
    { numRuns: rounds(600), examples: [...rareWays] },
  );
});

test('tiles: however many places there are in one, it has 90 kB at most', (t) => {
  const library = openLibrary(t);
  // Two and a half pixels apart, and half an hour: each is a dot.
  const apart = (2.5 * 360) / 512 / 1_024;
  const scattered = (count: number): Fix[] =>
    Array.from({ length: count }, (_, at) => ({
      lat: 45 - Math.floor(at / 200) * apart * 0.7,
      lon: 8.1 + (at % 200) * apart,
      timeMs: startMs + at * (gapMs + 1),
    }));
  const [x, y] = [Math.floor(worldX(8.1) * 1_024), Math.floor(worldY(44.9) * 1_024)];
  const sizes = [100, 5_000, 40_000].map((count) => {
    library.replace(0, scattered(count));
    return library.draw({ tile: { z: 10, x, y }, everyPoint: false }).length;
  });
  t.true(sizes[0]! < sizes[1]! && sizes[1]! < sizes[2]!);
  t.true(sizes[2]! > 40_000 && sizes[2]! <= 90_000);
});

test('tiles: a tile that is full in the midst of a track has no step from there to a route', (t) => {
  const library = openLibrary(t);
  const apart = (2.2 * 360) / 512 / 1_024;
  const began = Date.UTC(2024, 4, 1, 23);
  // To and fro without a gap, and on after midnight, when it is elsewhere.
  const track = Array.from({ length: 57_000 }, (_, at): Fix => {
    const [row, column] = [Math.floor(at / 230), at % 230];
    const east = row % 2 === 0 ? column : 229 - column;
    const lon = at > 53_000 && at < 56_000 ? 0.5 : 0.02 + east * apart;
    return { lat: at > 53_000 ? -0.05 : row * apart - 0.33, lon, timeMs: began + at * 65 };
  });
  const tile = { z: 10, x: 512, y: 512 };
  // Shorter than a pixel: it is a dot.
  const route: Fix[] = [0, 1e-5].map((more) => ({ lat: more - 0.1, lon: 0.1, timeMs: Number.NaN }));
  const period = { fromMs: began, toMs: began + dayMs };
  library.replace(0, track);
  t.true(library.draw({ tile, everyPoint: false, ...period }).length > 80_000);
  library.replace(1, [], route);
  const { routes, points } = decodeTile(library.draw({ tile, everyPoint: false }));
  t.is(routes, undefined);
  t.is(points!.length, 1);
});

/** What lies between the first points of a line, as many as a part holds, and the others. */
const stepsBetweenParts = fc.record({
  kind: fc.constantFrom('timed', 'untimed', 'route'),
  z: fc.integer({ min: 2, max: 16 }),
  lat: fc.double({ min: -70, max: 70, noNaN: true }),
  lon: fc.double({ min: -170, max: 170, noNaN: true }),
  // In tiles.
  east: fc.double({ min: -5, max: 5, noNaN: true }),
  south: fc.double({ min: -5, max: 5, noNaN: true }),
});

test('tiles: the step from one part of a line to the next is drawn in every tile that it crosses', (t) => {
  const library = openLibrary(t);
  const [parts, beginMs] = [65_536, Date.UTC(2024, 4, 2)];
  fc.assert(
    fc.property(stepsBetweenParts, ({ kind, z, lat, lon, east, south }) => {
      const across = 360 / 2 ** z;
      const within = (degrees: number, most: number): number =>
        rounded(Math.min(Math.max(degrees, -most), most));
      const from = { lat: rounded(lat), lon: rounded(lon) };
      const to = {
        lat: within(lat - south * across * Math.cos((lat * Math.PI) / 180), 80),
        lon: within(Math.min(Math.max(lon + east * across, lon - 170), lon + 170), 179),
      };
      const line = Array.from({ length: parts + 9 }, (_, at): Fix => {
        const timeMs = kind === 'timed' ? beginMs + at * 1_000 : Number.NaN;
        return { ...(at < parts ? from : to), timeMs };
      });
      library.replace(0, kind === 'route' ? [] : line, kind === 'route' ? line : []);
      const [start, end] = [worldOf(from), worldOf(to)];
      for (const share of [0, 0.1, 0.3, 0.45, 0.6, 0.75, 0.95, 1]) {
        const [x, y] = [0, 1].map((at) => start[at]! + share * (end[at]! - start[at]!)) as [
          number,
          number,
        ];
        const tile = { z, x: Math.floor(x * 2 ** z), y: Math.floor(y * 2 ** z) };
        const place = [(x * 2 ** z - tile.x) * 4_096, (y * 2 ** z - tile.y) * 4_096] as const;
        const drawn = library.read({ tile, everyPoint: false });
        t.true(distance(place, drawn) <= 2 * pixel, `${kind} ${share}`);
      }
    }),
    { numRuns: rounds(24) },
  );
});

test('tiles: the way from a place is drawn at each zoom, however long one stood there', (t) => {
  const library = openLibrary(t);
  // Four hours of a fix each five minutes at one place, then three at others, and the same once more.
  const track = Array.from({ length: 102 }, (_, at): Fix => {
    const away = Math.floor(at / 51) * 4 + Math.max((at % 51) - 47, 0);
    return { lat: 0.05, lon: rounded(0.03 + away * 0.04), timeMs: startMs + (at + 12) * 300_000 };
  });
  library.replace(0, track);
  for (const z of [3, 6, 8, 10, 11]) {
    const tile = { z, x: 2 ** (z - 1), y: 2 ** (z - 1) - 1 };
    const drawn = library.read({ tile, everyPoint: false });
    const ways = track
      .slice(1)
      .map((fix, at) => placeOf({ ...fix, lon: (fix.lon + track[at]!.lon) / 2 }, tile));
    t.true(farthest(ways.filter(isIn), drawn) <= 2 * pixel, `zoom ${z}`);
  }
});

/** A library in which a few files are replaced, and what its tiles show. */
function openLibrary(t: ExecutionContext, directory = temporaryDirectory(t)) {
  const libraryPath = join(directory, 'library.sqlite');
  prepareLibrary(libraryPath, 0);
  const writer = new LibraryWriter(libraryPath);
  const reader = new TrackReader(libraryPath);
  // Windows removes no file that is open.
  t.teardown(() => {
    writer.close();
    reader.close();
  });
  return {
    replace(file: number, fixes: readonly Fix[], route: readonly Fix[] = []): void {
      const path = `${file}.gpx`;
      const counts = {
        format: 'gpx' as const,
        waypoints: 0,
        ownBookmarks: 0,
        trackPoints: fixes.length,
        tracks: 1,
        routePoints: 0,
        routes: 0,
        observations: fixes.length,
        missingTimes: 0,
        invalidTimes: 0,
        unusablePoints: 0,
      };
      writer.replaceFile(
        { path, pathKey: path, sha256: path },
        {
          load(rows) {
            for (const { lat, lon, timeMs } of fixes) rows.trackPoint(lat, lon, Number.NaN, timeMs);
            if (route.length > 0) rows.line('route', 0);
            for (const { lat, lon } of route) rows.routePoint(lat, lon, Number.NaN, '');
            return counts;
          },
          place: () => ({ size: 1, mtimeNs: '1' }),
        },
      );
    },
    draw(asked: Pick<TileTask, 'tile' | 'everyPoint' | 'fromMs' | 'toMs'>): Uint8Array {
      const layers = ['tracks', 'points', 'routes'] as const;
      const task = { ...asked, layers, places: [], gzip: false, libraryPath };
      const control = new SharedArrayBuffer(8);
      return reader.snapshot(() => makeTile({ ...task, control }, reader, () => {}))!;
    },
    read(asked: Pick<TileTask, 'tile' | 'everyPoint'>): Place[][] {
      const { tracks = [], points = [], routes = [] } = decodeTile(this.draw(asked));
      const lines = [...tracks, ...routes].flatMap(({ geometry }) => geometry);
      const dots = points.flatMap(({ geometry }) => geometry.flat().map((place) => [place]));
      return [...lines, ...dots] as Place[][];
    },
  };
}

function worldOf({ lat, lon }: Pick<Fix, 'lat' | 'lon'>): Place {
  return [worldX(lon), worldY(lat)];
}

function placeOf({ lat, lon }: Fix, { z, x, y }: TileAddress, turn = 0): Place {
  const units = 2 ** z * 4_096;
  return [(worldX(lon) + turn) * units - x * 4_096, worldY(lat) * units - y * 4_096];
}

/**
 * A track in units of a tile, cut at gaps. A line that crosses the antimeridian goes on beyond the edge of the world: each
 * of its turns round the world, and the steps over both edges, lie in the tile once.
 */
function linesOf(track: readonly Fix[], tile: TileAddress): Place[][] {
  const units = 2 ** tile.z * 4_096;
  const lines: { places: Place[]; turns: Set<number> }[] = [];
  let turn = 0;
  for (const [at, fix] of track.entries()) {
    const before = track[at - 1];
    const isGap = before === undefined || fix.timeMs - before.timeMs > gapMs;
    if (isGap) turn = 0;
    else if (Math.abs(fix.lon - before.lon) > 180) turn += fix.lon > before.lon ? -1 : 1;
    if (isGap) lines.push({ places: [], turns: new Set() });
    const { places, turns } = lines.at(-1)!;
    places.push(placeOf(fix, tile, turn));
    for (const near of [turn - 1, turn, turn + 1]) turns.add(near);
  }
  return lines.flatMap(({ places, turns }) =>
    [...turns].map((near) => places.map(([x, y]): Place => [x - near * units, y])),
  );
}

function isIn([x, y]: Place): boolean {
  return x >= 0 && x < 4_096 && y >= 0 && y < 4_096;
}

/** How far that place is from the nearest line or single place that is farthest from it. */
function farthest(places: readonly Place[], lines: readonly (readonly Place[])[]): number {
  return places.reduce((most, place) => Math.max(most, distance(place, lines)), 0);
}

/** To the nearest line or single place. */
function distance(place: Place, lines: readonly (readonly Place[])[]): number {
  let least = Infinity;
  for (const line of lines)
    for (const [at, to] of line.entries())
      least = Math.min(least, toStep(place, line[at - 1] ?? to, to));
  return least;
}

function toStep([x, y]: Place, [x0, y0]: Place, [x1, y1]: Place): number {
  const [dx, dy] = [x1 - x0, y1 - y0];
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : ((x - x0) * dx + (y - y0) * dy) / length;
  const part = Math.min(Math.max(along, 0), 1);
  return Math.hypot(x - x0 - part * dx, y - y0 - part * dy);
}

const [low, high] = [-tileBuffer, tileExtent + tileBuffer];
/** Inside, on the edges, and far outside. */
const ordinate = fc.oneof(
  fc.integer({ min: low, max: high }),
  fc.integer({ min: -3 * high, max: 3 * high }),
  fc.constantFrom(low, high, low - 1, high + 1),
);
const corner = [low - 5, low + 5, low + 5, low - 5] as const;

test('tiles: a step is cut where the buffer of the tile ends, and touching a corner is no step', (t) => {
  fc.assert(
    fc.property(fc.tuple(ordinate, ordinate, ordinate, ordinate), ([x0, y0, x1, y1]) => {
      const [drawn] = clippedLines([x0, y0, x1, y1]);
      const whole = Math.hypot(x1 - x0, y1 - y0);
      const share = shareInside([x0, y0], [x1, y1]);
      if (drawn === undefined) {
        t.true(share * whole < 8);
        return;
      }
      const [fromX, fromY, toX, toY] = drawn as [number, number, number, number];
      const length = Math.hypot(toX - fromX, toY - fromY);
      t.true(length > 0);
      t.true(drawn.every((value) => value >= low && value <= high));
      t.true(Math.abs(length - share * whole) < 3 + whole / 500, String([x0, y0, x1, y1]));
      for (const [x, y] of [drawn.slice(0, 2), drawn.slice(2)] as [number, number][])
        t.true(Math.abs((x1 - x0) * (y0 - y) - (x0 - x) * (y1 - y0)) <= 1.5 * whole);
    }),
    { numRuns: rounds(2_000), examples: [[[...corner]]] },
  );
});

/** How much of a step lies inside, by looking at many places of it. */
function shareInside([x0, y0]: Place, [x1, y1]: Place): number {
  const looks = 2_000;
  let inside = 0;
  for (let at = 0; at < looks; at += 1) {
    const part = (at + 0.5) / looks;
    const [x, y] = [x0 + part * (x1 - x0), y0 + part * (y1 - y0)];
    if (x >= low && x <= high && y >= low && y <= high) inside += 1;
  }
  return inside / looks;
}
