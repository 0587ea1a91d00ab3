import Database from 'better-sqlite3';
import { unitsPerDegree } from '../../geodata/format.ts';
import { builtinGeodataPath } from '../../geodata/generation.ts';
import { isInside } from '../../geodata/is-inside.ts';
import { GeodataLookup } from '../../geodata/lookup.ts';
import { boxOf, toRing } from '../../geodata/build/polygons.ts';
import { readCountryShapes, readLand, type GeoRing } from '../../geodata/build/read-inputs.ts';
import { Random } from '../random.ts';
import { atLeast, atMost } from '../report/figure.ts';
import { counted, scenario } from '../scenario.ts';
import { seed } from '../session.ts';

interface Place {
  readonly name: string;
  readonly country: string;
  readonly lat: number;
  readonly lon: number;
  readonly feature: string;
}

const path = builtinGeodataPath();
const kmPerDegree = 111.195;
/** Each is compared with all shapes, without an index. */
const mostOnGlobe = 3_000;
/** Where GeoNames and the rule of docs/geodata.md differ. */
const disputed = new Set(['IL', 'PS', 'MO']);

/** Whether positions are told where they are: land by the whole shapes, towns by border by GeoNames, cities by their names. */
export const geodataAccuracy = scenario<number, undefined>({
  name: 'geodata-accuracy',
  title: 'geodata answers that are right',
  subjects: ({ lookups }) => [lookups],
  rounds: () => 1,
  label: (count) => counted(count, 'random positions'),
  prepare: () => Promise.resolve(undefined),
  run: (_session, _prepared, count) => {
    const lookup = new GeodataLookup(path);
    const db = new Database(path, { readonly: true });
    const sql = `SELECT place.name, code AS country, lat / 1e5 AS lat, lon / 1e5 AS lon, feature
      FROM place JOIN country ON country.id = country ORDER BY place.id`;
    const places = db.prepare<[], Place>(sql).all();
    db.close();
    const near = placesByBorder(lookup, places);
    const readings = {
      ...globeShares(lookup, Math.min(count, mostOnGlobe)),
      border: rightShare(lookup, near.filter(isExact)),
      cities: cityShare(lookup, places),
    };
    lookup.close();
    return Promise.resolve(readings);
  },
  figures: () => [
    { what: 'country on land', unit: 'of 1', of: 'land', bar: atLeast(0.9985) },
    { what: 'country in the open sea', unit: 'of 1', of: 'sea', bar: atMost(0) },
    {
      what: 'country of places within 500 m of a border, known that exactly',
      unit: 'of 1',
      of: 'border',
      bar: atLeast(0.98),
    },
    { what: 'city within 8 km of the centre', unit: 'of 1', of: 'cities', bar: atLeast(0.9) },
  ],
});

/** Evenly over the globe; where shapes overlap, the rule decides, and nothing is asked. */
function globeShares(lookup: GeodataLookup, count: number): { land: number; sea: number } {
  const random = new Random(seed);
  const land = readLand().map(boxed);
  const countries = readCountryShapes().map(({ country, polygons }) => ({
    country,
    parts: polygons.map(boxed),
  }));
  const isLand = (lat: number, lon: number): boolean =>
    [lon, lon - 360, lon + 360].some((x) => land.some((part) => holds(part, lat, x)));
  const countriesAt = (lat: number, lon: number): string[] =>
    countries
      .filter(({ parts }) => parts.some((part) => holds(part, lat, lon)))
      .map(({ country }) => country);
  const isOpen = ([lat, lon]: readonly [number, number]): boolean =>
    !isLand(lat, lon) && countriesAt(lat, lon).length === 0;
  const asked = { land: 0, sea: 0 };
  const named = { land: 0, sea: 0 };
  for (let i = 0; i < count; i += 1) {
    // South of 82° outlines end.
    const lat = (Math.asin(random.between(-0.99, 1)) * 180) / Math.PI;
    const lon = random.between(-180, 180);
    const { country_id } = lookup.find(lat, lon);
    const inside = countriesAt(lat, lon);
    if (inside.length === 1 && isLand(lat, lon)) {
      asked.land += 1;
      if (country_id === inside[0]) named.land += 1;
    } else if (around(lat, lon).every(isOpen)) {
      asked.sea += 1;
      if (country_id !== '') named.sea += 1;
    }
  }
  return { land: named.land / asked.land, sea: named.sea / asked.sea };
}

/** A position, and eight some 40 km from it: the sea of a country, and the errors of outlines, end before that. */
function around(lat: number, lon: number): [lat: number, lon: number][] {
  const circle = Array.from({ length: 8 }, (_, i): [number, number] => {
    const angle = (i * Math.PI) / 4;
    const right = (0.36 * Math.sin(angle)) / Math.cos((lat * Math.PI) / 180);
    return [lat + 0.36 * Math.cos(angle), ((lon + right + 540) % 360) - 180];
  });
  return [[lat, lon], ...circle];
}

function placesByBorder(lookup: GeodataLookup, places: readonly Place[]): Place[] {
  return places.filter(
    ({ lat, lon, country }) =>
      !disputed.has(lookup.find(lat, lon).country_id) &&
      !disputed.has(country) &&
      lookup.nearBorder(lat, lon).length > 0,
  );
}

function rightShare(lookup: GeodataLookup, places: readonly Place[]): number {
  const right = places.filter(
    ({ lat, lon, country }) => lookup.find(lat, lon).country_id === country,
  );
  return right.length / places.length;
}

/** A position in whole minutes of arc may be off by a kilometre. */
function isExact({ lat, lon }: Place): boolean {
  return [lat, lon].some((degrees) => Math.abs(degrees * 60 - Math.round(degrees * 60)) > 0.0015);
}

/** The 60 largest. */
function cityShare(lookup: GeodataLookup, places: readonly Place[]): number {
  const random = new Random(seed);
  const cities = places.filter(({ feature }) => feature !== 'PPLX').slice(0, 60);
  const points = cities.flatMap((city) => Array.from({ length: 100 }, () => city));
  const named = points.filter(({ name, lat, lon }) => {
    const [km, angle] = [8 * Math.sqrt(random.between(0, 1)), random.between(0, 2 * Math.PI)];
    const right = Math.sin(angle) / Math.cos((lat * Math.PI) / 180);
    const [up, along] = [(km / kmPerDegree) * Math.cos(angle), (km / kmPerDegree) * right];
    return lookup.find(lat + up, lon + along).locality === name;
  });
  return named.length / points.length;
}

function boxed(polygon: readonly GeoRing[]) {
  const rings = polygon.map(toRing);
  return { rings, box: boxOf(rings[0]!) };
}

function holds({ rings, box }: ReturnType<typeof boxed>, lat: number, lon: number): boolean {
  const [x, y] = [lon * unitsPerDegree, lat * unitsPerDegree];
  const isNear = x >= box.west && x <= box.east && y >= box.south && y <= box.north;
  return isNear && isInside(rings, x, y);
}
