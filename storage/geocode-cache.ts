import { rmSync } from 'node:fs';
import { sql } from 'kysely';
import { attempt } from '../model/attempt.ts';
import type { Clock } from '../model/process.ts';
import { columns, createIndex, createTables, table, type TablesOf } from './create-table.ts';
import { openWriter, orClosed, type Database } from './database.ts';
import { schemaVersion, type Migration } from './migrate.ts';
import { prepare, queryBuilder, textOf } from './prepared.ts';

export interface GeocodeCacheOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly maxRows?: number;
  /** Bytes of all answers together. */
  readonly maxBytes?: number;
}

export interface CachedAnswer {
  /** The hash of what was asked; the text itself is not kept. */
  readonly key: Uint8Array;
  /** JSON. */
  readonly answer: string;
  /** ms since 1970. */
  readonly expires: number;
}

/** A year of searching; some 3 KB each. */
const usualMaxRows = 4_096;
const usualMaxBytes = 8_388_608;
/** A cache that cannot be used is tried again after this long. */
const retryMs = 60_000;
/** An answer from further in the future than this was kept while the clock was wrong. */
const clockToleranceMs = 86_400_000;

const cacheVersion = 1;

const tables = {
  answers: table({
    key: columns.blobKey,
    stored: columns.integer,
    expires: columns.integer,
    bytes: columns.integer,
    answer: columns.text,
  }),
};

const answers = queryBuilder<TablesOf<typeof tables>>();

/** The index alone tells what has to go, and how much there is. */
const schema: Migration = () => [
  ...createTables(tables),
  createIndex('answers_by_age', 'answers', ['stored', 'bytes']),
];

function prepareCache(db: Database) {
  return {
    get: prepare(db, (key: Uint8Array, now: number, newest: number) =>
      answers
        .selectFrom('answers')
        .select(['answer', 'expires'])
        .where('key', '=', key)
        .where('expires', '>', now)
        .where('stored', '<=', newest),
    ),
    put: prepare(
      db,
      (key: Uint8Array, stored: number, expires: number, bytes: number, answer: string) =>
        answers.insertInto('answers').orReplace().values({ key, stored, expires, bytes, answer }),
    ),
    dropExpired: prepare(db, (now: number, newest: number) =>
      answers
        .deleteFrom('answers')
        .where((eb) => eb.or([eb('expires', '<=', now), eb('stored', '>', newest)])),
    ),
    // The newest rows that fit, counted from the newest on.
    dropOldest: prepare(
      db,
      (maxRows: number, maxBytes: number) => sql`
        DELETE FROM answers WHERE rowid IN (
          SELECT rowid FROM (
            SELECT rowid, count(*) OVER newest AS n, sum(bytes) OVER newest AS total FROM answers
            WINDOW newest AS (ORDER BY stored DESC, rowid DESC ROWS UNBOUNDED PRECEDING)
          ) WHERE n > ${maxRows} OR total > ${maxBytes}
        )`,
    ),
  };
}

interface OpenCache {
  readonly db: Database;
  readonly statements: ReturnType<typeof prepareCache>;
}

/**
 * Answers of geocoding servers, on disk. It may be deleted at any time, also while it is open, and whatever is wrong with
 * it costs nothing but answers: no method ever throws.
 */
export class GeocodeCache {
  readonly #options: Required<GeocodeCacheOptions>;
  #cache: OpenCache | undefined;
  #isClosed = false;
  /** Monotonic ms before which a cache that failed is left alone. */
  #retryAt = -Infinity;

  constructor(options: GeocodeCacheOptions) {
    this.#options = { maxRows: usualMaxRows, maxBytes: usualMaxBytes, ...options };
  }

  get(key: Uint8Array): Omit<CachedAnswer, 'key'> | undefined {
    const now = this.#options.clock.now();
    return this.#attempt(({ statements }) => statements.get.get(key, now, now + clockToleranceMs));
  }

  /** Keeps an answer, and drops what has expired or is too much, the oldest first. */
  put({ key, answer, expires }: CachedAnswer): void {
    const { clock, maxRows, maxBytes } = this.#options;
    const now = clock.now();
    this.#attempt(({ db, statements }) => {
      db.transaction(() => {
        statements.dropExpired.run(now, now + clockToleranceMs);
        statements.put.run(key, now, expires, Buffer.byteLength(answer), answer);
        statements.dropOldest.run(maxRows, maxBytes);
      })();
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#closeDatabase();
  }

  #attempt<T>(work: (cache: OpenCache) => T): T | undefined {
    const { path, clock } = this.#options;
    if (this.#isClosed || clock.monotonic() < this.#retryAt) return undefined;
    try {
      this.#cache ??= open(path, clock.now());
      return work(this.#cache);
    } catch {
      // Damaged, on a full disk, not ours to write, or of another version: begun anew, but not at every key that is typed.
      this.#retryAt = clock.monotonic() + retryMs;
      this.#closeDatabase();
      remove(path);
      return undefined;
    }
  }

  #closeDatabase(): void {
    // It is given up in any case.
    attempt(() => this.#cache?.db.close());
    this.#cache = undefined;
  }
}

function open(path: string, now: number): OpenCache {
  return orClosed(openWriter(path, 'normal'), (db) => {
    // After a power cut a damaged cache is begun anew; waiting for the disk would hold the main thread.
    db.pragma('synchronous = OFF');
    const version = schemaVersion(db);
    if (version === 0) {
      for (const query of schema()) db.exec(textOf(query));
      db.pragma(`user_version = ${cacheVersion}`);
    } else if (version !== cacheVersion) throw new Error('a cache of another version');
    const statements = prepareCache(db);
    statements.dropExpired.run(now, now + clockToleranceMs);
    return { db, statements };
  });
}

function remove(path: string): void {
  // A directory of that name, perhaps; then there is no cache.
  for (const suffix of ['', '-wal', '-shm']) attempt(() => rmSync(path + suffix, { force: true }));
}
