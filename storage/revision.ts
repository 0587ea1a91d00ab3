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

/**
 * As {@link prepareRevision}, for a connection that is asked again and again outside transactions: SQLite's own counters
 * tell at a third of the cost that nothing was committed since.
 */
export function prepareWatchedRevision(joined: Database): () => string {
  const read = prepareRevision(joined);
  const counters = ['main', 'library'].map((schema) =>
    joined.prepare<[], number>(`PRAGMA ${schema}.data_version`).pluck(),
  );
  let seen: (number | undefined)[] = [];
  let revision: string | undefined;
  return () => {
    // Before the revision: a commit between the two is then seen the next time.
    const now = counters.map((counter) => counter.get());
    if (revision === undefined || now.some((count, at) => count !== seen[at])) {
      // Only once it was read: a failure must not leave the old one looking like the new one.
      revision = read();
      seen = now;
    }
    return revision;
  };
}
