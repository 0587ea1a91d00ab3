/** The geodata of a daemon: what is in use, installing, falling back. Generations are small ones made for each test. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { GenerationFiles } from '../geodata/generation-files.ts';
import { Geodata } from '../daemon/geodata/geodata.ts';
import type { Download } from '../geodata/installer.ts';
import { hashFileOf } from '../geodata/generation.ts';
import { GeodataLookup } from '../geodata/lookup.ts';
import { embeddedManifest, parseManifest, partialPath } from '../geodata/manifest.ts';
import {
  type GeodataManifest,
  type GeodataProbe,
  type GeodataStatus,
  type HostedGeneration,
  type InstallStatus,
} from '../model/geodata.ts';
import { systemClock } from '../model/process.ts';
import { checkWhole } from '../worker/geodata-tasks.ts';
import { startTestDaemon, type TestDaemon } from './helpers/daemon.ts';
import {
  asBuiltin,
  damage,
  makeGeneration,
  manifestOf,
  noDownload,
  placePartial,
  type TestGeneration,
} from './helpers/generations.ts';
import { gate } from './helpers/http-server.ts';
import { silentLog } from './helpers/logs.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';
import { answerWhen, until } from './helpers/until.ts';

const here = { clock: systemClock, log: silentLog };

interface SiteOptions {
  readonly ids?: readonly string[];
  readonly change?: (manifest: GeodataManifest) => GeodataManifest;
  readonly download?: Download;
}

/** A daemon with a small builtin generation and some hosted ones that it knows. */
async function startSite(t: ExecutionContext, options: SiteOptions = {}) {
  const {
    ids = ['first', 'second', 'third'],
    change = (manifest) => manifest,
    download = noDownload,
  } = options;
  const directory = temporaryDirectory(t);
  const builtin = makeGeneration(directory, 'shipped');
  const hosted = ids.map((id) => makeGeneration(directory, id));
  const daemon = await startTestDaemon(t, {
    settings: { geocoder: 'offline' },
    options: {
      geodata: {
        manifest: change(manifestOf(...hosted)),
        builtinPath: asBuiltin(builtin),
        // A thread for each of these tests would take most of their time.
        check: checkWhole,
        download,
      },
    },
  });
  return { daemon, builtin, hosted };
}

/** The status; in none of all these tests does one hold an address, a path or a file name. */
async function statusOf(t: ExecutionContext, daemon: TestDaemon): Promise<GeodataStatus> {
  let answer = await daemon.get<GeodataStatus>('/api/geodata');
  // A busy machine may need longer for the check of the content than a status waits.
  for (let asked = 0; asked < 20 && isUnchecked(answer.body); asked += 1) {
    answer = await daemon.get<GeodataStatus>('/api/geodata');
  }
  t.is(answer.status, 200);
  t.notRegex(
    answer.text,
    /[/\\]|127\.0|localhost|invalid|secret|sqlite|partial|\.json|\.file|waypointd/,
  );
  return answer.body;
}

function isUnchecked({ current, install }: GeodataStatus): boolean {
  return current.installed && current.verified_at === null && install.state !== 'installing';
}

async function untilOver(t: ExecutionContext, daemon: TestDaemon): Promise<InstallStatus> {
  const isOver = ({ install }: GeodataStatus): boolean => install.state !== 'installing';
  return (await answerWhen(() => statusOf(t, daemon), isOver)).install;
}

async function install(t: ExecutionContext, daemon: TestDaemon, generation: TestGeneration) {
  const id = generation.listed.id;
  const answer = await post(daemon, id);
  t.is(answer.status, 202);
  t.deepEqual(answer.body, { status: 'accepted' });
  return untilOver(t, daemon);
}

async function bringIn(t: ExecutionContext, daemon: TestDaemon, generation: TestGeneration) {
  placePartial(daemon.paths.geodata, generation);
  t.is((await install(t, daemon, generation)).state, 'installed');
}

const post = (daemon: TestDaemon, id: unknown) =>
  daemon.call('POST', '/api/geodata/install', { generation_id: id });

/** Which generation is in use, which was before, and whether all is well: in short. */
async function inUse(t: ExecutionContext, daemon: TestDaemon): Promise<string> {
  const { current, previous } = await statusOf(t, daemon);
  const trouble = current.degraded ? ' degraded' : '';
  return `${current.generation_id || 'none'} < ${previous.generation_id || 'none'}${trouble}`;
}

