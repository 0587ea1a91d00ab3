/** Changes of the library in the journal: imports, removals and restored files are told of and taken back. */
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { startTestDaemon, type TestAnswer, type TestDaemon } from './helpers/daemon.ts';
import { fileId, importTree, listed } from './helpers/imported-files.ts';
import { filesBelow, gpx } from './helpers/imports.ts';

const ride = gpx([['Porto', 41.15, -8.61]], ['2024-05-01T10:00:00Z', '2024-05-01T11:00:00Z']);
const camp = gpx([['Camp', 1, 2]]);
const lake = gpx([['Lake', 3, 4]]);

const idOf = ({ headers }: TestAnswer): number => Number(headers.get('x-change-id'));
const undo = (daemon: TestDaemon, id: number): Promise<TestAnswer<Record<string, unknown>>> =>
  daemon.call('POST', `/api/changes/${id}/undo`);

/** All that shows what is imported. */
async function everything(daemon: TestDaemon): Promise<object> {
  const { body: names } = await daemon.get<{ name: string }[]>('/api/waypoints');
  const files = await listed(daemon, '?state=active');
  return {
    names: names.map(({ name }) => name).toSorted(),
    files: files.map(({ id, path, sha256, observations }) => ({ id, path, sha256, observations })),
    copies: filesBelow(daemon.paths.imports).filter((path) => !path.startsWith('.')),
    clusters: (await daemon.get('/api/clusters?zoom=20')).body,
  };
}

test('an import, a removal and a restored file are taken back, and done again', async (t) => {
  let daemon = await startTestDaemon(t);
  const steps: [kind: string, count: number, act: () => Promise<TestAnswer>][] = [
    ['import', 2, () => importTree(daemon, { 'ride.gpx': ride, 'camp.gpx': camp })],
    ['import', 1, () => importTree(daemon, { 'camp.gpx': lake })],
    [
      'import_remove',
      1,
      async () => daemon.call('DELETE', `/api/imports/${await fileId(daemon, 'ride')}`),
    ],
    [
      'import_restore',
      1,
      async () => {
        const [old] = await listed(daemon, '?state=replaced');
        return daemon.call('POST', `/api/imports/${old!.id}/restore`);
      },
    ],
    ['import', 1, () => importTree(daemon, {}, { again: true, files: ['ride.gpx'] })],
  ];
  const states = [await everything(daemon)];
  const ids: number[] = [];
  for (const [at, [kind, count, act]] of steps.entries()) {
    const answer = await act();
    t.is(answer.status, 200, answer.text);
    ids.push(idOf(answer));
    states.push(await everything(daemon));
    if (at === 1) {
      t.is((await undo(daemon, ids[0]!)).status, 409, 'one of its files is replaced since');
      t.deepEqual(await everything(daemon), states[2]);
    }
    const { changes } = (await daemon.get('/api/changes?limit=1')).body;
    t.like(changes[0], { id: idOf(answer), kind, count, undone: false, undoable: true });
  }
  const undos: number[] = [];
  for (const [at, id] of [...ids.entries()].toReversed()) {
    if (at === 2) daemon = await daemon.restartWithoutLibrary();
    const answer = await undo(daemon, id);
    t.is(answer.status, 200, answer.text);
    t.like(answer.body, { undone: id, kind: steps[at]?.[0], change: idOf(answer) });
    t.deepEqual(await everything(daemon), states[at], `before ${at}`);
    t.is((await undo(daemon, id)).status, 409, 'twice');
    undos.push(idOf(answer));
  }
  daemon = await daemon.restart();
  for (const [at, id] of undos.toReversed().entries()) {
    if (at === 2) daemon = await daemon.restartWithoutLibrary();
    const answer = await undo(daemon, id);
    t.is(answer.status, 200, answer.text);
    t.deepEqual(await everything(daemon), states[at + 1], `again ${at}`);
  }
  const { changes } = (await daemon.get('/api/changes?limit=1')).body;
  t.like(changes[0], { kind: 'undo', undoes: undos[0], undoable: true });
});

test('an import of a log that was renamed when a new one was begun is undone, and done again', async (t) => {
  const daemon = await startTestDaemon(t);
  await importTree(daemon, { 'current.gpx': ride });
  const before = await everything(daemon);
  let answer = await importTree(daemon, { 'current.gpx': lake, '2024-05.gpx': ride });
  const after = await everything(daemon);
  for (const expected of [before, after, before, after]) {
    answer = await undo(daemon, idOf(answer));
    t.is(answer.status, 200, answer.text);
    t.deepEqual(await everything(daemon), expected);
  }
});

