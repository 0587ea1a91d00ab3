import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { prepare, type RowOf } from '../prepared.ts';
import { prepareRevision } from '../revision.ts';
import { joinedTables } from '../schema/joined.ts';

/** What all imported files hold together; null are times where nothing is timed, and degrees where nothing has a position. */
export type LibraryTotals = RowOf<ReturnType<typeof prepareSums>>;

/** Of no files, too. */
const total = (column: 'tracks' | 'routes' | 'track_points' | 'observations') =>
  sql<number>`coalesce(sum(${sql.ref(column)}), 0)`;

/** Sums the files of the library through a joined reader, once for each revision of it. */
export function prepareTotals(joined: Database): () => LibraryTotals {
  const revision = prepareRevision(joined, 'library');
  const sums = prepareSums(joined);
  let known: { readonly revision: string; readonly totals: LibraryTotals } | undefined;
  return () => {
    const now = revision();
    if (known?.revision !== now) known = { revision: now, totals: sums.get()! };
    return known.totals;
  };
}

function prepareSums(joined: Database) {
  return prepare(joined, () =>
    joinedTables
      .selectFrom('library.files')
      .select(({ fn }) => [
        fn.countAll<number>().as('files'),
        total('tracks').as('tracks'),
        total('routes').as('routes'),
        total('track_points').as('trackPoints'),
        total('observations').as('observations'),
        fn.min('first_ms').as('firstMs'),
        fn.max('last_ms').as('lastMs'),
        fn.min('south').as('south'),
        fn.min('west').as('west'),
        fn.max('north').as('north'),
        fn.max('east').as('east'),
      ]),
  );
}