/** The town that only one generation knows. */
async function landmark(daemon: TestDaemon): Promise<string[]> {
  const { body } = await daemon.get('/api/suggest?q=landmark');
  return body.suggestions.map(({ name }: { name: string }) => name.split(',')[0]);
}

function generationsIn(daemon: TestDaemon): string[] {
  const directory = join(daemon.paths.geodata, 'gen');
  return existsSync(directory) ? readdirSync(directory).toSorted() : [];
}

const pathOf = (daemon: TestDaemon, { oid, listed: { id } }: TestGeneration): string =>
  new GenerationFiles(daemon.paths.geodata).path({ id, oid });

const pointerOf = (daemon: TestDaemon): string => join(daemon.paths.geodata, 'current.json');

test('the builtin generation is in use from the start, and nothing is written for it', async (t) => {
  const begin = Date.now();
  const { daemon, builtin, hosted } = await startSite(t);
  const status = await statusOf(t, daemon);
  const { id, artifacts, probes: _, ...dataset } = builtin.listed;
  const bytes = artifacts[0].size;
  const { verified_at, ...current } = status.current;
  const verified = Date.parse(verified_at ?? '');
  t.true(verified >= begin && verified <= Date.now());
  t.deepEqual(current, {
    generation_id: id,
    ...dataset,
    bytes,
    installed: true,
    valid: true,
    degraded: false,
    builtin: true,
  });
  t.like(status.previous, { generation_id: '', installed: false, valid: false, verified_at: null });
  t.deepEqual(status.available[0], { id, ...dataset, bytes, installed: true, builtin: true });
  t.deepEqual(
    status.available.slice(1).map((listed) => [listed.id, listed.installed, listed.builtin]),
    hosted.map(({ listed }) => [listed.id, false, false]),
  );
  t.deepEqual(status.install, {
    state: 'idle',
    progress: { artifact_index: 0, artifact_count: 0, bytes: 0, total_bytes: 0 },
  });
  t.false(existsSync(daemon.paths.geodata));
  t.deepEqual(await landmark(daemon), ['Landmark shipped']);
});

test('what cannot be installed is refused, and changes nothing', async (t) => {
  const { daemon } = await startSite(t);
  const already = await post(daemon, 'shipped');
  t.is(already.status, 200);
  t.deepEqual(already.body, { status: 'installed' });
  for (const id of ['fourth', 'builtin', 'first-', '..', 'https://example.org/x']) {
    const { status, body } = await post(daemon, id);
    t.is(status, 404, id);
    t.is(body.code, 'not_found');
  }
  for (const id of ['', 'x'.repeat(65), 7, null, undefined]) {
    const { status, body } = await post(daemon, id);
    t.is(status, 400, String(id));
    t.is(body.field, 'generation_id');
  }
  t.is((await post(daemon, 'x'.repeat(64))).status, 404);
  const more = { generation_id: 'first', path: '/etc/passwd' };
  t.is((await daemon.call('POST', '/api/geodata/install', more)).status, 400);
  t.is((await daemon.call('DELETE', '/api/geodata/install')).status, 409);
  t.is((await statusOf(t, daemon)).install.state, 'idle');
  t.false(existsSync(daemon.paths.geodata));
});

test('one can go back to the generation before, and to the builtin one, without any file', async (t) => {
  const { daemon, hosted } = await startSite(t);
  const [first, second, third] = hosted as [TestGeneration, TestGeneration, TestGeneration];
  await bringIn(t, daemon, first);
  await bringIn(t, daemon, second);
  t.is(await inUse(t, daemon), 'second < first');
  t.is((await install(t, daemon, first)).state, 'installed');
  t.is(await inUse(t, daemon), 'first < second');
  await bringIn(t, daemon, third);
  t.is(await inUse(t, daemon), 'third < first');
  const name = ({ oid, listed }: TestGeneration) => ({ id: listed.id, oid });
  const pointer: unknown = JSON.parse(readFileSync(pointerOf(daemon), 'utf8'));
  t.deepEqual(pointer, { ...name(third), previous: name(first) });
  t.deepEqual(
    generationsIn(daemon).map((name) => name.split('-')[0]),
    ['first', 'third'],
  );
  t.is((await post(daemon, 'shipped')).status, 202);
  t.is((await untilOver(t, daemon)).state, 'installed');
  t.is(await inUse(t, daemon), 'shipped < third');
  const again = await daemon.restart();
  t.is(await inUse(t, again), 'shipped < third');
  t.deepEqual(await landmark(again), ['Landmark shipped']);
});

