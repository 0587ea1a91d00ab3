/** The setting watch_dirs: folders whose files are imported by themselves. Time stands still until a test moves it. */
import {
  appendFileSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import test from 'ava';
import type { WatchedFolderStatus } from '../model/status.ts';
import { importTree, listed } from './helpers/imported-files.ts';
import { gpx, importSite, writeTree } from './helpers/imports.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';
import { answerWhen } from './helpers/until.ts';
import { siteAt, watching } from './helpers/watching.ts';

const isFollowed = ({ state }: WatchedFolderStatus) => state === 'following' || state === 'polling';
const camp = gpx([['Camp', 1, 2]]);

test('what a folder has and what comes into it is imported once it is still, and never again', async (t) => {
  const site = await watching(t, {
    'old.gpx': camp,
    'below/further/down.gpx': gpx([['Down', 3, 4]]),
    'notes.txt': 'x',
    '.hidden.gpx': gpx([['Hidden', 5, 6]]),
    '.sync/half.gpx': gpx([['Half', 7, 8]]),
  });
  const { dir, daemon, when } = site;
  t.like(await when(({ imported }) => imported === 2), { dir, files: 2, waiting: 0, failed: 0 });

  writeTree(dir, {
    'new/walk.gpx': gpx([['Walk', 9, 9]]),
    'download.gpx.part': gpx([['Part', 11, 11]]),
    'broken.gpx': '<gpx><wpt',
  });
  symlinkSync(join(dir, 'old.gpx'), join(dir, 'link.gpx'));
  symlinkSync(daemon.root, join(dir, 'up'));
  const after = await when(({ imported, failed }) => imported === 3 && failed === 1);
  t.deepEqual(after.failures, [{ file: 'broken.gpx', reason: 'truncated' }]);
  // Mended, and moved into its place as editors and syncing programs do.
  renameSync(join(dir, 'download.gpx.part'), join(dir, 'download.gpx'));
  writeFileSync(join(dir, '.broken.gpx.tmp'), gpx([['Mended', 12, 12]]));
  renameSync(join(dir, '.broken.gpx.tmp'), join(dir, 'broken.gpx'));
  t.like(await when(({ imported, waiting }) => imported === 5 && waiting === 0), { failed: 0 });
  const paths = (await listed(daemon)).map(({ path }) => path).toSorted();
  t.deepEqual(paths, [
    'below/further/down.gpx',
    'broken.gpx',
    'download.gpx',
    'new/walk.gpx',
    'old.gpx',
  ]);
  t.regex(daemon.logged.join('\n'), /watch\.imported/);
  t.notRegex(daemon.logged.join('\n'), /watched|\.gpx/);

  await daemon.close();
  const again = await siteAt(t, daemon.root, [dir]);
  const status = await again.when(({ files, waiting }) => files === 5 && waiting === 0);
  t.is(status.imported, 0);
  t.is((await listed(again.daemon)).length, 5);
  symlinkSync(join(dir, 'old.gpx'), join(dir, '.link.gpx'));
  renameSync(join(dir, '.link.gpx'), join(dir, 'broken.gpx'));
  t.is((await again.when(({ files }) => files === 4)).failed, 0);
});

test('a file that grows for a minute is imported once, at its end', async (t) => {
  const { dir, daemon, schedule, when } = await watching(t);
  await when(isFollowed);
  const file = join(dir, 'growing.gpx');
  const text = gpx(Array.from({ length: 60 }, (_, at) => [`w${at}`, 1, at] as const));
  const step = Math.ceil(text.length / 60);
  writeFileSync(file, '');
  for (let second = 0; second < 60; second += 1) {
    appendFileSync(file, text.slice(second * step, (second + 1) * step));
    // Where nothing has been heard yet, time stands still.
    await when(({ waiting }) => waiting === 1, 0);
    schedule.advance(1_000);
  }
  t.is((await listed(daemon)).length, 0);
  t.like(await when(({ imported, waiting }) => imported > 0 && waiting === 0), {
    imported: 1,
    failed: 0,
  });
  const files = await listed(daemon);
  t.deepEqual(
    files.map(({ waypoints, state }) => ({ waypoints, state })),
    [{ waypoints: 60, state: 'active' }],
  );
});

test('a folder that is gone is waited for, and followed again', async (t) => {
  const { dir, daemon, when } = await watching(t, { 'a.gpx': camp }, ['never']);
  await when(({ imported }) => imported === 1);
  renameSync(dir, `${dir} away`);
  t.like(await when(({ state }) => state === 'absent'), { files: 0 });
  writeTree(`${dir} away`, { 'b.gpx': gpx([['B', 3, 3]]) });
  renameSync(`${dir} away`, dir);
  t.like(await when(({ imported, waiting }) => imported === 2 && waiting === 0), { files: 2 });
  // Another directory in its place, as when something is mounted there, with a file that is known and one that is not.
  renameSync(dir, `${dir} old`);
  writeTree(dir, { 'a.gpx': camp, 'c.gpx': gpx([['C', 5, 5]]) });
  t.like(await when(({ imported, waiting }) => imported === 3 && waiting === 0), { files: 2 });
  const { body } = await daemon.get('/api/status');
  t.is(body.watch[1].state, 'absent');
  writeTree(join(dir, 'sub'), { 'd.gpx': gpx([['D', 6, 6]]) });
  await when(({ imported }) => imported === 4);
  t.is((await listed(daemon)).length, 4);
});

test('changed files replace, removed ones stay removed, deleted ones stay imported', async (t) => {
  const { dir, daemon, when } = await watching(t, { 'a.gpx': camp, 'b.gpx': gpx([['B', 3, 3]]) });
  await when(({ imported }) => imported === 2);
  writeFileSync(join(dir, 'a.gpx'), gpx([['Changed', 1, 2]]));
  await when(({ imported }) => imported === 3);
  t.is((await listed(daemon, '?state=replaced')).length, 1);
  rmSync(join(dir, 'a.gpx'));
  const [{ id } = { id: 0 }] = await listed(daemon, '?q=b.gpx');
  await daemon.call('DELETE', `/api/imports/${id}`);
  const text = readFileSync(join(dir, 'b.gpx'));
  rmSync(join(dir, 'b.gpx'));
  writeFileSync(join(dir, 'again.gpx'), text);
  utimesSync(join(dir, 'again.gpx'), 1, 1);
  writeTree(dir, { 'last.gpx': gpx([['Last', 9, 9]]) });
  await when(({ imported, waiting }) => imported === 4 && waiting === 0);
  const active = await listed(daemon, '?state=active');
  t.deepEqual(active.map(({ path }) => path).toSorted(), ['a.gpx', 'last.gpx']);
});

test("a person's imports are never refused while watched files come in, and all is imported once", async (t) => {
  const files = Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => [`${at}.gpx`, gpx([[`w${at}`, 1, at / 10]])]),
  );
  const { daemon, when } = await watching(t, files);
  const whenDone = when(({ imported, waiting }) => imported === 60 && waiting === 0);
  for (let at = 0; at < 5; at += 1) {
    const own = { [`own ${at}.gpx`]: gpx([[`own${at}`, 50, at]]) };
    t.is((await importTree(daemon, own, { source: `person ${at}` })).status, 200);
  }
  t.like(await whenDone, { failed: 0, files: 60 });
  t.is((await listed(daemon, '?limit=1000')).length, 65);
});

