/** Watched files that change again and again, that are undone, and folders with more of them than are looked at. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { WatchedFolder } from '../daemon/watch/watched-folder.ts';
import { valuesOf } from './helpers/fields.ts';
import { contentOf, importTree, listed } from './helpers/imported-files.ts';
import { filesBelow, writeTree } from './helpers/imports.ts';
import { manualTime } from './helpers/manual-time.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';
import { answerWhen } from './helpers/until.ts';
import { importDirectory } from '../worker/import/import-directory.ts';
import { ImportProgress } from '../worker/import/progress.ts';
import { Tally } from '../worker/import/tally.ts';
import { siteAt, watching, type WatchSite } from './helpers/watching.ts';

const head = 'time,lat,lon\n';
const row = (at: number) => `2024-05-01T10:${String(at).padStart(2, '0')}:00Z,41.${at + 10},-8.6\n`;
const points = (count: number) => Array.from({ length: count }, (_, at) => row(at)).join('');
const track = (count: number, name = 'x') =>
  `<gpx version="1.1" creator="${name}"><trk><trkseg>${Array.from(
    { length: count },
    (_, at) => `<trkpt lat="${at}" lon="2"><time>2024-05-01T10:00:${10 + at}Z</time></trkpt>`,
  ).join('\n')}</trkseg></trk></gpx>\n`;

const changesOf = async ({ daemon }: WatchSite) =>
  (await daemon.get<{ changes: { id: number; kind: string }[] }>('/api/changes')).body.changes;

/** Writes a version of a file and waits until it is imported. */
async function save(site: WatchSite, file: string, text: string): Promise<void> {
  const { imported } = await site.when(({ waiting }) => waiting === 0);
  writeFileSync(join(site.dir, file), text);
  await site.when((now) => now.imported > imported && now.waiting === 0, 60);
}

test('a watched file that grows stays one file and one change, and no old version is kept', async (t) => {
  const site = await watching(t);
  await save(site, 'log.csv', head + points(2));
  await save(site, 'walk.gpx', track(2));
  const before = await listed(site.daemon);
  for (const count of [3, 5]) {
    await save(site, 'log.csv', head + points(count));
    await save(site, 'walk.gpx', track(count));
  }
  const after = await listed(site.daemon);
  t.deepEqual(
    after.map(({ path, state, observations }) => ({ path, state, observations })),
    [
      { path: 'walk.gpx', state: 'active', observations: 5 },
      { path: 'log.csv', state: 'active', observations: 5 },
    ],
  );
  const ids = (files: typeof after) => files.map(({ id }) => id).toSorted((a, b) => a - b);
  t.deepEqual(ids(after), ids(before));
  t.is(await (await contentOf(site.daemon, after[1]!.id)).text(), head + points(5));
  t.deepEqual(filesBelow(site.daemon.paths.imports), ['log.csv', 'walk.gpx']);
  const changes = await changesOf(site);
  t.is(changes.length, 2);
  // The change that brought the file has all of it.
  const undone = await site.daemon.call('POST', `/api/changes/${changes[1]!.id}/undo`);
  t.is(undone.status, 200, undone.text);
  t.deepEqual(valuesOf(await listed(site.daemon, '?state=active'), 'path'), ['walk.gpx']);
  const again = await site.daemon.call(
    'POST',
    `/api/changes/${(await changesOf(site))[0]!.id}/undo`,
  );
  t.is(again.status, 200, again.text);
  t.is((await listed(site.daemon, '?state=active')).length, 2);
});

test('a watched file that is written anew is another version, and so is one that a person imports', async (t) => {
  const site = await watching(t);
  await save(site, 'walk.gpx', track(2));
  await save(site, 'walk.gpx', track(3, 'y'));
  await save(site, 'walk.gpx', track(1, 'y'));
  t.is((await listed(site.daemon, '?state=replaced')).length, 2);
  t.is((await changesOf(site)).length, 3);
  await importTree(site.daemon, { 'log.csv': head + points(2) });
  await importTree(site.daemon, { 'log.csv': head + points(3) });
  t.is((await listed(site.daemon, '?state=replaced')).length, 3);
  t.is((await changesOf(site)).length, 5);
  // Its content was there before: then it is that file again.
  await save(site, 'walk.gpx', track(3, 'y'));
  t.is((await listed(site.daemon, '?state=active&q=walk')).length, 1);
});

