/** The journal of changes: what every change is told by, and how it is taken back. */
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { limits } from '../model/limits.ts';
import { retentionTime } from '../storage/waypoints/retention-time.ts';
import { JournaledRows } from '../storage/waypoints/journaled-rows.ts';
import { openWaypointStore } from '../storage/waypoints/open.ts';
import { startTestDaemon, type TestAnswer, type TestDaemon } from './helpers/daemon.ts';
import { valuesOf } from './helpers/fields.ts';
import { importTree } from './helpers/imported-files.ts';
import { gpx } from './helpers/imports.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';

const camp = { name: 'Camp', lat: 42.1, lon: -8.3 };
const query = ({ name, lat, lon } = camp): string =>
  `name=${encodeURIComponent(name)}&lat=${lat}&lon=${lon}`;
const idOf = ({ headers }: TestAnswer): number => Number(headers.get('x-change-id'));

test('every answer that changed something has the number of the change, no other one', async (t) => {
  const daemon = await startTestDaemon(t);
  const place = { oldName: 'Camp', lat: 42.1, lon: -8.3 };
  const steps: [method: string, path: string, body: unknown, isChange: boolean][] = [
    ['POST', '/api/bookmarks', { ...camp, tags: ['a'] }, true],
    ['POST', '/api/bookmarks', camp, false],
    ['POST', '/api/tags', { ...camp, tags: ['a'] }, false],
    ['POST', '/api/tags', { ...camp, tags: ['b'] }, true],
    ['DELETE', `/api/tags?${query()}&tag=c`, undefined, false],
    ['DELETE', `/api/tags?${query()}&tag=b`, undefined, true],
    ['PATCH', '/api/bookmarks', { ...place, newName: 'Camp' }, false],
    ['PATCH', '/api/bookmarks', { ...place, desc: 'by the river' }, true],
    ['PATCH', '/api/bookmarks', { ...place, newName: 'Tent' }, true],
    ['DELETE', `/api/bookmarks?${query({ ...camp, name: 'Tent' })}`, undefined, true],
  ];
  let last = 0;
  for (const [method, path, body, isChange] of steps) {
    const answer = await daemon.call(method, path, body);
    t.is(answer.headers.has('x-change-id'), isChange, `${method} ${JSON.stringify(body)}`);
    if (!isChange) continue;
    t.is(idOf(answer), last + 1);
    last += 1;
  }
});

const imported = { name: 'Spring', lat: 47, lon: 8 };

/** A daemon with one imported waypoint, as two files have it. */
async function daemonWithImport(t: ExecutionContext): Promise<TestDaemon> {
  const daemon = await startTestDaemon(t);
  await importNames(t, daemon, 'a.gpx', ['Spring']);
  return daemon;
}

async function importNames(
  t: ExecutionContext,
  daemon: TestDaemon,
  file: string,
  names: readonly string[],
): Promise<void> {
  const files = { [file]: gpx(names.map((name) => [name, 47, 8])) };
  t.is((await importTree(daemon, files)).status, 200);
}

/** All that shows what the user has. */
async function everything(daemon: TestDaemon): Promise<object> {
  const list = (await daemon.get('/api/waypoints')).body;
  const { body: tags } = await daemon.get('/api/tags?distinct=true&emoji=true&counts=1');
  const { body: clusters } = await daemon.get('/api/clusters?zoom=20');
  const { body: hidden } = await daemon.get('/api/hidden');
  return { list, tags, clusters, hidden };
}

const undo = (daemon: TestDaemon, id: number): Promise<TestAnswer<Record<string, unknown>>> =>
  daemon.call('POST', `/api/changes/${id}/undo`);

