/** Generations that are fetched: from our own object server, and from servers that do not behave. Loopback only. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import test, { type ExecutionContext } from 'ava';
import { identifyFile } from '../client/objects/index.ts';
import { GenerationFiles } from '../geodata/generation-files.ts';
import { partialPath } from '../geodata/manifest.ts';
import { Geodata, type GeodataOverrides } from '../daemon/geodata/geodata.ts';
import { hostedDownload, type HostedDownloadOptions } from '../daemon/geodata/hosted-download.ts';
import type { CheckWhole } from '../geodata/installer.ts';
import {
  geodataStatusSchema,
  type GeodataManifest,
  type GeodataStatus,
  type InstallStatus,
} from '../model/geodata.ts';
import { limits } from '../model/limits.ts';
import { systemClock } from '../model/process.ts';
import { hashFile } from '../storage/hash-file.ts';
import { checkWhole } from '../worker/geodata-tasks.ts';
import { startTestDaemon, tellTimeline, type TestDaemon } from './helpers/daemon.ts';
import { rounds } from './helpers/effort.ts';
import { valuesOf } from './helpers/fields.ts';
import {
  asBuiltin,
  damage,
  makeGeneration,
  manifestOf,
  placePartial,
  type TestGeneration,
} from './helpers/generations.ts';
import { gate } from './helpers/http-server.ts';
import { recordingLog } from './helpers/logs.ts';
import {
  cutAfter,
  json,
  redirect,
  send,
  serve,
  silence,
  stallAfter,
  startMisbehavingServer,
  type Script,
} from './helpers/misbehaving-server.ts';
import { startObjectRepository } from './helpers/object-repository.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';
import { answerWhen, until } from './helpers/until.ts';
import { testProgram } from './helpers/program.ts';
import { answering } from './helpers/local-server.ts';

interface SiteOptions {
  readonly manifest: GeodataManifest;
  readonly download?: HostedDownloadOptions;
  readonly check?: CheckWhole;
  /** Checks in a thread, as a daemon does. */
  readonly inThread?: boolean;
  readonly directory?: string;
  /** With real pauses between tries. */
  readonly waits?: boolean;
}

/** Geodata with a small builtin generation, in a daemon or by itself, which takes a tenth of the time. */
interface Site {
  /** What `GET /api/geodata` answers. */
  readonly readStatus: () => Promise<string>;
  readonly begin: (id: string) => Promise<unknown>;
  readonly cancel: () => Promise<unknown>;
  /** The town that only one generation knows. */
  readonly landmark: () => Promise<string | undefined>;
  /** `geodata` in the data directory. */
  readonly directory: string;
  readonly logged: string[];
  /** What a restart of the daemon leaves. */
  readonly reopen: () => Promise<Site>;
}

function overridesOf(t: ExecutionContext, options: SiteOptions): GeodataOverrides {
  const { manifest, check = checkWhole, inThread = false, waits, download } = options;
  const wait: HostedDownloadOptions['wait'] = async (_, signal) => signal?.throwIfAborted();
  return {
    manifest,
    builtinPath: asBuiltin(makeGeneration(temporaryDirectory(t), 'shipped')),
    ...(inThread ? {} : { check }),
    download: hostedDownload({ ...(waits ? {} : { wait }), ...download }),
  };
}

function openSite(t: ExecutionContext, options: SiteOptions): Site {
  const directory = options.directory ?? join(temporaryDirectory(t), 'geodata');
  const logged: string[] = [];
  const log = recordingLog(logged);
  const geodata = new Geodata({ directory, clock: systemClock, log }, overridesOf(t, options));
  geodata.start();
  t.teardown(() => geodata.close());
  return {
    readStatus: async () => JSON.stringify(await geodata.status()),
    begin: (id) => geodata.installer.install(id),
    cancel: async () => geodata.installer.cancel(),
    landmark: async () => nameOf((await geodata.places.find('landmark', 5, true)).places),
    directory,
    logged,
    async reopen() {
      await geodata.close();
      return openSite(t, { ...options, directory });
    },
  };
}

async function startSite(t: ExecutionContext, options: SiteOptions): Promise<DaemonSite> {
  const daemon = await startTestDaemon(t, {
    settings: { geocoder: 'offline' },
    options: { geodata: overridesOf(t, options) },
  });
  return siteOf(daemon);
}

interface DaemonSite extends Site {
  readonly daemon: TestDaemon;
  readonly reopen: () => Promise<DaemonSite>;
}

