/** `waypointd imports`, and what `import` says of files that were removed or come from another folder. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { strToU8, zipSync } from 'fflate';
import { testCli, untilPrinted } from './helpers/cli.ts';
import { gpx, writeTree } from './helpers/imports.ts';
import { answerWhen } from './helpers/until.ts';

const ride = gpx([], ['2024-05-01T10:00:00Z', '2024-05-02T11:00:00Z']);

test('files are listed, shown, removed, restored and written out again', async (t) => {
  const cli = testCli(t);
  writeTree(cli.root, { '2023/Track_1.gpx': ride, '2024/Track_1.gpx': gpx([['Camp', 1, 2]]) });
  const dry = await cli.out(['import', join(cli.root, '2023'), '--dry-run']);
  t.regex(dry, /^Would import 2 timed points .* Nothing was written\.$/mu);
  t.is((await cli.json(['imports', 'list'])).files.length, 0);

  const both = [join(cli.root, '2023'), join(cli.root, '2024'), '--json'];
  const { renamed_files } = JSON.parse(await cli.out(['import', ...both]));
  t.deepEqual(renamed_files, [
    { file: join(cli.root, '2024/Track_1.gpx'), stored_as: 'Track_1 (2).gpx' },
  ]);
  const table = await cli.out(['imports', 'list']);
  t.regex(table, /^ *ID +IMPORTED +STATE +FORMAT +POINTS +WAYPOINTS +PERIOD +FILE$/mu);
  t.regex(table, /active +gpx +2 +2024-05-01 to 2024-05-02 +Track_1\.gpx$/mu);
  t.regex(table, /active +gpx +1 +Track_1 \(2\)\.gpx$/mu);
  const [{ id }] = (await cli.json(['imports', 'list', '(2)'])).files;
  t.regex(await cli.out(['imports', 'show', String(id)]), /^waypoints +1$/mu);

  const wrong = await cli.run(['imports', 'rm', String(id), '999']);
  t.regex(wrong.stderr, /No imported file has the number 999\. Nothing was changed/u);
  t.is(await cli.out(['imports', 'rm', String(id)]), 'Removed Track_1 (2).gpx.\n');
  t.regex(await cli.out(['imports', 'list', '--state', 'removed']), /Track_1 \(2\)\.gpx$/mu);
  const target = join(cli.root, 'out.gpx');
  await cli.out(['imports', 'export-original', String(id), '-o', target]);
  t.is(readFileSync(target, 'utf8'), gpx([['Camp', 1, 2]]));
  t.regex(
    (await cli.run(['imports', 'export-original', String(id), '-o', target])).stderr,
    /is there already/u,
  );
  t.is(await cli.out(['imports', 'restore', String(id)]), 'Track_1 (2).gpx is in the library.\n');
  await cli.out(['imports', 'rm', String(id), '--forever']);
  t.regex((await cli.run(['imports', 'restore', String(id)])).stderr, /not kept any more/u);
  t.regex(
    (await cli.run(['undo'])).stderr,
    /newest change, \d+ \(imported file removed\), cannot/u,
  );
  t.regex((await cli.run(['imports', 'show', 'x'])).stderr, /number of an imported file/u);
  const again = await cli.out(['import', join(cli.root, '2024'), '--again']);
  t.regex(again, /1 waypoint from 1 file/u);
  t.true(existsSync(target));
});

test('standard input is imported, too', async (t) => {
  const cli = testCli(t);
  const said = await cli.out(['import', '-', '--as', 'phone/a.gpx'], { input: ride });
  t.regex(said, /^Imported 2 timed points/mu);
  for (const [input, sentence] of [
    ['nothing', 'Standard input is of no format that is read. Nothing was imported.'],
    ['', 'Standard input is empty. Nothing was imported.'],
  ] as const) {
    const { code, stderr } = await cli.run(['import', '-'], { input });
    t.is(code, 1);
    t.true(stderr.includes(sentence), stderr);
  }
  t.is((await cli.run(['import', '-', '--as', '../a.gpx'], { input: ride })).code, 64);
  // Longer than what is looked at first, and of another format than most.
  const rows = Array.from({ length: 500 }, (_, at) => `2024-05-01T00:00:00Z,1,${at / 10}\n`);
  const input = `time,lat,lon\n${rows.join('')}`;
  t.regex(await cli.out(['import', '-'], { input }), /^Imported 500 timed points/mu);
  t.regex(await cli.out(['imports', 'list']), /input\/\d{8}T\d{6}Z\.csv$/mu);
  t.regex(await cli.out(['imports', 'list']), /phone\/a\.gpx$/mu);
});

test('what is refused in an archive is told by the name that it has there', async (t) => {
  const cli = testCli(t);
  mkdirSync(join(cli.root, 'x'));
  const entries = { '../evil.gpx': strToU8(ride), 'good.gpx': strToU8(ride) };
  writeFileSync(join(cli.root, 'x/a.zip'), zipSync(entries));
  const { stderr } = await cli.run(['import', join(cli.root, 'x')]);
  t.true(stderr.includes(`${join(cli.root, 'x', 'a.zip')}/../evil.gpx: its name`), stderr);
});

test('folders are watched, listed and watched no longer', async (t) => {
  const cli = testCli(t);
  writeTree(cli.root, { 'tracks/ride.gpx': ride, 'tracks/bad.gpx': '<gpx>' });
  const tracks = join(cli.root, 'tracks');
  const { config_file: config } = await cli.json(['paths']);
  t.regex((await cli.run(['watch', 'list'])).stderr, /No folder is watched/u);
  t.is(
    await cli.out(['watch', 'add', 'tracks']),
    `${tracks} is watched. A running daemon follows it at once.\n`,
  );
  t.deepEqual(JSON.parse(readFileSync(config, 'utf8')), { watch_dirs: [tracks] });
  for (const [folder, sentence] of [
    ['tracks', /is watched already/u],
    ['.', /one cannot be in the other/u],
    ['nowhere', /is not a folder that can be opened/u],
    ['tracks/ride.gpx', /is not a folder that can be opened/u],
    ['data', /That is the data directory/u],
  ] as const) {
    const { code, stderr } = await cli.run(['watch', 'add', folder]);
    t.is(code, 1, folder);
    t.regex(stderr, sentence);
  }
  t.regex(await cli.out(['watch', 'list']), /^not followed yet +[^\s\d].*tracks$/mu);

  const serve = cli.start(['serve', '--port', '0']);
  await untilPrinted(serve.stderr, /daemon\.ready/u);
  const watched = async () => (await cli.json(['watch', 'list']))[0];
  const done = await answerWhen(watched, ({ waiting, files }) => files === 2 && waiting === 0);
  t.like(done, { dir: tracks, imported: 1, failed: 1 });
  const table = await cli.run(['watch', 'list']);
  t.regex(table.stdout, /^ *STATE +FILES +WAITING +IMPORTED +REFUSED +FOLDER$/mu);
  t.regex(table.stderr, /bad\.gpx: it ends in the middle/u);
  t.regex(await cli.out(['status']), /^watch +1 folder, 1 file imported, 1 refused/mu);
  // A running daemon follows another folder at once, and leaves one alone.
  writeTree(cli.root, { 'more/walk.gpx': ride.replace('</gpx>', '<!-- another --></gpx>') });
  await cli.out(['watch', 'add', 'more']);
  const both = () => cli.json(['watch', 'list']);
  const [, more] = await answerWhen(
    both,
    ([, second]) => second?.files === 1 && second.waiting === 0,
  );
  t.like(more, { dir: join(cli.root, 'more'), imported: 1 });
  await cli.out(['watch', 'rm', 'more']);
  const statuses = async () => ((await cli.json(['status'])) as { watch: unknown[] }).watch;
  t.is((await answerWhen(statuses, ({ length }) => length === 1)).length, 1);
  t.regex(await cli.out(['watch', 'rm', 'tracks']), /is no longer watched/u);
  t.deepEqual(JSON.parse(readFileSync(config, 'utf8')), {});
  t.regex((await cli.run(['watch', 'rm', 'tracks'])).stderr, /is not watched/u);
});