test('POST /api/changes/{id}/undo takes back every kind, and taking that back does it again', async (t) => {
  const daemon = await daemonWithImport(t);
  const spring = { oldName: 'Spring', lat: 47, lon: 8 };
  const steps: [kind: string, count: number, method: string, path: string, body?: unknown][] = [
    ['tag_add', 2, 'POST', '/api/tags', { ...imported, tags: ['water', 'x'] }],
    ['tag_rename', 1, 'PATCH', '/api/tags', { tag: 'water', newTag: 'Beach' }],
    ['bookmark_add', 1, 'POST', '/api/bookmarks', { ...imported, desc: 'cold', tags: ['b'] }],
    ['bookmark_edit', 1, 'PATCH', '/api/bookmarks', { ...spring, desc: null, ele: 3.5 }],
    ['bookmark_rename', 1, 'PATCH', '/api/bookmarks', { ...spring, newName: 'Well', newLat: -0 }],
    ['tag_remove', 1, 'DELETE', '/api/tags?name=Well&lat=0&lon=8&tag=b'],
    ['bookmark_delete', 1, 'DELETE', '/api/bookmarks?name=Well&lat=0&lon=8'],
    ['hide', 1, 'DELETE', `/api/waypoints?${query(imported)}`],
    ['show', 1, 'DELETE', `/api/hidden?${query(imported)}`],
  ];
  const states = [await everything(daemon)];
  const ids: number[] = [];
  for (const [kind, count, method, path, body] of steps) {
    const answer = await daemon.call(method, path, body);
    t.true(answer.status < 300, `${kind}: ${answer.text}`);
    ids.push(idOf(answer));
    states.push(await everything(daemon));
    const { changes } = (await daemon.get('/api/changes?limit=1')).body;
    t.like(changes[0], { id: idOf(answer), kind, count, undone: false, undoable: true });
  }
  const undos: number[] = [];
  for (const [at, id] of [...ids.entries()].toReversed()) {
    const answer = await undo(daemon, id);
    t.is(answer.status, 200, answer.text);
    t.like(answer.body, { undone: id, kind: steps[at]?.[0], change: idOf(answer) });
    t.deepEqual(await everything(daemon), states[at], `before ${steps[at]?.[0]}`);
    undos.push(idOf(answer));
  }
  const again = await daemon.restart();
  for (const [at, id] of undos.toReversed().entries()) {
    t.is((await undo(again, id)).status, 200);
    t.deepEqual(await everything(again), states[at + 1], `again ${steps[at]?.[0]}`);
  }
  const { status, body } = await undo(again, ids[0]!);
  t.is(status, 409);
  t.is(body['message'], 'A later change stands in the way; take that one back first.');
  for (const [at, id] of [...ids.entries()].toReversed()) {
    t.is((await undo(again, id)).status, 200, `it stands again: ${steps[at]?.[0]}`);
    t.deepEqual(await everything(again), states[at], `once more before ${steps[at]?.[0]}`);
  }
});

test('a change cannot be taken back past a later one, twice, or when it is unknown; then nothing is changed', async (t) => {
  const daemon = await startTestDaemon(t);
  const made = idOf(await daemon.call('POST', '/api/bookmarks', camp));
  const tagged = idOf(await daemon.call('POST', '/api/tags', { ...camp, tag: 'x' }));
  const renamed = idOf(
    await daemon.call('PATCH', '/api/bookmarks', {
      oldName: 'Camp',
      lat: 42.1,
      lon: -8.3,
      newName: 'T',
    }),
  );
  const other = idOf(await daemon.call('POST', '/api/bookmarks', camp));
  const state = await everything(daemon);
  const sentence = 'A later change stands in the way; take that one back first.';
  for (const id of [made, tagged, renamed]) {
    const { status, body } = await undo(daemon, id);
    t.like({ status, ...body }, { status: 409, code: 'conflict', message: sentence });
  }
  const { changes } = (await daemon.get('/api/changes')).body;
  t.deepEqual(
    valuesOf(changes, 'undoable'),
    [true, true, false, false],
    'only what the list has looked at: the name and place taken since are not',
  );
  t.is((await undo(daemon, 99)).status, 404);
  t.is((await undo(daemon, 0)).status, 404);
  t.deepEqual(await everything(daemon), state);
  t.is((await undo(daemon, other)).status, 200);
  const twice = await undo(daemon, other);
  t.like(twice, { status: 409, body: { message: 'This change was taken back already.' } });
  t.is((await undo(daemon, renamed)).status, 200);
});

