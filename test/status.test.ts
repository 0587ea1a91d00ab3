import { join } from 'node:path';
import test from 'ava';
import { LibraryWork, type ImportTasks } from '../daemon/import/library-work.ts';
import type { WorkerPool } from '../daemon/pool.ts';
import { emptySearchIndex } from '../search/library-data.ts';
import { idleImport, startFakeDaemon, testCli } from './helpers/cli.ts';
import { startTestDaemon } from './helpers/daemon.ts';
import { importTree } from './helpers/imported-files.ts';
import { gpx, noList, writeTree } from './helpers/imports.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';

test('GET /api/status tells what the daemon holds and since when it runs', async (t) => {
  let monotonic = 5_000;
  const clock = { now: () => Date.now(), monotonic: () => monotonic };
  const daemon = await startTestDaemon(t, { clock });
  await daemon.call('POST', '/api/bookmarks', { name: 'Camp', lat: 1, lon: 2 });
  await importTree(daemon, { 'a.gpx': gpx([['Porto', 41, -8]]), 'b.gpx': gpx([['Camp', 1, 2]]) });
  monotonic += 3_999;
  t.deepEqual((await daemon.get('/api/status')).body, {
    uptime_seconds: 3,
    library: { state: 'ready', files_done: 0, files_total: 0 },
    waypoints: 2,
    imported: { files: 2, tracks: 0, routes: 0, track_points: 0, observations: 0 },
    bookmarks: 1,
    timelines: { queued: 0, running: 0 },
  });
  const again = await daemon.restartWithoutLibrary();
  await again.get('/api/clusters');
  t.like((await again.get('/api/status')).body, {
    library: { state: 'ready', files_done: 2, files_total: 2 },
    waypoints: 2,
  });
});

test('a library that is being read is told of, and so is one that could not be read whole', async (t) => {
  const root = temporaryDirectory(t);
  writeTree(root, { 'imports/a.gpx': gpx([['Porto', 41, -8]]) });
  const done = Promise.withResolvers<object>();
  const pool = { run: () => done.promise, close: async () => {} };
  const library = new LibraryWork({
    libraryPath: join(root, 'library.sqlite'),
    waypointsPath: join(root, 'waypoints.sqlite'),
    importsDirectory: join(root, 'imports'),
    ownFiles: [],
    clock: { now: () => 0, monotonic: () => 0 },
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    onIndex: () => {},
    list: noList,
    pool: pool as unknown as WorkerPool<ImportTasks>,
  });
  const over = library.reconcile(true);
  t.is(library.status().state, 'reading');
  done.resolve({ loaded: 0, dropped: 0, refused: 0, isWhole: false, index: emptySearchIndex() });
  await over;
  t.is(library.status().state, 'incomplete');
  await library.close();
});

test('status says that a lost library is being read, without asking what waits for it', async (t) => {
  const cli = testCli(t);
  const { requests } = await startFakeDaemon(t, cli, {
    'GET /api/status': () => ({
      uptime_seconds: 7,
      library: { state: 'reading', files_done: 120, files_total: 3_000 },
      bookmarks: 12,
      timelines: { queued: 0, running: 0 },
    }),
    'GET /api/import': () => idleImport,
  });
  const shown = await cli.out(['status']);
  t.regex(shown, /, for 7 s\)$/mu);
  t.regex(shown, /^holds +12 bookmarks; the library is being read, 120 of 3,000 files done/mu);
  t.deepEqual(
    new Set(requests.map(({ path }) => path)),
    new Set(['/api/version', '/api/status', '/api/import', '/api/geodata']),
  );
});

test('status tells files, tracks, points and their period, also after a restart', async (t) => {
  const daemon = await startTestDaemon(t);
  const times = ['2024-05-02T08:00:00Z', '2024-05-02T09:00:00Z', '2024-05-04T08:00:00Z'];
  await importTree(daemon, { 'a.gpx': gpx([['Porto', 41, -8, '2023-01-02T03:04:05Z']], times) });
  const imported = {
    files: 1,
    tracks: 1,
    routes: 0,
    track_points: 3,
    observations: 4,
    first_time: '2023-01-02T03:04:05Z',
    last_time: '2024-05-04T08:00:00Z',
  };
  t.deepEqual((await daemon.get('/api/status')).body.imported, imported);
  const again = await daemon.restart();
  await again.get('/api/clusters');
  t.deepEqual((await again.get('/api/status')).body.imported, imported);
  await importTree(again, { 'b.gpx': gpx([['Faro', 37, -8]]) });
  t.deepEqual((await again.get('/api/status')).body.imported, { ...imported, files: 2 });
  const cli = testCli(t);
  await startFakeDaemon(t, cli, {
    'GET /api/status': () => ({
      uptime_seconds: 7,
      library: { state: 'ready', files_done: 0, files_total: 0 },
      waypoints: 2,
      imported,
      bookmarks: 0,
      timelines: { queued: 0, running: 0 },
    }),
    'GET /api/import': () => idleImport,
  });
  t.regex(
    await cli.out(['status']),
    /^imported +1 file, 1 track, 4 timed points from 2023-01-02 to 2024-05-04$/mu,
  );
});
