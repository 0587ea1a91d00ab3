import test from 'ava';
import fc from 'fast-check';
import type { Generations } from '../geodata/generations.ts';
import { OfflinePlaces } from '../daemon/geodata/offline-places.ts';
import { suggestNames } from '../search/suggest.ts';
import { parseTagQuery } from '../search/tag-query.ts';
import { WaypointIndex } from '../search/waypoint-index.ts';
import { identityOf } from '../model/identity.ts';
import { buildSearchIndex } from '../search/library-data.ts';
import { startTestDaemon, type TestDaemon } from './helpers/daemon.ts';
import { rounds } from './helpers/effort.ts';
import { rowsOf, valuesOf } from './helpers/fields.ts';
import { makeGeneration } from './helpers/generations.ts';
import { openFiles } from './helpers/open-files.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';
import { until } from './helpers/until.ts';
import { shownPlaces, stocked, type Row } from './reference/places.ts';
import { referenceSuggest } from './reference/suggest.ts';

async function suggest(
  waypoints: { library?: readonly Row[]; bookmarks?: readonly Row[]; hidden?: readonly Row[] },
  query: string,
  limit = 8,
) {
  const { library = [], bookmarks = [], hidden = [] } = waypoints;
  const index = new WaypointIndex();
  for (const [id, place] of bookmarks.entries()) index.putBookmark({ id, ...place });
  for (const { name, lat, lon } of hidden) index.hide(identityOf(name, lat, lon));
  await index.replaceLibrary(buildSearchIndex(library, library.length, 'r1'));
  return suggestNames(index.snapshot(), query, limit);
}

/** Places of these names, far from each other. */
function named(names: readonly string[]): Row[] {
  return names.map((name, at) => ({ name, lat: at, lon: at }));
}

async function namesFor(names: readonly string[], query: string): Promise<string[]> {
  return (await suggest({ library: named(names) }, query)).map(({ name }) => name);
}

const queries = fc.oneof(
  fc.constantFrom('amp c', 'a 1', 'p camp', 'é  c', 's, a'),
  fc.constantFrom('c', 'ca', 'camp', 'CÁMP', 'amp', '-c', '(', '9', '😀', 'é', 'ß', '山', 'sigma'),
  fc.string({ unit: fc.constantFrom('a', 'b', 'é', ' ', '-', '1', '😀', 's'), maxLength: 4 }),
);

test('suggest: a word that is typed twice counts once', async (t) => {
  t.deepEqual(await namesFor(['Camp', 'Lake'], 'camp camp'), ['Camp']);
});

test('suggest: equals the plain reference for any waypoints and query', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      stocked,
      queries,
      fc.integer({ min: 1, max: 12 }),
      async ({ library, bookmarks, hidden }, query, limit) => {
        const found = await suggest({ library, bookmarks, hidden }, query, limit);
        const shown = shownPlaces(library, bookmarks, hidden);
        t.deepEqual(withoutTies(found), withoutTies(referenceSuggest(shown, query, limit)));
      },
    ),
    { numRuns: rounds(300) },
  );
});

/** Names that fold alike at one place may come in either order; the contract says no more. */
function withoutTies(found: readonly { name: string; lat: number; lon: number; source: string }[]) {
  return found.map(({ lat, lon, source }) => ({ lat, lon, source }));
}

test('suggest: case and accents make no difference, in the name or in the query', async (t) => {
  for (const [name, query] of [
    ['Älplihütte', 'alpliHUTTE'],
    ['alplihutte', 'ÄLPLIHÜTTE'],
    ['Straße', 'STRASSE'],
    ['İstanbul', 'istanbul'],
    ['Kadıköy', 'kadikoy'],
    ['Łódź', 'lodz'],
    ['Ørsted', 'orsted'],
    ['Ærø', 'aero'],
    ['Þingvellir', 'thing'],
    ['ΟΔΟΣ', 'οδος'],
    ['Йошкар', 'иошкар'],
    ['L’Été', "l'ete"],
    ['ﬁnca', 'finca'],
  ] as const) {
    t.deepEqual(await namesFor([name], query), [name], name);
  }
});

