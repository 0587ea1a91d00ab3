/** From a position to country, region and town, with the builtin generation. */
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { around, distance } from 'geokdbush';
import KDBush from 'kdbush';
import { isletsWithout } from '../geodata/build/islets.ts';
import { readCountryShapes, readLand, type GeoRing } from '../geodata/build/read-inputs.ts';
import { Borders } from '../geodata/borders.ts';
import { checkGeneration } from '../geodata/check.ts';
import { CoastBelt } from '../geodata/coast-belt.ts';
import {
  builtinGeodataPath,
  readGenerationInfo,
  UnusableGeneration,
  type GenerationFault,
} from '../geodata/generation.ts';
import { GeodataLookup } from '../geodata/lookup.ts';
import { nowhere } from '../model/admin-place.ts';
import { rounds } from './helpers/effort.ts';
import { makeGeneration } from './helpers/generations.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';
import { countryDisagreements, hardPoints } from './reference/geodata-points.ts';

interface Place {
  readonly id: number;
  readonly name: string;
  readonly country: string;
  readonly lat: number;
  readonly lon: number;
}

const builtin = builtinGeodataPath();
const lookup = new GeodataLookup(builtin);
test.after.always(() => lookup.close());

const db = new Database(builtin, { readonly: true });
test.after.always(() => db.close());
const places = db
  .prepare<[], Place>(
    `SELECT place.id, place.name, code AS country, lat / 1e5 AS lat, lon / 1e5 AS lon
     FROM place JOIN country ON country.id = country ORDER BY place.id`,
  )
  .all();

/** Those of a million people and more. */
const largeCities = db
  .prepare<[], Place>(
    `SELECT id, name, lat / 1e5 AS lat, lon / 1e5 AS lon FROM place
     WHERE population >= 1000000 AND feature <> 'PPLX'`,
  )
  .all();

const anywhere = fc.record({
  lat: fc.double({ min: -90, max: 90, noNaN: true }),
  lon: fc.double({ min: -180, max: 180, noNaN: true }),
});
/** Within some km of a place: where people are, and borders. */
const nearPlace = fc
  .record({
    place: fc.nat({ max: places.length - 1 }).map((id) => places[id]!),
    up: fc.double({ min: -0.2, max: 0.2, noNaN: true }),
    right: fc.double({ min: -0.2, max: 0.2, noNaN: true }),
  })
  .map(({ place, up, right }) => ({
    lat: Math.max(-90, Math.min(90, place.lat + up)),
    lon: Math.max(-180, Math.min(180, place.lon + right)),
  }));

for (const { what, lat, lon, country, region, locality } of hardPoints) {
  test(`${what}: ${country === '' ? 'no country' : country}`, (t) => {
    const found = lookup.find(lat, lon);
    t.is(found.country_id, country);
    if (region !== undefined) t.is(found.region, region);
    if (locality !== undefined) t.is(found.locality, locality);
    if (country === '') t.deepEqual(found, nowhere);
  });
}

test('of all places 99.9 % are in the country that GeoNames has them in', (t) => {
  const every = rounds(1) > 1 ? 1 : 8;
  const wrong = new Map<string, number>();
  let looked = 0;
  for (let i = 0; i < places.length; i += every) {
    const { country, lat, lon } = places[i]!;
    const found = lookup.find(lat, lon).country_id;
    looked += 1;
    if (found !== country)
      wrong.set(`${country} ${found}`, (wrong.get(`${country} ${found}`) ?? 0) + 1);
  }
  const misses = [...wrong.values()].reduce((sum, count) => sum + count, 0);
  t.log(`${(100 - (100 * misses) / looked).toFixed(3)} % of ${looked} right`);
  t.true(misses <= looked * 0.001);
  for (const [pair, count] of wrong) {
    const known = countryDisagreements[pair] ?? 0;
    t.true(every === 1 ? count === known : count <= known, `${pair}: ${count}, known ${known}`);
  }
});

const shapes = readCountryShapes().map(({ country, polygons }) => ({
  country,
  polygons: polygons.map((polygon) => ({ polygon, box: boxOf(polygon[0]!) })),
}));