test('a file comes over HTTP as a change; what changes nothing is none', async (t) => {
  const daemon = await startTestDaemon(t);
  const put = (): Promise<Response> =>
    fetch(`${daemon.url}/api/imports?path=camp.gpx`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${daemon.token}`, connection: 'close' },
      body: camp,
    });
  t.is((await put()).headers.get('x-change-id'), '1');
  t.is((await put()).headers.get('x-change-id'), null);
  const same = await importTree(daemon, { 'camp.gpx': camp });
  t.false(same.headers.has('x-change-id'));
  t.false(
    (await importTree(daemon, { 'a.gpx': lake }, { dry_run: true })).headers.has('x-change-id'),
  );
  const id = await fileId(daemon, 'camp');
  t.false((await daemon.call('POST', `/api/imports/${id}/restore`)).headers.has('x-change-id'));
  t.is((await daemon.get('/api/changes')).body.changes.length, 1);
  t.is((await undo(daemon, 1)).status, 200);
  t.like(await everything(daemon), { names: [], copies: [] });
  t.like((await importTree(daemon, {})).body, { added: 2 }, 'it is not kept out');
});

test('what stands in the way of taking an import back is told, and nothing is changed', async (t) => {
  const daemon = await startTestDaemon(t);
  await importTree(daemon, { 'camp.gpx': camp, 'ride.gpx': ride });
  const removed = await daemon.call('DELETE', `/api/imports/${await fileId(daemon, 'camp')}`);
  await importTree(daemon, { 'camp.gpx': lake });
  const erased = await daemon.call(
    'DELETE',
    `/api/imports/${await fileId(daemon, 'ride')}?forever=true`,
  );
  const before = await everything(daemon);
  const later = 'A later change stands in the way; take that one back first.';
  const never = 'A change of this kind cannot be taken back.';
  for (const [id, message] of [
    [1, later],
    [idOf(removed), later],
    [idOf(erased), never],
  ] as const) {
    const answer = await undo(daemon, id);
    t.is(answer.status, 409);
    t.true(answer.text.includes(message), answer.text);
  }
  t.deepEqual(await everything(daemon), before);
  const { changes } = (await daemon.get('/api/changes?details=true')).body;
  t.like(changes[0], { kind: 'import_remove', count: 1, undoable: false, details: [] });
  t.false(JSON.stringify(changes[0]).includes('gpx'));
});

/** What the place says that several files have. */
async function said(daemon: TestDaemon): Promise<string[]> {
  return (await daemon.get<{ desc: string }[]>('/api/waypoints')).body.map(({ desc }) => desc);
}

const hut = (desc: string, name = 'Hut') =>
  gpx([[name, 1, 2]]).replace('</name>', `</name><desc>${desc}</desc>`);

/** Three files that say different things of one place. */
async function importThree(daemon: TestDaemon): Promise<string[]> {
  const files = ['a', 'b', 'c'].map((name) => `${name}.gpx`);
  await importTree(daemon, Object.fromEntries(files.map((name) => [name, hut(name)])));
  return files;
}

test('what a restored file says counts as before, where the file system gave several files one time', async (t) => {
  let daemon = await startTestDaemon(t);
  const files = await importThree(daemon);
  for (const name of files)
    utimesSync(join(daemon.paths.imports, name), 1.7e9, 1.7e9 + 0.123_456_7);
  daemon = await daemon.restartWithoutLibrary();
  t.deepEqual(await said(daemon), ['c.gpx']);
  for (const name of files) {
    const removed = await daemon.call('DELETE', `/api/imports/${await fileId(daemon, name)}`);
    t.deepEqual(await said(daemon), [name === 'c.gpx' ? 'b.gpx' : 'c.gpx']);
    await undo(daemon, idOf(removed));
    t.deepEqual(await said(daemon), ['c.gpx'], name);
  }
});

test('a copy that is only touched, or copied with the whole store, is no newer import', async (t) => {
  let daemon = await startTestDaemon(t);
  await importThree(daemon);
  await daemon.close();
  const touched = join(daemon.paths.imports, 'a.gpx');
  utimesSync(touched, 4e9, 4e9);
  daemon = await daemon.restart();
  t.deepEqual(await said(daemon), ['c.gpx']);
  daemon = await daemon.restartWithoutLibrary();
  t.deepEqual(await said(daemon), ['c.gpx']);
});

test('the order of imports is that of their ids, whatever the times of their copies are', async (t) => {
  let daemon = await startTestDaemon(t);
  await importThree(daemon);
  utimesSync(join(daemon.paths.imports, 'b.gpx'), 4e9, 4e9);
  daemon = await daemon.restartWithoutLibrary();
  t.deepEqual(await said(daemon), ['c.gpx']);
  for (const name of ['d.gpx', 'A.gpx']) {
    await importTree(daemon, { [name]: hut(name) });
    t.deepEqual(await said(daemon), [name]);
  }
  utimesSync(join(daemon.paths.imports, 'd.gpx'), 1, 1);
  daemon = await daemon.restartWithoutLibrary();
  t.deepEqual(await said(daemon), ['A.gpx']);
});