test('a generation that left the manifest stays in use, and one can go back to it', async (t) => {
  const { daemon, builtin, hosted } = await startSite(t);
  const [first, second] = hosted as [TestGeneration, TestGeneration];
  await bringIn(t, daemon, first);
  await bringIn(t, daemon, second);
  await daemon.close();
  const later = await startTestDaemon(t, {
    root: daemon.root,
    options: { geodata: { builtinPath: builtin.path } },
  });
  t.is(await inUse(t, later), 'second < first');
  t.is((await install(t, later, first)).state, 'installed');
  t.is(await inUse(t, later), 'first < second');
  t.is((await post(later, 'third')).status, 404);
});

test('a job keeps its open file, whatever is installed meanwhile', async (t) => {
  const root = temporaryDirectory(t);
  const hosted = ['first', 'second', 'third'].map((id) => makeGeneration(root, id));
  const [first, second, third] = hosted as [TestGeneration, TestGeneration, TestGeneration];
  const { geodata, directory } = openGeodata(t, root, hosted);
  const use = async (generation: TestGeneration): Promise<void> => {
    placePartial(directory, generation);
    await geodata.installer.install(generation.listed.id);
    await until(() => geodata.installer.status.state !== 'installing');
    t.is(geodata.installer.status.state, 'installed');
  };
  await use(first);
  const inUse = await geodata.inUse();
  t.is(inUse?.dataset.dataset_version, 'first version');
  const lookup = new GeodataLookup(inUse?.path ?? '');
  t.teardown(() => lookup.close());
  await use(second);
  t.true(existsSync(inUse?.path ?? ''));
  await use(third);
  const [{ lat, lon, locality }] = first.listed.probes as [GeodataProbe];
  t.is(lookup.find(lat, lon).locality, locality ?? '');
  if (process.platform !== 'win32') t.false(existsSync(inUse?.path ?? ''));
});

/** Ways in which an install ends badly: which word tells it, whether what came in is kept, what was there. */
type Ending = [
  code: string,
  isKept: boolean,
  prepare: (daemon: TestDaemon, generation: TestGeneration, other: TestGeneration) => unknown,
];
const endings: Readonly<Record<string, Ending>> = {
  'nothing is here': ['offline', false, () => undefined],
  'a part came in': [
    'offline',
    true,
    ({ paths }, generation) =>
      placePartial(paths.geodata, generation, readFileSync(generation.path).subarray(0, 20_000)),
  ],
  'a byte has changed': [
    'mismatch',
    false,
    ({ paths }, generation) => damage(placePartial(paths.geodata, generation)),
  ],
  'it is another one': [
    'mismatch',
    false,
    ({ paths }, generation, other) =>
      placePartial(paths.geodata, generation, readFileSync(other.path)),
  ],
  'there is no place for the pointer': [
    'io',
    false,
    (daemon, generation) => {
      placePartial(daemon.paths.geodata, generation);
      mkdirSync(join(pointerOf(daemon), 'full'), { recursive: true });
    },
  ],
  'there is no place for its directory': [
    'io',
    true,
    ({ paths }, generation) => {
      placePartial(paths.geodata, generation);
      rmSync(join(paths.geodata, 'gen'), { recursive: true, force: true });
      writeFileSync(join(paths.geodata, 'gen'), 'a file where a directory belongs');
    },
  ],
};

test('an install that ends badly says why in one word, and leaves the generation in use as it was', async (t) => {
  const ids = Object.keys(endings).map((_, at) => `no-${at}`);
  const { daemon, builtin, hosted } = await startSite(t, { ids });
  for (const [at, [title, [error, isKept, prepare]]] of Object.entries(endings).entries()) {
    const generation = hosted[at]!;
    prepare(daemon, generation, builtin);
    const ended = await install(t, daemon, generation);
    t.like(ended, { state: 'failed', generation_id: `no-${at}`, error }, title);
    t.is(await inUse(t, daemon), 'shipped < none', title);
    t.deepEqual(await landmark(daemon), ['Landmark shipped'], title);
    t.is(existsSync(partialPath(daemon.paths.geodata, generation.oid)), isKept, title);
    t.true(
      daemon.logged.some((line) => line.includes(`{"generation":"no-${at}","why":"${error}"`)),
    );
    for (const line of daemon.logged) t.notRegex(line, /waypointd-test-|sqlite|secret|Landmark/);
  }
});