test('a change after a refused one is taken back alone', async (t) => {
  const daemon = await startTestDaemon(t);
  const many = Array.from({ length: limits.tagsPerWaypoint }, (_, number) => `t${number}`);
  await daemon.call('POST', '/api/bookmarks', { ...camp, tags: many });
  await importNames(t, daemon, 'a.gpx', ['Spring']);
  await daemon.call('POST', '/api/tags', { ...imported, tags: ['water'] });
  const move = { oldName: 'Camp', lat: 42.1, lon: -8.3, newName: 'Spring', newLat: 47, newLon: 8 };
  const refused = await daemon.call('PATCH', '/api/bookmarks', move);
  t.like(refused, { status: 400, body: { code: 'invalid' } });
  const state = await everything(daemon);
  const hidden = idOf(await daemon.call('DELETE', `/api/waypoints?${query(imported)}`));
  t.is((await undo(daemon, hidden)).status, 200);
  t.deepEqual(await everything(daemon), state);
});

test('a new bookmark that was tagged since is not taken back from under its tags', async (t) => {
  const daemon = await startTestDaemon(t);
  const made = idOf(await daemon.call('POST', '/api/bookmarks', { ...camp, tags: ['own'] }));
  const tagged = idOf(await daemon.call('POST', '/api/tags', { ...camp, tag: 'x' }));
  t.is((await undo(daemon, made)).status, 409);
  t.is((await undo(daemon, tagged)).status, 200);
  t.is((await undo(daemon, made)).status, 200);
  t.deepEqual((await daemon.get('/api/tags?distinct=true')).body.tags, []);
});

test('what is taken back once more is listed so', async (t) => {
  const daemon = await startTestDaemon(t);
  let id = idOf(await daemon.call('POST', '/api/bookmarks', camp));
  for (let i = 0; i < 3; i += 1) id = idOf(await undo(daemon, id));
  const { changes } = (await daemon.get('/api/changes')).body;
  t.deepEqual(valuesOf(changes, 'undone'), [false, true, false, true]);
});

test('GET /api/changes pages from the newest, with names only when asked', async (t) => {
  const now = Date.parse('2026-03-01T10:00:00Z');
  const daemon = await startTestDaemon(t, { clock: { now: () => now, monotonic: () => 0 } });
  for (const name of ['A', 'B', 'C'])
    await daemon.call('POST', '/api/bookmarks', { ...camp, name, tags: ['t'] });
  const first = await daemon.get('/api/changes?limit=2');
  t.false(/Camp|42\.1|"A"/.test(first.text));
  t.deepEqual(first.body, {
    changes: [3, 2].map((id) => ({
      id,
      at: '2026-03-01T10:00:00Z',
      kind: 'bookmark_add',
      count: 1,
      undone: false,
      undoable: true,
    })),
    next_cursor: 2,
  });
  const second = (await daemon.get('/api/changes?limit=2&cursor=2&details=true')).body;
  const place = { name: 'A', lat: 42.1, lon: -8.3 };
  t.deepEqual(second.changes[0].details, [
    { what: 'bookmark', after: { ...place, time: '2026-03-01T10:00:00Z' } },
    { what: 'tag', after: { ...place, tag: 't' } },
  ]);
  t.is(second.next_cursor, undefined);
  const asked: [string, number][] = [
    ['1', 200],
    ['200', 200],
    ['0', 400],
    ['201', 400],
  ];
  for (const [limit, status] of asked) {
    const answer = await daemon.get(`/api/changes?limit=${limit}`);
    t.is(answer.status, status, limit);
    if (status === 400) t.is(answer.body.field, 'limit');
  }
});

function openStore(t: ExecutionContext) {
  return openWaypointStore({
    path: join(temporaryDirectory(t), 'waypoints.sqlite'),
    backupsDirectory: temporaryDirectory(t),
    companions: [],
    now: 0,
  });
}

