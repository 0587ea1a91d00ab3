import test from 'ava';
import fc from 'fast-check';
import { findClusters, type ClusterRequest } from '../search/clusters.ts';
import { buildSearchIndex } from '../search/library-data.ts';
import { WaypointIndex, type SearchSnapshot } from '../search/waypoint-index.ts';
import { identityOf } from '../model/identity.ts';
import type { Bbox } from '../model/schema.ts';
import { rounds } from './helpers/effort.ts';
import { valuesOf } from './helpers/fields.ts';
import { aligned, referenceClusters, type ClusterItem } from './reference/clusters.ts';
import { row, shownPlaces, stocked, type Row } from './reference/places.ts';

interface Waypoints {
  library?: readonly Row[];
  bookmarks?: readonly Row[];
  hidden?: readonly Row[];
}

async function indexOf({ library = [], bookmarks = [], hidden = [] }: Waypoints) {
  const index = new WaypointIndex();
  await index.replaceLibrary(buildSearchIndex(library, library.length, 'r1'));
  for (const [at, place] of bookmarks.entries()) index.putBookmark({ id: at + 1, ...place });
  for (const { name, lat, lon } of hidden) index.hide(identityOf(name, lat, lon));
  return index;
}

function request(changes: Partial<ClusterRequest> = {}): ClusterRequest {
  return { zoom: 0, grid: 60, bookmarksOnly: false, bounds: false, ...changes };
}

function clusters(snapshot: SearchSnapshot, changes: Partial<ClusterRequest> = {}): ClusterItem[] {
  return JSON.parse(JSON.stringify([...findClusters(snapshot, request(changes)).items]));
}

async function clustersOf(waypoints: Waypoints, changes: Partial<ClusterRequest> = {}) {
  return clusters((await indexOf(waypoints)).snapshot(), changes);
}

function total(items: readonly ClusterItem[]): number {
  return items.reduce((sum, item) => sum + (item.type === 'cluster' ? item.count : 1), 0);
}

const zooms = fc.oneof(
  fc.integer({ min: 0, max: 24 }),
  fc.double({ min: 0, max: 24, noNaN: true }),
);
const grids = fc.oneof(
  fc.constantFrom(8, 60, 64, 128, 512),
  fc.double({ min: 8, max: 512, noNaN: true }),
);
const boxes: fc.Arbitrary<Bbox> = fc
  .tuple(row, row)
  .map(([a, b]) => [a.lon, Math.min(a.lat, b.lat), b.lon, Math.max(a.lat, b.lat)]);

test('clusters: equal the plain reference for any waypoints, zoom, grid and box', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      stocked,
      fc.record({
        zoom: zooms,
        grid: grids,
        bookmarksOnly: fc.boolean(),
        bounds: fc.boolean(),
        bbox: fc.option(boxes, { nil: undefined }),
      }),
      async ({ library, bookmarks, hidden }, asked) => {
        const items = await clustersOf({ library, bookmarks, hidden }, asked);
        const expected = referenceClusters(shownPlaces(library, bookmarks, hidden), asked);
        t.deepEqual(aligned(items, expected), expected);
      },
    ),
    { numRuns: rounds(200) },
  );
});

test('clusters: one member is a waypoint item, several are a cluster item', async (t) => {
  const items = await clustersOf(
    {
      library: [
        { name: 'A', lat: 10, lon: 10 },
        { name: 'B', lat: 10.1, lon: 10.2 },
        { name: 'Far "off"', lat: -40.5, lon: -100.25 },
      ],
      bookmarks: [{ name: 'Own', lat: 60, lon: 100 }],
    },
    { zoom: 3 },
  );
  t.deepEqual(valuesOf(items, 'type'), ['waypoint', 'cluster', 'waypoint']);
  t.deepEqual(items[0], { type: 'waypoint', name: 'Own', lat: 60, lon: 100, bookmark: true });
  t.deepEqual(Object.keys(items[1] ?? {}), ['type', 'lat', 'lon', 'count']);
  t.deepEqual(items[2], {
    type: 'waypoint',
    name: 'Far "off"',
    lat: -40.5,
    lon: -100.25,
    bookmark: false,
  });
});

