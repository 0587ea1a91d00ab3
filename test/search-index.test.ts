import test from 'ava';
import fc from 'fast-check';
import { clusterJson } from '../search/clusters.ts';
import { JsonBytes } from '../search/json-bytes.ts';
import { LibraryIndex } from '../search/library-index.ts';
import { WaypointIndex } from '../search/waypoint-index.ts';
import { compareFolded, foldName } from '../model/fold.ts';
import { identityOf, isSameIdentity } from '../model/identity.ts';
import { buildSearchIndex } from '../search/index/build.ts';
import { emptySearchIndex } from '../search/index/data.ts';
import { finish, keyedOrder, radixSort } from '../search/index/radix-sort.ts';
import { aligned, referenceClusters, type ClusterItem } from './reference/clusters.ts';
import { eachOnce, row, shownPlaces, type Row } from './reference/places.ts';
import { rounds } from './helpers/effort.ts';

const seed = 20_240_609;
const every = { zoom: 24, grid: 8, bookmarksOnly: false, bounds: false } as const;

function shownBy(index: WaypointIndex): ClusterItem[] {
  return JSON.parse([...clusterJson(index.snapshot(), every)].join(''));
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
    if (ArrayBuffer.isView(part)) t.true(part.buffer instanceof SharedArrayBuffer);
  }
  const library = new LibraryIndex(data);
  const places = Array.from({ length: 3 }, (_, position) => library.place(position));
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
      const data = dataOf(library);
      const index = new LibraryIndex(data);
      const ranked = Array.from(data.byName, (position) => index.place(position));
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

test('search index: every unit of UTF-16 is folded and escaped as by itself', (t) => {
  const units = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code));
  const rows = units.map((unit, code) => ({ name: `x${unit}`, lat: 0, lon: code / 1_000 }));
  const { names, nameStart, byName, folded, foldedStart } = dataOf(rows);
  const read = Array.from(byName, (position, rank) => {
    const json = Buffer.from(names.subarray(nameStart[position]!, nameStart[position + 1]!));
    const text = Buffer.from(folded.subarray(foldedStart[rank]!, foldedStart[rank + 1]!));
    return { name: JSON.parse(`"${json.toString()}"`) as string, folded: text.toString() };
  });
  const wrong = read.filter((place) => {
    // A lone half of a character is written as U+FFFD.
    const expected = Buffer.from(`${foldName(place.name.replace('\0', ' '))}\0`);
    return place.folded !== expected.toString();
  });
  t.deepEqual(wrong, []);
  t.is(new Set(read.map(({ name }) => name)).size, units.length);
});

test('search index: thousands of names with the same beginnings rank as a plain sort has them', (t) => {
  const endings = ['', 'a', 'b', 'aaaa', 'aaab', 'é', 'ée', '山', '😀', ' 7', 'long '.repeat(90)];
  const rows = Array.from({ length: 3_000 }, (_, at) => {
    const mixed = Math.imul(at, 0x9e37_79b1) >>> 4;
    const beginning = ['Camp', 'Ca', 'Camping ', '', 'Ñandú'][mixed % 5]!;
    const middle = endings[(mixed >>> 3) % endings.length]!;
    const ending = endings[(mixed >>> 8) % endings.length]!;
    return { name: beginning + middle + ending, lat: (mixed >>> 12) % 7, lon: at % 90, at };
  });
  const library = eachOnce(rows);
  const index = new LibraryIndex(dataOf(library));
  const ranked = Array.from(index.data.byName, (position) => index.place(position));
  const expected = library.toSorted(
    (a, b) => compareFolded(foldName(a.name), foldName(b.name)) || a.lat - b.lat || a.lon - b.lon,
  );
  t.deepEqual(
    ranked,
    expected.map(({ name, lat, lon }) => ({ name, lat, lon })),
  );
});