function journalOf(t: ExecutionContext, now: () => number) {
  const db = openStore(t);
  const rows = new JournaledRows(db, now, () => {});
  const add = (name: string) =>
    rows.transaction('bookmark_add', () => rows.bookmarks.add({ ...camp, name }));
  const kept = (): number[] => rows.journal.list(1_000).map(({ id }) => id);
  return { db, rows, add, kept };
}

test('changes are kept 30 days, and at most so many', (t) => {
  const day = 24 * 3_600_000;
  let now = 0;
  const { db, rows, add, kept } = journalOf(t, () => now);
  for (const name of ['a', 'b', 'c']) add(name);
  for (now = day; now < 30 * day; now += day) retentionTime(rows.meta, now);
  add('d');
  t.deepEqual(kept(), [4, 3, 2, 1], 'at the limit');
  now += 1;
  add('e');
  t.deepEqual(kept(), [5, 4], 'one past it');
  db.prepare('UPDATE sqlite_sequence SET seq = ? WHERE name = ?').run(
    limits.journalChanges + 3,
    'changes',
  );
  add('f');
  t.deepEqual(kept(), [limits.journalChanges + 4, 5], 'the newest hundred thousand numbers');
  add('g');
  t.deepEqual(kept(), [limits.journalChanges + 5, limits.journalChanges + 4]);
  db.close();
});

test('changes outlast a clock that jumps a year and back, and go a while later', (t) => {
  const day = 24 * 3_600_000;
  let now = 1_000 * day;
  const { db, rows, add, kept } = journalOf(t, () => now);
  add('a');
  t.is(retentionTime(rows.meta, now + 7 * day + 1), now + 7 * day, 'a week at most');
  for (const jump of [365 * day, -365 * day, -900 * day, 900 * day]) {
    now += jump;
    add(`after ${jump}`);
  }
  t.deepEqual(kept(), [5, 4, 3, 2, 1]);
  for (let days = 0; days < 31; days += 1) retentionTime(rows.meta, (now += day));
  add('last');
  t.false(kept().includes(1));
  db.close();
});

test('DELETE /api/waypoints hides an imported waypoint from all that shows it, for good', async (t) => {
  const daemon = await daemonWithImport(t);
  await daemon.call('POST', '/api/tags', { ...imported, tags: ['water'] });
  const deleted = await daemon.call('DELETE', `/api/waypoints?${query(imported)}`);
  t.like(deleted, { status: 200, body: { deleted: true, ...imported } });
  t.deepEqual((await daemon.get('/api/hidden')).body, {
    hidden: [{ ...imported, tags: ['water'] }],
  });
  const isGone = async (one: TestDaemon): Promise<void> => {
    t.deepEqual((await one.get('/api/waypoints')).body, []);
    t.deepEqual((await one.get('/api/waypoints?format=geojson')).body.features, []);
    t.deepEqual((await one.get('/api/clusters?zoom=20')).body, []);
    t.deepEqual((await one.get('/api/suggest?q=spring')).body.suggestions, []);
    t.deepEqual((await one.get('/api/suggest?q=tag:water')).body.suggestions, []);
    t.deepEqual((await one.get('/api/tags?distinct=true')).body.tags, []);
    t.deepEqual((await one.get(`/api/tags?${query(imported)}`)).body.tags, []);
    t.is((await one.call('POST', '/api/tags', { ...imported, tag: 'y' })).status, 404);
    t.is((await one.call('DELETE', `/api/waypoints?${query(imported)}`)).status, 404);
  };
  await isGone(daemon);
  await importNames(t, daemon, 'b.gpx', ['Spring']);
  await importNames(t, daemon, 'a.gpx', ['Spring', 'Spring']);
  await isGone(daemon);
  const again = await daemon.restartWithoutLibrary();
  await isGone(again);
  const shown = await again.call('DELETE', `/api/hidden?${query(imported)}`);
  t.like(shown, { status: 200, body: { shown: true, ...imported } });
  t.deepEqual((await again.get('/api/waypoints')).body, [
    { ...imported, bookmark: false, tags: ['water'] },
  ]);
  t.is((await again.call('DELETE', `/api/hidden?${query(imported)}`)).status, 404);
});