test('suggest: folded names are ordered by code point', async (t) => {
  // U+FFFD is below U+1F600, although its UTF-16 unit is above the surrogates.
  const names = ['a\u{1F600}', 'a\u{FFFD}'];
  t.deepEqual(await namesFor(names, 'a'), ['a\u{FFFD}', 'a\u{1F600}']);
  const bookmarks = named(names);
  const found = await suggest({ bookmarks }, 'a');
  t.deepEqual(valuesOf(found, 'name'), ['a\u{FFFD}', 'a\u{1F600}']);
});

test('suggest: a blank query, or one of accents alone, finds nothing', async (t) => {
  for (const query of ['', '   ', '\u0301', '\0'])
    t.deepEqual(await namesFor(['a', 'b c'], query), []);
});

test('suggest: each word of a query is found anywhere in a name, in any order, after the query as it is', async (t) => {
  const names = [
    'Matosinhos Praia',
    'Praia de Matosinhos',
    'Praia',
    'Praia da Rocha',
    'x praia mato',
  ];
  t.deepEqual(await namesFor(names, 'praia matosinhos'), [
    'Matosinhos Praia',
    'Praia de Matosinhos',
  ]);
  t.deepEqual(await namesFor(names, 'PRÁIA  mato'), [
    'Matosinhos Praia',
    'Praia de Matosinhos',
    'x praia mato',
  ]);
  t.deepEqual(await namesFor(names, 'sinhos, prai'), ['Matosinhos Praia', 'Praia de Matosinhos']);
  t.deepEqual(await namesFor(names, 'praia porto'), []);
  const library = named(names);
  const found = await suggest(
    { library, bookmarks: [library[1]!], hidden: [library[0]!] },
    'mato praia',
  );
  t.deepEqual(rowsOf(found, 'name', 'source'), [
    ['Praia de Matosinhos', 'bookmark'],
    ['x praia mato', 'waypoint'],
  ]);
});

test('tag query: one tag, AND, OR, operators in any case, with or without quotes', (t) => {
  const cases: [string, string, string[]][] = [
    ['tag:beach', 'single', ['beach']],
    ['  TAG: red wine ', 'single', ['red wine']],
    ['tag:a AND b', 'AND', ['a', 'b']],
    ['tag:a and b And c', 'AND', ['a', 'b', 'c']],
    ['tag:"a OR b"', 'OR', ['a', 'b']],
    ['tag:"a" oR "b c"', 'OR', ['a', 'b c']],
    ['tag:a OR b AND c', 'mixed', ['a', 'b', 'c']],
    ['tag:a AND tag:b', 'AND', ['a', 'b']],
    ['tag:red wine or TAG:white wine', 'OR', ['red wine', 'white wine']],
    ['tag:"rock and roll" AND tag:"b"', 'AND', ['rock and roll', 'b']],
    ['tag:a AND tag:', 'single', ['a']],
    ['tag:a OR', 'single', ['a']],
    ['tag:tag:', 'single', []],
    ['tag:sand', 'single', ['sand']],
    ['tag:android orbit', 'single', ['android orbit']],
    ['tag:a AND', 'single', ['a']],
    ['tag:a AND and b', 'AND', ['a', 'b']],
    ['tag:or', 'single', ['or']],
    ['tag:***', 'single', ['***']],
    ['tag:', 'single', []],
    ['tag:""', 'single', []],
    ['tag:"', 'single', ['"']],
  ];
  for (const [query, kind, tags] of cases) t.deepEqual(parseTagQuery(query), { kind, tags }, query);
});

test('tag query: everything else is normal text', (t) => {
  for (const query of ['', 'beach', 'tags:a', 'a tag:b', 'tag beach', 'tag']) {
    t.is(parseTagQuery(query), undefined, query);
  }
});

interface Found {
  readonly name: string;
  readonly source: string;
  readonly class?: string;
  readonly type?: string;
}

/** What a daemon with the builtin geodata suggests. */
async function suggestions(daemon: TestDaemon, query: string): Promise<Found[]> {
  const answer = await daemon.get(`/api/suggest?q=${encodeURIComponent(query)}`);
  return answer.status === 200 ? answer.body.suggestions : [];
}

