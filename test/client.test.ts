import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import test, { type ExecutionContext } from 'ava';
import { RequestFailure, WaypointService } from '../client/waypoints/index.ts';
import { connect, DaemonNotFound } from '../client/waypoints/node/index.ts';
import { daemonPlaces } from '../client/waypoints/node/places.ts';
import { nodeTransport } from '../client/waypoints/node/transport.ts';
import { computePaths } from '../daemon/paths.ts';
import { recordedService } from './helpers/client.ts';
import { startTestDaemon, type TestDaemonOptions } from './helpers/daemon.ts';
import { rowsOf, valuesOf } from './helpers/fields.ts';
import { asBuiltin, makeGeneration } from './helpers/generations.ts';
import { importTree } from './helpers/imported-files.ts';
import { gpx, writeTree } from './helpers/imports.ts';
import { answering, freePort } from './helpers/local-server.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';
import { answerWhen } from './helpers/until.ts';

/** For tests that run alone: the client gives up after 8 s, which dozens of tests in one thread of a busy machine take. */
async function servedClient(t: ExecutionContext, options: TestDaemonOptions = {}) {
  const daemon = await startTestDaemon(t, options);
  const apiPort = Number(new URL(daemon.url).port);
  return { daemon, ...recordedService(t, { apiPort, apiToken: daemon.token }) };
}

/** The context that the generic signals of a method carry. */
function call(method: string, ...args: unknown[]) {
  return { method, args };
}

test.serial('bookmarks are added, loaded, renamed and deleted, with their signals', async (t) => {
  const { service, taken } = await servedClient(t);
  const original = { name: 'Camp', lat: 42.1, lon: -8.3, desc: 'a note', tags: ['home', '**'] };
  const saved = await service.addWaypoint(original);
  t.like(saved, { name: 'Camp', lat: 42.1, lon: -8.3, desc: 'a note', bookmark: true });
  t.deepEqual(saved.tags, [
    { raw: 'home', display: 'home' },
    { raw: '**', display: '**' },
  ]);
  t.deepEqual(taken(), [
    ['waypointAddStarted', original],
    ['waypointAdded', saved, original],
    ['requestSucceeded', 'POST /api/bookmarks', saved, call('addWaypoint', original)],
  ]);

  const waypoints = await service.getWaypoints();
  t.is(waypoints.length, 1);
  t.deepEqual(waypoints[0]?.tags?.[0], {
    raw: 'home',
    emoji: '🏠',
    name: 'home',
    display: '🏠 home',
    normal: 'home',
  });
  t.deepEqual(taken(), [
    ['waypointsLoadStarted'],
    ['waypointsLoaded', waypoints],
    ['requestSucceeded', 'GET /api/waypoints', waypoints, call('getWaypoints')],
  ]);

  const updated = await service.renameWaypoint(saved, ' Base ');
  t.deepEqual(updated, { ...saved, name: 'Base' });
  t.deepEqual(taken(), [
    ['waypointRenameStarted', saved, ' Base '],
    ['waypointRenamed', updated, saved],
    ['requestSucceeded', 'PATCH /api/bookmarks', updated, call('renameWaypoint', saved, ' Base ')],
  ]);

  await service.deleteWaypoint(updated);
  t.deepEqual(taken(), [
    ['waypointDeleteStarted', updated],
    ['waypointDeleted', updated],
    ['requestSucceeded', 'DELETE /api/bookmarks', updated, call('deleteWaypoint', updated)],
  ]);
  t.deepEqual(await service.getWaypoints(), []);
});

test.serial('a waypoint of an answer can be added elsewhere as it is', async (t) => {
  const { service } = await servedClient(t);
  const place = {
    name: 'Cove & "Co"',
    lat: -1e-7,
    lon: 180,
    ele: -3,
    time: '2024-06-01T12:00:00Z',
  };
  await service.addWaypoint({ ...place, tags: ['beach'] });
  const [cove] = await service.getWaypoints();
  if (cove === undefined) return t.fail();
  const elsewhere = await servedClient(t);
  await elsewhere.service.addWaypoint(cove);
  t.deepEqual(await elsewhere.service.getWaypoints(), [cove]);
});

test.serial('a bookmark is edited in all it has, and exported', async (t) => {
  const { service, taken } = await servedClient(t);
  const links = [{ href: 'https://example.org/', text: 'Page' }];
  const more = { sym: 'Flag', type: 'stay', cmt: 'one\ntwo', src: 'map', links };
  const saved = await service.addWaypoint({ name: 'Camp', lat: 42.1, lon: -8.3, ...more });
  t.like(saved, more);
  taken();
  const changes = { name: 'Base', lat: 42.2, sym: null, desc: 'a\n\tb', links: [] };
  const edited = await service.editWaypoint(saved, changes);
  t.like(edited, { name: 'Base', lat: 42.2, lon: -8.3, desc: 'a\n\tb', type: 'stay' });
  t.deepEqual(taken(), [
    ['waypointEditStarted', saved, changes],
    ['waypointEdited', edited, saved],
    ['requestSucceeded', 'PATCH /api/bookmarks', edited, call('editWaypoint', saved, changes)],
  ]);
  const [listed] = await service.getWaypoints();
  t.like(listed, { desc: 'a\n\tb', cmt: 'one\ntwo', src: 'map' });
  t.false('sym' in listed! || 'links' in listed!);
  taken();
  const text = await service.exportFile({ contents: ['waypoints'], bbox: [-9, 42, -8, 43] });
  t.regex(text, /<cmt>one\ntwo<\/cmt>/u);
  t.is(taken()[1]?.[0], 'exportCompleted');
});

