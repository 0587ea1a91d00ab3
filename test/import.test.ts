/** What an import makes of the files it meets: worker/import, run in this thread. */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import test from 'ava';
import Database from 'better-sqlite3';
import { WaypointError } from '../model/failure.ts';
import { openWriter } from '../storage/database.ts';
import { tryNameFolding } from '../storage/name-folding.ts';
import { temporaryPath, copyPath, requestPaths } from '../worker/import/copy-path.ts';
import { ManagedCopies } from '../worker/import/managed-copies.ts';
import { valuesOf } from './helpers/fields.ts';
import { dumpLibrary, filesBelow, gpx, importSite, writeTree } from './helpers/imports.ts';
import { asUser, onLinux, posix, testWith } from './helpers/where.ts';

const isWindows = process.platform === 'win32';
const camp = gpx([['Camp', 42.1, -8.3]]);
const hut = gpx([['Hut', 46.5, 8.2, '2024-05-01T10:00:00Z']], ['2024-05-01T08:00:00Z']);
const lake = gpx([['Lake', 46.6, 8.3]]);

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

test('added, then duplicate, then replaced: each file gets its verdict', (t) => {
  const site = importSite(t, { 'a.gpx': hut, 'b.GPX': camp, 'notes.txt': 'x', 'bad.gpx': '<gpx>' });
  const first = site.run();
  t.like(first.result, {
    imported: true,
    dir: site.source,
    count: 2,
    files: 2,
    added: 2,
    replaced: 0,
    skipped_files: ['notes.txt', 'bad.gpx'],
    skipped: 2,
    duplicates: 0,
    unsupported_files: ['notes.txt'],
    unsupported: 1,
    failed_files: ['bad.gpx'],
    failed: 1,
    observations: 2,
    untimed_points: 1,
    unusable_points: 0,
    tracks: 1,
    track_points: 1,
    routes: 0,
    route_points: 0,
    own_bookmarks: 0,
    files_without_data: [],
    without_data: [],
    first_time: '2024-05-01T08:00:00Z',
    last_time: '2024-05-01T10:00:00Z',
    failures: [{ file: 'bad.gpx', reason: 'truncated', line: 1 }],
  });
  t.is(first.index?.count, 2);
  t.deepEqual(filesBelow(site.imports), ['a.gpx', 'b.GPX']);

  const second = site.run();
  t.like(second.result, {
    imported: false,
    count: 0,
    duplicate_files: ['a.gpx', 'b.GPX'],
    skipped_files: ['a.gpx', 'b.GPX', 'notes.txt', 'bad.gpx'],
  });
  t.false('first_time' in second.result);
  t.is(second.index, undefined, 'an index of nothing new is not built');

  writeTree(site.source, { 'a.gpx': lake });
  const third = site.run();
  t.like(third.result, { added: 0, replaced: 1, count: 1, replaced_files: ['a.gpx'] });
  t.is(readFileSync(join(site.imports, 'a.gpx'), 'utf8'), lake);
  t.is(readFileSync(join(site.imports, '.replaced', `${sha256(hut)}.gpx`), 'utf8'), hut);
  t.notDeepEqual(first.index?.revision, third.index?.revision);
});

test('content that is known under another path is a duplicate', (t) => {
  const site = importSite(t, { 'a.gpx': hut, 'deep/b.gpx': hut, 'z.gpx': hut });
  t.like(site.result({ recursive: true }), {
    added: 1,
    duplicate_files: ['deep/b.gpx', 'z.gpx'],
  });
  t.like(site.result({ into: 'other' }), { added: 0, duplicates: 2 });
});

test('a known path with other content is replaced, whatever else has that content', (t) => {
  const site = importSite(t, { 'a.gpx': hut, 'b.gpx': lake });
  site.run();
  writeTree(site.source, { 'a.gpx': lake });
  t.like(site.result(), { replaced_files: ['a.gpx'], duplicate_files: ['b.gpx'] });
  t.is(dumpLibrary(site.libraryPath)['waypoints']!.length, 2);
  const names = dumpLibrary(site.libraryPath)['waypoints']!.map((row) => (row as unknown[])[2]);
  t.deepEqual(names, ['Lake', 'Lake']);
});

