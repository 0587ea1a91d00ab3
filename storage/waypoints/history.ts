import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../model/attempt.ts';
import { closing } from '../../model/closing.ts';
import { limits } from '../../model/limits.ts';
import type { HistoryEntry } from '../../model/search.ts';
import { openReader, openWriter, type Database } from '../database.ts';
import { prepare } from '../prepared.ts';
import { waypointTables } from '../schema/waypoints.ts';

/** Those who read the store keep its log from being emptied: for seconds, as a rule. */
const retryMs = 1_000;

/** Recent searches, each distinct text once, newest first; only the newest limits.historyEntries are kept. */
export type HistoryStore = ReturnType<typeof prepareHistory>;

export function prepareHistory(db: Database) {
  const clear = prepare(db, () => waypointTables.deleteFrom('history'));
  const forget = prepare(db, (query: string) =>
    waypointTables.deleteFrom('history').where('query', '=', query),
  );
  const add = prepare(db, (query: string, lat: number | null, lon: number | null) =>
    waypointTables.insertInto('history').values({ query, lat, lon }),
  );
  const trim = prepare(db, () =>
    waypointTables
      .deleteFrom('history')
      .where('id', '<=', (eb) =>
        eb
          .selectFrom('history')
          .select('id')
          .orderBy('id', 'desc')
          .limit(1)
          .offset(limits.historyEntries),
      ),
  );
  const recent = prepare(db, (limit: number) =>
    waypointTables
      .selectFrom('history')
      .select(['query', 'lat', 'lon'])
      .orderBy('id', 'desc')
      .limit(limit),
  );

  const record = db.transaction(
    (queries: readonly string[], place?: { lat: number; lon: number }) => {
      for (const query of queries) {
        forget.run(query);
        add.run(query, place?.lat ?? null, place?.lon ?? null);
      }
      trim.run();
    },
  );

  let retry: NodeJS.Timeout | undefined;
  /** The write-ahead log has what was cleared until it is emptied. */
  function emptyLog(): void {
    clearTimeout(retry);
    if (!db.open) return;
    const busy = attempt(() => db.pragma('wal_checkpoint(TRUNCATE)', { simple: true }));
    if (busy !== 0) retry = setTimeout(emptyLog, retryMs).unref();
  }

  return {
    /** Records queries, the last one newest, each with the same optional place. */
    add: (queries: readonly string[], place?: { lat: number; lon: number }) =>
      record.immediate(queries, place),
    recent: (limit: number): HistoryEntry[] =>
      recent
        .all(limit)
        .map(({ query, lat, lon }) =>
          lat === null || lon === null ? { query } : { query, lat, lon },
        ),
    /** @returns how many were removed: all, or the one of that text. */
    remove(query?: string) {
      const { changes } = query === undefined ? clear.run() : forget.run(query);
      emptyLog();
      return changes;
    },
  };
}

/** Takes the searches out of a copy of a store: one that the user did not ask for must not keep what they clear. */
export function removeHistory(copy: string): void {
  using db = closing(openWriter(copy, 'normal'));
  prepare(db, () => waypointTables.deleteFrom('history')).run();
  db.pragma('journal_mode = DELETE');
}

const upgradeCopy = /^waypoints-v\d+-.*\.sqlite$/u;

/** The copies of before upgrades that hold searches: earlier builds left them in. They are only read. */
export function copiesWithHistory(directory: string): string[] {
  const names = attempt(() => readdirSync(directory)) ?? [];
  const copies = names
    .filter((name) => upgradeCopy.test(name))
    .map((name) => join(directory, name));
  return copies.filter((copy) =>
    attempt(() => {
      using db = closing(openReader(copy));
      return prepare(db, () => waypointTables.selectFrom('history').select('id').limit(1)).get();
    }),
  );
}
