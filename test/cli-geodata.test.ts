/** `waypointd geodata …` as processes, with a daemon and without. */
import { copyFileSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { GeodataManifest } from '../model/geodata.ts';
import { testCli, type TestCli } from './helpers/cli.ts';
import { startTestDaemon } from './helpers/daemon.ts';
import {
  asBuiltin,
  damage,
  makeGeneration,
  manifestOf,
  type TestGeneration,
} from './helpers/generations.ts';

/** A command line with a generation in a file, and a manifest that lists it. */
interface Site {
  readonly cli: TestCli;
  readonly first: TestGeneration;
  readonly manifest: GeodataManifest;
  /** `--geodata-manifest FILE` */
  readonly flag: readonly string[];
}

function site(t: ExecutionContext): Site {
  const cli = testCli(t);
  const first = makeGeneration(cli.root, 'first');
  const manifest = manifestOf(first);
  const file = join(cli.root, 'list-of-generations');
  writeFileSync(file, JSON.stringify(manifest));
  return { cli, first, manifest, flag: ['--geodata-manifest', file] };
}

/** Files below `geodata` in the data directory that are on their way in. */
function partials(cli: TestCli): string[] {
  const directory = join(cli.root, 'data', 'geodata', 'partial');
  return existsSync(directory) ? readdirSync(directory) : [];
}

test('a generation is imported from a file without a daemon, and stays in use', async (t) => {
  const { cli, first, flag } = site(t);
  const imported = await cli.run([...flag, 'geodata', 'import', first.path]);
  t.is(imported.stdout, 'first is in use now.\n', imported.stderr);
  t.is(imported.code, 0);
  t.true(existsSync(first.path), 'the file stays where it is');
  t.deepEqual(partials(cli), []);
  const again = await cli.out([...flag, 'geodata', 'import', first.path, '--json']);
  t.like(JSON.parse(again).current, { generation_id: 'first', degraded: false });
  // This program does not list it; it is in use all the same.
  const status = await cli.out(['geodata', 'status']);
  t.regex(status, /^in use {5}first \(version first version, 0\.0 MB\)$/mu);
  t.regex(status, /^licence {4}CC0-1\.0$/mu);
  t.regex(status, /^checked {4}20\d\d-/mu);
  t.regex(status, /^before {5}builtin-\S+ \(version \S+, \d+\.\d MB, comes with waypointd\)$/mu);
  t.regex(status, /^install {4}none since the daemon started$/mu);
});

test('a file that is not exactly one of the known generations is refused', async (t) => {
  const { cli, first, flag } = site(t);
  const copy = join(cli.root, 'copy');
  copyFileSync(first.path, copy);
  damage(copy);
  for (const file of [copy, flag[1] ?? '']) {
    const { code, stderr } = await cli.run([...flag, 'geodata', 'import', file]);
    t.is(code, 1);
    t.regex(
      stderr,
      /^waypointd: The file is none of the generations that this waypointd knows\.$/mu,
    );
  }
  const missing = await cli.run([...flag, 'geodata', 'import', join(cli.root, 'missing')]);
  t.is(missing.code, 1);
  t.regex(missing.stderr, /cannot be read \(ENOENT\)/u);
  t.false(existsSync(join(cli.root, 'data')), 'no daemon was started for it');
});

test('a running daemon takes a generation from a file, if it knows it', async (t) => {
  const { cli, first, manifest, flag } = site(t);
  const second = makeGeneration(cli.root, 'second');
  const builtinPath = asBuiltin(makeGeneration(cli.root, 'shipped'));
  const daemon = await startTestDaemon(t, {
    root: cli.root,
    options: { handOver: true, geodata: { manifest: manifestOf(first), builtinPath } },
  });
  const imported = await cli.run([...flag, 'geodata', 'import', first.path]);
  t.is(imported.stdout, 'first is in use now.\n', imported.stderr);
  t.is((await daemon.get('/api/geodata')).body.current.generation_id, 'first');
  writeFileSync(flag[1] ?? '', JSON.stringify({ ...manifest, ...manifestOf(first, second) }));
  const unknown = await cli.run([...flag, 'geodata', 'import', second.path]);
  t.is(unknown.code, 1);
  t.regex(unknown.stderr, /The running daemon does not know this generation/u);
  t.deepEqual(partials(cli), []);
  t.is(
    await cli.out(['geodata', 'list']),
    [
      'ID       VERSION            SIZE  LICENCE  STATE',
      'shipped  shipped version  0.0 MB  CC0-1.0  the one before, comes with waypointd',
      'first    first version    0.0 MB  CC0-1.0  in use, installed',
      '',
    ].join('\n'),
  );
});

test('the flag --geodata-manifest is a flag and nothing else, and its file must be a manifest', async (t) => {
  const { cli, flag } = site(t);
  const environment = { env: { WAYPOINTD_GEODATA_MANIFEST: flag[1] ?? '' } };
  const asSetting = await cli.run(['geodata', 'list'], environment);
  t.is(asSetting.code, 78);
  t.regex(asSetting.stderr, /WAYPOINTD_GEODATA_MANIFEST is not a setting/u);
  writeFileSync(flag[1] ?? '', '{"schema":1}');
  const wrong = await cli.run([...flag, 'serve', '--port', '0']);
  t.is(wrong.code, 78);
  t.regex(wrong.stderr, /--geodata-manifest is not a list of generations/u);
  const missing = await cli.run(['serve', '--geodata-manifest', join(cli.root, 'no')]);
  t.is(missing.code, 78);
  t.regex(missing.stderr, /--geodata-manifest cannot be read/u);
});

test('the notice names the sources of the data with their licences', async (t) => {
  const notice = await testCli(t).out(['geodata', 'notice']);
  t.regex(notice, /GeoNames/u);
  t.regex(notice, /creativecommons\.org\/licenses\/by\/4\.0/u);
});
