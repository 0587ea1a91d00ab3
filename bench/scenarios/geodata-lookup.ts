import { join } from 'node:path';
import Database from 'better-sqlite3';
import { openRtreeBaseline, type RtreePlace } from '../baselines/rtree-sql.ts';
import { Borders } from '../../geodata/borders.ts';
import { builtinGeodataPath } from '../../geodata/generation.ts';
import { GeodataLookup } from '../../geodata/lookup.ts';
import { PlaceSearch } from '../../geodata/place-search.ts';
import { ownCpuMs } from '../measure/process-cost.ts';
import { percentile } from '../measure/statistics.ts';
import { Random } from '../random.ts';
import { atMost, atLeast, timesAtLeast } from '../report/figure.ts';
import { counted, scenario } from '../scenario.ts';
import { seed } from '../session.ts';

type Find = (lat: number, lon: number) => unknown;

interface NamedPlace extends RtreePlace {
  readonly name: string;
}

interface Prepared {
  readonly places: readonly NamedPlace[];
  readonly points: readonly (readonly [lat: number, lon: number])[];
  readonly rtree: Find;
}

/** The circles of a lookup: as in geodata/place-tree.ts. */
const circlesKm = [4, 20, 80];
const path = builtinGeodataPath();
const letterCounts = [1, 3, 40];

/** From positions near towns to countries, regions and towns, and from what is typed to places; in this process. */
export const geodataLookup = scenario<number, Prepared>({
  name: 'geodata',
  title: 'geodata lookups and searches',
  subjects: ({ lookups }) => [lookups],
  label: (count) => counted(count, 'positions near towns'),
  prepare: (session, count) => {
    const random = new Random(seed);
    const all = readPlaces();
    const places = Array.from({ length: count }, () => random.pick(all));
    const points = places
      .map(
        ({ lat, lon }) =>
          [lat + random.between(-0.1, 0.1), lon + random.between(-0.1, 0.1)] as const,
      )
      .filter(([lat, lon]) => Math.abs(lat) < 89 && Math.abs(lon) < 178);
    const rtree = openBaseline(join(session.directory(), 'places.sqlite'), all);
    return Promise.resolve({ places, points, rtree });
  },
  run: ({ plan }, { places, points, rtree }) => {
    const started = performance.now();
    const lookup = new GeodataLookup(path);
    const open = performance.now() - started;
    const find: Find = (lat, lon) => lookup.find(lat, lon);
    // The first ones pay for code that was never run before.
    for (const warm of [find, rtree]) rate(points.slice(0, points.length / 10), warm);
    const readings = { open, own: rate(points, find), rtree: rate(points, rtree) };
    lookup.close();
    const names = places.slice(0, plan.searches).map(({ name }) => name);
    const searches = letterCounts.map((letters) => [`${letters}`, searchP99(names, letters)]);
    return Promise.resolve({ ...readings, ...Object.fromEntries(searches) });
  },
  figures: () => [
    { what: 'open', unit: 'ms', of: 'open', bar: atMost(150) },
    { what: 'CPU rate', unit: 'lookups/s', of: 'own', bar: atLeast(25_000) },
    {
      what: 'CPU rate',
      unit: 'lookups/s',
      of: 'own',
      against: ['R*Tree', 'rtree', 'gain'],
      bar: timesAtLeast(2),
    },
    ...letterCounts.map((letters) => ({
      what: `places by ${letters} letters, p99`,
      unit: 'ms' as const,
      of: `${letters}`,
      bar: atMost(10),
    })),
  ],
});

function rate(points: Prepared['points'], find: Find): number {
  const before = ownCpuMs();
  for (const [lat, lon] of points) find(lat, lon);
  return points.length / ((ownCpuMs() - before) / 1_000);
}

function searchP99(names: readonly string[], letters: number): number {
  const search = new PlaceSearch(path);
  const queries = names.map((text) => Array.from(text).slice(0, letters).join(''));
  for (const query of queries.slice(0, queries.length / 4)) search.search(query, 8);
  const walls = queries.map((query) => {
    const started = performance.now();
    search.search(query, 8);
    return performance.now() - started;
  });
  search.close();
  return percentile(walls, 0.99);
}

function readPlaces(): NamedPlace[] {
  const db = new Database(path, { readonly: true });
  const sql = 'SELECT id, name, country, lat / 1e5 AS lat, lon / 1e5 AS lon FROM place';
  const rows = db.prepare<[], NamedPlace>(sql).all();
  db.close();
  return rows;
}

/** The same answers but for the coast and for towns that two countries claim, with the same borders in memory. */
function openBaseline(file: string, places: readonly NamedPlace[]): Find {
  const rtree = openRtreeBaseline(file, places);
  const db = new Database(path, { readonly: true });
  const borders = new Borders(db);
  const named = db.prepare<[number]>('SELECT id, name, region, part_of FROM place WHERE id = ?');
  return (lat, lon) => {
    const country = borders.countryAt(lat, lon);
    if (country === undefined) return undefined;
    for (const km of circlesKm) {
      const id = rtree.nearest(lat, lon, km, country);
      if (id !== undefined) return named.get(id);
    }
    return undefined;
  };
}