test('a watched file whose last value became longer has not grown: the shorter one can be had back', async (t) => {
  const site = await watching(t);
  const versions = {
    'spot.gpx': (name: string) =>
      `<gpx version="1.1" creator="x"><wpt lat="1" lon="2"><name>${name}</name></wpt></gpx>`,
    'spot.geojson': (lat: string) =>
      `{"type":"Feature","properties":{"name":"x"},"geometry":{"type":"Point","coordinates":[2,${lat}]}}`,
    'log.csv': (lon: string) => `${head}2024-05-01T10:00:00Z,41.5,${lon}\n`,
  };
  for (const [file, text] of Object.entries(versions)) {
    await save(site, file, text('4'));
    await save(site, file, text('47'));
    const [old] = await listed(site.daemon, '?state=replaced');
    t.is(old?.path, file);
    t.is(await (await contentOf(site.daemon, old!.id)).text(), text('4'));
  }
});

test('a crash before it is listed that a watched file has grown: it is the same file after the next start', async (t) => {
  const site = await watching(t);
  await save(site, 'walk.gpx', track(2));
  const [before] = await listed(site.daemon, '');
  await site.daemon.close();
  const { imports, libraryDatabase, waypointsDatabase } = site.daemon.paths;
  writeFileSync(join(site.dir, 'walk.gpx'), track(3));
  // What the worker does, and nothing of what comes after it.
  importDirectory({
    request: { dir: site.dir },
    origin: 'watch',
    ownFiles: [],
    hasIndex: true,
    libraryPath: libraryDatabase,
    waypointsPath: waypointsDatabase,
    importsDirectory: imports,
    progress: new ImportProgress().shared,
    now: Date.now(),
  });
  const daemon = await site.daemon.restart();
  const after = await listed(daemon, '');
  t.deepEqual(
    after.map(({ id, state }) => ({ id, state })),
    [{ id: before!.id, state: 'active' }],
  );
  t.is(await (await contentOf(daemon, before!.id)).text(), track(3));
});

test('a file that is replaced again and again is waited for ever longer', async (t) => {
  const site = await watching(t, { 'walk.gpx': track(1, '0') });
  await site.when(({ imported, waiting }) => imported === 1 && waiting === 0);
  const waits: number[] = [];
  for (let version = 1; version <= 5; version += 1) {
    writeFileSync(join(site.dir, 'walk.gpx'), track(1, `${version}`));
    await site.when(({ waiting }) => waiting === 1, 0);
    let seconds = 0;
    await site.when(({ waiting }) => {
      seconds += 1;
      return waiting === 0;
    });
    await site.when(({ imported }) => imported === version + 1, 0);
    waits.push(seconds);
  }
  const [first = 0, , , fourth = 0, fifth = 0] = waits;
  t.true(first < 10 && fourth > 15 && fifth > 30, waits.join(' '));
});

test('an import of a watched file that was undone stays so until the file changes', async (t) => {
  const big = `${head}${points(2)}${'\n'.repeat(1_100_000)}`;
  const site = await watching(t, { 'walk.gpx': track(1), 'big.csv': big });
  await site.when(({ imported }) => imported === 2);
  const [change] = await changesOf(site);
  t.is((await site.daemon.call('POST', `/api/changes/${change!.id}/undo`)).status, 200);
  await site.daemon.close();
  const again = await siteAt(t, site.daemon.root, [site.dir]);
  await again.when(({ files, waiting }) => files === 2 && waiting === 0);
  t.is((await listed(again.daemon, '?state=active')).length, 0);
  writeFileSync(join(site.dir, 'walk.gpx'), track(2));
  await again.when(({ imported }) => imported === 1);
  t.is((await listed(again.daemon, '?state=active')).length, 1);
  // A person who imports it wants it, and then it is a file like any other.
  t.like((await importTree(again.daemon, {}, { source: 'watched' })).body, { added: 1 });
  await again.daemon.close();
  const last = await siteAt(t, site.daemon.root, [site.dir]);
  await last.when(({ files, waiting }) => files === 2 && waiting === 0);
  t.is((await listed(last.daemon, '?state=active')).length, 2);
});

test('a watched file that is cut and grows back to what it was can be cut again by an undo', async (t) => {
  const site = await watching(t);
  for (const count of [3, 2, 3]) await save(site, 'log.csv', head + points(count));
  const [change] = await changesOf(site);
  const undone = await site.daemon.call('POST', `/api/changes/${change!.id}/undo`);
  t.is(undone.status, 200, undone.text);
  const [active] = await listed(site.daemon, '?state=active');
  t.is(await (await contentOf(site.daemon, active!.id)).text(), head + points(2));
});

