import type { Database } from 'better-sqlite3';
import type { GeodataProbe } from '../model/geodata.ts';
import { openGeneration, readGenerationInfo, reading, UnusableGeneration } from './generation.ts';
import { GeodataLookup } from './lookup.ts';
import { PlaceSearch } from './place-search.ts';

/**
 * Checks a generation whole: its format, its pages, its counts, that both kinds of search work, and that it has the right
 * answer to every probe. Reads the whole file, some hundred ms: not for the main thread.
 * @throws UnusableGeneration
 */
export function checkGeneration(path: string, probes: readonly GeodataProbe[]): void {
  readGenerationInfo(path);
  const db = openGeneration(path);
  try {
    reading(() => checkContent(db));
  } finally {
    db.close();
  }
  const lookup = new GeodataLookup(path);
  try {
    for (const probe of probes) checkProbe(lookup, probe);
  } finally {
    lookup.close();
  }
  const search = new PlaceSearch(path);
  try {
    search.search('a', 1);
  } finally {
    search.close();
  }
}

function checkContent(db: Database): void {
  expect(db.pragma('quick_check', { simple: true }), 'ok');
  const said = db.prepare<[string], string>('SELECT value FROM meta WHERE key = ?').pluck();
  for (const table of ['place', 'border']) {
    const count = db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get();
    expect(said.get(`${table}s`), String(count));
  }
}

function checkProbe(
  lookup: GeodataLookup,
  { lat, lon, country_id, region, locality }: GeodataProbe,
): void {
  const found = lookup.find(lat, lon);
  expect(found.country_id, country_id);
  if (region !== undefined) expect(found.region, region);
  if (locality !== undefined) expect(found.locality, locality);
}

function expect(found: unknown, wanted: string): void {
  if (found !== wanted) throw new UnusableGeneration('damaged');
}
