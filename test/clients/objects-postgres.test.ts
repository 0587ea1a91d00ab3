/** The object server with its rows in PostgreSQL: the tests of the one with SQLite, and what only several servers can show. */
import type { Socket } from 'node:net';
import test from 'ava';
import pg from 'pg';
import { ann, oidOf, startTestObjects, storesLiveIn } from '../helpers/objects.ts';
import { postgresPrograms, startPostgres } from '../helpers/postgres.ts';
import { until } from '../helpers/until.ts';

const programs = postgresPrograms();

if (programs === undefined) {
  test.skip('rows in PostgreSQL (skipped: no postgresql)', () => {});
} else {
  const postgres = await startPostgres(programs);
  test.after.always(() => postgres.close());
  const newPlaces = async () => ({ database: await postgres.newDatabase() });
  storesLiveIn(newPlaces);
  await import('../objects-api.test.ts');
  await import('../objects-content.test.ts');

  const body = { oid: oidOf(Buffer.from('content')), size: 7 };
  const path = `/club/maps/objects/${body.oid}/content`;

  test('rows that are not of these contents do not take them', async (t) => {
    const [server, other] = [await startTestObjects(t), await startTestObjects(t)];
    await server.send('club/maps', Buffer.from('content'));
    await server.close();
    const { directory } = server;
    const lost = startTestObjects(t, { directory, places: await newPlaces() });
    await t.throwsAsync(lost, { message: 'objects missing' });
    const foreign = startTestObjects(t, { directory, places: other.places });
    await t.throwsAsync(foreign, { message: 'objects foreign' });
    const again = await startTestObjects(t, { directory, places: server.places });
    t.is((await again.call('GET', path, { as: ann })).status, 200);
  });

  test('a server that dies within a transaction holds up nobody', async (t) => {
    const server = await startTestObjects(t);
    const dying = new pg.Client({ connectionString: server.places.database });
    dying.on('error', () => undefined);
    await dying.connect();
    await dying.query('BEGIN');
    await dying.query('UPDATE repositories SET objects = objects');
    const sent = server.call('PUT', path, { as: ann, body: Buffer.from('content') });
    const waits = new pg.Pool({ connectionString: server.places.database, max: 1 });
    t.teardown(() => waits.end());
    const waiting =
      "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
    await until(async () => Number((await waits.query(waiting)).rows[0].count) > 0);
    const { rows } = await dying.query('SELECT pg_backend_pid() AS pid');
    // The socket ends as that of a killed process does.
    (dying as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
    t.is(typeof rows[0].pid, 'number');
    t.is((await sent).status, 200);
    t.is((await server.admin.directory.findRepository('club/maps'))?.objects, 1);
  });

  test.serial('a database that is away: 503, nothing acknowledged, and it goes on', async (t) => {
    const other = await startPostgres(programs);
    t.teardown(() => other.close());
    const server = await startTestObjects(t, { places: { database: await other.newDatabase() } });
    await other.kill();
    const refused = await server.call('GET', `/club/maps/objects/${body.oid}`, { as: ann });
    t.is(refused.status, 503);
    t.is(refused.body.code, 'unavailable');
    await other.start();
    t.is((await server.send('club/maps', Buffer.from('content'))).status, 200);
  });
}
