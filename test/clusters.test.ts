import test from 'ava';
import fc from 'fast-check';
import { findClusters, type ClusterRequest } from '../search/clusters.ts';
import { buildSearchIndex } from '../search/library-data.ts';
import { WaypointIndex, type SearchSnapshot } from '../search/waypoint-index.ts';
import { identityOf } from '../model/identity.ts';
import type { Bbox } from '../model/schema.ts';
import { rounds } from './helpers/effort.ts';
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
