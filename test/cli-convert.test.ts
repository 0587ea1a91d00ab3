/** `import --convert`, with a stand-in for gpsbabel that behaves as badly as a program can. test/clients has the real one. */
import { existsSync, readdirSync, writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ApiClient } from '../client/waypoints/node/api-client.ts';
import { convertUnread } from '../cli/commands/import/convert.ts';
import { importResultSchema, type ImportRequest } from '../model/import.ts';
import { testCli } from './helpers/cli.ts';
import { startTestDaemon } from './helpers/daemon.ts';
import { listed } from './helpers/imported-files.ts';
import { filesBelow, gpx, writeTree } from './helpers/imports.ts';
import { until } from './helpers/until.ts';
import { posix } from './helpers/where.ts';

const ride = gpx([], ['2024-05-01T10:00:00Z', '2024-05-02T11:00:00Z']);

/** Writes a program that gets gpsbabel's arguments: -w -t -r -i FORMAT -f FILE -o gpx -F -. */
function standIn(root: string, script: string): string {
  const program = join(root, 'bin/gpsbabel');
  mkdirSync(join(root, 'bin'), { recursive: true });
  writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return program;
}

posix('files become GPX in the library, and nothing is written beside them', async (t) => {
  const cli = testCli(t);
  const tracks = join(cli.root, "it's my; tracks");
  // Gives back what the file holds, if it was asked as it should be.
  standIn(cli.root, '[ "$*" = "-w -t -r -i igc -f $7 -o gpx -F -" ] || exit 9; cat "$7"');
  writeTree(tracks, {
    'flight $(x).IGC': ride,
    'sub/flight.igc': gpx([['Hill', 1, 2]]),
    'x.txt': '',
  });
  const env = { PATH: `${join(cli.root, 'bin')}:${process.env['PATH']}` };
  const before = filesBelow(tracks);
  const import_ = (...words: string[]) => cli.run(['import', tracks, '-r', ...words], { env });
  t.regex((await import_()).stderr, /gpsbabel is installed and reads IGC files: add --convert/u);
  const { code, stdout, stderr } = await import_('--convert');
  t.is(code, 0, stderr);
  t.regex(stdout, /^Imported 2 timed points .* and 1 waypoint from 2 files\.$/mu);
  t.regex(stderr, /1 entry is of no format/u);
  t.deepEqual(filesBelow(tracks), before);
  const { files } = JSON.parse(await cli.out(['imports', 'list', '--json']));
  const paths: string[] = files.map(({ path }: { path: string }) => path);
  t.deepEqual(paths.map((path) => path.replace(/ [0-9a-f]{6}\//u, '/')).toSorted(), [
    "it's my; tracks/flight $(x).IGC.gpx",
    "it's my; tracks/sub/flight.igc.gpx",
  ]);
  t.regex((await import_('--convert')).stdout, /Nothing new: 2 files were imported before/u);
  t.is((await import_('--convert', '--dry-run')).code, 64);
  const none = await cli.run(['import', tracks, '--convert'], { env: { PATH: '/nowhere' } });
  t.is(none.code, 1);
  t.regex(none.stderr, /gpsbabel is not installed, or not in PATH/u);
});

posix("what was removed stays so, and --into takes no other file's place", async (t) => {
  const cli = testCli(t);
  const tracks = join(cli.root, 'tracks');
  standIn(cli.root, 'cat "$7"');
  writeTree(tracks, { 'flight.igc': ride });
  writeTree(join(cli.root, 'own'), { 'flight.igc.gpx': gpx([['Own', 1, 2]]) });
  const env = { PATH: `${join(cli.root, 'bin')}:${process.env['PATH']}` };
  const import_ = (...words: string[]) =>
    cli.run(['import', ...words, '--into', 'x', '--json'], { env });
  await import_(join(cli.root, 'own'));
  t.like(JSON.parse((await import_(tracks, '--convert')).stdout), { added: 1, replaced: 0 });
  const listing = async () => JSON.parse(await cli.out(['imports', 'list', '--json'])).files;
  const [converted] = await listing();
  t.regex(converted.path, /^x\/tracks [0-9a-f]{6}\/flight\.igc\.gpx$/u);
  await cli.out(['imports', 'rm', String(converted.id)]);
  const again = JSON.parse((await import_(tracks, '--convert')).stdout);
  t.like(again, { added: 0, unsupported: 0 });
  t.is(again.removed_files.length, 1);
  t.like(JSON.parse((await import_(tracks, '--convert', '--again')).stdout), { added: 1 });
});

posix('Ctrl-C while a file is converted ends that, and tells what was imported', async (t) => {
  const cli = testCli(t);
  const tracks = join(cli.root, 'tracks');
  // As the terminal does it: the whole group gets the signal; here the command alone.
  standIn(cli.root, 'kill -INT $PPID; exec sleep 600');
  writeTree(tracks, { 'flight.igc': ride, 'walk.gpx': ride });
  const env = { PATH: `${join(cli.root, 'bin')}:${process.env['PATH']}` };
  const { code, stdout, stderr } = await cli.run(['import', tracks, '--convert'], { env });
  t.is(code, 130, stderr);
  t.regex(stdout, /^Imported 2 timed points .* from 1 file\.$/mu);
  t.regex(stderr, /Stopped before the end/u);
});

/** A program that hangs is not waited for long; the others may take their time. */
const faults: readonly [title: string, script: string, sentence: RegExp][] = [
  ['that hangs', 'exec sleep 600', /took too long/u],
  ['that hangs after a whole document', `cat "$7"; exec sleep 600`, /took too long/u],
  ['that writes without end', 'exec yes', /wrote far too much/u],
  ['that fails', 'exit 1', /could not read it/u],
  ['that fails after a whole document', 'cat "$7"; exit 3', /could not read it/u],
  ['that is killed', 'cat "$7"; kill -9 $$', /could not read it/u],
];

for (const [title, script, sentence] of faults) {
  posix(`of a gpsbabel ${title} nothing is imported, and it is gone`, async (t) => {
    const daemon = await startTestDaemon(t);
    const dir = join(daemon.root, 'tracks');
    const pid = join(daemon.root, 'pid');
    writeTree(dir, { 'a.igc': ride, 'b.txt': '' });
    const program = standIn(daemon.root, `echo $$ > '${pid}'; ${script}`);
    const request: ImportRequest = { dir };
    const { body } = await daemon.call('POST', '/api/import', request);
    const client = new ApiClient({ port: Number(new URL(daemon.url).port), token: daemon.token });
    const notes: string[] = [];
    const results = await convertUnread(
      client,
      program,
      { request, result: importResultSchema.parse(body) },
      {
        stopped: new AbortController().signal,
        bounds: { ms: title.startsWith('that hangs') ? 500 : 60_000, bytes: 100_000 },
        tell: (line) => notes.push(line),
      },
    );
    t.is(results.length, 1);
    t.deepEqual(results[0]?.unsupported_files, ['a.igc', 'b.txt']);
    t.regex(notes.join('\n'), sentence);
    t.deepEqual(await listed(daemon), []);
    const incoming = join(daemon.paths.imports, '.incoming');
    await until(() => !existsSync(incoming) || readdirSync(incoming).length === 0);
    t.true(existsSync(pid));
  });
}