/** What a maintainer may have got wrong: the file is the listed one, but not what the manifest says of it. */
const contradictions: readonly [
  what: keyof HostedGeneration | keyof GeodataProbe,
  value: string,
][] = [
  ['country_id', 'YY'],
  ['locality', 'Everytown'],
  ['region', 'Elsewhere'],
  ['dataset_version', '2'],
  ['source_version', '2'],
  ['attribution', 'somebody'],
  ['license', 'MIT'],
];

test('a generation of which the manifest says otherwise is not put to use', async (t) => {
  const { daemon, hosted } = await startSite(t, {
    ids: [...contradictions.map((_, at) => `no-${at}`), 'as-listed'],
    change: ({ generations, ...manifest }) => ({
      ...manifest,
      generations: generations.map((listed, at) => {
        const [what = 'region', value = 'Test Region'] = contradictions[at] ?? [];
        if (what in listed) return { ...listed, [what]: value };
        return { ...listed, probes: listed.probes.map((probe) => ({ ...probe, [what]: value })) };
      }),
    }),
  });
  for (const [at, [what]] of contradictions.entries()) {
    placePartial(daemon.paths.geodata, hosted[at]!);
    t.like(await install(t, daemon, hosted[at]!), { state: 'failed', error: 'mismatch' }, what);
    t.is(await inUse(t, daemon), 'shipped < none');
  }
  await bringIn(t, daemon, hosted.at(-1)!);
});

test('an install that waits for its file shows how far it is, lets no other one begin, and can be cancelled', async (t) => {
  const asked = gate<Parameters<Download>[0]>();
  const { daemon, hosted } = await startSite(t, {
    download: async (request) => {
      asked.resolve(request);
      await new Promise((_, fail) => {
        request.signal.addEventListener('abort', () => fail(new Error('aborted')));
      });
    },
  });
  const [first] = hosted as [TestGeneration];
  placePartial(daemon.paths.geodata, first, readFileSync(first.path).subarray(0, 1_000));
  const both = await Promise.all([post(daemon, 'first'), post(daemon, 'first')]);
  t.deepEqual(
    both.map(({ status }) => status).toSorted((a, b) => a - b),
    [202, 409],
  );
  const { artifact, endpoints, path, onBytes } = await asked.promise;
  t.is(artifact.oid, first.oid);
  t.deepEqual(endpoints, ['https://objects.invalid/secret-base']);
  const size = artifact.size;
  const progress = { artifact_index: 0, artifact_count: 1, bytes: 1_000, total_bytes: size };
  const active = { state: 'installing', generation_id: 'first', phase: 'downloading' };
  t.deepEqual<unknown, unknown>((await statusOf(t, daemon)).install, { ...active, progress });
  onBytes(2_000);
  t.is((await statusOf(t, daemon)).install.progress.bytes, 2_000);
  for (const id of ['first', 'second', 'shipped']) t.is((await post(daemon, id)).status, 409, id);
  t.is((await post(daemon, 'fourth')).status, 404);
  const cancelled = await daemon.call('DELETE', '/api/geodata/install');
  t.is(cancelled.status, 202);
  t.deepEqual(cancelled.body, { status: 'cancelling' });
  t.like(await untilOver(t, daemon), { state: 'cancelled', generation_id: 'first' });
  t.is((await daemon.call('DELETE', '/api/geodata/install')).status, 409);
  t.true(existsSync(path), 'what came in is kept');
  t.is(await inUse(t, daemon), 'shipped < none');
});

test('closing the daemon cancels an install that waits', async (t) => {
  const asked = gate();
  const { daemon } = await startSite(t, {
    download: ({ signal }) =>
      new Promise((_, fail) => {
        signal.addEventListener('abort', () => fail(new Error('aborted')));
        asked.resolve();
      }),
  });
  t.is((await post(daemon, 'first')).status, 202);
  await asked.promise;
  await daemon.close();
  t.false(existsSync(pointerOf(daemon)));
});