test('renameWaypoint without a change fails with that text and asks nobody', async (t) => {
  const { service, taken } = recordedService(t, { apiPort: 1 });
  const camp = { name: 'Café', lat: 1, lon: 2 };
  for (const newName of ['', '  ', 'Café', ' Café ', 'Cafe\u0301']) {
    const error = await t.throwsAsync(service.renameWaypoint(camp, newName));
    t.is(error?.message, 'no change');
    const context = call('renameWaypoint', camp, newName);
    t.deepEqual(taken(), [
      ['waypointRenameFailed', camp, newName, 'no change'],
      ['requestFailed', 'PATCH /api/bookmarks', 'no change', context],
    ]);
  }
});

test.serial('tags are added, fetched, listed and deleted, with their signals', async (t) => {
  const { service, taken } = await servedClient(t);
  const camp = await service.addWaypoint({ name: 'Camp', lat: 42.1, lon: -8.3, tags: ['home'] });
  taken();
  const added = await service.addTag(camp, 'own & tag');
  t.deepEqual(valuesOf(added, 'display'), ['🏠 home', 'own & tag']);
  t.deepEqual(taken(), [
    ['tagAddStarted', 'Camp', 42.1, -8.3, 'own & tag'],
    ['tagAdded', 'Camp', 42.1, -8.3, added, 'own & tag'],
    ['requestSucceeded', 'POST /api/tags', added, call('addTag', camp, 'own & tag')],
  ]);

  const fetched = await service.fetchTags(camp);
  t.deepEqual(fetched, added);
  t.deepEqual(taken(), [
    ['tagsFetchStarted', { name: 'Camp', lat: 42.1, lon: -8.3 }],
    ['tagsFetched', 'Camp', 42.1, -8.3, fetched],
    ['requestSucceeded', 'GET /api/tags', fetched, call('fetchTags', camp)],
  ]);

  const called: unknown[] = [];
  const distinct = await service.fetchDistinctTags((tags) => called.push(tags));
  t.deepEqual(called, [distinct]);
  t.deepEqual(distinct.map(({ raw }) => raw).toSorted(), ['home', 'own & tag']);
  t.deepEqual(taken(), [
    ['requestSucceeded', 'GET /api/tags', distinct, call('fetchDistinctTags')],
  ]);

  const [home] = fetched;
  if (home === undefined) return t.fail();
  const left = await service.deleteTag(camp, home);
  t.deepEqual(valuesOf(left, 'raw'), ['own & tag']);
  t.deepEqual(taken(), [
    ['tagDeleteStarted', 'Camp', 42.1, -8.3, 'home'],
    ['tagDeleted', 'Camp', 42.1, -8.3, left, 'home'],
    ['requestSucceeded', 'DELETE /api/tags', left, call('deleteTag', camp, home)],
  ]);
});

test.serial('clusters, suggestions and searches come with their signals', async (t) => {
  const { service, taken, daemon } = await servedClient(t);
  await service.addWaypoint({ name: 'Camp', lat: 42.1, lon: -8.3 });
  await daemon.call('POST', '/api/import', { dir: gpxFolder(t) });
  taken();
  const params = { zoom: 2.5, gridSize: 100, bookmarksOnly: true };
  const clusters = await service.getClusters(2.5, 100, true);
  t.deepEqual(clusters, [{ type: 'waypoint', name: 'Camp', lat: 42.1, lon: -8.3, bookmark: true }]);
  t.deepEqual(taken(), [
    ['clustersFetchStarted', params],
    ['clustersFetched', clusters, params],
    ['requestSucceeded', 'GET /api/clusters', clusters, call('getClusters', 2.5, 100, true)],
  ]);
  const [all] = await service.getClusters(0, 512);
  t.is(all?.type === 'cluster' ? all.count : 0, 2);
  taken();

  const result = await service.suggest('çe');
  t.is(result.query, 'çe');
  t.like(result.suggestions[0], { name: 'Çeşme', source: 'waypoint' });
  t.deepEqual(taken(), [
    ['suggestStarted', 'çe'],
    ['suggestResults', result, 'çe'],
    ['requestSucceeded', 'GET /api/suggest', result, call('suggest', 'çe')],
  ]);

  const stored = await service.recordHistory('Çeşme', 38.3, 26.3);
  t.deepEqual(stored, { stored: 1, multiple: false });
  t.deepEqual(taken(), [
    ['requestSucceeded', 'POST /api/history', stored, call('recordHistory', 'Çeşme', 38.3, 26.3)],
  ]);
  await service.recordHistory('no place', undefined, 26.3);
  taken();

  const recent = await service.getRecentSearches(5);
  t.deepEqual(recent.queries, ['no place', 'Çeşme']);
  t.deepEqual(recent.entries, [{ query: 'no place' }, { query: 'Çeşme', lat: 38.3, lon: 26.3 }]);
  t.deepEqual(taken(), [
    ['recentSearchesFetchStarted', 5],
    ['recentSearchesFetched', recent.queries, 5],
    ['recentSearchEntriesFetched', recent.entries, 5],
    ['requestSucceeded', 'GET /api/recent_suggest', recent, call('getRecentSearches', 5)],
  ]);
  await service.getRecentSearches();
  t.deepEqual(taken()[0], ['recentSearchesFetchStarted', 10], 'the default of the specification');
});

function gpxFolder(t: ExecutionContext): string {
  const dir = temporaryDirectory(t);
  writeTree(dir, {
    'a.gpx': gpx([['Çeşme', 38.3, 26.3]]),
    'below/b.gpx': gpx([['Porto', 41, -8]]),
  });
  return dir;
}

