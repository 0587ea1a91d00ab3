import { rmSync } from 'node:fs';
import type { Clock } from '../model/process.ts';
import { openWriter, type Database } from './database.ts';

export interface GeocodeCacheOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly maxRows?: number;
  /** Of all answers together. */
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

const schemaVersion = 1;
// The index alone tells what has to go, and how much there is.
const schema = `
  CREATE TABLE answers (
    key BLOB PRIMARY KEY,
    stored INTEGER NOT NULL,
    expires INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    answer TEXT NOT NULL
  ) STRICT;
  CREATE INDEX answers_by_age ON answers (stored, bytes);
  PRAGMA user_version = ${schemaVersion};
`;

/**
 * Answers of geocoding servers, on disk. It may be deleted at any time, also while it is open, and whatever is wrong with
 * it costs nothing but answers: no method ever throws.
 */
export class GeocodeCache {
  readonly #options: Required<GeocodeCacheOptions>;
  #db: Database | undefined;
  #isClosed = false;
  /** Monotonic ms before which a cache that failed is left alone. */
  #retryAt = -Infinity;

  constructor(options: GeocodeCacheOptions) {
    this.#options = { maxRows: usualMaxRows, maxBytes: usualMaxBytes, ...options };
  }

  get(key: Uint8Array): Omit<CachedAnswer, 'key'> | undefined {
    const now = this.#options.clock.now();
    return this.#attempt((db) =>
      db
        .prepare<[Uint8Array, number, number], { answer: string; expires: number }>(
          'SELECT answer, expires FROM answers WHERE key = ? AND expires > ? AND stored <= ?',
        )
        .get(key, now, now + clockToleranceMs),
    );
  }

  /** Keeps an answer, and drops what has expired or is too much, the oldest first. */
  put({ key, answer, expires }: CachedAnswer): void {
    const now = this.#options.clock.now();
    this.#attempt((db) => {
      db.transaction(() => {
        dropExpired(db, now);
        db.prepare('INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)').run(
          key,
          now,
          expires,
          Buffer.byteLength(answer),
          answer,
        );
        this.#dropOldest(db);
      })();
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#closeDatabase();
  }

  #dropOldest(db: Database): void {
    const { maxRows, maxBytes } = this.#options;
    // The newest rows that fit, counted from the newest on.
    db.prepare(
      `DELETE FROM answers WHERE rowid IN (
        SELECT rowid FROM (
          SELECT rowid, count(*) OVER newest AS n, sum(bytes) OVER newest AS total FROM answers
          WINDOW newest AS (ORDER BY stored DESC, rowid DESC ROWS UNBOUNDED PRECEDING)
        ) WHERE n > ? OR total > ?
      )`,
    ).run(maxRows, maxBytes);
  }

  #attempt<T>(work: (db: Database) => T): T | undefined {
    const { path, clock } = this.#options;
    if (this.#isClosed || clock.monotonic() < this.#retryAt) return undefined;
    try {
      this.#db ??= open(path, clock.now());
      return work(this.#db);
    } catch {
      // Damaged, on a full disk, not ours to write, or of another version: begun anew, but not at every key that is typed.
      this.#retryAt = clock.monotonic() + retryMs;
      this.#closeDatabase();
      remove(path);
      return undefined;
    }
  }

  #closeDatabase(): void {
    try {
      this.#db?.close();
    } catch {
      // It is given up in any case.
    }
    this.#db = undefined;
  }
}

function open(path: string, now: number): Database {
  const db = openWriter(path, 'normal');
  try {
    // After a power cut a damaged cache is begun anew; waiting for the disk would hold the main thread.
    db.pragma('synchronous = OFF');
    const version = db.pragma('user_version', { simple: true });
    if (version === 0) db.exec(schema);
    else if (version !== schemaVersion) throw new Error('a cache of another version');
    dropExpired(db, now);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function dropExpired(db: Database, now: number): void {
  db.prepare('DELETE FROM answers WHERE expires <= ? OR stored > ?').run(
    now,
    now + clockToleranceMs,
  );
}

function remove(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) {
    try {
      rmSync(path + suffix, { force: true });
    } catch {
      // A directory of that name, perhaps; then there is no cache.
    }
  }
}