test('places: towns of the world are found as people write them', async (t) => {
  const daemon = await startTestDaemon(t, { settings: { geocoder: 'offline' } });
  for (const [query, name, type] of [
    // Their names are tried in geodata-search.test.ts.
    ['lodz', 'Łódź, Łódź Voivodeship, Poland', 'city'],
    ['tromso', 'Tromsø, Troms, Norway', 'town'],
    ['москва', 'Moscow, Russia', 'city'],
  ] as const) {
    const found = await suggestions(daemon, query);
    t.like(found[0], { name, source: 'geocode', class: 'place', type }, query);
    t.true(found.length <= 12);
    t.true(
      found.every((place) =>
        ['city', 'town', 'village', 'country', 'region'].includes(place.type ?? ''),
      ),
    );
  }
  const [first] = (await daemon.get('/api/suggest?q=lodz')).body.suggestions;
  t.true(Math.abs(first.lat - 51.77) < 0.05 && Math.abs(first.lon - 19.46) < 0.05);
  t.deepEqual(Object.keys(first).slice(0, 6), ['name', 'lat', 'lon', 'source', 'class', 'type']);
});

test('places: waypoints come first, eight at most, and places fill up to twelve in all', async (t) => {
  const daemon = await startTestDaemon(t, { settings: { geocoder: 'offline' } });
  const sources = async (): Promise<string> =>
    (await suggestions(daemon, 'paris')).map(({ source }) => source[0]).join('');
  t.is(await sources(), 'g'.repeat(12));
  for (let made = 1; made <= 9; made += 1) {
    const tags = made === 2 ? { name: 'By its tag', tags: ['Paris'] } : {};
    await daemon.call('POST', '/api/bookmarks', {
      name: `Paris ${made}`,
      lat: made,
      lon: 2,
      ...tags,
    });
    const local = Math.min(made, 8);
    t.is(await sources(), 'b'.repeat(local) + 'g'.repeat(12 - local));
  }
});

test('places: a misspelt town is guessed where nothing of the user has the text', async (t) => {
  const daemon = await startTestDaemon(t, { settings: { geocoder: 'offline' } });
  t.is((await suggestions(daemon, 'hambrug'))[0]?.name, 'Hamburg, Germany');
  await daemon.call('POST', '/api/bookmarks', { name: 'Cafe Hambrug', lat: 53, lon: 10 });
  t.deepEqual(valuesOf(await suggestions(daemon, 'hambrug'), 'name'), ['Cafe Hambrug']);
});

test('places: none for a tag query, a blank one, one without letters, nor with the geocoder off', async (t) => {
  const [daemon, off] = [
    await startTestDaemon(t, { settings: { geocoder: 'offline' } }),
    await startTestDaemon(t, { settings: { geocoder: 'off' } }),
  ];
  for (const query of [
    'tag:paris',
    'tag:a OR paris',
    'tag:',
    '',
    '  ',
    '*',
    '"',
    '-',
    '()',
    '😀',
  ]) {
    t.deepEqual(await suggestions(daemon, query), [], query);
  }
  t.deepEqual(await suggestions(off, 'paris'), []);
  for (const query of ['"paris"', 'paris*', 'name:paris', '{name} : paris', 'NEAR(paris)']) {
    const answer = await daemon.get(`/api/suggest?q=${encodeURIComponent(query)}`);
    t.is(answer.status, 200, query);
  }
  t.is((await daemon.get(`/api/suggest?q=${'paris '.repeat(42)}`)).status, 200);
  t.false(daemon.logged.some((line) => line.startsWith('geodata.')));
});

test('places: their file is closed when nobody has searched for a while, and opened again', async (t) => {
  const path = makeGeneration(temporaryDirectory(t), 'closing').path;
  const geodata = {
    ready: async () => undefined,
    verified: async () => undefined,
    distrust: () => t.fail(),
    current: { path, attribution: 'nobody' },
  } as unknown as Generations;
  const log = { debug() {}, info() {}, warn: () => t.fail(), error: () => t.fail() };
  const clock = { now: () => 0, monotonic: () => 0 };
  const places = new OfflinePlaces({ generations: geodata, clock, log, idleMs: 5 });
  for (let round = 0; round < 2; round += 1) {
    const answer = await places.find('landmark', 12, true);
    t.is(answer.places[0]?.name, 'Landmark closing, Test Region, Testland');
    t.is(answer.attribution, 'nobody');
    if (process.platform !== 'linux') continue;
    t.is(openFiles(path), 1);
    await until(() => openFiles(path) === 0);
  }
  await places.close();
});