function siteOf(daemon: TestDaemon): DaemonSite {
  return {
    daemon,
    readStatus: async () => (await daemon.get('/api/geodata')).text,
    begin: (id) => daemon.call('POST', '/api/geodata/install', { generation_id: id }),
    cancel: () => daemon.call('DELETE', '/api/geodata/install'),
    landmark: async () => nameOf((await daemon.get('/api/suggest?q=landmark')).body.suggestions),
    directory: daemon.paths.geodata,
    logged: daemon.logged,
    reopen: async () => siteOf(await daemon.restart()),
  };
}

function nameOf([place]: readonly { readonly name: string }[]): string | undefined {
  return place?.name.split(',')[0];
}

/** The status; in none of all these tests does one hold an address, a path or a host. */
async function statusOf(t: ExecutionContext, site: Site): Promise<GeodataStatus> {
  const text = await site.readStatus();
  t.notRegex(text, /[/\\]|127\.0|localhost|example|club|owner|sqlite|partial|\.file|[0-9a-f]{12}/);
  return geodataStatusSchema.parse(JSON.parse(text));
}

async function untilOver(t: ExecutionContext, site: Site): Promise<InstallStatus> {
  const ask = async () => (await statusOf(t, site)).install;
  return answerWhen(ask, ({ state }) => state !== 'installing');
}

async function install(t: ExecutionContext, site: Site, { listed: { id } }: TestGeneration) {
  await site.begin(id);
  return untilOver(t, site);
}

/** The version of the data that a timeline is made with. */
async function timelineDataset(daemon: TestDaemon) {
  const period = { start_date: '2024-06-01', end_date: '2024-06-02' };
  const { dataset } = await tellTimeline(daemon, period);
  return dataset?.dataset_version;
}

/** The bytes of a generation, and what opens a site that gets it from a server of that script. */
function hostedFirst(t: ExecutionContext) {
  const first = makeGeneration(temporaryDirectory(t), 'first');
  const content = readFileSync(first.path);
  const opened = async (script: Script = {}, options: Partial<SiteOptions> = {}) => {
    const server = await startMisbehavingServer(t, { content, script });
    const manifest = at(manifestOf(first), server.url);
    return { server, site: openSite(t, { manifest, ...options }) };
  };
  return { first, content, opened };
}

const at = (manifest: GeodataManifest, ...endpoints: string[]): GeodataManifest => ({
  ...manifest,
  endpoints,
});

test('a generation goes from its maker over our object server to suggest and timelines, and stays', async (t) => {
  const directory = temporaryDirectory(t);
  const repository = await startObjectRepository(t);
  const generations = ['first', 'second', 'third'].map((id) => makeGeneration(directory, id));
  const [first, second, third] = generations as [TestGeneration, TestGeneration, TestGeneration];
  for (const { path } of [first, second]) {
    await repository.client.upload(path, await identifyFile(path));
  }
  const manifest = at(manifestOf(first, second, third), repository.url);
  const site = await startSite(t, { manifest, inThread: true });
  t.is(await site.landmark(), 'Landmark shipped');
  const size = first.listed.artifacts[0].size;
  t.deepEqual(await install(t, site, first), {
    state: 'installed',
    generation_id: 'first',
    progress: { artifact_index: 0, artifact_count: 1, bytes: size, total_bytes: size },
  });
  t.is(await site.landmark(), 'Landmark first');
  t.is(await timelineDataset(site.daemon), 'first version');
  t.false(existsSync(partialPath(site.directory, first.oid)));

  const again = await site.reopen();
  const restarted = await statusOf(t, again);
  t.like(restarted.current, { generation_id: 'first', bytes: size, builtin: false });
  t.false(restarted.current.degraded);
  t.truthy(restarted.current.verified_at);
  t.like(restarted.previous, { generation_id: 'shipped', builtin: true, valid: true });
  const there = restarted.available.filter(({ installed }) => installed);
  t.deepEqual(valuesOf(there, 'id'), ['shipped', 'first']);
  t.is(await again.landmark(), 'Landmark first');

  const kept = repository.pathOf(second.oid);
  const good = readFileSync(kept);
  chmodSync(kept, 0o600);
  damage(kept);
  t.like(await install(t, again, second), { state: 'failed', error: 'mismatch' });
  t.like(await install(t, again, third), { state: 'failed', error: 'not_found' });
  t.is(await again.landmark(), 'Landmark first');
  t.is(await timelineDataset(again.daemon), 'first version');
  t.like((await statusOf(t, again)).current, { generation_id: 'first', degraded: false });

  writeFileSync(kept, good);
  t.like(await install(t, again, second), { state: 'installed' });
  t.is(await again.landmark(), 'Landmark second');
  const { current, previous } = await statusOf(t, again);
  t.deepEqual([current.generation_id, previous.generation_id], ['second', 'first']);
});

