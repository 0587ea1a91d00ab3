import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { planImports } from '../cli/commands/import/plan.ts';
import { sumResults } from '../client/waypoints/import-words.ts';
import { emptyImport } from '../model/empty-import.ts';
import type { ImportResult } from '../model/import.ts';
import { fail, finish, idleImport, startFakeDaemon, testCli, untilPrinted } from './helpers/cli.ts';
import { gpx, writeTree } from './helpers/imports.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';
import { posix, testWith } from './helpers/where.ts';

const nothing = emptyImport('/x');

const some: ImportResult = {
  ...nothing,
  imported: true,
  count: 12,
  files: 3,
  added: 2,
  replaced: 1,
  replaced_files: ['c.gpx'],
  dedup_count: 40,
  observations: 1234,
  first_time: '2024-06-01T12:00:00Z',
  last_time: '2024-06-03T12:00:00Z',
};

function folder(t: ExecutionContext, ...files: string[]): string {
  const directory = realpathSync(temporaryDirectory(t));
  for (const file of files) {
    mkdirSync(join(directory, file, '..'), { recursive: true });
    writeFileSync(join(directory, file), '');
  }
  return directory;
}

test('folders and files become one request each folder, in order and once', (t) => {
  const root = folder(t, 'a/1.gpx', 'b/2.gpx', 'b/3.gpx');
  const [a, b] = [join(root, 'a'), join(root, 'b')];
  const paths = [join(b, '3.gpx'), a, join(b, '2.gpx'), join(a, '.'), join(b, '3.gpx')];
  t.deepEqual(planImports(paths, { recursive: true }), [
    { dir: a, recursive: true },
    { dir: b, files: ['3.gpx', '2.gpx'] },
  ]);
  t.deepEqual(planImports([a], { into: 'x//y/' }), [{ dir: a, recursive: false, into: 'x/y' }]);
});

posix('a link that is named is followed', (t) => {
  const root = folder(t, 'a/1.gpx');
  symlinkSync(join(root, 'a'), join(root, 'folder'));
  symlinkSync(join(root, 'a', '1.gpx'), join(root, 'file.gpx'));
  t.deepEqual(planImports([join(root, 'folder'), join(root, 'file.gpx')], {}), [
    { dir: join(root, 'a'), recursive: false },
    { dir: join(root, 'a'), files: ['1.gpx'] },
  ]);
});

testWith(process.platform === 'win32', 'not Windows: shells do it')(
  'a pattern means what matches it, and itself where nothing does; ~ is the home directory',
  (t) => {
    const root = folder(t, '1.gpx', '2.GPX', 'x.txt');
    const [{ files = [] } = {}] = planImports([join(root, '*.gpx')], {});
    t.deepEqual(files.toSorted(), ['1.gpx', '2.GPX']);
    const trips = folder(t, '[1]/(a) 1.gpx', '[1]/b.gpx', '1/(a) 2.gpx', '[1]/(aa) 1.gpx');
    t.deepEqual(planImports([join(trips, '[1]', '(?) *')], {}), [
      { dir: join(trips, '[1]'), files: ['(a) 1.gpx'] },
    ]);
    const error = t.throws(() => planImports([join(root, '*.fit')], {}));
    t.regex(error.message, /There is no .*\*\.fit/u);
    t.deepEqual(planImports(['~/'], {}), [{ dir: realpathSync(homedir()), recursive: false }]);
  },
);

test('very many files are split over several requests', (t) => {
  const names = Array.from({ length: 601 }, (_, at) => `${at}.gpx`);
  const root = folder(t, ...names);
  const requests = planImports(
    names.map((name) => join(root, name)),
    {},
  );
  t.deepEqual(
    requests.map(({ files }) => files?.length),
    [600, 1],
  );
});

test('two folders are refused for one --into, and kept beside each other without', (t) => {
  const root = folder(t, 'a/1.gpx', 'b/1.gpx');
  for (const paths of [
    [join(root, 'a'), join(root, 'b')],
    [join(root, 'a/1.gpx'), join(root, 'b/1.gpx')],
  ]) {
    t.is(planImports(paths, {}).length, 2);
    t.throws(() => planImports(paths, { into: 'x' }), { message: /Nothing was imported.*--into/u });
  }
});

