import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import SqliteDatabase from 'better-sqlite3';
import { sql } from 'kysely';
import { attempt } from '../model/attempt.ts';
import { readKeptPlaces } from '../model/geocode.ts';
import type { Clock } from '../model/process.ts';
import type { Suggestion } from '../model/search.ts';
import { columns, createIndex, createTables, table, type TablesOf } from './create-table.ts';
import { openWriter, orClosed, type Database } from './database.ts';
import { schemaVersion, type Migration } from './migrate.ts';
import { prepare, queryBuilder, textOf } from './prepared.ts';

export interface GeocodeCacheOptions {
  readonly path: string;
  /** The geocoding server; the answers of others in the file are not used. */
  readonly server: string;
  readonly clock: Clock;
  readonly maxRows?: number;
  /** Bytes of all answers together. */
  readonly maxBytes?: number;
}

const dayMs = 86_400_000;
const foundForMs = 30 * dayMs;
const notFoundForMs = dayMs;
/** A year of searching; some 3 KB each. */
const usualMaxRows = 4_096;
const usualMaxBytes = 8_388_608;
/** An answer from further in the future than this was kept while the clock was wrong. */
const clockToleranceMs = dayMs;

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
        .select('answer')
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
 * Answers of a geocoding server, on disk: places for 30 days, empty answers for one. The file may be deleted at any
 * time, also while it is open; one that cannot be used gives way to memory. No method throws.
 */
export class GeocodeCache {
  readonly #options: Required<GeocodeCacheOptions>;
  #cache: OpenCache | undefined;
  #isClosed = false;

  constructor(options: GeocodeCacheOptions) {
    this.#options = { maxRows: usualMaxRows, maxBytes: usualMaxBytes, ...options };
  }

  get(text: string): readonly Suggestion[] | undefined {
    const now = this.#options.clock.now();
    const row = this.#attempt(({ statements }) =>
      statements.get.get(this.#keyOf(text), now, now + clockToleranceMs),
    );
    return row && readKeptPlaces(row.answer);
  }

  /** Keeps an answer, and drops what has expired or is too much, the oldest first. */
  put(text: string, places: readonly Suggestion[]): void {
    const { clock, maxRows, maxBytes } = this.#options;
    const now = clock.now();
    const expires = now + (places.length > 0 ? foundForMs : notFoundForMs);
    const answer = JSON.stringify(places);
    this.#attempt(({ db, statements }) => {
      db.transaction(() => {
        statements.dropExpired.run(now, now + clockToleranceMs);
        statements.put.run(this.#keyOf(text), now, expires, Buffer.byteLength(answer), answer);
        statements.dropOldest.run(maxRows, maxBytes);
      })();
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#closeDatabase();
  }

  #attempt<T>(work: (cache: OpenCache) => T): T | undefined {
    if (this.#isClosed) return undefined;
    const { path, clock } = this.#options;
    try {
      this.#cache ??= open(openWriter(path, 'normal'), clock.now());
      return work(this.#cache);
    } catch {
      // Damaged, on a full disk, not ours to write, or of another version: the next start begins another file.
      this.#closeDatabase();
      remove(path);
      return attempt(() => work((this.#cache = open(new SqliteDatabase(':memory:'), clock.now()))));
    }
  }

  #closeDatabase(): void {
    // It is given up in any case.
    attempt(() => this.#cache?.db.close());
    this.#cache = undefined;
  }

  /** A hash, so that the file does not hold what was typed. */
  #keyOf(text: string): Uint8Array {
    return createHash('sha256').update(`${this.#options.server}\0${text}`).digest();
  }
}

function open(database: Database, now: number): OpenCache {
  return orClosed(database, (db) => {
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
