/** The object server with its rows in PostgreSQL: the tests of the one with SQLite, and what only several servers can show. */
import test from 'ava';
import { storesLiveIn } from '../helpers/objects.ts';
import { postgresPrograms, startPostgres } from '../helpers/postgres.ts';

const programs = postgresPrograms();

if (programs === undefined) {
  test.skip('rows in PostgreSQL (skipped: no postgresql)', () => {});
} else {
  const postgres = await startPostgres(programs);
  test.after.always(() => postgres.close());
  storesLiveIn(async () => ({ database: await postgres.newDatabase() }));
  await import('../objects-api.test.ts');
  await import('../objects-content.test.ts');
}