test('search index: gives back at once what only its building took', (t) => {
  const rows = Array.from({ length: 20_000 }, (_, at) => ({
    name: `Place ${at % 999}`,
    lat: at % 80,
    lon: at % 170,
  }));
  const before = process.memoryUsage().arrayBuffers;
  const data = dataOf(rows);
  const taken = process.memoryUsage().arrayBuffers - before;
  const views = Object.values(data).filter((part) => ArrayBuffer.isView(part));
  const kept = views.reduce((sum, { byteLength }) => sum + byteLength, 0);
  t.true(taken < kept * 1.2, `${taken} bytes for ${kept}`);
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

test('live index: setBookmarks and setHidden replace what was there', async (t) => {
  const places = Array.from({ length: 6 }, (_, at) => ({ name: `p${at}`, lat: at, lon: at }));
  const [a, b, c, d, e] = places as [Row, Row, Row, Row, Row];
  const index = new WaypointIndex();
  await index.replaceLibrary(dataOf(places));
  const key = ({ name, lat, lon }: Row) => identityOf(name, lat, lon);
  index.setBookmarks([a, b].map((place, id) => ({ id, ...place })));
  index.setHidden([key(c), key(d)]);
  index.setBookmarks([b, e].map((place, id) => ({ id, ...place })));
  index.setHidden([key(d)]);
  t.deepEqual(shownBy(index), referenceClusters(shownPlaces(places, [b, e], [d]), every));
});

test('live index: changes while a new library is taken in are in it', async (t) => {
  const places = Array.from({ length: 30_000 }, (_, at) => ({
    name: `p${at}`,
    lat: (at % 300) / 4,
    lon: at / 200,
  }));
  const index = new WaypointIndex();
  index.setBookmarks(places.slice(0, 20_000).map((place, id) => ({ id, ...place })));
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
  index.setBookmarks(places.map((place, id) => ({ id, ...place })));
  const first = index.replaceLibrary(buildSearchIndex(places, places.length, 'first'));
  const second = index.replaceLibrary(buildSearchIndex(places, 10, 'second'));
  t.deepEqual(await Promise.all([first, second]), [false, true]);
  t.is(index.libraryRevision, 'second');
});

test('json bytes: numbers read back as exactly what they were, rounded ones to nine decimals', (t) => {
  const json = new JsonBytes();
  const decimal = fc
    .tuple(fc.integer({ min: -180_000_000, max: 180_000_000 }), fc.integer({ min: 0, max: 9 }))
    .map(([units, places]) => Math.max(-180, Math.min(180, units / 10 ** places)));
  const small = fc.constantFrom(0, -0, 1e-7, -1e-9, 1.5e-9, 1e-10, 180, -180, 99.999_999_999, 10);
  const number = fc.oneof(decimal, small, fc.double({ min: -180, max: 180, noNaN: true }));
  fc.assert(
    fc.property(number, (value) => {
      json.number(value);
      t.is(Number(JSON.parse(json.take())) + 0, value + 0);
      json.rounded(value);
      const text = json.take();
      t.true(Math.abs(Number(JSON.parse(text)) - value) <= 0.500_001e-9);
      t.regex(text, /^-?\d{1,3}(\.\d{1,9})?$/);
    }),
    { seed, numRuns: rounds(1_000), examples: [[123.456_789_012], [0.1 + 0.2]] },
  );
});

test('json bytes: text of any length and kind, in the order in which it was added', (t) => {
  const json = new JsonBytes();
  const long = 'é"山😀\\n'.repeat(20_000);
  json.ascii('[');
  json.string(long);
  json.ascii(',"');
  json.utf8(Buffer.from(`xx${'ñ'.repeat(90_000)}xx`), 2, 180_002);
  json.ascii('"]');
  t.deepEqual(JSON.parse(json.take()), [long, 'ñ'.repeat(90_000)]);
  t.is(json.length, 0);
  t.is(json.take(), '');
});

test('radix sort: ascending and stable, within the range only', (t) => {
  const keys = fc.oneof(
    fc.array(fc.integer({ min: 0, max: 2 ** 32 - 1 }), { maxLength: 300 }),
    fc.array(fc.constantFrom(0, 1, 255, 256, 65_536, 2 ** 31, 2 ** 32 - 1), { maxLength: 300 }),
  );
  fc.assert(
    fc.property(keys, fc.nat(40), (values, margin) => {
      const pairs = keyedOrder(values.length);
      pairs.keys.set(values);
      const from = Math.min(margin, values.length);
      const to = Math.max(from, values.length - margin);
      finish(radixSort(pairs, keyedOrder(values.length), from, to));
      const before = Array.from(values.keys());
      const expected = [
        ...before.slice(0, from),
        ...before.slice(from, to).sort((a, b) => values[a]! - values[b]! || a - b),
        ...before.slice(to),
      ];
      t.deepEqual([...pairs.order], expected);
      t.deepEqual(
        [...pairs.keys],
        expected.map((at) => values[at]),
      );
    }),
    { seed, numRuns: rounds(200) },
  );
});