test('it is too late to cancel once a generation is being put to use; a full disk leaves the one in use', async (t) => {
  const root = temporaryDirectory(t);
  const first = makeGeneration(root, 'first');
  const [writing, proceed] = [gate(), gate()];
  class FullDisk extends GenerationFiles {
    override async writePointer(): Promise<void> {
      writing.resolve();
      await proceed.promise;
      throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    }
  }
  const directory = join(root, 'geodata');
  const files = new FullDisk(directory, asBuiltin(makeGeneration(root, 'shipped')));
  const geodata = new Geodata(
    { directory, ...here },
    { manifest: manifestOf(first), files, check: checkWhole },
  );
  t.teardown(() => geodata.close());
  const { installer } = geodata;
  placePartial(directory, first);
  t.is(await installer.install('first'), 'accepted');
  await writing.promise;
  t.like(installer.status, { state: 'installing', phase: 'activating' });
  t.throws(() => installer.cancel(), { message: /can be cancelled/ });
  proceed.resolve();
  await until(() => installer.status.state !== 'installing');
  t.like(installer.status, { state: 'failed', error: 'disk_full' });
  t.is((await geodata.status()).current.generation_id, 'shipped');
});

/** Makes the site's first generation the one in use and the second the one before it. */
async function withTwo(t: ExecutionContext) {
  const site = await startSite(t);
  await bringIn(t, site.daemon, site.hosted[1]!);
  await bringIn(t, site.daemon, site.hosted[0]!);
  t.is(await inUse(t, site.daemon), 'first < second');
  return site;
}

test('what is damaged is passed over: the one in use, then the one before; a new install mends it', async (t) => {
  const { daemon, hosted } = await withTwo(t);
  const [first, second] = hosted as [TestGeneration, TestGeneration];
  await daemon.close();
  damage(pathOf(daemon, first));
  const second1 = await daemon.restart();
  t.is(await inUse(t, second1), 'second < none degraded');
  t.true(second1.logged.includes('geodata.damaged {"generation":"first"}'));
  t.deepEqual(await landmark(second1), ['Landmark second']);
  t.true(existsSync(pathOf(daemon, first)), 'nothing is removed for it');
  await second1.close();
  damage(pathOf(daemon, second));
  const third = await second1.restart();
  t.is(await inUse(t, third), 'shipped < none degraded');
  t.deepEqual(await landmark(third), ['Landmark shipped']);
  t.like(await install(t, third, first), { state: 'failed', error: 'offline' });
  t.is(await inUse(t, third), 'shipped < none degraded');
  await bringIn(t, third, first);
  t.is(await inUse(t, third), 'first < shipped');
  t.is(await inUse(t, await third.restart()), 'first < shipped');
});

test('one may settle for what is in use for want of another', async (t) => {
  const { daemon, hosted } = await withTwo(t);
  await daemon.close();
  rmSync(pathOf(daemon, hosted[0]!));
  const again = await daemon.restart();
  t.is(await inUse(t, again), 'second < none degraded');
  t.is((await install(t, again, hosted[1]!)).state, 'installed');
  t.is(await inUse(t, again), 'second < none');
});

/** What a mishap befalls: the pointer file and the generation that it names, by path. */
interface Scene {
  readonly pointer: string;
  readonly inUse: string;
  /** A generation that is whole, but another one. */
  readonly other: string;
  readonly oid: string;
}

const mishaps: Readonly<Record<string, [prepare: (scene: Scene) => void, then: string]>> = {
  'a pointer cut short': [({ pointer }) => truncateSync(pointer, 30), 'shipped < none degraded'],
  'an empty pointer': [({ pointer }) => truncateSync(pointer, 0), 'shipped < none degraded'],
  'a pointer out of the directory': [
    ({ pointer, oid }) =>
      writeFileSync(pointer, JSON.stringify({ id: '../../x', oid, previous: null })),
    'shipped < none degraded',
  ],
  'a pointer that is a big file': [
    ({ pointer }) => writeFileSync(pointer, Buffer.alloc(100_000, ' ')),
    'shipped < none degraded',
  ],
  'no pointer': [({ pointer }) => rmSync(pointer), 'shipped < none'],
  'a pointer to a directory that is missing': [
    ({ inUse: path }) => rmSync(join(path, '..'), { recursive: true }),
    'second < none degraded',
  ],
  'a generation cut short': [
    ({ inUse: path }) => truncateSync(path, 5_000),
    'second < none degraded',
  ],
  'an empty generation': [({ inUse: path }) => truncateSync(path, 0), 'second < none degraded'],
  'another generation in its place': [
    ({ inUse: path, other }) => writeFileSync(path, readFileSync(other)),
    'second < none degraded',
  ],
};