test('a managed copy that was deleted or edited comes back by importing its source', (t) => {
  const site = importSite(t, { 'a.gpx': hut, 'b.gpx': lake });
  site.run();
  rmSync(join(site.imports, 'a.gpx'));
  const edited = lake.replace('Lake', 'Pond');
  writeFileSync(join(site.imports, 'b.gpx'), edited);
  t.like(site.result(), { added: 1, replaced_files: ['b.gpx'] });
  t.is(readFileSync(join(site.imports, 'a.gpx'), 'utf8'), hut);
  t.is(readFileSync(join(site.imports, 'b.gpx'), 'utf8'), lake);
  t.is(readFileSync(join(site.imports, '.replaced', `${sha256(edited)}.gpx`), 'utf8'), edited);
});

test('sub-directories are imported on demand, else their files are counted', (t) => {
  const site = importSite(t, {
    'a.gpx': hut,
    'sub/b.gpx': lake,
    'sub/deep/c.gpx': camp,
    'sub/d.igc': 'x',
    '.hidden.gpx': camp,
    '.trash/e.gpx': camp,
    'sub/.hidden.gpx': camp,
  });
  t.like(site.result(), { added: 1, unsupported: 0, hidden: 1, gpx_in_subfolders: 2 });
  t.like(site.result({ recursive: true }), {
    added: 2,
    duplicates: 1,
    unsupported_files: ['sub/d.igc'],
    hidden: 3,
    gpx_in_subfolders: 0,
  });
  t.deepEqual(filesBelow(site.imports), ['a.gpx', 'sub/b.gpx', 'sub/deep/c.gpx']);
});

test('verdicts come in the order of the paths', (t) => {
  const names = ['b', 'a/b', 'a', 'B', 'a-b', 'é', 'a/a/a'];
  const site = importSite(t, Object.fromEntries(names.map((name) => [`${name}.gpx`, '<gpx>'])));
  const { failed_files: failed } = site.result({ recursive: true });
  t.deepEqual(failed, failed.toSorted());
  t.is(failed.length, isWindows ? 6 : 7);
});

test('files limits the import to the files it names', (t) => {
  const site = importSite(t, {
    'a.gpx': hut,
    'sub/b.gpx': lake,
    'c.gpx': camp,
    'x.txt': '',
    '.h.gpx': camp,
  });
  mkdirSync(join(site.source, 'folder.gpx'));
  const files = [
    'sub/b.gpx',
    'sub/b.gpx',
    'a.gpx',
    'gone.gpx',
    'x.txt',
    '.h.gpx',
    'folder.gpx',
    'a.gpx/b.gpx',
  ];
  t.like(site.result({ files }), {
    added: 2,
    unsupported_files: ['folder.gpx', 'x.txt'],
    failures: [
      { file: 'a.gpx/b.gpx', reason: 'unreadable' },
      { file: 'gone.gpx', reason: 'unreadable' },
    ],
    hidden: 1,
    gpx_in_subfolders: 0,
  });
  t.deepEqual(filesBelow(site.imports), ['a.gpx', 'sub/b.gpx']);
});

test('into places copies below a sub-folder of the imports', (t) => {
  const site = importSite(t, { 'sub/a.gpx': hut });
  t.is(site.result({ recursive: true, into: 'trips/2024' }).added, 1);
  t.deepEqual(filesBelow(site.imports), ['trips/2024/sub/a.gpx']);
  if (!isWindows) t.is(statSync(join(site.imports, 'trips')).mode & 0o777, 0o700);
  if (!isWindows) t.is(statSync(join(site.imports, 'trips/2024/sub/a.gpx')).mode & 0o777, 0o600);
});

for (const path of [
  '/etc/a.gpx',
  '../a.gpx',
  'a/../../b.gpx',
  'a//b.gpx',
  'a/',
  './a.gpx',
  'a\\b.gpx',
  'a\0.gpx',
  '..',
  '\ud800.gpx',
]) {
  test(`a path of a request that is no plain relative path is refused: ${JSON.stringify(path)}`, (t) => {
    for (const field of ['files', 'into'] as const) {
      const request = {
        dir: '/x',
        ...(field === 'files' ? { files: ['ok.gpx', path] } : { into: path }),
      };
      const error = t.throws(() => requestPaths(request), { instanceOf: WaypointError });
      t.is(error.failure, 'invalid');
      t.is(error.field, field);
    }
  });
}

