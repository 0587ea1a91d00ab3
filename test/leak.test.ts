import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import test from 'ava';
import { failureTable } from '../model/failure.ts';
import { startTestDaemon, type TestDaemon } from './helpers/daemon.ts';
import { callOf, everyOperation, type Values } from './helpers/every-route.ts';

/** Marks that must turn up in no failure and no log line, in any route and at any level. */
const name = 'Canaryname';
const lat = 12.345678;
const lon = -98.765432;
const marks = ['canary', '12.345', '98.765', 'waypointd-test-', '.sqlite', '.gpx'];
const place = { name, lat, lon };
const sentences = new Set<string>(Object.values(failureTable).map(({ message }) => message));
const ofField = /^The field `[a-zA-Z_]+` is not valid\.$/u;

function assertSilent(t: { false(value: boolean, message?: string): void }, text: string): void {
  for (const mark of marks) t.false(text.toLowerCase().includes(mark), `${mark} in ${text}`);
}

/** Takes all tables from under a running daemon. @returns how many there were. */
function dropTables(daemon: TestDaemon): number {
  const vandal = new Database(daemon.paths.waypointsDatabase);
  vandal.pragma('foreign_keys = OFF');
  const tables = vandal
    .prepare<[], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    )
    .pluck()
    .all();
  for (const table of tables) vandal.exec(`DROP TABLE ${table}`);
  vandal.close();
  return tables.length;
}

/** What a field is given in the walk over all routes. */
const canaries: Values = {
  ...place,
  oldName: name,
  newName: 'Canary2',
  newLat: lat,
  newLon: lon,
  tag: 'canarytag',
  tags: ['canarytag'],
  query: 'canaryquery',
  q: 'tag:canarytag',
  queries: ['canaryquery'],
  dir: join(tmpdir(), 'canarydir'),
  into: 'canaryfolder',
  files: ['canary.gpx'],
  bbox: '12.345,1,98.765,2',
  desc: 'canarynote',
  cmt: 'canarynote',
  cursor: 'canarycursor',
  path: 'canary.gpx',
  generation_id: 'canary',
  newTag: 'canarytag2',
  details: true,
};

test('no route at all, asked well or badly, with a store or without, says anything private in a failure or a log line', async (t) => {
  const daemon = await startTestDaemon(t);
  const operations = everyOperation((await daemon.get('/api/openapi.json')).body);
  t.true(operations.length > 25);
  const refusals = operations.flatMap((operation) => [
    ...operation.query.map((field) =>
      callOf(operation, { query: { [field.name]: '\u0000canary' } }),
    ),
    ...operation.body.map((field) =>
      callOf(operation, { body: { [field.name]: { canary: lat } } }),
    ),
  ]);
  const calls: { readonly method: string; readonly path: string; readonly body?: unknown }[] = [
    ...operations.map((operation) => callOf(operation, {}, { known: canaries, all: true })),
    ...operations.map((operation) => callOf(operation, {}, { known: canaries })),
    ...refusals,
    { method: 'POST', path: '/api/bookmarks', body: '{"name":"Canaryname"' },
    { method: 'GET', path: '/api/canarypath' },
    { method: 'PUT', path: '/api/waypoints?tag=canarytag' },
  ];
  const failures = async (): Promise<number[]> => {
    const failed: number[] = [];
    for (const { method, path, body } of calls) {
      const answer = await daemon.call(method, path, body);
      if (answer.status < 400) continue;
      failed.push(answer.status);
      t.true(
        sentences.has(answer.body.message) || ofField.test(answer.body.message),
        `${method} ${path}: ${answer.text}`,
      );
      assertSilent(t, answer.text);
    }
    return failed;
  };
  const before = await failures();
  t.true(before.length >= refusals.length / 2, `${before.length} failures`);
  t.true(Math.max(...before) < 500);
  t.true(dropTables(daemon) >= 5);
  const after = await failures();
  t.true(after.filter((status) => status === 500).length >= 20, after.join());
  await daemon.close();
  for (const line of daemon.logged) assertSilent(t, line);
});