for (const [title, [prepare, then]] of Object.entries(mishaps)) {
  test(`${title}: the daemon starts, and says so`, async (t) => {
    const directory = temporaryDirectory(t);
    const make = (id: string): TestGeneration => makeGeneration(directory, id);
    const [first, second, other] = [make('first'), make('second'), make('third')];
    const files = new GenerationFiles(join(directory, 'data', 'geodata'));
    const references = [first, second].map(({ oid, listed: { id } }) => ({ id, oid }));
    for (const [at, reference] of references.entries()) {
      const partial = placePartial(join(directory, 'data', 'geodata'), [first, second][at]!);
      await files.stage(reference, partial);
    }
    await files.writePointer({ ...references[0]!, previous: references[1]! });
    prepare({
      pointer: join(directory, 'data', 'geodata', 'current.json'),
      inUse: files.path(references[0]!),
      other: other.path,
      oid: first.oid,
    });
    const daemon = await startTestDaemon(t, {
      root: directory,
      options: { geodata: { builtinPath: asBuiltin(make('shipped')) } },
    });
    t.is(await inUse(t, daemon), then);
    t.true((await statusOf(t, daemon)).current.valid);
    const isLogged = daemon.logged.some((line) => line.startsWith('geodata.degraded '));
    t.is(isLogged, then.endsWith('degraded'));
    const isKept = existsSync(files.path(references[1]!));
    t.is(isKept, title !== 'no pointer', 'removed only where it is known that nobody uses it');
  });
}

test('a builtin generation that is damaged is not used; one that is missing is told of, and waypoints are found all the same', async (t) => {
  const directory = temporaryDirectory(t);
  const damaged = makeGeneration(directory, 'damaged');
  damage(asBuiltin(damaged));
  for (const builtinPath of [damaged.path, join(directory, 'missing')]) {
    const daemon = await startTestDaemon(t, {
      settings: { geocoder: 'offline' },
      options: { geodata: { builtinPath } },
    });
    await daemon.call('POST', '/api/bookmarks', { name: 'Landmark of mine', lat: 1, lon: 2 });
    // On a busy machine a status may come before the content was checked.
    await until(async () => (await statusOf(t, daemon)).current.generation_id === '');
    const { current, available } = await statusOf(t, daemon);
    t.like(current, {
      generation_id: '',
      installed: false,
      valid: false,
      bytes: 0,
      verified_at: null,
    });
    t.deepEqual(await landmark(daemon), ['Landmark of mine']);
    const isMissing = builtinPath !== damaged.path;
    const isLogged = daemon.logged.includes('geodata.builtin_missing {}');
    t.is(isLogged, isMissing);
    t.is(available.length, isMissing ? 0 : 1);
    t.is((await post(daemon, 'damaged')).status, isMissing ? 404 : 202);
    t.is((await untilOver(t, daemon)).error, isMissing ? undefined : 'mismatch');
  }
});

test('a builtin generation whose hash the build left no word of is used unchecked', async (t) => {
  const directory = temporaryDirectory(t);
  const { path } = makeGeneration(directory, 'unchecked');
  const daemon = await startTestDaemon(t, { options: { geodata: { builtinPath: path } } });
  const { current } = await statusOf(t, daemon);
  t.like(current, { generation_id: 'unchecked', valid: true, verified_at: null });
  writeFileSync(hashFileOf(path), 'no hash');
  t.is((await statusOf(t, daemon)).current.verified_at, null);
});

test('damage that a search meets is looked into, and passed over', async (t) => {
  const { daemon, hosted } = await withTwo(t);
  const path = pathOf(daemon, hosted[0]!);
  t.is(await inUse(t, daemon), 'first < second');
  writeFileSync(path, readFileSync(path).fill(0xff, 4_096));
  for (let name = 'Landmark first'; name !== 'Landmark second';) {
    const { status, body } = await daemon.get('/api/suggest?q=landmark');
    t.is(status, 200);
    name = body.suggestions[0]?.name.split(',')[0] ?? 'none yet';
  }
  t.is(await inUse(t, daemon), 'second < none degraded');
});

