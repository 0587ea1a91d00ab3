import test from 'ava';
import fc from 'fast-check';
import { findClusters } from '../search/clusters.ts';
import { buildSearchIndex, emptySearchIndex } from '../search/library-data.ts';
import { LibraryIndex } from '../search/library-index.ts';
import { WaypointIndex } from '../search/waypoint-index.ts';
import { compareFolded, foldName } from '../model/fold.ts';
import { identityOf, isSameIdentity } from '../model/identity.ts';
import { aligned, referenceClusters, type ClusterItem } from './reference/clusters.ts';
import { eachOnce, row, shownPlaces, type Row } from './reference/places.ts';
import { rounds } from './helpers/effort.ts';

const seed = 20_240_609;
const every = { zoom: 24, grid: 8, bookmarksOnly: false, bounds: false } as const;

function shownBy(index: WaypointIndex): ClusterItem[] {
  return JSON.parse(JSON.stringify([...findClusters(index.snapshot(), every).items]));
}

function dataOf(rows: readonly Row[]) {
  return buildSearchIndex(rows, rows.length, 'r');
}

test('search index: lies in shared memory whole, and holds every waypoint with its name', (t) => {
  const rows = [
    { name: 'Zoë "z"', lat: 1, lon: 2 },
    { name: 'abc', lat: -3, lon: -4 },
    { name: '山', lat: 90, lon: 180 },
  ];
  const data = dataOf(rows);
  for (const part of Object.values(data)) {
    for (const view of [part, ...Object.values(part)])
      if (ArrayBuffer.isView(view)) t.true(view.buffer instanceof SharedArrayBuffer);
  }
  const library = new LibraryIndex(data);
  const places = Array.from({ length: 3 }, (_, rank) => library.place(rank));
  t.deepEqual(
    places.toSorted((a, b) => b.lat - a.lat),
    rows.toSorted((a, b) => b.lat - a.lat),
  );
  t.is(data.revision, 'r');
});

test('search index: takes as many rows as announced, and refuses fewer', (t) => {
  const rows = [
    { name: 'a', lat: 0, lon: 0 },
    { name: 'b', lat: 0, lon: 1 },
  ];
  t.is(buildSearchIndex(rows, 1, '').count, 1);
  t.throws(() => buildSearchIndex(rows, 3, ''), { instanceOf: RangeError });
  t.deepEqual(buildSearchIndex([], 0, 'x'), emptySearchIndex('x'));
});

test('search index: ranks ascend by folded name, lat, lon, and find gives each waypoint by its identity', (t) => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 150 }), (rows) => {
      const library = eachOnce(rows);
      const index = new LibraryIndex(dataOf(library));
      const ranked = library.map((_, rank) => index.place(rank));
      for (const [at, place] of ranked.entries()) {
        const next = ranked[at + 1];
        if (next === undefined) continue;
        const order =
          compareFolded(foldName(place.name), foldName(next.name)) ||
          place.lat - next.lat ||
          place.lon - next.lon;
        t.true(order <= 0);
      }
      for (const { name, lat, lon } of library) {
        const found = index.place(index.find(identityOf(name, lat, lon)) ?? -1);
        t.deepEqual(found, { name, lat: lat + 0, lon: lon + 0 });
      }
    }),
    { seed, numRuns: rounds(100) },
  );
});

test('search index: find takes no neighbour, no other name, and joins both names of the antimeridian', (t) => {
  const library = new LibraryIndex(
    dataOf([
      { name: 'Camp', lat: 1, lon: -180 },
      { name: 'Camp', lat: 1, lon: 5 },
      { name: 'camp', lat: 2, lon: 5 },
    ]),
  );
  const find = (name: string, lat: number, lon: number): boolean =>
    library.find(identityOf(name, lat, lon)) !== undefined;
  t.true(find('Camp', 1, 180));
  t.true(find('Camp', 1, 179.999_999_6));
  t.false(find('Camp', 1, 179.999_999_4));
  t.true(find('Camp', 1.000_000_4, 5));
  t.false(find('Camp', 1.000_000_6, 5));
  t.false(find('Camp', 2, 5));
  t.false(find('cAmp', 1, 5));
  t.false(find('Cam', 1, 5));
  t.is(new LibraryIndex(emptySearchIndex()).find(identityOf('Camp', 1, 5)), undefined);
});