test.serial('an import, the location and the version come with their signals', async (t) => {
  const { service, taken } = await servedClient(t);
  const params = { dir: gpxFolder(t), recursive: true };
  const summary = await service.importGpxDirectory(params);
  t.like(summary, { imported: true, count: 2, files: 2 });
  t.deepEqual(taken(), [
    ['importStarted', params],
    ['importCompleted', summary, params],
    ['requestSucceeded', 'POST /api/import', summary, call('importGpxDirectory', params)],
  ]);

  const fix = await service.getLocation();
  t.is(fix, null);
  t.deepEqual(taken(), [
    ['locationFetchStarted'],
    ['locationFetched', null],
    ['requestSucceeded', 'GET /api/location', null, call('getLocation')],
  ]);

  const info = await service.getVersion();
  t.is(info.module.name, 'waypointd');
  t.deepEqual(taken(), [
    ['versionFetchStarted'],
    ['versionFetched', info],
    ['requestSucceeded', 'GET /api/version', info, call('getVersion')],
  ]);
});

test.serial('geodata is shown and chosen, with its signals', async (t) => {
  // A small one: on a busy machine, checking a real one could take longer than the client waits.
  const builtinPath = asBuiltin(makeGeneration(temporaryDirectory(t), 'shipped'));
  const { service, taken } = await servedClient(t, { options: { geodata: { builtinPath } } });
  const status = await service.getGeodataStatus();
  t.true(status.current.valid);
  const { generation_id: id } = status.current;
  t.deepEqual(taken(), [
    ['geodataStatusFetched', status],
    ['requestSucceeded', 'GET /api/geodata', status, call('getGeodataStatus')],
  ]);
  t.deepEqual(await service.installGeodata(id), { status: 'installed' });
  t.deepEqual(taken()[0], ['geodataInstallAccepted', id]);
  const error = await t.throwsAsync(service.cancelGeodataInstall(), { instanceOf: RequestFailure });
  t.is(error.status, 409);
  t.deepEqual(taken()[0], ['geodataCancelFailed', error.message]);
});

test.serial(
  'a timeline is submitted, followed, fetched and cancelled, with its signals',
  async (t) => {
    const { service, taken, daemon } = await servedClient(t);
    const times = ['10:00', '10:20', '10:40'].map((time) => `2024-05-01T${time}:00Z`);
    await importTree(daemon, { 'a.gpx': gpx([], times) });
    taken();
    const submission = service.submitTimeline('2024-05-01', '2024-05-02');
    const jobId = await submission;
    const days = ['2024-05-01', '2024-05-02'];
    t.deepEqual(taken(), [
      ['timelineSubmitted', submission.requestId, jobId],
      ['requestSucceeded', 'POST /api/timelines', jobId, call('submitTimeline', ...days)],
    ]);
    const queued = await service.submitTimeline('2024-05-01', '2024-05-01');
    taken();
    t.deepEqual(await service.cancelTimeline(queued), { status: 'cancelling' });
    t.deepEqual(taken(), [
      ['timelineCancelAccepted', queued],
      [
        'requestSucceeded',
        `DELETE /api/timelines/${queued}`,
        { status: 'cancelling' },
        call('cancelTimeline', queued),
      ],
    ]);
    const { state } = await answerWhen(
      () => service.getTimeline(jobId),
      (one) => !['queued', 'running'].includes(one.state),
    );
    t.is(state, 'completed');
    const withoutResult = taken().at(-2);
    t.is(withoutResult?.[0], 'timelineStatusFetched');
    t.is((withoutResult?.[2] as { result?: unknown } | undefined)?.result, undefined);
    const job = await service.getTimeline(jobId, true);
    t.is(job.result?.summary.recorded_observations, 3);
    t.deepEqual(taken(), [
      ['timelineStatusFetched', jobId, job],
      ['requestSucceeded', `GET /api/timelines/${jobId}`, job, call('getTimeline', jobId, true)],
    ]);
    const late = await t.throwsAsync(service.cancelTimeline(jobId), { instanceOf: RequestFailure });
    t.is(late.status, 409);
    const refused = await t.throwsAsync(service.submitTimeline('2024-05-02', '2024-05-01'));
    t.regex(refused?.message ?? '', /^HTTP 400 /u);
  },
);

test.serial('changes are made, listed, undone and hidden, with their signals', async (t) => {
  const { service, taken } = await servedClient(t);
  const made: [number, string][] = [];
  service.subscribe('changeMade', (change, kind) => made.push([change, kind]));
  const saved = await service.addWaypoint({ ...camp, desc: 'a note', tags: ['home'] });
  const edited = await service.editWaypoint(saved, { lat: 43, desc: null, ele: 12 });
  const { desc: _desc, ...rest } = saved;
  t.deepEqual(edited, { ...rest, lat: 43, ele: 12 });
  t.like(await t.throwsAsync(service.editWaypoint(saved, {})), { message: 'no change' });
  t.deepEqual(await service.renameTag('home', 'house'), { renamed: true, waypoints: 1 });
  t.like(taken().at(-2), ['tagRenamed', 'home', 'house', 1]);
  t.deepEqual(made, [
    [1, 'POST /api/bookmarks'],
    [2, 'PATCH /api/bookmarks'],
    [3, 'PATCH /api/tags'],
  ]);
  const { changes, next_cursor } = await service.getChanges({ limit: 2 });
  t.deepEqual(rowsOf(changes, 'id', 'kind'), [
    [3, 'tag_rename'],
    [2, 'bookmark_rename'],
  ]);
  t.is(next_cursor, 2);
  t.like(await service.undoChange(3), { undone: 3, kind: 'tag_rename', change: 4 });
  t.like(await t.throwsAsync(service.undoChange(3)), {
    status: 409,
    sentence: 'This change was taken back already.',
  });
  t.deepEqual(
    valuesOf(await service.getWaypoints({ bbox: [-9, 42.5, -8, 43.5], tag: 'home' }), 'name'),
    ['Camp'],
  );
  t.deepEqual(await service.getWaypoints({ bbox: [-9, 41, -8, 42] }), []);
  t.deepEqual(await service.getClusters(3, 60, false, [-9, 41, -8, 42]), []);
  t.deepEqual(await service.getHidden(), { hidden: [] });
  const failures: string[] = [];
  service.subscribe('requestFailure', (_, { sentence }) => failures.push(sentence));
  await t.throwsAsync(service.hideWaypoint(edited));
  await t.throwsAsync(service.showWaypoint(edited));
  await t.throwsAsync(service.cancelImport());
  t.deepEqual(failures, [
    'This is a bookmark: waypointd bookmark rm deletes it.',
    'No waypoint matches this name and position.',
    'No import is running.',
  ]);
  t.like(await service.getImportStatus(), { state: 'idle', last: null });
});

