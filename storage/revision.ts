import { sql, type Kysely } from 'kysely';
import type { Database } from './database.ts';
import { libraryTables, type LibraryDb } from './schema/library.ts';
import { prepareValue, type Query } from './prepared.ts';
import { joinedTables } from './schema/joined.ts';

/** The next value of a counter, which `meta` keeps as text. */
export const countedUp = sql<string>`CAST(CAST(${sql.ref('value')} AS INTEGER) + 1 AS TEXT)`;

/** The random name of a store and its counter of changes: a rebuilt library counts from 1 again under another name. */
function revisionOf(tables: Kysely<Pick<LibraryDb, 'meta'>>) {
  return tables
    .selectFrom('meta')
    .select(sql<string | null>`group_concat(value, '.' ORDER BY key DESC)`.as('revision'))
    .where('key', 'in', ['store', 'revision']);
}

function reading(db: Database, query: () => Query<{ revision: string | null }>): () => string {
  const statement = prepareValue(db, query);
  return () => statement.get() ?? '';
}

/** Reads what names the present content of a library. */
export function prepareLibraryRevision(library: Database): () => string {
  return reading(library, () => revisionOf(libraryTables));
}

/** The same of the library that a joined reader has attached. */
export function prepareAttachedRevision(joined: Database): () => string {
  return reading(joined, () => revisionOf(joinedTables.withSchema('library')));
}

function joinedRevision() {
  const inMain = revisionOf(joinedTables.withSchema('main'));
  const inLibrary = revisionOf(joinedTables.withSchema('library'));
  return joinedTables.selectNoFrom(
    sql<string | null>`(${inMain}) || '.' || (${inLibrary})`.as('revision'),
  );
}

/** Reads, through a joined reader, what names the present content of both databases together. */
export function prepareRevision(joined: Database): () => string {
  return reading(joined, joinedRevision);
}
