/** Small files share a commit; that must not show in what becomes of each. */
import { hash } from 'node:crypto';
import {
  appendFileSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { FileRefused } from '../formats/refused.ts';
import { importFile, type Verdict } from '../worker/import/import-file.ts';
import { importInGroups, type Run } from '../worker/import/import-groups.ts';
import { copyPath } from '../worker/import/copy-path.ts';
import { smallBytes } from '../worker/import/source-file.ts';
import type { SourceEntry } from '../worker/import/source-list.ts';
import { failCommits, partsOf } from './helpers/import-parts.ts';
import { dumpLibrary, filesBelow, gpx, importSite, writeTree } from './helpers/imports.ts';

type Site = ReturnType<typeof importSite>;

const content = (name: string): string => gpx([[name, 1, 2]]);

function names(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${String(i).padStart(3, '0')}.gpx`);
}

function pathsInLibrary({ libraryPath }: Site): unknown[] {
  return dumpLibrary(libraryPath)['files']!.map((row) => (row as unknown[])[0]);
}

test('of more files than share a commit each gets its own verdict', (t) => {
  const files = names(140);
  const tree = Object.fromEntries(files.map((file) => [file, content(file)]));
  const site = importSite(t, { '020.gpx': content('before'), '021.gpx': content('021.gpx') });
  site.run();
  writeTree(site.source, {
    ...tree,
    '010.gpx': '<gpx>',
    '011.gpx': tree['009.gpx']!,
    '139.gpx': tree['001.gpx']!,
  });
  const result = site.result();
  t.like(result, { added: 135, replaced: 1, duplicates: 3, failed: 1, count: 136 });
  t.deepEqual(result.replaced_files, ['020.gpx']);
  t.deepEqual(result.duplicate_files, ['011.gpx', '021.gpx', '139.gpx']);
  t.deepEqual(result.failed_files, ['010.gpx']);
  t.is(site.progress.read().filesDone, 140);
  const present = filesBelow(site.imports).filter((file) => !file.startsWith('.replaced/'));
  t.deepEqual(pathsInLibrary(site), present);
  t.like(site.reconcile(), { loaded: 0, dropped: 0, refused: 0, isWhole: true });
});

const entriesOf = (files: readonly string[]): SourceEntry[] =>
  files.map((file) => ({ file, size: 1 }));

/** @returns what was not done. */
function importNames(site: Site, run: Run, entries: readonly SourceEntry[]): string[] {
  const left = importInGroups(entries, run, ({ file }) => ({
    root: site.source,
    file,
    target: copyPath(file.split('/')),
  }));
  return left.map(({ file }) => file);
}

test('when a commit fails, all of its files are undone, and those of earlier ones stay', (t) => {
  const files = ['a.gpx', 'b/c.gpx', 'b/d.gpx', 'e/f/g.gpx'];
  const site = importSite(t, Object.fromEntries(files.map((file) => [file, content(file)])));
  writeFileSync(join(site.source, 'a.gpx'), content('a.gpx').padEnd(smallBytes + 1));
  const run = partsOf(t, site);
  failCommits(run.library, { after: 1, times: 1 });
  const entries = files.map((file) => ({ file, size: statSync(join(site.source, file)).size }));
  t.throws(() => importNames(site, run, entries), { message: 'full' });
  t.is(run.tally.waypoints, 1);
  t.deepEqual(filesBelow(site.imports), ['a.gpx']);
  t.deepEqual(pathsInLibrary(site), ['a.gpx']);
});

test('an import that is cancelled within a group keeps what was finished before', (t) => {
  const files = names(10);
  const site = importSite(t, Object.fromEntries(files.map((file) => [file, content(file)])));
  const run = partsOf(t, site);
  const place = run.files.place.bind(run.files);
  run.files.place = (temporary, path, old) => {
    if (path === '004.gpx') site.progress.cancel();
    return place(temporary, path, old);
  };
  t.deepEqual(importNames(site, run, entriesOf(files)), files.slice(5));
  t.deepEqual(filesBelow(site.imports), files.slice(0, 5));
  t.deepEqual(pathsInLibrary(site), files.slice(0, 5));
  t.is(site.progress.read().filesDone, 5);
});

test('a log that is renamed when a new one is begun is not lost with the place it had', (t) => {
  const site = importSite(t, { 'current.gpx': content('May'), 'walk.gpx': content('Walk') });
  site.run();
  writeTree(site.source, {
    '2024-05 copy.gpx': content('May'),
    '2024-05.gpx': content('May'),
    'a walk.gpx': content('Walk'),
    'current.gpx': content('June'),
  });
  const result = site.result();
  t.like(result, { added: 1, replaced: 1, duplicates: 3, failed: 0, count: 2 });
  t.deepEqual(result.duplicate_files, ['2024-05.gpx', 'a walk.gpx', 'walk.gpx']);
  t.deepEqual(pathsInLibrary(site), ['2024-05 copy.gpx', 'current.gpx', 'walk.gpx']);
  t.like(site.progress.read(), { filesDone: 5, filesTotal: 5 });
  t.like(site.result(), { added: 0, replaced: 0, duplicates: 5 });
});

test('a renamed log is not taken for a copy that was edited by hand', (t) => {
  const site = importSite(t, { 'old.gpx': content('May') });
  site.run();
  writeTree(site.imports, { 'old.gpx': content('edited') });
  renameSync(join(site.source, 'old.gpx'), join(site.source, 'current.gpx'));
  t.like(site.result(), { added: 1, duplicates: 0 });
  writeTree(site.source, { '2024-05.gpx': content('May'), 'current.gpx': content('June') });
  t.like(site.result(), { added: 1, replaced: 1, duplicates: 0 });
  t.is(readFileSync(join(site.imports, '2024-05.gpx'), 'utf8'), content('May'));
});

test('copies that were found before a cancel are told', (t) => {
  const files = ['a.gpx', 'b.gpx', 'c.gpx', 'd.gpx'];
  const site = importSite(t, Object.fromEntries(files.map((file) => [file, content(file)])));
  writeTree(site.source, { 'b.gpx': content('a.gpx') });
  const run = partsOf(t, site);
  const place = run.files.place.bind(run.files);
  run.files.place = (temporary, path, old) => {
    if (path === 'c.gpx') site.progress.cancel();
    return place(temporary, path, old);
  };
  t.deepEqual(importNames(site, run, entriesOf(files)), ['d.gpx']);
  t.like(run.tally.result('', undefined, true), { added: 2, duplicate_files: ['b.gpx'] });
});

/** Imports a source, and does something else between two steps: once it is hashed, or while its copy is parsed. */
function importDuring(
  t: ExecutionContext,
  site: Site,
  step: 'hashed' | 'parsed',
  meanwhile: () => void,
): Verdict {
  const run = partsOf(t, site);
  let isOver = false;
  const once = () => {
    if (!isOver) meanwhile();
    isOver = true;
  };
  const onBytes = step === 'parsed' ? once : () => {};
  const idOf = run.imports.idOf.bind(run.imports);
  run.imports.idOf = (pathKey, sha256) => {
    if (step === 'hashed') once();
    return idOf(pathKey, sha256);
  };
  return importFile({ root: site.source, file: 'a.gpx', target: copyPath(['a.gpx']) }, run, {
    onBytes,
    isCancelled: () => false,
    salvages: false,
  });
}

test('what is read at once and what is read in pieces arrive alike, to the byte', (t) => {
  const sized = (bytes: number): string => content(`of ${bytes}`).padEnd(bytes);
  const tree = Object.fromEntries(
    [smallBytes - 1, smallBytes, smallBytes + 1].map((bytes) => [`${bytes}.gpx`, sized(bytes)]),
  );
  const site = importSite(t, tree);
  t.like(site.result(), { added: 3, count: 3, failed: 0 });
  for (const [file, text] of Object.entries(tree))
    t.is(readFileSync(join(site.imports, file), 'utf8'), text);
});

const sources = { small: content('A'), large: `${content('A')}${' '.repeat(smallBytes)}` };

for (const [kind, text] of Object.entries(sources)) {
  test(`a ${kind} source that is changed before it is copied is refused, and one that is changed later comes in as it was`, (t) => {
    const changed = importSite(t);
    const path = join(changed.source, 'a.gpx');
    writeFileSync(path, text);
    // Or it would be written to again within the same tick of its file system's clock.
    utimesSync(path, 1, 1);
    const change = () => writeFileSync(path, text.replace('A', 'B'));
    const error = t.throws(() => importDuring(t, changed, 'hashed', change));
    t.like(error as FileRefused, { name: 'FileRefused', reason: 'changed' });
    t.deepEqual(filesBelow(changed.imports), []);
    t.deepEqual(pathsInLibrary(changed), []);

    const site = importSite(t);
    const other = join(site.source, 'a.gpx');
    writeFileSync(other, text);
    const later = () => writeFileSync(other, text.replace('A', 'B'));
    t.is(importDuring(t, site, 'parsed', later).kind, 'added');
    t.is(readFileSync(join(site.imports, 'a.gpx'), 'utf8'), text);
    t.like(site.result(), { replaced: 1, duplicates: 0 });
  });

  test(`a ${kind} source of the size of another file is read for its hash, and is no duplicate of it`, (t) => {
    const site = importSite(t, { 'a.gpx': text, 'b.gpx': text, 'c.gpx': text.replace('A', 'B') });
    t.like(site.result(), { added: 2, duplicates: 1, duplicate_files: ['b.gpx'] });
    t.like(site.result(), { added: 0, duplicates: 3 });
    const hashes = dumpLibrary(site.libraryPath)['files']!.map((row) => (row as unknown[])[2]);
    t.deepEqual(
      hashes,
      [text, text.replace('A', 'B')].map((all) => hash('sha256', all)),
    );
  });
}

test('a source that is touched or grows while its copy is read is imported as it was', (t) => {
  for (const meanwhile of [
    (path: string) => utimesSync(path, 1, 1),
    (path: string) => appendFileSync(path, 'more'),
  ]) {
    const site = importSite(t);
    const path = join(site.source, 'a.gpx');
    writeFileSync(path, content('A'));
    t.is(importDuring(t, site, 'parsed', () => meanwhile(path)).kind, 'added');
    t.deepEqual(filesBelow(site.imports), ['a.gpx']);
  }
});

test('a file that takes more CPU time than its size allows is too_slow, and the import goes on', (t) => {
  const two = { 'a.gpx': content('a'), 'b.gpx': content('b').padEnd(10_000_000) };
  // It is not read to its end, where it is broken.
  const long = { 'c.gpx': `${content('c').padEnd(10_000_000)}<` };
  for (const [spentMs, failures, tree] of [
    [60_000, [], two],
    [60_001, [{ file: 'a.gpx', reason: 'too_slow' }], two],
    [62_000, [{ file: 'a.gpx', reason: 'too_slow' }], two],
    [62_001, Object.keys(two).map((file) => ({ file, reason: 'too_slow' })), two],
    [62_002, [{ file: 'c.gpx', reason: 'too_slow' }], long],
  ] as const) {
    const site = importSite(t);
    writeTree(site.source, tree);
    const run = { ...partsOf(t, site), beginClock: () => () => spentMs };
    importInGroups(
      Object.entries(tree).map(([file, { length: size }]) => ({ file, size })),
      run,
      ({ file }) => ({ root: site.source, file, target: copyPath([file]) }),
    );
    const failed = failures.map(({ file }) => file);
    const kept = Object.keys(tree).filter((file) => !failed.includes(file));
    t.deepEqual(run.tally.result(site.source, undefined, false).failures, failures);
    t.deepEqual(filesBelow(site.imports), kept);
    t.deepEqual(pathsInLibrary(site), kept);
  }
});