test('into cannot name a hidden directory, where old bytes are kept', (t) => {
  for (const into of ['.replaced', 'a/.b', '.REPLACED']) {
    t.throws(() => requestPaths({ dir: '/x', into }), { instanceOf: WaypointError });
  }
  t.deepEqual(requestPaths({ dir: '/x', into: 'a/b' }).into, ['a', 'b']);
});

posix('links, directories named like files and FIFOs are unsupported, and nothing hangs', (t) => {
  const site = importSite(t, { '../outside/secret.gpx': hut, 'real.gpx': lake });
  symlinkSync('../outside/secret.gpx', join(site.source, 'link.gpx'));
  symlinkSync('../outside', join(site.source, 'linked'));
  symlinkSync('real.gpx', join(site.source, 'inside.gpx'));
  symlinkSync('nowhere', join(site.source, 'dangling.gpx'));
  execFileSync('mkfifo', [join(site.source, 'fifo.gpx')]);
  mkdirSync(join(site.source, 'folder.gpx'));
  const unsupported = ['dangling.gpx', 'fifo.gpx', 'inside.gpx', 'link.gpx', 'linked'];
  t.like(site.result({ recursive: true }), {
    added: 1,
    unsupported_files: unsupported,
    failed: 0,
  });
  t.deepEqual(filesBelow(site.imports), ['real.gpx']);
  const named = ['link.gpx', 'linked/secret.gpx', 'fifo.gpx'];
  t.like(site.result({ files: named }), { added: 0, unsupported: 3 });
});

posix('the directory of the import may itself be a link', (t) => {
  const site = importSite(t, { 'a.gpx': hut });
  const link = `${site.source}-link`;
  symlinkSync(site.source, link);
  t.like(site.result({ dir: link }), { dir: link, added: 1 });
});

posix('a link below the imports is never followed', (t) => {
  const site = importSite(t);
  const outside = join(site.imports, '../outside');
  mkdirSync(outside);
  symlinkSync(outside, join(site.imports, 'sub'));
  writeTree(site.source, { 'sub/a.gpx': hut });
  t.deepEqual(site.result({ recursive: true }).failures, [
    { file: 'sub/a.gpx', reason: 'unreadable' },
  ]);
  t.deepEqual(readdirSync(outside), []);
});

asUser('what cannot be read fails alone', (t) => {
  const site = importSite(t, { 'a.gpx': hut, 'b.gpx': lake, 'sub/c.gpx': camp });
  chmodSync(join(site.source, 'a.gpx'), 0);
  chmodSync(join(site.source, 'sub'), 0);
  const { added, failures } = site.result({ recursive: true });
  chmodSync(join(site.source, 'sub'), 0o700);
  t.is(added, 1);
  t.deepEqual(failures, [
    { file: 'a.gpx', reason: 'unreadable' },
    { file: 'sub', reason: 'unreadable' },
  ]);
});

testWith(isWindows, 'elsewhere nobody can')(
  'a copy that another program holds is not replaced alone, and later',
  (t) => {
    const site = importSite(t, { 'a.gpx': hut, 'b.gpx': lake });
    site.run();
    const copy = join(site.imports, 'a.gpx');
    const { mtimeNs } = statSync(copy, { bigint: true });
    const held = new Database(copy, { readonly: true });
    writeTree(site.source, { 'a.gpx': camp, 'b.gpx': gpx([['Tarn', 1, 2]]) });
    t.like(site.result(), { replaced: 1, failures: [{ file: 'a.gpx', reason: 'unreadable' }] });
    t.is(statSync(copy, { bigint: true }).mtimeNs, mtimeNs);
    held.close();
    t.like(site.result(), { replaced: 1, duplicates: 1, failures: [] });
    t.like(site.reconcile(), { loaded: 0, dropped: 0 });
  },
);

test('a directory that is gone when the worker looks is one clear failure', (t) => {
  const site = importSite(t);
  rmSync(site.source, { recursive: true });
  t.like(site.result(), { imported: false, failures: [{ file: '.', reason: 'unreadable' }] });
});