test('clusters: the centre is that of the members’ pixel bounding box, not their mean', async (t) => {
  const library = [
    { name: 'A', lat: 0, lon: 0 },
    { name: 'B', lat: 0, lon: 1 },
    { name: 'C', lat: 0, lon: 4 },
    { name: 'D', lat: -60, lon: 2 },
  ];
  const [item, ...rest] = await clustersOf({ library }, { grid: 512, bounds: true });
  t.deepEqual(rest, []);
  t.is(item?.type === 'cluster' && item.count, 4);
  t.is(item?.lon, 2);
  // Halfway in pixels between the equator and 60° south; halfway in degrees would be −30.
  t.true(Math.abs((item?.lat ?? 0) - -35.2644) < 1e-3);
  t.deepEqual(item?.type === 'cluster' && item.bbox, [0, -60, 4, 0]);
});

test('clusters: items come by cell row, then column', async (t) => {
  const library = [
    { name: 'south-west', lat: -50, lon: -150 },
    { name: 'north-east', lat: 70, lon: 150 },
    { name: 'south-east', lat: -50, lon: 150 },
    { name: 'north-west', lat: 70, lon: -150 },
  ];
  const items = await clustersOf({ library }, { zoom: 1 });
  t.deepEqual(
    items.map((item) => item.type === 'waypoint' && item.name),
    ['north-west', 'north-east', 'south-west', 'south-east'],
  );
});

test('clusters: latitudes beyond the edge of the map are on the edge', async (t) => {
  const library = [
    { name: 'pole', lat: 90, lon: 0 },
    { name: 'edge', lat: 85.0511287798066, lon: 0.1 },
    { name: 'south pole', lat: -90, lon: 0 },
  ];
  const items = await clustersOf({ library }, { zoom: 4, bounds: true });
  t.deepEqual(
    items.map((item) => (item.type === 'cluster' ? item.bbox : item.name)),
    [[0, 85.0511287798066, 0.1, 90], 'south pole'],
  );
  t.true(Math.abs((items[0]?.lat ?? 0) - 85.0511287798066) < 1e-9);
});

test('clusters: longitude 180 is the right edge and −180 the left one, and both are counted', async (t) => {
  const library = [
    { name: 'right', lat: 0.1, lon: 180 },
    { name: 'left', lat: 0.1, lon: -180 },
    { name: 'nearly right', lat: 0.1, lon: 179.999 },
  ];
  // 64 divides the world, so pixel 256 is a column of its own; 60 does not.
  t.is((await clustersOf({ library }, { grid: 64 })).length, 3);
  const items = await clustersOf({ library }, { grid: 60 });
  t.is(items.length, 2);
  t.is(total(items), 3);
});

test('clusters: a box filters members before they are grouped, and may cross the antimeridian', async (t) => {
  const library = [
    { name: 'A', lat: 0.5, lon: 179 },
    { name: 'B', lat: 0.5, lon: 178 },
    { name: 'C', lat: 0.5, lon: -179 },
    { name: 'D', lat: 0.5, lon: 0 },
  ];
  const names = async (bbox: Bbox): Promise<unknown[]> =>
    (await clustersOf({ library }, { bbox })).map((item) =>
      item.type === 'waypoint' ? item.name : item.count,
    );
  t.deepEqual(await names([178.5, 0, 179.5, 1]), ['A']);
  t.deepEqual(await names([170, 0, -170, 1]), ['C', 2]);
  t.deepEqual(await names([170, 0, -179.5, 1]), [2]);
  t.deepEqual(await names([-180, 0.6, 180, 1]), []);
  t.deepEqual(await names([178, 0.5, 179, 0.5]), [2], 'all edges belong to the box');
});

test('clusters: a box that ends on the antimeridian has both of its names', async (t) => {
  const library = [
    { name: 'plus', lat: 1, lon: 180 },
    { name: 'minus', lat: -1, lon: -180 },
  ];
  for (const bbox of [
    [170, -2, 180, 2],
    [-180, -2, -170, 2],
    [180, -2, -180, 2],
  ] as Bbox[]) {
    t.is(total(await clustersOf({ library }, { bbox })), 2, bbox.join());
  }
});