test('a repository that is not public answers with its word', async (t) => {
  const repository = await startObjectRepository(t, { isPublic: false });
  const first = makeGeneration(temporaryDirectory(t), 'first');
  await repository.client.upload(first.path, await identifyFile(first.path));
  const site = openSite(t, { manifest: at(manifestOf(first), repository.url) });
  t.like(await install(t, site, first), { state: 'failed', error: 'unauthorized' });
  t.is(await site.landmark(), 'Landmark shipped');
});

type Ending = readonly [
  error: string,
  script: (content: Buffer, generation: TestGeneration) => Script,
  more?: {
    /** Requests for the content; as many as the script is about, unless told. */
    readonly gets?: number;
    /** Bytes that wait for another try. */
    readonly left?: number;
    readonly prepare?: (partial: string) => void;
  },
];

/** What a server says of an object, with a link to where it is not. */
const described = (oid: string, size: number) =>
  json(200, { oid, size, _links: { download: { href: 'http://127.0.0.1:1/' } } });

const endings: Readonly<Record<string, Ending>> = {
  'the server has never heard of it': [
    'not_found',
    () => ({ find: [json(404, { message: 'No.' })] }),
  ],
  'the server describes another one': [
    'mismatch',
    (content) => ({ find: [json(200, { oid: '0'.repeat(64), size: content.length })] }),
  ],
  'the link leads to a foreign host': [
    'mismatch',
    (content, { oid }) => ({ find: [described(oid, content.length)] }),
  ],
  'the server redirects to a foreign host': [
    'mismatch',
    () => ({ find: [redirect(307, 'https://example.org/')] }),
  ],
  'the content is redirected': ['mismatch', () => ({ get: [redirect(302, '/other')] })],
  'the server wants a password': ['unauthorized', () => ({ find: [json(401, {})] })],
  'the content is refused, with a new link too': [
    'unauthorized',
    () => ({ get: [send(403, ''), send(403, '')] }),
  ],
  'too many have asked': [
    'rate_limited',
    () => ({ find: [send(429, '', { 'retry-after': '601' })] }),
  ],
  'the server has given enough for today': ['rate_limited', () => ({ get: [send(509, '')] })],
  'the server is out of order': [
    'offline',
    () => ({ find: Array.from({ length: 4 }, () => send(503, '')) }),
  ],
  'wrong bytes come twice': [
    'mismatch',
    (content) => {
      const wrong = Buffer.from(content).fill(7, 5_000);
      return { get: [serve(wrong), serve(wrong)] };
    },
  ],
  'it breaks at the same place for ever': [
    'stalled',
    (content) => ({
      get: [cutAfter(content, 5_000), ...Array.from({ length: 3 }, () => cutAfter(content, 0))],
    }),
    { left: 5_000 },
  ],
  // Windows tells of a directory only when something is written.
  'there is a directory where it should go': [
    'io',
    () => ({}),
    {
      prepare: (partial) => mkdirSync(partial, { recursive: true }),
      gets: process.platform === 'win32' ? 1 : 0,
    },
  ],
  'the disk is full': [
    'disk_full',
    () => ({}),
    {
      prepare: (partial) => {
        mkdirSync(dirname(partial), { recursive: true });
        symlinkSync('/dev/full', partial);
      },
      gets: 1,
    },
  ],
};

test('a fetch that fails says why in one word, and the generation in use goes on', async (t) => {
  const { first, content, opened } = hostedFirst(t);
  const tries = Object.entries(endings).map(async ([title, [error, script, more = {}]]) => {
    if (title === 'the disk is full' && !existsSync('/dev/full')) return;
    const acts = script(content, first);
    const { server, site } = await opened(acts);
    const partial = partialPath(site.directory, first.oid);
    more.prepare?.(partial);
    const ended = await install(t, site, first);
    t.like(ended, { state: 'failed', generation_id: 'first', error }, title);
    t.is(await site.landmark(), 'Landmark shipped', title);
    t.is(server.of('get').length, more.gets ?? acts.get?.length ?? 0, title);
    t.is(server.of('other').length, 0, title);
    const stats = statSync(partial, { throwIfNoEntry: false });
    t.is(stats?.isFile() ? stats.size : undefined, more.left, title);
    for (const line of site.logged) t.notRegex(line, /127\.0\.0|example\.org|owner|Landmark/);
  });
  await Promise.all(tries);
});

