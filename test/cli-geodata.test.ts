/** `waypointd geodata …` as processes, with a daemon and without. */
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { HostedGeneration } from '../model/geodata.ts';
import { finish, testCli, type TestCli } from './helpers/cli.ts';
import { startTestDaemon } from './helpers/daemon.ts';
import { asBuiltin, damage, makeGeneration, manifestOf } from './helpers/generations.ts';
import { silence, startMisbehavingServer } from './helpers/misbehaving-server.ts';
import { startObjectRepository } from './helpers/object-repository.ts';
import { until } from './helpers/until.ts';
import { posix } from './helpers/where.ts';

/** A command line with a generation in a file, and a manifest that lists it, with the flag that names it. */
function site(t: ExecutionContext) {
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
  t.regex(status, /^in use {5}first \(version first version, \d+ kB\)$/mu);
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
  t.regex(unknown.stderr, /The daemon knows no such generation/u);
  t.deepEqual(partials(cli), []);
  t.is(
    await cli.out(['geodata', 'list']),
    [
      'ID       VERSION           SIZE  LICENCE  STATE',
      'shipped  shipped version  50 kB  CC0-1.0  the one before, comes with waypointd',
      'first    first version    50 kB  CC0-1.0  in use, installed',
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

test('a generation is published, installed by its id without a daemon', async (t) => {
  const cli = testCli(t);
  const first = makeGeneration(cli.root, 'first');
  const { url, user, password } = await startObjectRepository(t);
  const remote = ['--repo', url, '--user', user, '--password-stdin'];
  const publish = ['geodata', 'publish', first.path, ...remote];
  const input = { input: `${password}\n` };
  const entry: unknown = JSON.parse(await cli.out(publish, input));
  const { probes, ...listed } = first.listed;
  t.like(entry, listed);
  t.is(probes.length, 1);
  const [probe] = (entry as HostedGeneration).probes;
  t.like(probe, { country_id: 'ZZ', region: '' });
  const again = await cli.run(publish, input);
  t.deepEqual(JSON.parse(again.stdout), entry);
  t.regex(again.stderr, /It was there already/);

  const file = join(cli.root, 'list');
  const manifest = { schema: 1, endpoints: [url], generations: [entry] };
  writeFileSync(file, JSON.stringify(manifest));
  const flag = ['--geodata-manifest', file];
  const installed = await cli.run([...flag, 'geodata', 'install', 'first']);
  t.is(installed.stdout, 'first is in use now.\n', installed.stderr);
  t.deepEqual(partials(cli), []);
  const status = await cli.json([...flag, 'geodata', 'install', 'first']);
  t.like(status.current, { generation_id: 'first', degraded: false });
  const unknown = await cli.run([...flag, 'geodata', 'install', 'second']);
  t.is(unknown.code, 1);
  t.regex(unknown.stderr, /knows no such generation/);
});

test('what is no generation is not published', async (t) => {
  const cli = testCli(t);
  const server = await startMisbehavingServer(t);
  const file = join(cli.root, 'file');
  writeFileSync(file, 'no generation');
  const { code, stderr } = await cli.run(['geodata', 'publish', file, '--repo', server.url]);
  t.is(code, 1);
  t.regex(stderr, /is no generation of geodata, or is damaged/);
  t.is(server.heard.length, 0);
});

posix('an install can be stopped by Ctrl-C and from elsewhere', async (t) => {
  const { cli, first, flag, manifest } = site(t);
  const server = await startMisbehavingServer(t, {
    script: { find: [silence, silence] },
    content: readFileSync(first.path),
  });
  const list = { ...manifest, endpoints: [server.url] };
  writeFileSync(flag[1] ?? '', JSON.stringify(list));
  const daemon = await startTestDaemon(t, {
    root: cli.root,
    options: { handOver: true, geodata: { manifest: list } },
  });
  const asked = (times: number): Promise<void> => until(() => server.heard.length >= times);
  const none = await cli.run(['geodata', 'cancel']);
  t.is(none.code, 1);
  t.regex(none.stderr, /There is no install that could be stopped/);
  const child = cli.start([...flag, 'geodata', 'install', 'first']);
  const interrupted = finish(child);
  await asked(1);
  child.kill('SIGINT');
  const { code, stderr } = await interrupted;
  t.is(code, 130);
  t.regex(stderr, /Stopped\. The generation in use is the one from before\./);
  t.is((await daemon.get('/api/geodata')).body.install.state, 'cancelled');
  const other = finish(cli.start([...flag, 'geodata', 'install', 'first']));
  await asked(2);
  t.is(await cli.out(['geodata', 'cancel']), 'The install of first was stopped.\n');
  const ended = await other;
  t.is(ended.code, 1);
  t.regex(ended.stderr, /cancelled from elsewhere/);
});