test('a file where a directory must be, or the reverse, is unreadable', (t) => {
  const site = importSite(t, { 'a.gpx': hut });
  site.run();
  rmSync(join(site.source, 'a.gpx'));
  writeTree(site.source, { 'a.gpx/b.gpx': lake });
  t.deepEqual(site.result({ recursive: true }).failures, [
    { file: 'a.gpx/b.gpx', reason: 'unreadable' },
  ]);
  rmSync(join(site.source, 'a.gpx'), { recursive: true });
  writeTree(site.source, { 'folder.gpx': lake });
  mkdirSync(join(site.imports, 'folder.gpx'));
  t.deepEqual(site.result().failures, [{ file: 'folder.gpx', reason: 'unreadable' }]);
  t.deepEqual(filesBelow(site.imports), ['a.gpx']);
});

test("a directory named like the temporary copy of a file beside it is in nobody's way", (t) => {
  const site = importSite(t, { 'a.gpx': hut, 'a.gpx.tmp/b.gpx': lake });
  t.like(site.result({ recursive: true }), { added: 2, failed: 0 });
  writeTree(site.source, { 'a.gpx': camp, 'a.gpx.tmp/b.gpx': lake });
  t.like(site.result({ recursive: true }), { replaced: 1, duplicates: 1, failed: 0 });
  const [old, ...files] = filesBelow(site.imports);
  t.regex(old ?? '', /^\.replaced\//);
  t.deepEqual(files, ['a.gpx', 'a.gpx.tmp/b.gpx']);
});

test('a file that fails leaves neither a copy nor a directory', (t) => {
  const site = importSite(t, { 'deep/er/bad.gpx': '<gpx><wpt', 'deep/ok.gpx': hut });
  site.run({ recursive: true });
  t.deepEqual(filesBelow(site.imports), ['deep/ok.gpx']);
  t.false(existsSync(join(site.imports, 'deep/er')));
});

test('a failing file does not touch the one it would replace', (t) => {
  const site = importSite(t, { 'a.gpx': hut });
  site.run();
  const before = dumpLibrary(site.libraryPath);
  writeTree(site.source, { 'a.gpx': hut.slice(0, -10) });
  t.like(site.result(), { failures: [{ file: 'a.gpx', reason: 'truncated' }] });
  t.deepEqual(dumpLibrary(site.libraryPath), before);
  t.is(readFileSync(join(site.imports, 'a.gpx'), 'utf8'), hut);
  t.deepEqual(filesBelow(site.imports), ['a.gpx']);
});

test('names that differ in form only are one private name', (t) => {
  const composed = 'caf\u00e9.gpx';
  const decomposed = 'cafe\u0301.gpx';
  const site = importSite(t, { [decomposed]: hut });
  t.like(site.result(), { added: 1, replaced: 0 });
  t.deepEqual(filesBelow(site.imports), [composed]);
  rmSync(join(site.source, decomposed));
  writeTree(site.source, { [composed]: lake });
  t.like(site.result(), { added: 0, replaced: 1 });
});

testWith(
  ['none', 'case'].includes(tryNameFolding(tmpdir())),
  'this file system takes the two names for one',
)('of two sources that would take one private name, the second is refused, every time', (t) => {
  const site = importSite(t, { 'caf\u00e9.gpx': hut, 'cafe\u0301.gpx': lake });
  t.like(site.result(), { added: 1, failures: [{ file: 'caf\u00e9.gpx', reason: 'unreadable' }] });
  t.like(site.result(), {
    duplicates: 1,
    failures: [{ file: 'caf\u00e9.gpx', reason: 'unreadable' }],
  });
});

onLinux('where nothing can be written, names are told apart as the platform does', (t) => {
  t.is(tryNameFolding(join(importSite(t).source, 'absent')), 'none');
});

test('private names fit every system, and different names stay different', (t) => {
  const name = (...parts: string[]): string => copyPath(parts);
  t.is(name('trip 1.', 'a', 'b.gpx'), 'trip 1%2E/a/b.gpx');
  t.is(name('a:b?c*d"e<f>g|h\\i\n.gpx'), 'a%3Ab%3Fc%2Ad%22e%3Cf%3Eg%7Ch%5Ci%0A.gpx');
  t.is(name('con.gpx'), '%63on.gpx');
  t.is(name('Lpt1.tar.gpx'), '%4Cpt1.tar.gpx');
  t.is(name('aux', 'com\u00b9 .gpx'), '%61ux/%63om\u00b9 .gpx');
  t.is(name('console.gpx'), 'console.gpx');
  t.is(name('com10.gpx'), 'com10.gpx');
  t.is(name('100%.gpx'), '100%.gpx');
  t.is(name('%63on.gpx'), '%2563on.gpx');
  t.is(name(' leading.gpx'), ' leading.gpx');
  t.is(name('ends with blank '), 'ends with blank%20');
  const long = name(`${'é'.repeat(125)}:.gpx`);
  t.true(Buffer.byteLength(long) <= 255);
  t.regex(long, /~[0-9a-f]{32}\.gpx$/);
  t.not(long, name(`${'é'.repeat(125)}?.gpx`));
  t.regex(temporaryPath(`a/${'x'.repeat(251)}.gpx`), /^a\/\.[0-9a-f]{32}\.tmp$/);
});

test('awkward names are imported under themselves', (t) => {
  const site = importSite(t);
  const names = [
    'a b  c.gpx',
    '100%25.gpx',
    '-r.gpx',
    "it's $HOME.gpx",
    '\u{1f9ed}.gpx',
    `${'n'.repeat(251)}.gpx`,
    '#?.gpx',
  ];
  const usable = isWindows ? names.slice(0, -1) : names;
  writeTree(
    site.source,
    Object.fromEntries(usable.map((name, i) => [name, gpx([[`N${i}`, i, i]])])),
  );
  const result = site.result();
  t.is(result.added, usable.length);
  t.deepEqual(result.failed_files, []);
  t.is(site.result().duplicates, usable.length);
  t.like(site.reconcile(), { loaded: 0, dropped: 0 });
});

test('our own files are no sources', (t) => {
  const site = importSite(t);
  writeTree(site.imports, { '../bookmarks.gpx': camp });
  writeTree(site.source, { 'a.gpx': hut });
  site.run();
  const data = resolve(site.imports, '..');
  const bookmarks = join(data, 'bookmarks.gpx');
  writeTree(data, { 'other.gpx': lake });
  const { result } = site.run({ dir: data, recursive: true }, { ownFiles: [bookmarks] });
  t.like(result, { added: 1, duplicates: 0 });
  t.true(result.unsupported_files.includes('bookmarks.gpx'));
  t.deepEqual(filesBelow(site.imports), ['a.gpx', 'other.gpx']);
});

testWith(tryNameFolding(tmpdir()) !== 'none', 'other letters, another file')(
  'our own files are no sources in other letters either',
  (t) => {
    const site = importSite(t);
    writeTree(site.imports, { '../bookmarks.gpx': camp, 'a.gpx': lake });
    const data = resolve(site.imports, '..');
    const files = ['BOOKMARKS.gpx', 'IMPORTS/a.gpx'];
    const { result } = site.run({ dir: data, files }, { ownFiles: [join(data, 'bookmarks.gpx')] });
    t.like(result, { added: 0, duplicates: 0, unsupported_files: files });
  },
);

test('after a stop the files win: edited, added, removed and broken ones', (t) => {
  const tree = { 'a.gpx': hut, 'b.gpx': lake, 'c.gpx': camp, 'd.gpx': gpx([['D', 1, 1]]) };
  const site = importSite(t, tree);
  site.run();
  writeTree(site.imports, {
    'a.gpx': hut.replace('Hut', 'Inn'),
    'd.gpx': '<gpx>',
    'new/e.gpx': gpx([['E', 2, 2]]),
  });
  rmSync(join(site.imports, 'b.gpx'));
  utimesSync(join(site.imports, 'c.gpx'), 1, 1);
  const outcome = site.reconcile();
  t.like(outcome, { loaded: 2, dropped: 1, refused: 1, isWhole: true });
  t.is(outcome.index?.count, 3);
  const names = dumpLibrary(site.libraryPath)['waypoints']!.map((row) => (row as unknown[])[2]);
  t.deepEqual(names, ['Inn', 'Camp', 'E']);
  t.like(site.reconcile(), { loaded: 0, dropped: 0, refused: 1 }, 'a touched file is stamped anew');
  t.is(
    readFileSync(join(site.imports, 'd.gpx'), 'utf8'),
    '<gpx>',
    'a broken file stays for its owner',
  );
});

test('a touched file that is written to while a start reads it is read again by the next start', (t) => {
  const site = importSite(t, { 'a.gpx': hut });
  site.run();
  const copy = join(site.imports, 'a.gpx');
  utimesSync(copy, 1, 1);
  // oxlint-disable-next-line typescript/unbound-method -- it is put back
  const { hash } = ManagedCopies.prototype;
  ManagedCopies.prototype.hash = function late(...given) {
    const sha = hash.apply(this, given);
    writeFileSync(copy, lake);
    return sha;
  };
  try {
    t.like(site.reconcile(), { loaded: 0, isWhole: true });
  } finally {
    ManagedCopies.prototype.hash = hash;
  }
  t.like(site.reconcile(), { loaded: 1 });
  const names = dumpLibrary(site.libraryPath)['waypoints']!.map((row) => (row as unknown[])[2]);
  t.deepEqual(names, ['Lake']);
});

test('start-up deletes what a killed import left unfinished, and nothing else', (t) => {
  const site = importSite(t, { 'a.gpx': hut });
  site.run();
  writeTree(site.imports, {
    'b.gpx.tmp': lake,
    'sub/0123.tmp': 'x',
    '.replaced/x.gpx.tmp': 'x',
    'note.txt': 'mine',
    '.DS_Store': '',
  });
  t.like(site.reconcile(), { loaded: 0, dropped: 0 });
  t.deepEqual(filesBelow(site.imports), ['.DS_Store', 'a.gpx', 'note.txt']);
});

test('a start-up fails with an error of the library itself, which is none of a file', (t) => {
  const site = importSite(t);
  writeTree(site.imports, { 'a.gpx': hut });
  const execute = (sql: string): void => {
    const db = openWriter(site.libraryPath, 'normal');
    db.exec(sql);
    db.close();
  };
  execute(
    "CREATE TRIGGER broken BEFORE INSERT ON waypoints BEGIN SELECT RAISE(ABORT, 'broken'); END",
  );
  t.throws(() => site.reconcile(), { message: 'broken' });
  execute('DROP TRIGGER broken');
  t.like(site.reconcile(), { loaded: 1, refused: 0, isWhole: true });
});

test('reconciling can be cancelled, and goes on at the next start', (t) => {
  const site = importSite(t);
  writeTree(site.imports, { 'a.gpx': hut, 'b.gpx': lake });
  const other = importSite(t);
  other.progress.cancel();
  writeTree(other.imports, { 'a.gpx': hut });
  t.like(other.reconcile(), { loaded: 0, isWhole: false });
  t.like(site.reconcile(), { loaded: 2, isWhole: true });
});

posix('links among the managed copies are not followed at start-up', (t) => {
  const site = importSite(t, { 'outside.gpx': hut });
  symlinkSync(join(site.source, 'outside.gpx'), join(site.imports, 'link.gpx'));
  symlinkSync(site.source, join(site.imports, 'linked'));
  t.like(site.reconcile(), { loaded: 0, refused: 0, isWhole: true });
  t.true(lstatSync(join(site.imports, 'link.gpx')).isSymbolicLink());
});

onLinux('a name that is no UTF-8 fails alone', (t) => {
  const site = importSite(t, { 'a.gpx': hut });
  writeFileSync(Buffer.from(`${site.source}/z\u00fcrich.gpx`, 'latin1'), lake);
  const { added, failures } = site.result();
  t.is(added, 1);
  t.deepEqual(valuesOf(failures, 'reason'), ['unreadable']);
});

posix('the bytes of a hard-linked source are not shared with the managed copy', (t) => {
  const site = importSite(t, { 'a.gpx': hut });
  linkSync(join(site.source, 'a.gpx'), join(site.source, 'b.gpx'));
  t.like(site.result(), { added: 1, duplicates: 1 });
  appendFileSync(join(site.source, 'a.gpx'), '\n');
  t.is(readFileSync(join(site.imports, 'a.gpx'), 'utf8'), hut);
});