test.serial('a server that falls silent is given up', async (t) => {
  const { first, content, opened } = hostedFirst(t);
  const scripts: [script: Script, left: number | undefined][] = [
    [{ find: [silence] }, undefined],
    [{ get: [stallAfter(content, 5_000)] }, 5_000],
  ];
  const tries = scripts.map(async ([script, left]) => {
    // The one wait that is real, long enough for a busy machine.
    const { site } = await opened(script, { download: { stallMs: 500, pausesMs: [] } });
    t.like(await install(t, site, first), { state: 'failed', error: 'stalled' });
    t.is(await site.landmark(), 'Landmark shipped');
    const partial = partialPath(site.directory, first.oid);
    t.is(existsSync(partial) ? statSync(partial).size : undefined, left);
  });
  await Promise.all(tries);
  t.is(limits.geodataStallMs, 30_000);
});

test('without a server, or with none that is there, a generation cannot be fetched', async (t) => {
  const first = makeGeneration(temporaryDirectory(t), 'first');
  for (const endpoints of [
    [],
    ['http://127.0.0.1:1/a/b'],
    ['http://localhost:1', 'http://[::1]:1'],
  ]) {
    const site = openSite(t, { manifest: at(manifestOf(first), ...endpoints) });
    t.like(await install(t, site, first), { state: 'failed', error: 'offline' });
    t.is(await site.landmark(), 'Landmark shipped');
  }
});

test('a generation of a format from the future is fetched, not put to use, and kept for a newer program', async (t) => {
  const { path, listed } = makeGeneration(temporaryDirectory(t), 'newer');
  const db = new Database(path);
  db.pragma('user_version = 99');
  db.close();
  const content = readFileSync(path);
  const { oid } = await identifyFile(path);
  const [artifact] = listed.artifacts;
  const newer: TestGeneration = {
    path,
    oid,
    listed: { ...listed, artifacts: [{ ...artifact, oid, size: content.length }] },
  };
  const server = await startMisbehavingServer(t, { content });
  const site = openSite(t, { manifest: at(manifestOf(newer), server.url) });
  t.like(await install(t, site, newer), { state: 'failed', error: 'unsupported_schema' });
  t.like(await install(t, site, newer), { state: 'failed', error: 'unsupported_schema' });
  t.is(server.of('get').length, 1, 'it is not fetched twice');
  t.is(await site.landmark(), 'Landmark shipped');
});

test('servers are asked in their order, and the best reason is told', async (t) => {
  const first = makeGeneration(temporaryDirectory(t), 'first');
  const content = readFileSync(first.path);
  const missing: Script = { find: [json(404, {})] };
  const wrong = Buffer.from(content).fill(7, 5_000);
  const scripts: [first: Script, second: Script, outcome: string][] = [
    [missing, {}, 'installed'],
    [{ get: [serve(wrong), serve(wrong)] }, {}, 'installed'],
    [{ get: [cutAfter(content, 9_000), send(404, '')] }, {}, 'installed'],
    [missing, missing, 'not_found'],
    [missing, { find: [send(401, '')] }, 'unauthorized'],
    [{ find: [send(401, '')] }, missing, 'unauthorized'],
  ];
  for (const [one, other, outcome] of scripts) {
    const servers = [
      await startMisbehavingServer(t, { content, script: one }),
      await startMisbehavingServer(t, { content, script: other }),
    ] as const;
    const manifest = at(manifestOf(first), ...servers.map(({ url }) => url));
    const site = openSite(t, { manifest });
    const { state, error } = await install(t, site, first);
    t.is<string, string>(error ?? state, outcome);
    t.true(servers[0].heard.length > 0);
    t.is(servers[1].of('find').length, 1);
    if (servers[0].of('get').length < 2 || one.get?.length !== 2) continue;
    const isKept = servers[0].of('get')[1]?.headers.range !== undefined;
    const went = servers[1].of('get')[0]?.headers.range;
    t.is(went, isKept ? 'bytes=9000-' : undefined, 'it goes on where the other one stopped');
  }
});