test('clusters: an imported twin of a bookmark is counted once, as bookmark, and hidden ones not at all', async (t) => {
  const library = [
    { name: 'Camp', lat: 10, lon: 10 },
    { name: 'Other', lat: 10, lon: 10 },
    { name: 'Gone', lat: 50, lon: 100 },
  ];
  const bookmarks = [{ name: 'Camp', lat: 10.000_000_2, lon: 10 }];
  const index = await indexOf({ library, bookmarks, hidden: [library[2]!] });
  t.is(total(clusters(index.snapshot())), 2);
  const [own, ...rest] = clusters(index.snapshot(), { bookmarksOnly: true });
  t.deepEqual(rest, []);
  t.deepEqual(own, { type: 'waypoint', ...bookmarks[0]!, bookmark: true });
});

test('clusters: two waypoints in the same microdegree are two, also for a bookmark over one of them', async (t) => {
  const library = [
    { name: 'Camp', lat: 10.000_000_1, lon: 10 },
    { name: 'Camp', lat: 10.000_000_9, lon: 10 },
  ];
  t.is(total(await clustersOf({ library })), 2);
  t.is(total(await clustersOf({ library, bookmarks: [library[0]!] })), 2);
});

test('clusters: an answer in progress does not see later changes', async (t) => {
  const random = mulberry(3);
  const places = Array.from({ length: 12_000 }, (_, at) => ({
    name: `W${at}`,
    lat: random() * 160 - 80,
    lon: random() * 360 - 180,
  }));
  const library = places.slice(0, 11_000);
  const bookmarks = places.slice(11_000);
  for (const itemsBefore of [0, 1, 4_000]) {
    const index = await indexOf({ library, bookmarks });
    const asked = { zoom: 8 };
    const before = clusters(index.snapshot(), asked);
    const { items } = findClusters(index.snapshot(), request(asked));
    const steps = items[Symbol.iterator]();
    const sent = Array.from({ length: itemsBefore }, () => steps.next().value as ClusterItem);
    for (const [at, place] of library.slice(0, 500).entries())
      index.putBookmark({ id: at, ...place });
    index.hide(identityOf(library[501]!.name, library[501]!.lat, library[501]!.lon));
    await index.replaceLibrary(buildSearchIndex(places.slice(6_000), 6_000, 'r2'));
    t.deepEqual([...sent, ...items], before);
    t.notDeepEqual(clusters(index.snapshot(), asked), before);
  }
});

test('live index: changes while a new library is taken in are in it', async (t) => {
  const places = Array.from({ length: 30_000 }, (_, at) => ({
    name: `p${at}`,
    lat: (at % 300) / 4,
    lon: at / 200,
  }));
  const index = new WaypointIndex();
  for (const [id, place] of places.slice(0, 20_000).entries()) index.putBookmark({ id, ...place });
  const swap = index.replaceLibrary(buildSearchIndex(places, places.length, 'r'));
  t.is(index.libraryRevision, '', 'twenty thousand covers take more than one turn');
  index.removeBookmark(0);
  index.removeBookmark(19_999);
  index.putBookmark({ id: 20_000, ...places[20_000]! });
  t.true(await swap);
  t.is(index.libraryRevision, 'r');
  const every = { zoom: 24, grid: 8 };
  const bookmarks = places.slice(1, 19_999).concat(places[20_000]!);
  t.deepEqual(
    clusters(index.snapshot(), every),
    referenceClusters(shownPlaces(places, bookmarks), request(every)),
  );
});

test('live index: a later library overtakes one that is still being taken in', async (t) => {
  const places = Array.from({ length: 20_000 }, (_, at) => ({
    name: `p${at}`,
    lat: 1,
    lon: at / 200,
  }));
  const index = new WaypointIndex();
  for (const [id, place] of places.entries()) index.putBookmark({ id, ...place });
  const first = index.replaceLibrary(buildSearchIndex(places, places.length, 'first'));
  const second = index.replaceLibrary(buildSearchIndex(places, 10, 'second'));
  t.deepEqual(await Promise.all([first, second]), [false, true]);
  t.is(index.libraryRevision, 'second');
});

/** A small generator of numbers in 0…1, the same for the same start. */
function mulberry(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
