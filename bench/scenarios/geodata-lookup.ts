import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { openRtreeBaseline, type RtreePlace } from '../baselines/rtree-sql.ts';
import { builtinGeodataPath } from '../../geodata/generation.ts';
import { GeodataLookup } from '../../geodata/lookup.ts';
import { PlaceSearch } from '../../geodata/place-search.ts';
import { Borders } from '../../geodata/borders.ts';
import { median, percentile } from '../measure/statistics.ts';
import { ownCpuMs } from '../measure/process-cost.ts';
import { Random } from '../random.ts';
import type { Figure } from '../report/figure.ts';
import { seed, type Scenario, type Session } from '../session.ts';

type Position = readonly [lat: number, lon: number];

const name = 'geodata';
/** The circles of a lookup: as in geodata/place-tree.ts. */
const circlesKm = [4, 20, 80];
const path = builtinGeodataPath();

/** From positions to countries, regions and towns, and from what is typed to places; in this process. */
export const geodataLookup: Scenario = {
  name,
  title: 'geodata lookups and searches',
  async *run(session) {
    yield* opening(session);
    yield* lookups(session);
    yield* searches(session);
  },
};

function* opening(session: Session): Generator<Figure> {
  const { plan } = session;
  const line = { scenario: name, subject: 'builtin generation' };
  const times = Array.from({ length: plan.rounds }, () => {
    const started = performance.now();
    const lookup = new GeodataLookup(path);
    const openMs = performance.now() - started;
    lookup.close();
    return openMs;
  });
  yield {
    ...line,
    what: 'open',
    unit: 'ms',
    value: median(times),
    bar: plan.isQuick ? undefined : { of: 'figure', atMost: 150 },
  };
  yield {
    ...line,
    what: 'resident memory added, in use',
    unit: 'MB',
    value: addedMemory(session),
    bar: plan.isQuick ? undefined : { of: 'figure', atMost: 60 },
  };
}

/** In a process of its own: this one has other things in memory. */
function addedMemory(session: Session): number | undefined {
  const file = join(session.directory(), 'positions');
  const points = positions('near towns', session.plan.lookups);
  writeFileSync(file, Float64Array.from(points.flat()));
  const subject = join(import.meta.dirname, '../subjects/geodata-memory.ts');
  const added = execFileSync(process.execPath, [subject, file], { encoding: 'utf8' });
  return added === '' ? undefined : Number(added);
}

function* lookups(session: Session): Generator<Figure> {
  const { plan } = session;
  const baseline = openBaseline(join(session.directory(), 'places.sqlite'));
  const lookup = new GeodataLookup(path);
  for (const where of ['near towns', 'anywhere'] as const) {
    const points = positions(where, plan.lookups);
    // The first ones pay for code that was never run before.
    for (const [lat, lon] of points.slice(0, plan.lookups / 10)) {
      lookup.find(lat, lon);
      baseline.find(lat, lon);
    }
    const own = rate(points, (lat, lon) => lookup.find(lat, lon));
    const rtree = rate(points, (lat, lon) => baseline.find(lat, lon));
    const line = {
      scenario: name,
      subject: `${plan.lookups.toLocaleString('en')} positions ${where}`,
    };
    const isBarred = !plan.isQuick && where === 'near towns';
    yield {
      ...line,
      what: 'CPU rate',
      unit: 'lookups/s',
      value: own,
      bar: isBarred ? { of: 'figure', atLeast: 25_000 } : undefined,
    };
    yield {
      ...line,
      what: 'CPU rate',
      unit: 'lookups/s',
      value: own,
      baseline: { name: 'R*Tree', value: rtree, ratio: 'gain' },
      bar: isBarred ? { of: 'ratio', atLeast: 2 } : undefined,
    };
  }
  lookup.close();
  baseline.close();
}

function* searches({ plan }: Session): Generator<Figure> {
  const search = new PlaceSearch(path);
  const random = new Random(seed);
  const names = readPlaces(plan.searches, random).map((place) => place.name);
  for (const length of [1, 2, 3, 8, 40]) {
    const queries = names.map((text) => Array.from(text).slice(0, length).join(''));
    for (const query of queries.slice(0, plan.searches / 4)) search.search(query, 8);
    const walls = queries.map((query) => {
      const started = performance.now();
      search.search(query, 8);
      return performance.now() - started;
    });
    const line = {
      scenario: name,
      subject: `places by ${length} letters of their name`,
      unit: 'ms' as const,
    };
    for (const [what, share, atMost] of [
      ['p50', 0.5, 1],
      ['p99', 0.99, 10],
    ] as const) {
      yield {
        ...line,
        what: `a search, ${what}`,
        value: percentile(walls, share),
        bar: plan.isQuick ? undefined : { of: 'figure', atMost },
      };
    }
  }
  search.close();
}

function rate(points: readonly Position[], find: (lat: number, lon: number) => unknown): number {
  const before = ownCpuMs();
  for (const [lat, lon] of points) find(lat, lon);
  return points.length / ((ownCpuMs() - before) / 1_000);
}

/** All distinct: within 10 km or so of places that are drawn at random, or evenly over the globe. */
function positions(where: 'near towns' | 'anywhere', count: number): Position[] {
  const random = new Random(seed);
  if (where === 'anywhere') {
    return Array.from({ length: count }, () => {
      const height = random.between(-1, 1);
      return [(Math.asin(height) * 180) / Math.PI, random.between(-180, 180)];
    });
  }
  return readPlaces(count, random)
    .map(({ lat, lon }): Position => [
      lat + random.between(-0.1, 0.1),
      lon + random.between(-0.1, 0.1),
    ])
    .filter(([lat, lon]) => Math.abs(lat) < 89 && Math.abs(lon) < 178);
}

interface NamedPlace extends RtreePlace {
  readonly name: string;
}

function readPlaces(count: number, random: Random): NamedPlace[] {
  const places = allPlaces();
  return Array.from({ length: count }, () => random.pick(places));
}

function allPlaces(): NamedPlace[] {
  const db = new Database(path, { readonly: true });
  const rows = db
    .prepare<[], NamedPlace>(
      'SELECT id, name, country, lat / 1e5 AS lat, lon / 1e5 AS lon FROM place',
    )
    .all();
  db.close();
  return rows;
}

/** The same answers but for the coast and for towns that two countries claim, with the same borders in memory. */
function openBaseline(file: string): { find(lat: number, lon: number): unknown; close(): void } {
  const rtree = openRtreeBaseline(file, allPlaces());
  const db = new Database(path, { readonly: true });
  const borders = new Borders(db);
  const named = db.prepare<[number]>('SELECT id, name, region, part_of FROM place WHERE id = ?');
  return {
    find: (lat, lon) => {
      const country = borders.countryAt(lat, lon);
      if (country === undefined) return undefined;
      for (const km of circlesKm) {
        const id = rtree.nearest(lat, lon, km, country);
        if (id !== undefined) return named.get(id);
      }
      return undefined;
    },
    close: () => {
      rtree.close();
      db.close();
    },
  };
}