test('a link may lead from one server of the manifest to another', async (t) => {
  const first = makeGeneration(temporaryDirectory(t), 'first');
  const content = readFileSync(first.path);
  const storage = await startMisbehavingServer(t, { content });
  const object = { oid: first.oid, size: content.length };
  const find = [json(200, { ...object, _links: { download: { href: storage.contentUrl } } })];
  const server = await startMisbehavingServer(t, { script: { find } });
  const manifest = at(manifestOf(first), server.url, storage.url);
  const site = openSite(t, { manifest });
  t.is((await install(t, site, first)).state, 'installed');
  t.deepEqual([storage.of('find').length, storage.of('get').length], [0, 1]);
});

test('a download is seen to proceed, can be stopped at once, and goes on after a restart with no byte twice', async (t) => {
  const { first, content, opened } = hostedFirst(t);
  const size = content.length;
  const half = size >> 1;
  const { server, site } = await opened({ get: [stallAfter(content, half)] });
  await site.begin('first');
  const partial = partialPath(site.directory, first.oid);
  const active = await answerWhen(
    async () => (await statusOf(t, site)).install,
    ({ progress }) => progress.bytes > 0,
  );
  t.like(active, { state: 'installing', generation_id: 'first', phase: 'downloading' });
  t.like(active.progress, { artifact_index: 0, artifact_count: 1, total_bytes: size });
  t.true(active.progress.bytes <= half);
  await t.throwsAsync(async () => site.begin('first'), { message: /Another geodata install/ });
  await until(() => statSync(partial).size >= half);
  if (process.platform !== 'win32') t.is(statSync(partial).mode & 0o777, 0o600);
  await site.cancel();
  t.is((await untilOver(t, site)).state, 'cancelled');
  t.is(await site.landmark(), 'Landmark shipped');

  const again = await site.reopen();
  t.is(server.of('find').length, 1, 'nothing is fetched unless somebody asks');
  t.is((await install(t, again, first)).state, 'installed');
  t.deepEqual(
    server.of('get').map(({ headers }) => headers.range),
    [undefined, `bytes=${half}-`],
  );
  t.is(await again.landmark(), 'Landmark first');
});

test('an install can be cancelled at every step', async (t) => {
  const { content, opened } = hostedFirst(t);
  const checking = gate();
  const never: CheckWhole = (_, signal) => {
    checking.resolve();
    return new Promise((__, fail) => {
      signal.addEventListener('abort', () => fail(new Error('aborted')));
    });
  };
  const cases: [script: Script, check: CheckWhole | undefined][] = [
    [{ find: [silence] }, undefined],
    [{ find: [stallAfter(content, 10)] }, undefined],
    [{ get: [silence] }, undefined],
    [{}, never],
  ];
  for (const [script, check] of cases) {
    const { server, site } = await opened(script, check && { check });
    await site.begin('first');
    if (check !== undefined) await checking.promise;
    else await until(() => server.heard.length >= ('get' in script ? 2 : 1));
    await site.cancel();
    t.is((await untilOver(t, site)).state, 'cancelled');
    t.is((await statusOf(t, site)).current.generation_id, 'shipped');
  }
});

test('a pause before another try can be cancelled', async (t) => {
  const { opened } = hostedFirst(t);
  const script = { find: [send(429, '', { 'retry-after': '600' })] };
  const { server, site } = await opened(script, { waits: true });
  await site.begin('first');
  await until(() => server.heard.length > 0);
  await site.cancel();
  t.is((await untilOver(t, site)).state, 'cancelled');
});

test('a generation is fetched only where 64 MiB stay free beside what is still to come', async (t) => {
  const { first, content, opened } = hostedFirst(t);
  const size = content.length;
  const cases: [there: number, free: number, outcome: string][] = [
    [0, size + limits.geodataSpareBytes, 'installed'],
    [0, size + limits.geodataSpareBytes - 1, 'disk_full'],
    [1_000, size - 1_000 + limits.geodataSpareBytes, 'installed'],
    [1_000, size - 1_000 + limits.geodataSpareBytes - 1, 'disk_full'],
    [size + 5, size + limits.geodataSpareBytes, 'installed'],
    [size + 5, size + limits.geodataSpareBytes - 1, 'disk_full'],
  ];
  for (const [there, free, outcome] of cases) {
    const { server, site } = await opened({}, { download: { freeBytes: async () => free } });
    const left = Buffer.concat([content, content]).subarray(0, there);
    if (there > 0) placePartial(site.directory, first, left);
    const { state, error } = await install(t, site, first);
    t.is<string, string>(error ?? state, outcome, `${there} ${free}`);
    t.is(server.heard.length, outcome === 'installed' ? 2 : 0, 'nobody is asked in vain');
  }
});