function boxOf(ring: GeoRing): { west: number; south: number; east: number; north: number } {
  const box = { west: 180, south: 90, east: -180, north: -90 };
  for (const [lon, lat] of ring) {
    box.west = Math.min(box.west, lon);
    box.east = Math.max(box.east, lon);
    box.south = Math.min(box.south, lat);
    box.north = Math.max(box.north, lat);
  }
  return box;
}

/** By the shapes as the package has them, whole and without an index. */
function countriesByShapes(lat: number, lon: number): string[] {
  return shapes.flatMap(({ country, polygons }) =>
    polygons.some((each) => holds(each, lat, lon)) ? [country] : [],
  );
}

function holds({ polygon, box }: (typeof shapes)[0]['polygons'][0], lat: number, lon: number) {
  if (lon < box.west || lon > box.east || lat < box.south || lat > box.north) return false;
  let crossed = 0;
  for (const ring of polygon) {
    for (let i = 1; i < ring.length; i += 1) {
      const [x, y] = ring[i]!;
      const [fromX, fromY] = ring[i - 1]!;
      if (fromY > lat !== y > lat && lon < fromX + ((x - fromX) * (lat - fromY)) / (y - fromY)) {
        crossed += 1;
      }
    }
  }
  return crossed % 2 === 1;
}

test('countries are those of the shapes of OpenStreetMap, near land', (t) => {
  let inside = 0;
  fc.assert(
    fc.property(nearPlace, ({ lat, lon }) => {
      const expected = countriesByShapes(lat, lon);
      if (expected.length !== 1 || expected[0] === 'IL') return; // Disputed, or beyond all borders.
      inside += 1;
      const found = lookup.find(lat, lon).country_id;
      t.true(found === expected[0] || isFarFromLand(lat, lon), `${lat}, ${lon}`);
    }),
    { numRuns: rounds(400) },
  );
  t.true(inside > 0);
});

const outlines = readLand();
const land = outlines.map((polygon) => ({ polygon, box: boxOf(polygon[0]!) }));
const islets = isletsWithout(outlines, readCountryShapes());
const coast = [
  ...outlines.flatMap((polygon) => polygon.flatMap((ring) => [...along(ring)])),
  ...[...places, ...islets].map(({ lat, lon }) => [lon, lat] as const),
];
const coastTree = new KDBush(coast.length);
for (const [lon, lat] of coast) coastTree.add(lon, lat);
coastTree.finish();

/** Corners of a ring, and points between those that are more than 2 km apart. */
function* along(ring: GeoRing): Iterable<readonly [lon: number, lat: number]> {
  for (const [i, [lon, lat]] of ring.entries()) {
    const [fromLon, fromLat] = ring[Math.max(0, i - 1)]!;
    const steps = Math.max(1, Math.ceil(distance(fromLon, fromLat, lon, lat) / 2));
    for (let step = 1; step <= steps; step += 1) {
      const part = step / steps;
      const x = fromLon + (lon - fromLon) * part;
      yield [x - 360 * Math.round(x / 360), fromLat + (lat - fromLat) * part];
    }
  }
}

/** Km to the next point of a coast, or to a place or islet that no outline has. */
function kmToCoast(lat: number, lon: number): number {
  const [nearest] = around(coastTree, lon, lat, 1);
  const [coastLon, coastLat] = coast[nearest!]!;
  return distance(lon, lat, coastLon, coastLat);
}

function isLand(lat: number, lon: number): boolean {
  // What crosses 180° goes on beyond it.
  const isOn = (x: number): boolean => land.some((each) => holds(each, lat, x));
  return lat < -84 || isOn(lon) || isOn(lon + 360) || isOn(lon - 360);
}

/** Not surely within 12 nautical miles (22.2 km). */
function isFarFromLand(lat: number, lon: number): boolean {
  return kmToCoast(lat, lon) > 20.5 && !isLand(lat, lon);
}