test('a watched file that is as it was before an undo that was undone comes in again', async (t) => {
  const site = await watching(t);
  await save(site, 'walk.gpx', track(1, 'a'));
  await save(site, 'walk.gpx', track(1, 'b'));
  for (let i = 0; i < 2; i += 1) {
    const [change] = await changesOf(site);
    t.is((await site.daemon.call('POST', `/api/changes/${change!.id}/undo`)).status, 200);
  }
  await save(site, 'walk.gpx', track(1, 'a'));
  const [active] = await listed(site.daemon, '?state=active');
  t.is(await (await contentOf(site.daemon, active!.id)).text(), track(1, 'a'));
});

test('a copy of a watched file comes in when that gets another content', async (t) => {
  const site = await watching(t, { 'log.csv': head + points(2) }, ['other']);
  await site.when(({ imported }) => imported === 1);
  renameSync(join(site.dir, 'log.csv'), join(site.dir, 'yesterday.csv'));
  await site.when(({ files, waiting }) => files === 1 && waiting === 0);
  t.is((await listed(site.daemon)).length, 1);
  await save(site, 'log.csv', head + row(7));
  writeTree(join(site.daemon.root, 'other'), { 'log.csv': head + row(7) });
  const others = async () => (await site.daemon.get('/api/status')).body.watch[1];
  await answerWhen(
    async () => {
      site.schedule.advance(1_000);
      return others();
    },
    ({ files, waiting }) => files === 1 && waiting === 0,
  );
  await save(site, 'log.csv', head + row(9));
  await answerWhen(others, ({ imported }) => imported === 1);
  const active = await listed(site.daemon, '?state=active');
  t.deepEqual(valuesOf(active, 'path').toSorted(), ['log (2).csv', 'log.csv', 'yesterday.csv']);
});

test('what a person put in place of a watched file stays there after a restart', async (t) => {
  const site = await watching(t);
  await save(site, 'walk.gpx', track(1, 'a'));
  await save(site, 'walk.gpx', track(1, 'b'));
  let { daemon } = site;
  const active = async () => {
    const [file] = await listed(daemon, '?state=active');
    return (await contentOf(daemon, file!.id)).text();
  };
  const undoNewest = async () => {
    const { changes } = (await daemon.get('/api/changes?limit=1')).body;
    return daemon.call('POST', `/api/changes/${changes[0].id}/undo`);
  };
  const [old] = await listed(daemon, '?state=replaced');
  const upload = () =>
    daemon.call('PUT', '/api/imports?path=walk.gpx', track(1, 'c'), { 'content-type': 'x/y' });
  const steps: [string, () => Promise<{ status: number }>][] = [
    [track(1, 'a'), undoNewest],
    [track(1, 'b'), undoNewest],
    [track(1, 'a'), undoNewest],
    [track(1, 'b'), undoNewest],
    [track(1, 'a'), () => daemon.call('POST', `/api/imports/${old!.id}/restore`)],
    [track(1, 'b'), undoNewest],
    [track(1, 'c'), upload],
  ];
  for (const [text, step] of steps) {
    t.true((await step()).status < 300);
    await daemon.close();
    const again = await siteAt(t, daemon.root, [site.dir]);
    await again.when(({ files, waiting }) => files === 1 && waiting === 0);
    ({ daemon } = again);
    t.is(await active(), text);
  }
});

test('a folder with more files than are looked at says so, and looks again once there is room', async (t) => {
  const dir = join(temporaryDirectory(t), 'watched');
  mkdirSync(dir);
  const names = Array.from({ length: 20 }, (_, at) => `${at}.gpx`);
  writeTree(dir, Object.fromEntries(names.map((name) => [name, ''])));
  const { schedule, advance } = manualTime();
  const seen = new Set<string>();
  const folder = new WatchedFolder({
    dir,
    own: [],
    schedule,
    mostFiles: 20,
    onReady() {
      const batch = folder.takeReady(100);
      for (const name of batch.keys()) seen.add(name);
      folder.settle(batch, { result: emptyResult, copies: new Map() });
    },
  });
  t.teardown(() => folder.close());
  folder.start();
  const when = (isWanted: (status: ReturnType<typeof folder.status>) => boolean) =>
    answerWhen(async () => {
      advance(1_000);
      return folder.status();
    }, isWanted);
  t.is((await when(({ files, waiting }) => files === 20 && waiting === 0)).full, undefined);
  writeFileSync(join(dir, 'one more.gpx'), '');
  t.like(await when(({ full }) => full === true), { files: 20 });
  for (const name of names.slice(0, 3)) rmSync(join(dir, name));
  const last = await when(
    ({ files, waiting, full }) => full !== true && files === 18 && waiting === 0,
  );
  t.is(last.state, 'following');
  t.true(seen.has('one more.gpx'));
});

/** Of an import that found nothing new. */
const emptyResult = new Tally().result('', undefined, false);