test('what a crash has left goes at the next start; what may be gone on with stays for two weeks', async (t) => {
  const { daemon, hosted } = await startSite(t);
  await bringIn(t, daemon, hosted[0]!);
  await daemon.close();
  const { geodata } = daemon.paths;
  const day = 24 * 3_600_000;
  const ages: [file: string, ageMs: number, stays: boolean][] = [
    [join('partial', hosted[1]!.oid), 13.9 * day, true],
    [join('partial', hosted[2]!.oid), 14.1 * day, false],
    [join('partial', 'f'.repeat(64)), 0.1 * day, false],
    [join('partial', `.${hosted[1]!.oid}.0a0b0c.tmp`), 0.1 * day, false],
    [join('partial', 'just-coming-in'), 0, true],
    ['.current.json.0a0b0c.tmp', 0.1 * day, false],
    ['.current.json.0a0b0d.tmp', 0, true],
    [join('gen', 'second-000000000000', 'gazetteer.sqlite'), 0, false],
  ];
  for (const [file, ageMs] of ages) {
    const path = join(geodata, file);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, 'left');
    const seconds = (Date.now() - ageMs) / 1_000;
    utimesSync(path, seconds, seconds);
  }
  const again = await daemon.restart();
  await again.close();
  for (const [file, , stays] of ages) t.is(existsSync(join(geodata, file)), stays, file);
  t.is(generationsIn(again).length, 1);
});

function openGeodata(t: ExecutionContext, root: string, hosted: readonly TestGeneration[]) {
  const directory = join(root, 'geodata');
  const builtinPath = asBuiltin(makeGeneration(root, 'shipped'));
  const geodata = new Geodata(
    { directory, ...here },
    { manifest: manifestOf(...hosted), builtinPath, check: checkWhole },
  );
  t.teardown(() => geodata.close());
  return { geodata, directory };
}

test('a manifest that could mislead is none', (t) => {
  const good = manifestOf(makeGeneration(temporaryDirectory(t), 'first'));
  const [listed] = good.generations as [HostedGeneration];
  const [artifact] = listed.artifacts;
  const parse = (manifest: unknown) => parseManifest(JSON.stringify(manifest));
  const withListed = (change: object) => ({ ...good, generations: [{ ...listed, ...change }] });
  const withArtifact = (change: object) => withListed({ artifacts: [{ ...artifact, ...change }] });
  const withEndpoint = (endpoint: string) => ({ ...good, endpoints: [endpoint] });
  t.deepEqual(parse(good), good);
  t.deepEqual(parse(embeddedManifest), embeddedManifest);
  t.truthy(parse(withListed({ id: 'a'.repeat(41) })));
  t.truthy(parse(withArtifact({ size: 1_073_741_824 })));
  for (const endpoint of ['http://127.0.0.1:8080', 'http://[::1]/a/b', 'https://example.org/a']) {
    t.truthy(parse(withEndpoint(endpoint)), endpoint);
  }
  const wrong: unknown[] = [
    { ...good, schema: 2 },
    { ...good, more: 1 },
    { ...good, generations: [listed, listed] },
    { ...good, generations: Array.from({ length: 65 }, (_, at) => ({ ...listed, id: `g${at}` })) },
    { ...good, endpoints: Array.from({ length: 9 }, () => 'https://example.org') },
    ...['a', 'a'.repeat(42), '-a', '.a', 'A', 'a/b', 'a b', 'builtin'].map((id) =>
      withListed({ id }),
    ),
    ...['a'.repeat(63), 'A'.repeat(64), '../'.repeat(21)].map((oid) => withArtifact({ oid })),
    ...[0, -1, 1.5, 1_073_741_825, '1'].map((size) => withArtifact({ size })),
    withArtifact({ role: 'program' }),
    withListed({ artifacts: [] }),
    withListed({ artifacts: [artifact, artifact] }),
    withListed({ attribution: 'see https://example.org' }),
    withListed({ source_version: 'C:\\data' }),
    withListed({ license: '' }),
    withListed({ probes: [{ lat: 91, lon: 0, country_id: 'ZZ' }] }),
    ...[
      'http://example.org',
      'http://127.0.0.1.example.org',
      'https://user:word@example.org',
      'https://example.org?a=b',
      'https://example.org#a',
      'file:///etc/passwd',
      'example.org',
    ].map(withEndpoint),
  ];
  for (const manifest of wrong) t.is(parse(manifest), undefined, JSON.stringify(manifest));
  t.is(parseManifest('{'), undefined);
});