test('of many files that took the place of others a few are named', async (t) => {
  const cli = testCli(t);
  const replaced_files = Array.from({ length: 7 }, (_, i) => `day${i}.gpx`);
  await startFakeDaemon(t, cli, {
    'POST /api/import': () => ({ ...some, replaced: 7, replaced_files }),
  });
  const stdout = await cli.out(['import', folder(t)]);
  t.regex(stdout, /7 files took.*:\n    day0\.gpx\n(?:.*\n){3}    day4\.gpx\n    … and 2 more/u);
});

test('refused files of archives that the daemon does not list are counted', async (t) => {
  const cli = testCli(t);
  const failures = [{ file: 'year.zip/a.gpx', reason: 'empty' }];
  await startFakeDaemon(t, cli, {
    'POST /api/import': () => ({ ...some, failed: 1, failures, failures_omitted: 1_234 }),
  });
  const { stderr } = await cli.run(['import', folder(t)]);
  t.regex(stderr, /1 file was refused:\n.*\n1,234 more files in archives refused and not listed/u);
});

test('an empty path is refused: it would be the current directory', (t) => {
  t.regex(t.throws(() => planImports(['', '/tmp'], {})).message, /empty/u);
});

for (const into of ['..', 'a/../b', '/a', '', '///']) {
  test(`--into "${into}" is refused`, (t) => {
    const root = folder(t);
    const error = t.throws(() => planImports([root], { into }));
    t.is((error as { exitCode?: number }).exitCode, 64);
  });
}

test('results are added up, and their files become whole paths', (t) => {
  const failure = { file: 'f.gpx', reason: 'empty' as const };
  const sum = sumResults([
    { ...some, dir: '/b', failed: 1, failed_files: ['f.gpx'], failures: [failure] },
    {
      ...some,
      dir: 'C:\\a',
      dedup_count: 52,
      first_time: '2023-01-01T00:00:00Z',
      last_time: '2023-01-02T00:00:00Z',
      cancelled: true,
    },
  ]);
  t.like(sum, {
    imported: true,
    count: 24,
    files: 6,
    added: 4,
    replaced: 2,
    failed: 1,
    observations: 2468,
    dedup_count: 52,
    first_time: '2023-01-01T00:00:00Z',
    last_time: '2024-06-03T12:00:00Z',
    cancelled: true,
  });
  t.deepEqual(sum.replaced_files, ['/b/c.gpx', 'C:\\a\\c.gpx']);
  t.deepEqual(sum.failures, [{ file: '/b/f.gpx', reason: 'empty' }]);
  t.is(sum.results.length, 2);
});

