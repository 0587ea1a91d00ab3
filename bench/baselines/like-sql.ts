import Database from 'better-sqlite3';
import { foldName } from '../../model/fold.ts';

/** The yardstick for `GET /api/suggest`: names in a table, found with LIKE. */
export interface LikeBaseline {
  /** Finds the first eight names that contain the query, in alphabetical order. */
  run(query: string): number;
  close(): void;
}

/** Puts names into a table in memory, folded as the daemon folds them (LIKE itself folds ASCII alone). */
export function openLikeBaseline(names: Iterable<string>): LikeBaseline {
  const db = new Database(':memory:');
  db.exec('CREATE TABLE names (name TEXT NOT NULL, folded TEXT NOT NULL) STRICT');
  const insert = db.prepare('INSERT INTO names VALUES (?, ?)');
  db.transaction(() => {
    for (const name of names) insert.run(name, foldName(name));
  })();
  const query = db
    .prepare<[string], string>('SELECT name FROM names WHERE folded LIKE ? ORDER BY folded LIMIT 8')
    .pluck();
  return {
    run: (text) => query.all(`%${foldName(text)}%`).length,
    close: () => db.close(),
  };
}
