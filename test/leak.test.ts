import { mkdirSync, writeFileSync } from 'node:fs';
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
const query = `name=${name}&lat=${lat}&lon=${lon}`;
const sentences = new Set<string>(Object.values(failureTable).map(({ message }) => message));
const ofField = /^The field `[a-zA-Z_]+` is not valid\.$/u;

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

const everyRoute: Call[] = [
  { method: 'GET', path: '/api/waypoints?tag=canarytag&bbox=12.345,1,98.765,2' },
  { method: 'POST', path: '/api/bookmarks', body: { ...place, tags: ['canarytag'] } },
  {
    method: 'PATCH',
    path: '/api/bookmarks',
    body: { oldName: name, lat, lon, newName: 'Canary2' },
  },
  { method: 'DELETE', path: `/api/bookmarks?${query}` },
  { method: 'GET', path: `/api/tags?${query}` },
  { method: 'GET', path: '/api/tags?distinct=true' },
  { method: 'POST', path: '/api/tags', body: { ...place, tag: 'canarytag' } },
  { method: 'DELETE', path: `/api/tags?${query}&tag=canarytag` },
  { method: 'GET', path: '/api/clusters?bbox=12.345,1,98.765,2' },
  { method: 'GET', path: '/api/suggest?q=tag:canarytag' },
  { method: 'GET', path: '/api/recent_suggest' },
  { method: 'POST', path: '/api/history', body: { query: 'canaryquery', lat, lon } },
  { method: 'DELETE', path: '/api/history?query=canaryquery' },
];

function assertSilent(t: { false(value: boolean, message?: string): void }, text: string): void {
  for (const mark of marks) t.false(text.toLowerCase().includes(mark), `${mark} in ${text}`);
}

async function failEvery(daemon: TestDaemon, calls: readonly Call[]) {
  const answers = [];
  for (const { method, path, body } of calls) {
    const answer = await daemon.call(method, path, body);
    answers.push({
      status: answer.status,
      message: String(answer.body?.message),
      text: answer.text,
    });
  }
  return answers;
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

test('a store that fails under every route gives 500 with the fixed sentence, and nothing private in answers and logs', async (t) => {
  const daemon = await startTestDaemon(t);
  await daemon.call('POST', '/api/bookmarks', { ...place, tags: ['canarytag'] });
  t.true(dropTables(daemon) >= 5);
  for (const { status, message, text } of await failEvery(daemon, everyRoute)) {
    t.is(status, 500);
    t.is(message, failureTable.internal.message);
    assertSilent(t, text);
  }
  t.true(daemon.logged.length >= everyRoute.length);
  for (const line of daemon.logged) assertSilent(t, line);
});

test('refused and normal requests leave nothing private in answers of failures and in logs', async (t) => {
  const daemon = await startTestDaemon(t);
  const dir = join(daemon.root, 'canarydir');
  mkdirSync(dir);
  writeFileSync(
    join(dir, 'canaryfile.gpx'),
    `<gpx><wpt lat="${lat}" lon="${lon}"><name>${name}</name></wpt></gpx>`,
  );
  writeFileSync(join(dir, 'canarybroken.gpx'), `<gpx><wpt lat="${lat}"`);
  t.is((await daemon.call('POST', '/api/import', { dir })).status, 200);
  for (const call of everyRoute) await daemon.call(call.method, call.path, call.body);
  const refused: Call[] = [
    { method: 'POST', path: '/api/bookmarks', body: { ...place, lat: '12.345678' } },
    { method: 'POST', path: '/api/bookmarks', body: '{"name":"Canaryname"' },
    { method: 'DELETE', path: `/api/bookmarks?${query}` },
    { method: 'POST', path: '/api/tags', body: { ...place, name: 'Canary3', tag: 'canarytag' } },
    { method: 'POST', path: '/api/import', body: { dir: join(dir, 'canarymissing') } },
    { method: 'POST', path: '/api/import', body: { dir, canaryfield: 1 } },
    { method: 'GET', path: '/api/canarypath' },
    { method: 'PUT', path: '/api/waypoints' },
  ];
  for (const { status, message, text } of await failEvery(daemon, refused)) {
    t.true(status >= 400 && status < 500, text);
    t.true(sentences.has(message) || ofField.test(message));
    assertSilent(t, text);
  }
  await daemon.close();
  for (const line of daemon.logged) assertSilent(t, line);
});

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
  const calls = [
    ...operations.map((operation) => callOf(operation, {}, { known: canaries, all: true })),
    ...operations.map((operation) => callOf(operation, {}, { known: canaries })),
    ...refusals,
  ];
  const failures = async (): Promise<number> => {
    let failed = 0;
    for (const { method, path, body } of calls) {
      const answer = await daemon.call(method, path, body);
      if (answer.status < 400) continue;
      failed += 1;
      t.true(
        sentences.has(answer.body.message) || ofField.test(answer.body.message),
        `${method} ${path}: ${answer.text}`,
      );
      assertSilent(t, answer.text);
    }
    return failed;
  };
  const before = await failures();
  t.true(before >= refusals.length / 2, `${before} failures`);
  dropTables(daemon);
  t.true((await failures()) > before);
  await daemon.close();
  for (const line of daemon.logged) assertSilent(t, line);
});