test('an import that is to end soon finishes the file that it is at, whatever becomes of it', (t) => {
  const site = importSite(t, { 'a.gpx': camp, 'b.gpx': '<gpx>', 'c.gpx': gpx([['C', 3, 4]]) });
  site.progress.endSoon();
  t.like(site.run(), { result: { files: 1, cancelled: true }, left: ['b.gpx', 'c.gpx'] });
  t.like(
    site.run(),
    { result: { files: 0, duplicates: 1 }, left: ['b.gpx', 'c.gpx'] },
    'a known one',
  );
  rmSync(join(site.source, 'a.gpx'));
  t.like(site.run(), { result: { files: 0, failed: 1 }, left: ['c.gpx'] }, 'a refused one');
  rmSync(join(site.source, 'b.gpx'));
  t.like(site.run(), { result: { files: 1, cancelled: undefined }, left: undefined });
});

test('an archive that is cut short gets on each time', (t) => {
  const site = importSite(t);
  const entries = { 'a.gpx': strToU8(camp), 'b.gpx': strToU8(gpx([['B', 3, 4]])) };
  writeFileSync(join(site.source, 'year.zip'), zipSync(entries));
  // As watched files are: still for some seconds.
  site.now += 10_000;
  site.progress.endSoon();
  t.like(site.run(), { result: { files: 1, cancelled: true }, left: ['year.zip'] });
  t.like(site.run(), { result: { files: 1, duplicates: 1 }, left: undefined });
});

test('an archive of files that are known already ends at the next of them, too, and gets on each time', (t) => {
  const files = ['A', 'B', 'C'].map((name) => gpx([[name, 3, 4]]));
  const site = importSite(t, Object.fromEntries(files.map((file, at) => [`${at}.gpx`, file])));
  t.like(site.result(), { added: 3 });
  const entries = files.map((file, at) => [`${at}.gpx`, strToU8(file)] as const);
  writeFileSync(join(site.source, 'year.zip'), zipSync(Object.fromEntries(entries)));
  site.now += 10_000;
  site.progress.endSoon();
  const request = { files: ['year.zip'] };
  t.like(site.run(request), { result: { duplicates: 1, cancelled: true }, left: ['year.zip'] });
  t.like(site.run(request), { result: { duplicates: 2, cancelled: true }, left: ['year.zip'] });
  t.like(site.run(request), { result: { duplicates: 3 }, left: undefined });
});

test('archives are watched, and files of the same name from two folders are kept beside each other', async (t) => {
  const root = temporaryDirectory(t);
  const dirs = ['one', 'two'].map((name) => join(root, name));
  writeTree(root, { 'one/walk.gpx': camp, 'two/walk.gpx': gpx([['Other', 3, 4]]) });
  const entries = { 'good.gpx': strToU8(gpx([['Zipped', 5, 6]])), 'bad.gpx': strToU8('<gpx>') };
  writeFileSync(join(root, 'one/year.zip'), zipSync(entries));
  const { daemon, when } = await siteAt(t, root, dirs);
  t.like(await when(({ files, waiting }) => files === 2 && waiting === 0), {
    imported: 2,
    failures: [{ file: 'year.zip/bad.gpx', reason: 'truncated' }],
  });
  const walks = () => listed(daemon, '?q=walk');
  const found = await answerWhen(walks, ({ length }) => length === 2);
  t.deepEqual(found.map(({ path }) => path).toSorted(), ['walk (2).gpx', 'walk.gpx']);
});
