import type { Database } from '../database.ts';

/** The small facts a store keeps about itself. */
export interface StoreMeta {
  get(key: string): string | undefined;
  set(key: string, value: string): void;
  /** Counter of the changes that a list of bookmarks could show. */
  revision(): string;
  /** Counts one change; called inside the transaction that makes it. */
  touch(): void;
}

export function prepareMeta(db: Database): StoreMeta {
  const get = db.prepare<[string], string>('SELECT value FROM meta WHERE key = ?').pluck();
  const set = db.prepare(
    'INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  );
  const touch = db.prepare(
    "UPDATE meta SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT) WHERE key = 'revision'",
  );
  return {
    get: (key) => get.get(key),
    set: (key, value) => void set.run(key, value),
    revision: () => get.get('revision') ?? '',
    touch: () => void touch.run(),
  };
}