test('unless asked to install, a daemon connects to nobody', async (t) => {
  let connections = 0;
  const server = createServer((_, response) => response.end());
  server.on('connection', () => (connections += 1));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const directory = temporaryDirectory(t);
  const [first, second] = [makeGeneration(directory, 'first'), makeGeneration(directory, 'second')];
  const manifest = at(manifestOf(first, second), `http://127.0.0.1:${port}/a/b`);
  const site = openSite(t, { manifest });
  placePartial(site.directory, second, readFileSync(second.path).subarray(0, 100));
  placePartial(site.directory, first);
  t.is((await install(t, site, first)).state, 'installed', 'what is here is not fetched');
  await site.landmark();
  const again = await site.reopen();
  await statusOf(t, again);
  await again.landmark();
  await t.throwsAsync(async () => again.begin('unknown'));
  t.is(connections, 0);
  await install(t, again, second);
  t.true(connections > 0);
});

test('killed at any moment of an install, the pointer names a whole generation, and what came in is not fetched again', async (t) => {
  const root = temporaryDirectory(t);
  const directory = join(root, 'geodata');
  const sources = temporaryDirectory(t);
  const generations = ['first', 'second', 'third'].map((id) => makeGeneration(sources, id));
  const contents = new Map(generations.map(({ oid, path }) => [oid, readFileSync(path)]));
  /** How far each one is in the file, as the first request after a kill must know. */
  const there = new Map<string, number>();
  let [kills, resumed, ends] = [0, 0, 0];
  const port = await answering(t, (request, response) => {
    const oid = request.url?.split('/').at(-1) ?? '';
    const content = contents.get(oid) ?? Buffer.alloc(0);
    if (request.url?.startsWith('/a/b/objects/')) {
      const href = `http://127.0.0.1:${port}/content/${oid}`;
      response.end(JSON.stringify({ oid, size: content.length, _links: { download: { href } } }));
      return;
    }
    const start = Number(/^bytes=(\d+)-$/u.exec(request.headers.range ?? '')?.[1] ?? 0);
    const left = there.get(oid) ?? 0;
    there.delete(oid);
    t.is(start, left, 'no byte is fetched twice');
    if (start > 0) resumed += 1;
    response.writeHead(start === 0 ? 200 : 206, {
      'content-length': content.length - start,
      'content-range': `bytes ${start}-${content.length - 1}/${content.length}`,
    });
    void sendSlowly(response, content.subarray(start));
  });
  const manifest = at(manifestOf(...generations), `http://127.0.0.1:${port}/a/b`);
  writeFileSync(join(root, 'manifest'), JSON.stringify(manifest));
  const program = testProgram('install-hosted-forever');
  for (; kills < rounds(4, 2); kills += 1) {
    const child = spawn(process.execPath, [program, root], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.teardown(() => child.kill('SIGKILL'));
    let printed = '';
    child.stdout.on('data', (piece: Buffer) => {
      printed += piece.toString();
    });
    // In the first install, or the second, or the third: anywhere within its some ten ms.
    const lines = 1 + 2 * (kills % 3);
    while (printed.split('\n').length <= lines) await once(child.stdout, 'data');
    await delay((kills * 7.3) % 31);
    child.kill('SIGKILL');
    await once(child, 'close');
    for (const line of printed.trimEnd().split('\n')) t.regex(line, /^(?:begun|installed) /);
    ends += printed.split('installed').length - 1;
    const files = new GenerationFiles(directory);
    const pointer = await files.readPointer();
    if (pointer === 'damaged') return t.fail(pointer);
    if (pointer !== undefined && pointer.oid !== null) {
      t.is(await hashFile(files.path(pointer)), pointer.oid);
    }
    for (const { oid, listed } of generations) {
      const partial = files.partialPath(oid);
      const size = existsSync(partial) ? statSync(partial).size : 0;
      there.set(oid, size === listed.artifacts[0].size ? 0 : size);
    }
  }
  t.log(`${kills} kills, ${ends} installs, ${resumed} resumed`);
  t.true(ends > 0);
});

/** So slowly that a kill meets it. */
async function sendSlowly(
  response: { write: (piece: Buffer) => boolean; end: () => unknown },
  content: Buffer,
): Promise<void> {
  for (let from = 0; from < content.length; from += 8_192) {
    response.write(content.subarray(from, from + 8_192));
    await delay(1);
  }
  response.end();
}