test('GET /api/hidden pages from the newest', async (t) => {
  const daemon = await startTestDaemon(t);
  const names = ['A', 'B', 'C'];
  await importNames(t, daemon, 'a.gpx', names);
  for (const name of names)
    await daemon.call('DELETE', `/api/waypoints?${query({ ...imported, name })}`);
  const first = (await daemon.get('/api/hidden?limit=2')).body;
  const second = (await daemon.get(`/api/hidden?limit=2&cursor=${first.next_cursor}`)).body;
  t.deepEqual(valuesOf([...first.hidden, ...second.hidden], 'name'), ['C', 'B', 'A']);
  t.is(second.next_cursor, undefined);
  t.is((await daemon.get('/api/hidden?limit=1000')).status, 200);
  t.is((await daemon.get('/api/hidden?limit=1001')).status, 400);
});

test('a tagged imported waypoint that was bookmarked, renamed and deleted is back with its tags', async (t) => {
  const daemon = await daemonWithImport(t);
  await daemon.call('POST', '/api/tags', { ...imported, tags: ['water'] });
  await daemon.call('POST', '/api/bookmarks', imported);
  await daemon.call('PATCH', '/api/bookmarks', {
    oldName: 'Spring',
    lat: 47,
    lon: 8,
    newName: 'Well',
  });
  t.is((await daemon.get('/api/tags?distinct=true&emoji=true&counts=1')).body.tags[0].count, 1);
  await daemon.call('DELETE', `/api/bookmarks?${query({ ...imported, name: 'Well' })}`);
  t.deepEqual((await daemon.get('/api/waypoints')).body, [
    { ...imported, bookmark: false, tags: ['water'] },
  ]);
});

test('PATCH /api/tags renames a tag of all waypoints, hidden ones too, as one change', async (t) => {
  const daemon = await startTestDaemon(t);
  await importNames(t, daemon, 'a.gpx', ['Spring', 'Gone']);
  const gone = { ...imported, name: 'Gone' };
  await daemon.call('POST', '/api/bookmarks', { ...camp, tags: ['a', 'Water', 'b', 'lake'] });
  await daemon.call('POST', '/api/tags', { ...imported, tags: ['water'] });
  await daemon.call('POST', '/api/tags', { ...gone, tags: ['WATER', 'lake', 'odd'] });
  await daemon.call('DELETE', `/api/waypoints?${query(gone)}`);
  const state = await everything(daemon);
  const renamed = await daemon.call('PATCH', '/api/tags', { tag: 'water', newTag: 'Lake' });
  t.like(renamed, { status: 200, body: { renamed: true, waypoints: 2 } });
  await daemon.call('DELETE', `/api/hidden?${query(gone)}`);
  const tagsOf = async (place: typeof camp): Promise<string[]> =>
    (await daemon.get(`/api/tags?${query(place)}`)).body.tags;
  t.deepEqual(await tagsOf(camp), ['a', 'b', 'lake']);
  t.deepEqual(await tagsOf(imported), ['Lake']);
  t.deepEqual(await tagsOf(gone), ['lake', 'odd']);
  const { changes } = (await daemon.get('/api/changes?limit=2')).body;
  for (const { id } of changes) t.is((await undo(daemon, id)).status, 200);
  t.deepEqual(await everything(daemon), state);
  for (const body of [
    { tag: 'nobody', newTag: 'x' },
    // Only a hidden waypoint has it, spelled so already.
    { tag: 'ODD', newTag: 'odd' },
  ]) {
    const nothing = await daemon.call('PATCH', '/api/tags', body);
    t.like(nothing, { status: 200, body: { renamed: false, waypoints: 0 } });
    t.false(nothing.headers.has('x-change-id'));
  }
  t.is((await daemon.call('PATCH', '/api/tags', { tag: 'a', newTag: ' ' })).body.field, 'newTag');
});