/**
 * A method, what it is called with, what it asks, and its own signals when it fails: how their names begin, and what comes
 * with that of the start, where there is one, and with that of the failure.
 */
type Failing = readonly [
  method: string,
  args: readonly unknown[],
  kind: string,
  name?: string,
  started?: readonly unknown[] | undefined,
  failed?: readonly unknown[],
];

/** Stands for the message of the failure. */
const why = Symbol('why');
const camp = { name: 'Camp', lat: 42.1, lon: -8.3 };
const atCamp = ['Camp', 42.1, -8.3, 'x'];
const grid = { zoom: 3, gridSize: 60, bookmarksOnly: false };
const tracks = { dir: '/tracks', recursive: false };
const days = ['2024-01-01', '2024-01-31'];
/** Every method but `request`, and what it says when it fails. */
const failing: readonly Failing[] = [
  ['getWaypoints', [], 'GET /api/waypoints', 'waypointsLoad', [], [why]],
  ['addWaypoint', [camp], 'POST /api/bookmarks', 'waypointAdd', [camp], [camp, why]],
  ['deleteWaypoint', [camp], 'DELETE /api/bookmarks', 'waypointDelete', [camp], [camp, why]],
  [
    'renameWaypoint',
    [camp, 'Base'],
    'PATCH /api/bookmarks',
    'waypointRename',
    [camp, 'Base'],
    [camp, 'Base', why],
  ],
  ['getClusters', [3, 60, false], 'GET /api/clusters', 'clustersFetch', [grid], [why, grid]],
  ['getLocation', [], 'GET /api/location', 'locationFetch', [], [why]],
  ['importGpxDirectory', [tracks], 'POST /api/import', 'import', [tracks], [why, tracks]],
  ['suggest', ['ca'], 'GET /api/suggest', 'suggest', ['ca'], [why, 'ca']],
  ['getRecentSearches', [7], 'GET /api/recent_suggest', 'recentSearchesFetch', [7], [why, 7]],
  ['recordHistory', ['ca', undefined, undefined], 'POST /api/history'],
  ['fetchTags', [camp], 'GET /api/tags', 'tagsFetch', [camp], [camp, why]],
  ['addTag', [camp, 'x'], 'POST /api/tags', 'tagAdd', atCamp, [...atCamp, why]],
  ['deleteTag', [camp, 'x'], 'DELETE /api/tags', 'tagDelete', atCamp, [...atCamp, why]],
  ['fetchDistinctTags', [], 'GET /api/tags'],
  ['getVersion', [], 'GET /api/version', 'versionFetch', [], [why]],
  ['getGeodataStatus', [], 'GET /api/geodata', 'geodataStatus', undefined, [why]],
  [
    'installGeodata',
    ['world-1'],
    'POST /api/geodata/install',
    'geodataInstall',
    undefined,
    ['world-1', why],
  ],
  ['cancelGeodataInstall', [], 'DELETE /api/geodata/install', 'geodataCancel', undefined, [why]],
  ['submitTimeline', days, 'POST /api/timelines', 'timelineSubmit', undefined, [1, why]],
  [
    'getTimeline',
    ['a/b', true],
    'GET /api/timelines/a%2Fb',
    'timelineStatus',
    undefined,
    ['a/b', why, true],
  ],
  ['cancelTimeline', ['..'], 'DELETE /api/timelines/..', 'timelineCancel', undefined, ['..', why]],
];

function asked(service: WaypointService, method: string, args: readonly unknown[]) {
  return Reflect.get(service, method).apply(service, args);
}

/** The signals of a failure, but for the generic one. */
function signalsOf([, , , name, started, failed = []]: Failing, message: string) {
  if (name === undefined) return [];
  const told = failed.map((word) => (word === why ? message : word));
  const failure = [`${name}Failed`, ...told];
  return started === undefined ? [failure] : [[`${name}Started`, ...started], failure];
}

test('every method that is refused says so by its own signal and by the generic one', async (t) => {
  const daemon = await startTestDaemon(t);
  const apiPort = Number(new URL(daemon.url).port);
  for (const row of failing) {
    const [method, args, kind] = row;
    const { service, taken } = recordedService(t, { apiPort, apiToken: 'wrong' });
    const asking = asked(service, method, args);
    const error = await t.throwsAsync(asking, { instanceOf: RequestFailure });
    t.is(error.status, 401);
    t.is(error.code, 'unauthorized');
    t.is(error.message, 'HTTP 401 A valid bearer token is required.');
    t.deepEqual(taken(), [
      ...signalsOf(row, error.message),
      ['requestFailed', kind, error.message, call(method, ...args)],
    ] as never);
  }
});