test('the open sea is in no country, and what is near land is not cut off', (t) => {
  const offshore = fc.record({
    lat: fc.double({ min: -80, max: 84, noNaN: true }),
    lon: fc.double({ min: -180, max: 180, noNaN: true }),
  });
  const nearCoast = fc
    .record({
      corner: fc.nat({ max: coast.length - 1 }).map((at) => coast[at]!),
      up: fc.double({ min: -0.3, max: 0.3, noNaN: true }),
      right: fc.double({ min: -0.3, max: 0.3, noNaN: true }),
    })
    .map(({ corner: [lon, lat], up, right }) => ({
      lat: Math.max(-80, lat + up),
      lon: Math.max(-180, Math.min(180, lon + right)),
    }));
  const belt = new CoastBelt(db);
  const answers = new Map<boolean, number>();
  fc.assert(
    fc.property(fc.oneof(offshore, nearCoast), ({ lat, lon }) => {
      const km = kmToCoast(lat, lon);
      // The belt interpolates within cells of 10 km: in the middle between two coasts it is too wide by half a diagonal.
      if (km > 20.5 && km < 30) return;
      const isNear = km < 22 || isLand(lat, lon);
      t.is(belt.holds(lat, lon), isNear, `${lat}, ${lon}`);
      if (!isNear) t.deepEqual(lookup.find(lat, lon), nowhere);
      answers.set(isNear, (answers.get(isNear) ?? 0) + 1);
    }),
    {
      numRuns: rounds(300),
      // Near Avgo, north of Crete: beyond the 6 miles of its waters, within 12 of it.
      examples: [[{ lat: 35.649233620704294, lon: 25.659256592565924 }]],
    },
  );
  t.is(answers.size, 2);
});

test('a region is one of its country, and what has no country has nothing', (t) => {
  fc.assert(
    fc.property(fc.oneof(anywhere, nearPlace), ({ lat, lon }) => {
      const found = lookup.find(lat, lon);
      if (found.country_id === '') t.deepEqual(found, nowhere);
      if (found.region_id !== '') t.true(found.region_id.startsWith(`${found.country_id}.`));
      for (const part of ['country', 'region', 'locality'] as const) {
        t.is(found[part] === '', found[`${part}_id`] === '');
      }
      t.is(lookup.find(lat, lon), found, 'the same object for the same place');
    }),
    { numRuns: rounds(1_000) },
  );
});

test('the town is the nearest of the country within 20 km, the one that this is a section of, or a city within 8 km', (t) => {
  const towns = db
    .prepare<[number], number | null>('SELECT part_of FROM place WHERE id = ?')
    .pluck();
  const cities = new Set(largeCities.map(({ id }) => id));
  const edges = fc.constantFrom(
    { lat: -16.8, lon: 179.99 },
    { lat: -16.8, lon: -180 },
    { lat: 78.22, lon: 15.6 },
    { lat: 82.5, lon: -62.3 },
    { lat: -77.85, lon: 166.67 },
  );
  fc.assert(
    fc.property(fc.oneof({ weight: 4, arbitrary: nearPlace }, edges), ({ lat, lon }) => {
      const { country_id, locality_id } = lookup.find(lat, lon);
      if (country_id === '') return;
      const nearest = nearestByScan(lat, lon, country_id);
      if (nearest === undefined || nearest.km > 20.001) {
        t.is(locality_id, '');
        return;
      }
      if (nearest.km > 19.999) return;
      const named = places[Number(locality_id)]!;
      const km = distance(lon, lat, named.lon, named.lat);
      const isTie = km - nearest.km < 0.002;
      const isCity = km <= 8 && cities.has(named.id);
      t.true(isTie || isCity || locality_id === String(towns.get(nearest.id)), `${lat}, ${lon}`);
    }),
    { numRuns: rounds(60) },
  );
});

/** Without an index, by looking at all places of about that latitude. */
function nearestByScan(lat: number, lon: number, country: string) {
  let nearest: { id: number; km: number } | undefined;
  for (const place of places) {
    if (place.country !== country || Math.abs(place.lat - lat) > 1) continue;
    const km = distance(lon, lat, place.lon, place.lat);
    if (km < (nearest?.km ?? Infinity)) nearest = { id: place.id, km };
  }
  return nearest;
}

