/** The object server with its rows in PostgreSQL: the tests of the one with SQLite, and what only several servers can show. */
import type { Socket } from 'node:net';
import test from 'ava';
import pg from 'pg';
import { WaypointError } from '../../model/failure.ts';
import { openRoot, type StorePlaces } from '../../objects/root.ts';
import { moveStore } from '../../objects/upkeep/migrate.ts';
import { testCli } from '../helpers/cli.ts';
import { ann, endOf, oidOf, startTestObjects, storesLiveIn } from '../helpers/objects.ts';
import { postgresPrograms, startPostgres } from '../helpers/postgres.ts';
import { temporaryDirectory } from '../helpers/temporary-directory.ts';
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
  await import('../objects-locks.test.ts');

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

  test('a database that refuses, or is not there, is told as such', async (t) => {
    const url = await postgres.newDatabase();
    const asked = [
      [url.replace('tester', 'stranger'), 'database_refuses'],
      [url.replace(/store_\d+/u, 'none'), 'database_refuses'],
      [url.replace('wp-pg-', 'wp-none-'), 'database_unavailable'],
    ] as const;
    for (const [database, failure] of asked) {
      const starting = startTestObjects(t, { places: { database } });
      t.is((await t.throwsAsync(starting, { instanceOf: WaypointError })).failure, failure);
    }
    const cli = testCli(t);
    const env = { WAYPOINTD_OBJECTS_DATABASE: asked[0][0] };
    const { code, stderr } = await cli.run(['objects', 'serve'], { env });
    t.is(code, 78);
    t.regex(stderr, /^[^\n]*The database of this store refuses[^\n]*\n$/u);
  });

  test('connections that get no answer are not used again', async (t) => {
    const places = { database: `${await postgres.newDatabase()}&query_timeout=3000` };
    const server = await startTestObjects(t, { places });
    const holder = new pg.Client({ connectionString: places.database });
    await holder.connect();
    t.teardown(() => holder.end());
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE locks');
    const asking = Array.from({ length: 12 }, () =>
      server.call('GET', '/club/maps/locks', { as: ann }),
    );
    for (const { status } of await Promise.all(asking)) t.is(status, 503);
    t.is((await server.call('GET', path, { as: ann })).status, 404);
  });

  test('a lock that another server removes in the very moment is made again', async (t) => {
    const places = await newPlaces();
    const server = await startTestObjects(t, { places });
    const other = new pg.Client({ connectionString: places.database });
    await other.connect();
    t.teardown(() => other.end());
    // Removes each first lock before the server looks for it.
    await other.query(`
      CREATE SEQUENCE made;
      CREATE FUNCTION unlock() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('made') = 1 THEN DELETE FROM locks; END IF; RETURN NULL;
      END $$;
      CREATE TRIGGER unlock AFTER INSERT ON locks FOR EACH STATEMENT EXECUTE FUNCTION unlock()`);
    const wanted = { as: ann, body: { path: 'harbour.map' } };
    t.is((await server.call('POST', '/club/maps/locks', wanted)).status, 201);
    t.is((await server.call('POST', '/club/maps/locks', wanted)).status, 409, 'it is there');
  });

  test('numbers of what is gone are not given again after a move', async (t) => {
    const open = (directory: string, places: StorePlaces) =>
      openRoot(directory, { ...places, owner: 'command' });
    const root = await open(temporaryDirectory(t), await newPlaces());
    await root.directory.addUser('eve', '', 0);
    await root.directory.removeUser('eve');
    await moveStore(root, { database: 'sqlite' }, () => {});
    await root.close();
    const moved = await open(root.path, {});
    t.teardown(() => moved.close());
    await moved.directory.addUser('new', '', 0);
    t.is((await moved.directory.findUser('new'))?.id, 2);
    await moved.directory.removeUser('new');
    const places = await newPlaces();
    await moveStore(moved, places, () => {});
    const back = await open(temporaryDirectory(t), places);
    t.teardown(() => back.close());
    await back.directory.addUser('another', '', 0);
    t.is((await back.directory.findUser('another'))?.id, 3);
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
    const isReady = async () => (await server.call('GET', '/readyz')).status;
    t.is(await isReady(), 503);
    t.is((await server.call('GET', '/healthz')).status, 200);
    await other.start();
    await until(async () => (await isReady()) === 200);
    t.is((await server.send('club/maps', Buffer.from('content'))).status, 200);
    await other.kill();
    t.is(await endOf(server), 'ended', 'with traffic that was not written yet');
  });
}
