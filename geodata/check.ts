import type { Database } from 'better-sqlite3';
import { closing } from '../model/closing.ts';
import type { GeodataProbe } from '../model/geodata.ts';
import { hashFile } from '../storage/hash-file.ts';
import { prepareValue } from '../storage/prepared.ts';
import { Borders } from './borders.ts';
import {
  openGeneration,
  readGenerationInfo,
  reading,
  readMeta,
  UnusableGeneration,
} from './generation.ts';
import { GeodataLookup } from './lookup.ts';
import { PlaceSearch } from './place-search.ts';
import { generationQueries } from './tables.ts';

export interface GenerationCheck {
  readonly path: string;
  /** Its SHA-256 in lower-case hex; null where it is not known. */
  readonly sha256: string | null;
  readonly probes: readonly GeodataProbe[];
}

/** `mismatch`: it is not what it should be, or does not know what it should. */
export type CheckVerdict = 'sound' | 'mismatch' | 'unsupported_schema' | 'io';

/** Checks all of a generation, and its hash, before it is put to use: the task of the geodata worker. */
export async function checkWhole(check: GenerationCheck): Promise<CheckVerdict> {
  const { path, sha256, probes } = check;
  try {
    if (sha256 !== null && (await hashFile(path)) !== sha256) return 'mismatch';
    checkGeneration(path, probes);
    return 'sound';
  } catch (error) {
    if (!(error instanceof UnusableGeneration) || error.reason === 'missing') return 'io';
    return error.reason === 'damaged' ? 'mismatch' : error.reason;
  }
}

/**
 * Checks a generation whole: its format, its pages, its counts, that both kinds of search work, and that it has the right
 * answer to every probe. Reads the whole file, some hundred ms: not for the main thread.
 * @throws UnusableGeneration
 */
export function checkGeneration(path: string, probes: readonly GeodataProbe[]): void {
  readGenerationInfo(path);
  using db = closing(openGeneration(path));
  reading(() => checkContent(db));
  using lookup = closing(new GeodataLookup(path));
  for (const probe of probes) checkProbe(lookup, probe);
  using search = closing(new PlaceSearch(path));
  search.search('a', 1);
}

function checkContent(db: Database): void {
  expect(db.pragma('quick_check', { simple: true }), 'ok');
  const said = readMeta(db);
  for (const table of ['place', 'border'] as const) {
    const count = prepareValue(db, () =>
      generationQueries.selectFrom(table).select((eb) => eb.fn.countAll<number>().as('count')),
    );
    expect(said.get(`${table}s`), String(count.get()));
  }
  new Borders(db).check();
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