test('what is within 500 m of other countries says which', (t) => {
  const points: readonly [what: string, lat: number, lon: number, near: readonly string[]][] = [
    ['Strasbourg, by the Rhine', 48.5736, 7.7985, ['DE']],
    ['Strasbourg, the cathedral', 48.5819, 7.7508, []],
    ['Basel, by three countries', 47.5898, 7.589, ['DE', 'FR']],
    ['Baarle, around Belgium', 51.4466, 4.9291, ['BE']],
    ['Berlin', 52.52, 13.405, []],
    ['Taveuni, on 180°', -16.85, 180, []],
    ['the Atlantic', 0, 0, []],
    ['the South Pole', -90, 0, []],
    ['Görlitz, by the Neisse', 51.1553, 14.9886, ['PL']],
  ];
  for (const [what, lat, lon, near] of points) {
    t.deepEqual(lookup.nearBorder(lat, lon), near, `${what}, ${lookup.find(lat, lon).country_id}`);
  }
});

test('the only country around is told of where it is near, not where its box is', (t) => {
  const generation = new Database(makeGeneration(temporaryDirectory(t), 'one').path);
  t.teardown(() => generation.close());
  const borders = new Borders(generation);
  // Its corner is at 55° north, 15° east; a metre is 1/111,195 of a degree.
  const away = (north: number, east: number): number =>
    borders.countriesAround(55 + north / 111_195, 15 + east / 63_779, 100).size;
  t.is(away(-500, -500), 1, 'within');
  t.is(away(55, 55), 1, '78 m off');
  t.is(away(89, 89), 0, '126 m off, though its box is 89 m off');
  t.is(away(500, 500), 0);
});

test('parts of a town answer as the town, and are told beside it', (t) => {
  const points: readonly [lat: number, lon: number, locality: string, part: string][] = [
    [47.4082, 8.5426, 'Zürich', 'Zürich (Kreis 11) / Oerlikon'],
    [52.5, 13.4, 'Berlin', 'Kreuzberg'],
    [48.19, 16.35, 'Vienna', 'Margareten'],
    [40.7306, -73.9866, 'New York City', 'East Village'],
    [35.6735, 139.7702, 'Tokyo', 'Ginza'],
    [51.4975, -0.1357, 'London', 'City of Westminster'],
    [48.8846, 2.2687, 'Paris', 'Neuilly-sur-Seine'],
    [22.3193, 114.1694, 'Hong Kong', 'Mong Kok'],
    [39.9219, 116.4436, 'Beijing', 'Chaowai'],
    [52.52437, 13.41053, 'Berlin', ''],
    [50.1006, 8.7665, 'Offenbach', ''],
    [-22.8833, -43.1036, 'Niterói', ''],
    [28.6214, 77.2148, 'New Delhi', ''],
    [52.53, 13.2, 'Berlin', 'Wilhelmstadt'],
    [47.3231, 8.798, 'Wetzikon', 'Wetzikon / Ober-Wetzikon'],
    // Towns around a large city keep their middle; across the border of a region, all, but around a capital.
    [48.0659, 11.6099, 'Unterhaching', ''],
    [48.075, 11.6, 'Munich', 'Unterhaching'],
    [40.7357, -74.0303, 'Hoboken', ''],
    [-12.08, -77.05, 'Lima', 'Jesus Maria'],
  ];
  for (const [lat, lon, locality, part] of points) {
    const found = lookup.find(lat, lon);
    t.deepEqual([found.locality, found.local_admin], [locality, part]);
  }
});

test('within 8 km of the cities of a million people 95 % of positions carry the name of the city', (t) => {
  let named = 0;
  const rings = [1, 2.5, 4, 5, 6, 7, 7.7];
  const directions = 6;
  for (const { name, lat, lon } of largeCities) {
    for (const km of rings) {
      for (let i = 0; i < directions; i += 1) {
        const angle = (2 * Math.PI * i) / directions;
        const up = (km / 111.195) * Math.cos(angle);
        const right = ((km / 111.195) * Math.sin(angle)) / Math.cos((lat * Math.PI) / 180);
        if (lookup.find(lat + up, lon + right).locality === name) named += 1;
      }
    }
  }
  const share = named / (largeCities.length * rings.length * directions);
  t.log(`${(100 * share).toFixed(1)} %`);
  t.true(share >= 0.95);
});