test('search index: find gives each of thousands of one name on one parallel, or of many names at one place', (t) => {
  const parallel = Array.from({ length: 20_000 }, (_, at) => ({
    name: 'x',
    lat: 0,
    lon: at / 200,
  }));
  const place = Array.from({ length: 20_000 }, (_, at) => ({ name: `n${at}`, lat: 0, lon: 0 }));
  for (const rows of [parallel, place]) {
    const library = new LibraryIndex(dataOf(rows));
    const found = new Set(
      rows.map(({ name, lat, lon }) => library.find(identityOf(name, lat, lon))),
    );
    t.is(found.size, 20_000);
    t.false(found.has(undefined));
  }
});

type Change =
  | { kind: 'put'; id: number; place: Row }
  | { kind: 'remove'; id: number }
  | { kind: 'hide' | 'unhide'; place: Row }
  | { kind: 'swap'; library: Row[] };

/** Few ids and few places, so that changes meet. */
function changesAmong(places: readonly Row[]): fc.Arbitrary<Change[]> {
  const id = fc.integer({ min: 1, max: 4 });
  const place = fc.constantFrom(...places);
  return fc.array(
    fc.oneof(
      fc.record({ kind: fc.constant('put' as const), id, place }),
      fc.record({ kind: fc.constant('remove' as const), id }),
      fc.record({ kind: fc.constantFrom('hide' as const, 'unhide' as const), place }),
      fc
        .subarray([...places])
        .map((library) => ({ kind: 'swap' as const, library: eachOnce(library) })),
    ),
    { maxLength: 25 },
  );
}

test('live index: shows what a fresh start would, after any changes', async (t) => {
  const changes = fc
    .array(row, { minLength: 4, maxLength: 12 })
    .chain((places) => changesAmong(places));
  await fc.assert(
    fc.asyncProperty(changes, async (list) => {
      const index = new WaypointIndex();
      const bookmarks = new Map<number, Row>();
      const hidden: Row[] = [];
      let library: Row[] = [];
      const same = (a: Row, b: Row): boolean =>
        isSameIdentity(identityOf(a.name, a.lat, a.lon), identityOf(b.name, b.lat, b.lon));
      for (const change of list) {
        if (change.kind === 'put') {
          bookmarks.set(change.id, change.place);
          index.putBookmark({ id: change.id, ...change.place });
        } else if (change.kind === 'remove') {
          bookmarks.delete(change.id);
          index.removeBookmark(change.id);
        } else if (change.kind === 'swap') {
          library = change.library;
          t.true(await index.replaceLibrary(dataOf(library)));
        } else {
          const { name, lat, lon } = change.place;
          const at = hidden.findIndex((place) => same(place, change.place));
          if (at >= 0) hidden.splice(at, 1);
          if (change.kind === 'hide') hidden.push(change.place);
          index[change.kind](identityOf(name, lat, lon));
        }
      }
      const shown = shownPlaces(library, [...bookmarks.values()], hidden);
      const expected = referenceClusters(shown, every);
      t.deepEqual(aligned(shownBy(index), expected), expected);
    }),
    { seed, numRuns: rounds(200) },
  );
});

test('live index: changes while a new library is taken in are in it', async (t) => {
  const places = Array.from({ length: 30_000 }, (_, at) => ({
    name: `p${at}`,
    lat: (at % 300) / 4,
    lon: at / 200,
  }));
  const index = new WaypointIndex();
  for (const [id, place] of places.slice(0, 20_000).entries()) index.putBookmark({ id, ...place });
  const swap = index.replaceLibrary(dataOf(places));
  t.is(index.libraryRevision, '', 'twenty thousand covers take more than one turn');
  index.removeBookmark(0);
  index.removeBookmark(19_999);
  index.putBookmark({ id: 20_000, ...places[20_000]! });
  t.true(await swap);
  t.is(index.libraryRevision, 'r');
  const bookmarks = places.slice(1, 19_999).concat(places[20_000]!);
  t.deepEqual(shownBy(index), referenceClusters(shownPlaces(places, bookmarks), every));
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
