/** The rows of an object store where the disk fails or two change them at once: what no request can time. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { objectRows } from '../storage/objects/dialect.ts';
import { objectHoldings } from '../storage/objects/holdings.ts';
import { openObjectsDatabase } from '../storage/objects/open.ts';
import { temporaryDirectory } from './helpers/daemon.ts';

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

const withLimit = process.platform === 'win32' ? test.skip : test;

withLimit('a commit that cannot be written tells the fault of the disk', (t) => {
  const program = join(import.meta.dirname, 'programs/objects-past-limit.ts');
  // 400 blocks of 512 or 1,024 bytes: no statement writes to the log, only commits do.
  const script = 'ulimit -f 400 && exec "$0" "$@"';
  const words = ['-c', script, process.execPath, program, makeStore(t)];
  const told = execFileSync('sh', words, { encoding: 'utf8' });
  const cause = 'SQLITE_IOERR_WRITE';
  t.deepEqual(JSON.parse(told), { code: 'unavailable', cause, isWhole: true });
});