test('offline: what cannot be simulated fails with "offline"', async (t) => {
  const unsimulated = failing.filter(([, , kind]) => /geodata|timelines/u.test(kind));
  t.is(unsimulated.length, 6);
  for (const row of unsimulated) {
    const [method, args, kind] = row;
    const { service, taken } = recordedService(t, { apiPort: -1 });
    await t.throwsAsync(asked(service, method, args), { message: 'offline' });
    t.deepEqual(taken(), [
      ...signalsOf(row, 'offline'),
      ['requestFailed', `${kind} (offline)`, 'offline', call(method, ...args)],
    ] as never);
  }
});

/** Those of programs, not of user interfaces. */
const withoutMethod = ['GET /healthz', 'GET /api/openapi.json'];

test('every route has a method', async (t) => {
  const daemon = await startTestDaemon(t);
  const { paths } = (await daemon.get('/api/openapi.json')).body;
  const routes = Object.entries(paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  t.true(routes.length > 30);
  const folder = join(import.meta.dirname, '../client/waypoints/operations');
  const source = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  const calls = [...source.join('').matchAll(/call: ['`]([^'`]+)['`]/gu)].map(([, call = '']) =>
    call
      .replace('${jobPath(id)}', '/api/timelines/{id}')
      .replace(/\$\{([xyz])\}/gu, '{$1}')
      .replace(/\$\{[^}]*\}/gu, '{id}'),
  );
  const missing = routes.filter((one) => !calls.includes(one) && !withoutMethod.includes(one));
  t.deepEqual(missing, []);
});

test.serial('a file is uploaded, told of and fetched back as bytes', async (t) => {
  const { service, taken } = await servedClient(t);
  const content = new TextEncoder().encode(gpx([['Çamp', 1, 2]]));
  t.like(await service.uploadImport('phone/a b.gpx', content), { added: 1, dedup_count: 1 });
  t.is(taken()[1]?.[0], 'importUploaded');
  const { files } = await service.getImports();
  const { id = 0 } = files[0] ?? {};
  t.like(await service.getImport(id), { path: 'phone/a b.gpx', waypoints: 1 });
  t.deepEqual(Buffer.from(await service.getImportContent(id)), Buffer.from(content));
  t.is((await t.throwsAsync(service.getImportContent(id + 1)))?.message.slice(0, 8), 'HTTP 404');
  t.is((await service.getTile({ z: 0, x: 0, y: 0 }, { layers: ['tracks'] })).length, 0);
  t.like(await service.getTileJson(), { tilejson: '3.0.0' });
  t.like(await service.getStatus(), { waypoints: 1 });
  await service.recordHistory('secret');
  t.is(await service.clearHistory(), 1);
  const [day, zone] = ['2024-01-01', { time_zone: 'local', exclude_sources: [id] }];
  const job = await service.submitTimeline(day, day, zone);
  t.like(await service.getTimeline(job), zone);
});

test.serial('what the daemon refuses is told with its word and the field', async (t) => {
  const { service } = await servedClient(t);
  const twice = { name: 'Camp', lat: 1, lon: 2 };
  await service.addWaypoint(twice);
  t.like(await t.throwsAsync(service.addWaypoint(twice)), { status: 409, code: 'conflict' });
  const beyond = await t.throwsAsync(service.addWaypoint({ ...twice, lat: 91 }));
  t.like(beyond, { status: 400, code: 'invalid', field: 'lat' });
});

test('an empty or a strange answer of success is no failure', async (t) => {
  for (const body of ['', 'all right', '[]', '{}', 'null', '{"tags":[null,1,{"x":1}]}']) {
    const apiPort = await answering(t, (_, response) => response.end(body));
    for (const [method, args, kind] of failing) {
      const { service, taken } = recordedService(t, { apiPort });
      const result = await asked(service, method, args).catch(
        (error: RequestFailure) => error.message,
      );
      const mustSayMore = /geodata$|timelines/u.test(kind) && !kind.startsWith('DELETE');
      if (mustSayMore) {
        if (typeof result === 'string') t.regex(result, /^HTTP 200/u, `${kind}: ${body}`);
        continue;
      }
      t.deepEqual(taken().at(-1)?.slice(0, 2), ['requestSucceeded', kind], `${kind}: ${body}`);
    }
  }
});

test('a waypoint list without shape is an empty list, and tags are objects whatever came', async (t) => {
  const wire = [{ name: 'A', lat: 1, lon: 2, bookmark: true, tags: ['x', { raw: 'y' }] }];
  let body: unknown = { not: 'a list' };
  const apiPort = await answering(t, (_, response) => response.end(JSON.stringify(body)));
  const { service } = recordedService(t, { apiPort });
  t.deepEqual(await service.getWaypoints(), []);
  body = wire;
  const [waypoint] = await service.getWaypoints();
  t.deepEqual(waypoint?.tags, [
    { raw: 'x', display: 'x' },
    { raw: 'y', display: 'y' },
  ]);
});

const timed: readonly [title: string, ms: number, ask: (s: WaypointService) => Promise<unknown>][] =
  [
    ['a request', 8_000, (service) => service.getWaypoints()],
    ['an import', 110_000, (service) => service.importGpxDirectory({ dir: '/x' })],
    ['a timeline status', 8_000, (service) => service.getTimeline('a')],
    ['a timeline result', 60_000, (service) => service.getTimeline('a', true)],
    ['a chosen time', 250, (service) => service.request('/api/x', { timeout: 250 })],
    ['no usable time', 8_000, (service) => service.request('/api/x', { timeout: Number.NaN })],
  ];

