import { sql } from 'kysely';
import type { Database } from './database.ts';
import { prepareValue } from './prepared.ts';

/** The next value of a counter, which `meta` keeps as text. */
export const countedUp = sql<string>`CAST(CAST(${sql.ref('value')} AS INTEGER) + 1 AS TEXT)`;

/**
 * Reads what names the present content of a store: its random name and its counter of changes. A rebuilt library counts from 1
 * again under another name.
 */
export function prepareRevision(db: Database, schema: 'main' | 'library' = 'main'): () => string {
  const revision = prepareValue(
    db,
    () => sql<{ revision: string | null }>`
      SELECT group_concat(value, '.' ORDER BY key DESC)
        FROM ${sql.id(schema, 'meta')} WHERE key IN ('store', 'revision')`,
  );
  return () => revision.get() ?? '';
}

/** The same of both databases of a joined reader together. */
export function prepareJoinedRevision(joined: Database): () => string {
  const main = prepareRevision(joined);
  const library = prepareRevision(joined, 'library');
  return () => `${main()}.${library()}`;
}
