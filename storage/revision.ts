import type { Database } from './database.ts';

const sql = `
  SELECT group_concat(value, '.' ORDER BY part, key) FROM (
    SELECT 1 AS part, key, value FROM main.meta WHERE key IN ('store', 'revision')
    UNION ALL SELECT 2, key, value FROM library.meta WHERE key IN ('store', 'revision'))`;

/** Reads, through a joined reader, what names the present content of both databases together. */
export function prepareRevision(joined: Database): () => string {
  const statement = joined.prepare<[], string>(sql).pluck();
  return () => statement.get() ?? '';
}
