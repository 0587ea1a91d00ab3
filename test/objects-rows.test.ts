/** The rows of an object store where the disk fails or two change them at once: what no request can time. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { TrafficMeter } from '../objects/traffic.ts';
import { copyRows } from '../storage/objects/copy-rows.ts';
import { objectRows } from '../storage/objects/dialect.ts';
import { objectHoldings } from '../storage/objects/holdings.ts';
import { openObjectsDatabase } from '../storage/objects/open.ts';
import { valuesOf } from './helpers/fields.ts';
import { manualTime } from './helpers/manual-time.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';
import { posix } from './helpers/where.ts';
import { testProgram } from './helpers/program.ts';

const repository = 1;

/** A store with one repository, its log closed. */
function makeStore(t: ExecutionContext): string {
  const path = join(temporaryDirectory(t), 'objects.sqlite');
  const db = openStore(path);
  db.exec(
    "INSERT INTO repositories VALUES (1, 'club', 'maps', 'club/maps', 0, NULL, NULL, 0, 0, 0)",
  );
  db.close();
  return path;
}

function openStore(path: string) {
  return openObjectsDatabase({ path, waitMs: 0, areCommitsSynced: false, hasContents: false });
}

const holding = { oid: 'a'.repeat(64), size: 1 };

test('a transaction that SQLite has rolled back itself fails with its own error', async (t) => {
  const db = openStore(makeStore(t));
  const holdings = objectHoldings(objectRows(db));
  db.exec("CREATE TRIGGER cut AFTER INSERT ON holdings BEGIN SELECT RAISE(ROLLBACK, 'cut'); END");
  const error = await t.throwsAsync(holdings.addWithinQuota(repository, holding, 0));
  t.is(error.message, 'cut');
  db.exec('DROP TRIGGER cut');
  t.is(await holdings.addWithinQuota(repository, holding, 0), 'added', 'later changes go on');
  db.close();
});

test('a commit that SQLite refuses and keeps open is rolled back', async (t) => {
  const db = openStore(makeStore(t));
  const holdings = objectHoldings(objectRows(db));
  db.exec('CREATE TABLE owed (id INTEGER REFERENCES users DEFERRABLE INITIALLY DEFERRED) STRICT');
  db.exec('CREATE TRIGGER owe AFTER INSERT ON holdings BEGIN INSERT INTO owed VALUES (99); END');
  const error = await t.throwsAsync(holdings.addWithinQuota(repository, holding, 0));
  t.is(error.message, 'FOREIGN KEY constraint failed');
  t.false(db.inTransaction);
  t.deepEqual(await holdings.page(repository, '', 10), []);
  db.close();
});

test('all rows of a store are copied, each table once, and another time over them', async (t) => {
  const [from, to] = [openStore(makeStore(t)), openStore(makeStore(t))];
  from.exec("INSERT INTO users VALUES (7, 'ann', 'ann', 'x', 0)");
  from.exec("INSERT INTO locks VALUES (3, 1, 7, 'maps/harbour.map', 0)");
  await objectHoldings(objectRows(from)).addWithinQuota(repository, holding, 0);
  for (let times = 0; times < 2; times += 1) await copyRows(objectRows(from), objectRows(to));
  for (const table of ['users', 'repositories', 'holdings', 'locks']) {
    const [one, other] = [from, to].map((db) => db.prepare(`SELECT * FROM ${table}`).all());
    t.deepEqual(one, other, table);
    t.is(other?.length, 1, table);
  }
  from.close();
  to.close();
});

posix('a commit that cannot be written tells the fault of the disk', (t) => {
  const program = testProgram('objects-past-limit');
  // 400 blocks of 512 or 1,024 bytes: no statement writes to the log, only commits do.
  const script = 'ulimit -f 400 && exec "$0" "$@"';
  const words = ['-c', script, process.execPath, program, makeStore(t)];
  const told = execFileSync('sh', words, { encoding: 'utf8' });
  const cause = 'SQLITE_IOERR_WRITE';
  t.deepEqual(JSON.parse(told), { code: 'unavailable', cause, isWhole: true });
});

function makeMeter(t: ExecutionContext, perDay = 0) {
  const db = openStore(makeStore(t));
  t.teardown(() => db.close());
  const holdings = objectHoldings(objectRows(db));
  const { clock } = manualTime();
  const parts = { holdings, traffic: new TrafficMeter(holdings, clock, perDay) };
  return { ...parts, written: () => holdings.trafficSince(repository, 0) };
}

test('of two downloads at once the first is let in where the limit has room for one', async (t) => {
  const { traffic, written } = makeMeter(t, 50);
  const both = [1, 2].map(() => traffic.reserve(repository, 30));
  const ends = await Promise.allSettled(both);
  t.deepEqual(valuesOf(ends, 'status'), ['fulfilled', 'rejected']);
  const [flushed, exact] = [traffic.flush(), traffic.reserve(repository, 20)];
  await t.notThrowsAsync(exact, 'at the limit, while counts are written');
  await flushed;
  await t.throwsAsync(traffic.reserve(repository, 1), { code: 'bandwidth' });
  t.deepEqual(await written(), { sent: 50, received: 0 });
});

test('traffic that is flushed twice at once is counted once', async (t) => {
  const { traffic, written } = makeMeter(t);
  traffic.add(repository, 'sent', 10);
  traffic.add(repository, 'received', 3);
  await Promise.all([traffic.flush(), traffic.flush()]);
  t.deepEqual(await written(), { sent: 10, received: 3 });
  const flush = traffic.flush();
  traffic.add(repository, 'sent', 5);
  await flush;
  await traffic.flush();
  t.deepEqual(await written(), { sent: 15, received: 3 });
});

test('traffic that the disk refuses is counted later; that of a removed repository is not', async (t) => {
  const { holdings, written } = makeMeter(t);
  let isBroken = true;
  const traffic = new TrafficMeter(
    {
      ...holdings,
      async addTraffic(...added) {
        if (isBroken) throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' });
        await holdings.addTraffic(...added);
      },
    },
    manualTime().clock,
  );
  traffic.add(repository, 'sent', 10);
  const removed = 2;
  traffic.add(removed, 'sent', 10);
  await traffic.flush();
  t.deepEqual(await written(), { sent: 0, received: 0 });
  isBroken = false;
  await traffic.flush();
  t.deepEqual(await written(), { sent: 10, received: 0 });
  t.deepEqual(await holdings.trafficSince(removed, 0), { sent: 0, received: 0 });
});
