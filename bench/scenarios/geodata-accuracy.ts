import Database from 'better-sqlite3';
import { builtinGeodataPath } from '../../geodata/generation.ts';
import { GeodataLookup } from '../../geodata/lookup.ts';
import { readCountryShapes, readLand, type GeoRing } from '../../geodata/build/read-inputs.ts';
import { Random } from '../random.ts';
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
    const readings = { land: landShare(lookup, Math.min(count, mostOnGlobe)), border: borderShare(lookup, places) };
    const cities = cityShare(lookup, places);
    lookup.close();
    return Promise.resolve({ ...readings, cities });
  },
  figures: () => [
    { what: 'country on land', unit: 'of 1', of: 'land', bar: { of: 'figure', atLeast: 0.9985 } },
    {
      what: 'country of places within 500 m of a border',
      unit: 'of 1',
      of: 'border',
      bar: { of: 'figure', atLeast: 0.98 },
    },
    {
      what: 'city within 8 km of the centre',
      unit: 'of 1',
      of: 'cities',
      bar: { of: 'figure', atLeast: 0.9 },
    },
  ],
});

/** Evenly over the globe; where shapes overlap, the rule decides, and nothing is asked. */
function landShare(lookup: GeodataLookup, count: number): number {
  const random = new Random(seed);
  const [land, shapes] = [readLand().map(boxed), readCountryShapes()];
  const countries = shapes.map(({ country, polygons }) => ({
    country,
    parts: polygons.map(boxed),
  }));
  let [asked, right] = [0, 0];
  for (let i = 0; i < count; i += 1) {
    const lat = (Math.asin(random.between(-1, 1)) * 180) / Math.PI;
    const lon = random.between(-180, 180);
    if (!land.some((part) => holds(part, lat, lon))) continue;
    const inside = countries.filter(({ parts }) => parts.some((part) => holds(part, lat, lon)));
    if (inside.length !== 1) continue;
    asked += 1;
    if (lookup.find(lat, lon).country_id === inside[0]!.country) right += 1;
  }
  return right / asked;
}

function borderShare(lookup: GeodataLookup, places: readonly Place[]): number {
  const near = places.filter(
    ({ lat, lon, country }) =>
      !disputed.has(lookup.find(lat, lon).country_id) &&
      !disputed.has(country) &&
      lookup.nearBorder(lat, lon).length > 0,
  );
  const right = near.filter(
    ({ lat, lon, country }) => lookup.find(lat, lon).country_id === country,
  );
  return right.length / near.length;
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

function boxed(rings: readonly GeoRing[]) {
  const [lons, lats] = [rings[0]!.map(([lon]) => lon), rings[0]!.map(([, lat]) => lat)];
  const extremes = (values: readonly number[]) =>
    values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)] as const, [
      Infinity,
      -Infinity,
    ] as readonly [number, number]);
  return { rings, lons: extremes(lons), lats: extremes(lats) };
}

function holds({ rings, lons, lats }: ReturnType<typeof boxed>, lat: number, lon: number): boolean {
  if (lon < lons[0] || lon > lons[1] || lat < lats[0] || lat > lats[1]) return false;
  let isOdd = false;
  for (const ring of rings) {
    for (let i = 1; i < ring.length; i += 1) {
      const [[fromX, fromY], [x, y]] = [ring[i - 1]!, ring[i]!];
      if (fromY > lat !== y > lat && lon < fromX + ((x - fromX) * (lat - fromY)) / (y - fromY)) {
        isOdd = !isOdd;
      }
    }
  }
  return isOdd;
}