test('without a border the nearest place within 25 km tells the country, further off there is none', (t) => {
  // Its border ends at 15° E; the place lies beyond.
  const { path } = makeGeneration(temporaryDirectory(t), 'gap');
  const small = new GeodataLookup(path);
  t.teardown(() => small.close());
  for (const [lon, country] of [
    [14.9, 'ZZ'],
    [15.8, 'ZZ'],
    [16.3, 'ZZ'],
    [16.4, ''],
  ] as const) {
    t.is(small.find(48, lon).country_id, country, `${lon}`);
  }
});

test('a generation works in a directory where nothing can be written, and leaves nothing there', (t) => {
  const directory = join(temporaryDirectory(t), 'read-only');
  mkdirSync(directory);
  const path = join(directory, 'g.sqlite');
  copyFileSync(builtin, path);
  chmodSync(path, 0o400);
  chmodSync(directory, 0o500);
  t.teardown(() => chmodSync(directory, 0o700));
  checkGeneration(path, [{ lat: 52.52, lon: 13.405, country_id: 'DE', locality: 'Berlin' }]);
  t.deepEqual(readdirSync(directory), ['g.sqlite']);
});

function fault(run: () => void): GenerationFault | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof UnusableGeneration) return error.reason;
    throw error;
  }
}

test('a check finds answers that are not those of the probes', (t) => {
  const berlin = { lat: 52.52, lon: 13.405, country_id: 'DE' };
  t.is(
    fault(() => checkGeneration(builtin, [berlin])),
    undefined,
  );
  for (const wrong of [{ country_id: 'PL' }, { region: 'Saxony' }, { locality: 'Potsdam' }]) {
    t.is(
      fault(() => checkGeneration(builtin, [berlin, { ...berlin, ...wrong }])),
      'damaged',
    );
  }
});

test('what cannot be used is told apart: missing, of another format, damaged', (t) => {
  const directory = temporaryDirectory(t);
  const copy = (name: string, change: (changed: Database.Database) => void): string => {
    const path = join(directory, name);
    copyFileSync(builtin, path);
    chmodSync(path, 0o600);
    const changed = new Database(path);
    change(changed);
    changed.close();
    return path;
  };
  const text = join(directory, 'text');
  writeFileSync(
    text,
    'not a database, but long enough to be looked at as if it were one'.repeat(20),
  );
  const cut = copy('cut', () => {});
  truncateSync(cut, 4_096 * 500);
  const cases: readonly [
    path: string,
    opened: GenerationFault | undefined,
    checked: GenerationFault,
  ][] = [
    [join(directory, 'none'), 'missing', 'missing'],
    [text, 'damaged', 'damaged'],
    [
      copy('newer', (file) => file.pragma('user_version = 4')),
      'unsupported_schema',
      'unsupported_schema',
    ],
    [copy('store', (file) => file.pragma('application_id = 0x77707464')), 'damaged', 'damaged'],
    [
      copy('nameless', (file) => file.exec("DELETE FROM meta WHERE key = 'id'")),
      'damaged',
      'damaged',
    ],
    [copy('fewer', (file) => file.exec('DELETE FROM place WHERE id = 5')), undefined, 'damaged'],
    [copy('no tree', (file) => file.exec('DELETE FROM spatial_index')), undefined, 'damaged'],
    [
      copy('odd ring', (file) => file.exec("UPDATE border SET rings = x'05'")),
      undefined,
      'damaged',
    ],
    [copy('no words', (file) => file.exec('DROP TABLE place_words')), undefined, 'damaged'],
    [cut, 'damaged', 'damaged'],
  ];
  for (const [path, opened, checked] of cases) {
    t.is(
      fault(() => readGenerationInfo(path)),
      opened,
      path,
    );
    t.is(
      fault(() => checkGeneration(path, [])),
      checked,
      path,
    );
  }
});