test('the summary leads with points, dates and waypoints and tells what was refused and why', async (t) => {
  const cli = testCli(t);
  const root = folder(t);
  const fake = await startFakeDaemon(t, cli, {
    'POST /api/import': () => ({
      ...some,
      dir: root,
      duplicates: 2,
      duplicate_files: ['d.gpx', 'e.gpx'],
      unsupported: 1,
      unsupported_files: ['run.igc'],
      failed: 2,
      failed_files: ['bad\u001B[2J.gpx', 'cut.gpx'],
      failures: [
        { file: 'bad\u001B[2J.gpx', reason: 'not_xml', line: 7 },
        { file: 'cut.gpx', reason: 'truncated' },
      ],
      untimed_points: 5,
      unusable_points: 1,
      hidden: 1,
      gpx_in_subfolders: 4,
      without_data: [{ file: 'empty.gpx', reason: 'no_points' }],
      formats: { gpx: 2, fit: 1 },
    }),
  });
  const { code, stdout, stderr } = await cli.run(['import', root, '--into', 'here']);
  t.is(code, 0);
  t.regex(
    stdout,
    /^Imported 1,234 timed points from 2024-06-01 to 2024-06-03 and 12 waypoints from 3 files\.\n/u,
  );
  for (const expected of [
    /1 file took the place of an older one.*:\n    c\.gpx\n/u,
    /files by format: 2 gpx, 1 fit/u,
    /2 files were imported before/u,
    /5 points without a time/u,
    /1 point without a usable position/u,
    /1 hidden file/u,
    /40 waypoints in all/u,
  ]) {
    t.regex(stdout, expected);
  }
  t.regex(
    stderr,
    /2 files were refused:\n.*bad\uFFFD\[2J\.gpx: it is not well-formed XML \(line 7\)\n.*cut\.gpx: it ends/u,
  );
  t.regex(stderr, /1 file contains no positions:\n.*empty\.gpx: it has no points/u);
  t.regex(stderr, /4 files are in sub-folders.*-r/u);
  t.deepEqual(fake.requests.at(-1)?.body, { dir: root, recursive: false, into: 'here' });
});

const exits: [string, Partial<ImportResult>, number, RegExp][] = [
  [
    'everything was there before',
    { duplicates: 2, duplicate_files: ['a', 'b'] },
    0,
    /^Nothing new/u,
  ],
  [
    'some are there and some refused',
    { duplicates: 1, duplicate_files: ['a'], failed: 1, failed_files: ['b'] },
    0,
    /^Nothing new/u,
  ],
  ['all were refused', { failed: 1, failed_files: ['b'] }, 1, /^Nothing was imported/u],
  ['there was nothing', {}, 1, /^There was no file/u],
];
for (const [what, result, expected, headline] of exits) {
  test(`import exits with ${expected} when ${what}`, async (t) => {
    const cli = testCli(t);
    const root = folder(t);
    await startFakeDaemon(t, cli, {
      'POST /api/import': () => ({ ...nothing, ...result, dir: root }),
    });
    const { code, stdout } = await cli.run(['import', root]);
    t.is(code, expected);
    t.regex(stdout, headline);
  });
}

test('a path that is not there stops the import before it begins', async (t) => {
  const cli = testCli(t);
  const root = folder(t);
  const fake = await startFakeDaemon(t, cli, {});
  const { code, stderr } = await cli.run(['import', root, join(root, 'gone')]);
  t.is(code, 1);
  t.regex(stderr, /There is no .*gone.*Nothing was imported/u);
  t.deepEqual(fake.requests, []);
});

test('another import that is running is told, and so is a folder that the daemon cannot open', async (t) => {
  const cli = testCli(t);
  const root = folder(t);
  let refusal: [number, string, string, string?] = [409, 'conflict', 'Another import is running.'];
  await startFakeDaemon(t, cli, {
    'POST /api/import': (_, response) => fail(response, ...refusal),
    'GET /api/import': () => ({ ...idleImport, state: 'running', files_done: 3, files_total: 9 }),
  });
  const running = await cli.run(['import', root]);
  t.is(running.code, 1);
  t.regex(running.stderr, /Another import is running \(3 of 9 files done\)/u);
  const missing = 'The import directory is missing, not absolute or not a directory.';
  refusal = [400, 'invalid', missing, 'dir'];
  const unreadable = await cli.run(['import', root]);
  t.is(unreadable.code, 1);
  t.regex(unreadable.stderr, /daemon cannot open .*but this command can: .*service stop;/u);
});

test('files that the daemon cannot read although this command can are told, with a way out', async (t) => {
  const cli = testCli(t);
  const root = folder(t, 'a.gpx');
  const failures = [{ file: 'a.gpx', reason: 'unreadable' }];
  await startFakeDaemon(t, cli, {
    'POST /api/import': () => ({ ...nothing, dir: root, failed: 1, failures }),
    'GET /api/import': () => idleImport,
  });
  const { code, stderr } = await cli.run(['import', root]);
  t.is(code, 1);
  t.regex(stderr, /a\.gpx: it cannot be read/u);
  t.regex(stderr, /daemon cannot open .*but this command can: .*service stop;/u);
});

test('what was done before a failure is told before the failure', async (t) => {
  const cli = testCli(t);
  const root = folder(t, 'a/1.gpx', 'b/2.gpx');
  await startFakeDaemon(t, cli, {
    'POST /api/import': ({ body }, response) =>
      (body as { dir: string }).dir.endsWith('a')
        ? { ...some, dir: join(root, 'a') }
        : fail(response, 507, 'disk_full', 'The disk is full; what was finished is kept.'),
  });
  const { code, stdout, stderr } = await cli.run(['import', join(root, 'a'), join(root, 'b')]);
  t.is(code, 1);
  t.regex(stdout, /^Imported 1,234 timed points/u);
  t.regex(stderr, /The disk is full/u);
});

posix('Ctrl-C asks the daemon to stop and tells what was done', async (t) => {
  const cli = testCli(t);
  const root = folder(t, 'a/1.gpx', 'b/2.gpx');
  const stopped = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const fake = await startFakeDaemon(t, cli, {
    'POST /api/import': async () => {
      started.resolve();
      await stopped.promise;
      return { ...some, dir: join(root, 'a'), cancelled: true };
    },
    'DELETE /api/import': (_, response) => {
      response.statusCode = 202;
      stopped.resolve();
      return { status: 'cancelling' };
    },
  });
  const child = cli.start(['import', join(root, 'a'), join(root, 'b')]);
  const ended = finish(child);
  await started.promise;
  child.kill('SIGINT');
  const { code, stdout, stderr } = await ended;
  t.is(code, 130);
  t.regex(stdout, /^Imported 1,234 timed points/u);
  t.regex(stderr, /Stopped before the end/u);
  const posts = fake.requests.filter(({ method }) => method === 'POST');
  t.is(posts.length, 1, 'the second folder is not begun');
});

posix('a second Ctrl-C does not wait for the daemon', async (t) => {
  const cli = testCli(t);
  const started = Promise.withResolvers<void>();
  await startFakeDaemon(t, cli, {
    'POST /api/import': () => {
      started.resolve();
      return new Promise(() => undefined);
    },
    'DELETE /api/import': () => new Promise(() => undefined),
  });
  const child = cli.start(['import', folder(t)]);
  const ended = new Promise((done) => child.on('exit', done));
  await started.promise;
  child.kill('SIGINT');
  await untilPrinted(child.stderr, /Stopping/u);
  child.kill('SIGINT');
  t.is(await ended, 130);
});

test('--json prints the sum and every answer, and nothing else', async (t) => {
  const cli = testCli(t);
  const root = folder(t);
  await startFakeDaemon(t, cli, { 'POST /api/import': () => ({ ...some, dir: root }) });
  const { stdout, stderr } = await cli.run(['import', root, '--json']);
  t.deepEqual(JSON.parse(stdout), JSON.parse(JSON.stringify(sumResults([{ ...some, dir: root }]))));
  t.is(stderr, '');
});

test('a clock that was wrong does not become the period of an import: its file is named instead', async (t) => {
  const cli = testCli(t);
  const directory = folder(t);
  const times = (year: number): string[] => [`${year}-05-02T08:00:00Z`, `${year}-05-02T09:00:00Z`];
  writeTree(directory, {
    'good.gpx': gpx([], times(2024)),
    'early.gpx': gpx([], times(1234)),
    'late.gpx': gpx([], times(4096)),
  });
  const { stdout, stderr } = await cli.run(['import', directory]);
  t.regex(stdout, /^Imported 6 timed points and 0 waypoints from 3 files\.$/mu);
  t.regex(
    stderr,
    /2 files have times that cannot be right:\n.*early\.gpx: from 1234-05-02 to 1234-05-02\n.*late\.gpx: from 4096-05-02/u,
  );
  const [refused] = [await cli.run(['import', join(cli.root, 'data', 'imports')])];
  t.is(refused.code, 1);
  t.regex(refused.stderr, /copies that waypointd keeps of imported files/u);
  t.notRegex(refused.stderr, /service/u);
});
