import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { closing } from '../model/closing.ts';
import { packageUrl } from '../model/program-files.ts';
import type { TimelineDataset } from '../model/timeline-result.ts';
import { isOutOfReach } from '../model/error-code.ts';
import { orClosed } from '../storage/database.ts';
import { prepare } from '../storage/prepared.ts';
import { generationApplicationId, generationSchema } from './format.ts';
import { generationQueries } from './tables.ts';

/** Id and dataset of a generation, as the API names them (contract E). */
export interface GenerationInfo extends TimelineDataset {
  readonly id: string;
  /** Size of the file. */
  readonly bytes: number;
}

/**
 * Why a generation cannot be used: there is no file that can be read, it is of a format that this program does not
 * know, or its content is not that of a generation.
 */
export type GenerationFault = 'missing' | 'unsupported_schema' | 'damaged';

/** A generation cannot be used. */
export class UnusableGeneration extends Error {
  override readonly name = 'UnusableGeneration';
  readonly reason: GenerationFault;

  constructor(reason: GenerationFault, cause?: unknown) {
    super(`The geodata generation cannot be used: ${reason}.`, { cause });
    this.reason = reason;
  }
}

/** A quarter of a thousand pages; what is read often is read from the indexes in memory. */
const cacheKib = 1_024;

/** The generation that comes with the program, in a clone (made by `npm run geodata`) and in the package. */
export function builtinGeodataPath(): string {
  return fileURLToPath(new URL('geodata/generated/builtin.sqlite', packageUrl));
}

/** The file beside the builtin generation that holds its SHA-256 in hex, so that damage can be told from a new version. */
export function hashFileOf(path: string): string {
  return `${path}.sha256`;
}

/** @throws UnusableGeneration */
export function readGenerationInfo(path: string): GenerationInfo {
  using db = closing(openGeneration(path));
  return reading(() => infoOf(db, path));
}

function infoOf(db: Database.Database, path: string): GenerationInfo {
  const meta = readMeta(db);
  const known = (key: string): string => {
    const value = meta.get(key);
    if (value === undefined) throw new UnusableGeneration('damaged');
    return value;
  };
  return {
    id: known('id'),
    dataset_version: known('dataset_version'),
    source_version: known('source_version'),
    attribution: known('attribution'),
    license: known('license'),
    bytes: statSync(path).size,
  };
}

/** Metadata of a generation, by key. */
export function readMeta(db: Database.Database): ReadonlyMap<string, string> {
  const rows = prepare(db, () => generationQueries.selectFrom('meta').select(['key', 'value']));
  return new Map(rows.all().map(({ key, value }) => [key, value]));
}

/**
 * Opens a generation for reading only, and knows its format. Nothing is written beside the file, which may lie in a
 * directory where nothing can be.
 * @throws UnusableGeneration
 */
export function openGeneration(path: string): Database.Database {
  if (!existsSync(path)) throw new UnusableGeneration('missing');
  return reading(() => {
    const file = new Database(path, { readonly: true, fileMustExist: true });
    return orClosed(file, (db) => {
      db.pragma('query_only = ON');
      db.pragma('trusted_schema = OFF');
      db.pragma('temp_store = MEMORY');
      db.pragma(`cache_size = -${cacheKib}`);
      if (db.pragma('application_id', { simple: true }) !== generationApplicationId) {
        throw new UnusableGeneration('damaged');
      }
      if (db.pragma('user_version', { simple: true }) !== generationSchema) {
        throw new UnusableGeneration('unsupported_schema');
      }
      return db;
    });
  });
}

/** Runs a step that reads a generation: whatever is found wrong there becomes an {@link UnusableGeneration}. */
export function reading<T>(step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (error instanceof UnusableGeneration) throw error;
    throw new UnusableGeneration(isOutOfReach(error) ? 'missing' : 'damaged', error);
  }
}