/** How requests are sent, in browsers and on Node.js: both keep to the same. */
const transports = { fetch: {}, 'node:http': { transport: nodeTransport } };
for (const [name, via] of Object.entries(transports)) {
  test(`${name}: a failure shows at most 160 characters, whole ones`, async (t) => {
    const texts: readonly [body: string, shown: string][] = [
      ['', 'HTTP 500'],
      ['  plain\n', 'HTTP 500 plain'],
      ['x'.repeat(160), `HTTP 500 ${'x'.repeat(160)}`],
      ['x'.repeat(161), `HTTP 500 ${'x'.repeat(160)}`],
      ['⛺'.repeat(200), `HTTP 500 ${'⛺'.repeat(160)}`],
      [`x${'🏠'.repeat(200)}`, `HTTP 500 x${'🏠'.repeat(159)}`],
      ['y'.repeat(1_000_000), `HTTP 500 ${'y'.repeat(160)}`],
    ];
    for (const [body, shown] of texts) {
      const apiPort = await answering(t, (_, response) => response.writeHead(500).end(body));
      const { service } = recordedService(t, { ...via, apiPort });
      const error = await t.throwsAsync(service.getVersion());
      t.is(error?.message, shown);
    }
  });

  test(`${name}: a failure that is cut off in the middle still tells its status`, async (t) => {
    const apiPort = await answering(t, (_, response) => {
      response.writeHead(503, { 'content-length': '100' });
      response.write('shutting', () => response.destroy());
    });
    const { service } = recordedService(t, { ...via, apiPort });
    const error = await t.throwsAsync(service.getVersion());
    t.regex(error?.message ?? '', /^HTTP 503/u);
  });

  test(`${name}: a connection that breaks, or that nobody accepts, is a send error`, async (t) => {
    const apiPort = await answering(t, (request, response) => {
      if (request.url === '/api/version') request.socket.resetAndDestroy();
      else response.writeHead(200, { 'content-length': '9' }).write('x', () => response.destroy());
    });
    const { service, taken } = recordedService(t, { ...via, apiPort });
    t.regex((await t.throwsAsync(service.getVersion()))?.message ?? '', /^send error: ./u);
    t.regex((await t.throwsAsync(service.getWaypoints()))?.message ?? '', /^send error: ./u);
    service.apiPort = await freePort();
    const refused = await t.throwsAsync(service.getVersion(), { instanceOf: RequestFailure });
    t.regex(refused.message, /^send error: .*ECONNREFUSED/u);
    t.true(refused.wasRefused);
    t.is(taken().filter(([name]) => name === 'requestFailed').length, 3);
  });

  test(`${name}: a redirect is not followed: the token is for one address`, async (t) => {
    const paths: unknown[] = [];
    const apiPort = await answering(t, (request, response) => {
      paths.push(request.url);
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    const { service } = recordedService(t, { ...via, apiPort, apiToken: 'secret' });
    t.regex((await t.throwsAsync(service.getVersion()))?.message ?? '', /^send error: /u);
    t.deepEqual(paths, ['/api/version']);
  });

  test(`${name}: a malformed token is not sent and not repeated by the failure`, async (t) => {
    const { service } = recordedService(t, { ...via, apiPort: 1, apiToken: 'secret\nline' });
    const error = await t.throwsAsync(service.getVersion());
    t.is(error?.message, 'send error: the API token is malformed');
  });

  test(`${name}: the token goes into the header, and nowhere without one`, async (t) => {
    const sent: unknown[] = [];
    const apiPort = await answering(t, (request, response) => {
      sent.push([request.headers.authorization, request.headers['content-type'], request.url]);
      response.end('{}');
    });
    const service = new WaypointService({ ...via, apiPort, apiToken: 'abc' });
    await service.getVersion();
    service.apiToken = '';
    await service.addTag(camp, 'x');
    await service.deleteTag(camp, 'x');
    t.deepEqual(sent, [
      ['Bearer abc', undefined, '/api/version'],
      [undefined, 'application/json', '/api/tags?emoji=true'],
      [undefined, undefined, '/api/tags?name=Camp&lat=42.1&lon=-8.3&tag=x&emoji=true'],
    ]);
  });

  for (const [title, ms, ask] of timed) {
    // The clock is the thread's: nothing else may run meanwhile.
    test.serial(`${name}: ${title} fails after ${ms} ms of waiting`, async (t) => {
      const arrived = Promise.withResolvers<void>();
      const apiPort = await answering(t, () => arrived.resolve());
      const service = new WaypointService({ ...via, apiPort });
      mock.timers.enable({ apis: ['setTimeout'] });
      t.teardown(() => mock.timers.reset());
      let isOver = false;
      const over = ask(service).finally(() => {
        isOver = true;
      });
      await arrived.promise;
      mock.timers.tick(ms - 1);
      await new Promise((resolve) => setImmediate(resolve));
      t.false(isOver);
      mock.timers.tick(1);
      const error = await t.throwsAsync(over);
      t.is(error?.message, `timeout (${ms} ms)`);
    });
  }

  test.serial(`${name}: an answer that stops in the middle counts as waiting`, async (t) => {
    const arrived = Promise.withResolvers<void>();
    const apiPort = await answering(t, (_, response) => {
      response.write('[', () => arrived.resolve());
    });
    const service = new WaypointService({ ...via, apiPort });
    mock.timers.enable({ apis: ['setTimeout'] });
    t.teardown(() => mock.timers.reset());
    const over = service.getWaypoints();
    await arrived.promise;
    mock.timers.tick(8_000);
    t.is((await t.throwsAsync(over))?.message, 'timeout (8000 ms)');
  });
}

test('node:http: a token and a place are sent to this machine only', async (t) => {
  const port = await answering(t, (_, response) => response.end('{}'));
  for (const apiBase of [`http://localhost.example:${port}`, `http://127.0.0.1:1@[::1]:${port}`]) {
    const service = new WaypointService({ transport: nodeTransport, apiBase, apiToken: 'secret' });
    const error = await t.throwsAsync(service.addWaypoint(camp));
    t.is(error?.message, 'send error: not an address of this machine');
  }
});

test.serial('request() asks for any path and hands back its context', async (t) => {
  const { service, taken } = await servedClient(t);
  const called: unknown[] = [];
  const result = await service.request('/api/history?x=1', {
    method: 'POST',
    body: { queries: ['a', 'b'] },
    context: 7,
    onSuccess: (value) => called.push(value),
    onError: () => called.push('error'),
  });
  t.deepEqual(result, { stored: 2, multiple: true });
  t.deepEqual(called, [result]);
  t.deepEqual(taken(), [['requestSucceeded', 'POST /api/history', result, 7]]);
  t.is(await service.request('/api/location'), null, 'no body');

  const error = await t.throwsAsync(
    service.request('/api/nothing', {
      context: 'c',
      onSuccess: () => called.push('success'),
      onError: (message) => called.push(message),
    }),
  );
  t.is(error?.message, 'HTTP 404 There is nothing here by that name.');
  t.deepEqual(called.slice(1), [error?.message]);
  t.deepEqual(taken().at(-1), ['requestFailed', 'GET /api/nothing', error?.message, 'c'] as never);
});

const wrongPaths = [
  '',
  'api/version',
  '//127.0.0.1/api/version',
  '///x',
  '/\\host/x',
  '\\\\host',
  '/api\\x',
  '/\t/host/x',
  '/\n/host',
  ' /api/version',
  '/api/x y',
  'http://127.0.0.1:43098/api/version',
  'https:/api',
  '@host/',
  ':1/api',
  '.host/',
  '/..',
  '/../api',
  '/api/../x',
  '/api/..?x=1',
  '/api/..#x',
  '/api/%2e%2e/x',
  '/api/.%2E/x',
];
for (const path of wrongPaths) {
  test(`request() refuses the path ${JSON.stringify(path)}`, async (t) => {
    let requests = 0;
    const apiPort = await answering(t, (_, response) => {
      requests += 1;
      response.end();
    });
    for (const port of [apiPort, -1]) {
      const { service, taken } = recordedService(t, { apiPort: port });
      const error = await t.throwsAsync(service.request(path), { instanceOf: RequestFailure });
      t.regex(error.message, /^send error: the path /u);
      t.is(taken().at(-1)?.[0], 'requestFailed');
    }
    t.is(requests, 0);
  });
}

test('request() takes what only looks like a way out', async (t) => {
  const urls: unknown[] = [];
  const apiPort = await answering(t, (request, response) => {
    urls.push(request.url);
    response.end();
  });
  const { service } = recordedService(t, { apiPort });
  const paths = ['/', '/api/a..b', '/api/...', '/api/x?dir=/../y&z=//h', '/api/a//b', '/api/@h:1'];
  for (const path of paths) await service.request(path);
  t.deepEqual(urls, paths);
});

test('apiBase leads elsewhere, with or without a slash at its end', async (t) => {
  const urls: unknown[] = [];
  const port = await answering(t, (request, response) => {
    urls.push(request.url);
    response.end('[]');
  });
  for (const base of ['', '/', '/behind/', '/behind']) {
    const { service } = recordedService(t, {
      apiPort: 1,
      apiBase: `http://127.0.0.1:${port}${base}`,
    });
    await service.getWaypoints();
  }
  const waypoints = '/api/waypoints?emoji=true';
  t.deepEqual(urls, [waypoints, waypoints, `/behind${waypoints}`, `/behind${waypoints}`]);
});

test('a listener that throws breaks neither the others nor the promise', async (t) => {
  const errors: unknown[] = [];
  const service = new WaypointService({ apiPort: -1, onListenerError: (e) => errors.push(e) });
  const seen: string[] = [];
  service.subscribe('waypointsLoaded', () => {
    seen.push('first');
    throw new Error('one');
  });
  service.subscribe('waypointsLoaded', () => seen.push('second'));
  service.subscribe('requestSucceeded', () => seen.push('generic'));
  t.deepEqual(await service.getWaypoints(), []);
  t.deepEqual(seen, ['first', 'second', 'generic']);
  await service.fetchDistinctTags(() => {
    throw new Error('two');
  });
  t.deepEqual(
    errors.map((error) => (error as Error).message),
    ['one', 'two'],
  );
});

test('subscriptions end by either way, and changes during an emission count from the next one', async (t) => {
  const service = new WaypointService({ apiPort: -1 });
  const seen: string[] = [];
  const second = (): void => void seen.push('second');
  const late = (): void => void seen.push('late');
  const stop = service.subscribe('waypointsLoaded', () => {
    seen.push('first');
    service.unsubscribe('waypointsLoaded', second);
    service.subscribe('waypointsLoaded', late);
  });
  service.subscribe('waypointsLoaded', second);
  service.subscribe('waypointsLoaded', second);
  await service.getWaypoints();
  t.deepEqual(seen, ['first']);
  stop();
  stop();
  await service.getWaypoints();
  t.deepEqual(seen, ['first', 'late']);
});

test('whoever only listens to signals need not look at the promise', async (t) => {
  const service = new WaypointService({ apiPort: await freePort() });
  const failed = new Promise<string>((resolve) => {
    service.subscribe('geodataInstallFailed', (_, message) => resolve(message));
  });
  // An unhandled rejection would fail the test run.
  void service.installGeodata('x');
  t.regex(await failed, /^send error: /u);
  await new Promise((resolve) => setImmediate(resolve));
});

test('a timeline submission knows its number before its signals name it', async (t) => {
  const apiPort = await answering(t, (_, response) => response.end('{"job_id":"j1"}'));
  const { service, taken } = recordedService(t, { apiPort });
  const first = service.submitTimeline('2024-01-01', '2024-01-02');
  const second = service.submitTimeline('2024-01-01', '2024-01-02');
  t.not(first.requestId, second.requestId);
  t.deepEqual(await Promise.all([first, second]), ['j1', 'j1']);
  const submitted = taken().filter(([name]) => name === 'timelineSubmitted');
  t.deepEqual(
    new Set(submitted.map(([, requestId]) => requestId)),
    new Set([first.requestId, second.requestId]),
  );
});

/**
 * A daemon with a hand-over file, and a client that has found it. For tests that run one by one: in a thread that is busy
 * with all others, finding it may take longer than it may.
 */
async function connected(t: ExecutionContext) {
  const daemon = await startTestDaemon(t, { options: { handOver: true } });
  const directories = { dataDir: join(daemon.root, 'data'), runtimeDir: join(daemon.root, 'run') };
  return { daemon, directories, service: await connect(directories) };
}

test.serial(
  'connect() finds the daemon, and finds it again when it was started anew',
  async (t) => {
    const { daemon, service } = await connected(t);
    await service.addWaypoint(camp);
    const again = await daemon.restart();
    t.not(service.apiToken, again.token);
    // Both at once: the file is read for both, and each request is sent once more only.
    const [waypoints] = await Promise.all([
      service.getWaypoints(),
      service.addWaypoint({ ...camp, name: 'Base' }),
    ]);
    t.true(waypoints.length >= 1);
    t.is(service.apiToken, again.token);
    t.is(service.apiPort, Number(new URL(again.url).port));
    t.is((await service.getWaypoints()).length, 2);
  },
);

test.serial('connect() renews a token that the daemon refuses, once', async (t) => {
  const { service, daemon } = await connected(t);
  service.apiToken = 'old';
  t.is((await service.getVersion()).module.name, 'waypointd');
  t.is(service.apiToken, daemon.token);
  await daemon.close();
  service.apiToken = 'old';
  const error = await t.throwsAsync(service.getVersion(), { instanceOf: RequestFailure });
  t.regex(error.message, /^send error: .*ECONNREFUSED/u, 'the refusal itself is told');
});

test('requests that are refused together share one renewal', async (t) => {
  const refusals = Promise.withResolvers<void>();
  let answers = 0;
  const apiPort = await answering(t, (request, response) => {
    if (request.url === '/api/version') answers += 1;
    response.writeHead(401).end(() => answers === 3 && refusals.resolve());
  });
  let renewals = 0;
  const service = new WaypointService({
    apiPort,
    renewAccess: async () => {
      renewals += 1;
      await refusals.promise;
      // Whatever comes back later than the refusals has let them arrive.
      await fetch(`http://127.0.0.1:${apiPort}/`);
      return undefined;
    },
  });
  const results = await Promise.allSettled([1, 2, 3].map(() => service.getVersion()));
  t.true(results.every(({ status }) => status === 'rejected'));
  t.is(renewals, 1);
  t.is(answers, 3, 'without another access nothing is sent again');
});

test('connect() says that no daemon runs, and which file it does not trust', async (t) => {
  const root = temporaryDirectory(t);
  const directories = { dataDir: join(root, 'data'), runtimeDir: root };
  const none = await t.throwsAsync(connect(directories), { instanceOf: DaemonNotFound });
  t.is(none.message, 'No waypointd is running.');
  if (process.platform === 'win32') return;
  const file = join(root, 'daemon.json');
  writeFileSync(file, '{}', { mode: 0o644 });
  chmodSync(file, 0o644);
  const untrusted = await t.throwsAsync(connect(directories), { instanceOf: DaemonNotFound });
  t.is(untrusted.message, `No waypointd is running. Not used: ${file}: other users can read it`);
});

test.serial(
  'connect() does not take the daemon of another data directory for the one it was told',
  async (t) => {
    const { daemon, directories } = await connected(t);
    const other = { ...directories, dataDir: join(daemon.root, 'other') };
    await t.throwsAsync(connect(other), { instanceOf: DaemonNotFound });
  },
);

test('programs look for the daemon where the daemon itself would', (t) => {
  const root = temporaryDirectory(t);
  const configHome = join(root, 'config');
  const configFile = join(configHome, 'waypointd', 'config.json');
  const plain = { XDG_CONFIG_HOME: configHome, XDG_RUNTIME_DIR: '/run/user/7' };
  const environments = [
    plain,
    { ...plain, XDG_RUNTIME_DIR: 'relative', XDG_DATA_HOME: process.env['XDG_DATA_HOME'] },
    { ...plain, RUNTIME_DIRECTORY: '/run/a:/run/b', STATE_DIRECTORY: '/var/lib/x:/y' },
  ];
  for (const env of environments) {
    const paths = computePaths({}, { env });
    const places = daemonPlaces({}, env);
    t.deepEqual(places.candidates, paths.handOverCandidates);
    t.is(places.data, paths.data);
    t.false(places.isDataChosen);
  }
  writeTree(root, {
    'config/waypointd/config.json': '\uFEFF{"data_dir":"mine","runtime_dir":"~/run","port":1}',
  });
  if (process.platform !== 'linux') return;
  const configured = daemonPlaces({}, plain);
  t.is(configured.data, join(configHome, 'waypointd', 'mine'));
  t.true(configured.isDataChosen);
  t.is(configured.candidates[0], join(process.env['HOME'] ?? '', 'run', 'daemon.json'));
  const env = { ...plain, WAYPOINTD_DATA_DIR: '/env/data', WAYPOINTD_RUNTIME_DIR: '' };
  t.is(daemonPlaces({}, env).data, '/env/data');
  t.is(daemonPlaces({ dataDir: '/chosen' }, env).data, '/chosen');
  writeFileSync(configFile, 'not JSON');
  t.is(daemonPlaces({}, plain).data, computePaths({}, { env: plain }).data);
});
