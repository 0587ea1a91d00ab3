import { limits } from '../../model/limits.ts';
import type { HistoryEntry } from '../../model/search.ts';
import type { Database } from '../database.ts';

/** Recent searches, each distinct text once, newest first; only the newest limits.historyEntries are kept. */
export interface HistoryStore {
  /** Records queries, the last one newest, each with the same optional place. */
  add(queries: readonly string[], place?: { lat: number; lon: number }): void;
  recent(limit: number): HistoryEntry[];
  /** @returns how many were removed: all, or the one of that text. */
  remove(query?: string): number;
}

interface HistoryRow {
  query: string;
  lat: number | null;
  lon: number | null;
}

export function prepareHistory(db: Database): HistoryStore {
  const forget = db.prepare('DELETE FROM history WHERE query = ?');
  const add = db.prepare('INSERT INTO history (query, lat, lon) VALUES (?, ?, ?)');
  const trim = db.prepare(
    'DELETE FROM history WHERE id <= (SELECT id FROM history ORDER BY id DESC LIMIT 1 OFFSET ?)',
  );
  const recent = db.prepare<[number], HistoryRow>(
    'SELECT query, lat, lon FROM history ORDER BY id DESC LIMIT ?',
  );
  const clear = db.prepare('DELETE FROM history');

  const record = db.transaction(
    (queries: readonly string[], place?: { lat: number; lon: number }) => {
      for (const query of queries) {
        forget.run(query);
        add.run(query, place?.lat ?? null, place?.lon ?? null);
      }
      trim.run(limits.historyEntries);
    },
  );

  return {
    add: (queries, place) => record.immediate(queries, place),
    recent: (limit) => recent.all(limit).map(toEntry),
    remove: (query) => (query === undefined ? clear.run() : forget.run(query)).changes,
  };
}

function toEntry({ query, lat, lon }: HistoryRow): HistoryEntry {
  return lat === null || lon === null ? { query } : { query, lat, lon };
}
