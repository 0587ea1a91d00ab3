import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { WaypointService } from '../client/waypoints/index.ts';
import { emptyImport } from '../model/empty-import.ts';
import { importResultSchema } from '../model/import.ts';
import { recordedService } from './helpers/client.ts';

const camp = {
  name: 'Camp',
  lat: 42.1,
  lon: -8.3,
  bookmark: true,
  tags: ['home', { raw: '**', emoji: '⭐', name: 'star', display: '⭐⭐', normal: '**' }],
};
const { tags: _tags, ...untagged } = camp;
const home = { raw: 'home', display: 'home' };
const stars = camp.tags[1];

/** What a method answers without a daemon, and what it would have asked; its signals are those that it has with one. */
type Simulated = readonly [
  title: string,
  ask: (service: WaypointService) => Promise<unknown>,
  kind: string,
  result: unknown,
];

const noImport = emptyImport('/tracks');
const unknown = 'unknown';
const noVersion = {
  api: 1,
  features: [],
  runtime: { name: unknown, version: unknown },
  platform: { os: unknown, arch: unknown, release: unknown },
  module: { name: unknown, version: unknown },
  sqlite: unknown,
};
const base = { ...camp, name: 'Base', tags: [home, stars] };

/** The rows of the specification's list, in its order. */
const simulated: readonly Simulated[] = [
  ['waypoints are none', (service) => service.getWaypoints(), 'GET /api/waypoints', []],
  ['clusters are none', (service) => service.getClusters(3, 60, true), 'GET /api/clusters', []],
  [
    'suggestions are none',
    (service) => service.suggest('ca'),
    'GET /api/suggest',
    { query: 'ca', suggestions: [] },
  ],
  [
    'recent searches are none',
    (service) => service.getRecentSearches(),
    'GET /api/recent_suggest',
    { queries: [], entries: [] },
  ],
  ['distinct tags are none', (service) => service.fetchDistinctTags(), 'GET /api/tags', []],
  [
    'fetchTags gives the tags that are on the waypoint, as objects',
    (service) => service.fetchTags(camp),
    'GET /api/tags',
    [home, stars],
  ],
  [
    'fetchTags of a waypoint without tags gives none',
    (service) => service.fetchTags(untagged),
    'GET /api/tags',
    [],
  ],
  [
    'a bookmark that is added comes back as one',
    (service) => service.addWaypoint({ name: 'New', lat: 1, lon: 2, tags: ['home'] }),
    'POST /api/bookmarks',
    { name: 'New', lat: 1, lon: 2, bookmark: true, tags: [home] },
  ],
  [
    'a bookmark that is deleted is gone',
    (service) => service.deleteWaypoint(camp),
    'DELETE /api/bookmarks',
    camp,
  ],
  [
    'a bookmark that is renamed has the new name and the rest',
    (service) => service.renameWaypoint(camp, 'Base'),
    'PATCH /api/bookmarks',
    base,
  ],
  [
    'a tag that is added stands behind the others, and is not enriched',
    (service) => service.addTag(camp, 'beach'),
    'POST /api/tags',
    [home, stars, { raw: 'beach', display: 'beach' }],
  ],
  [
    'a tag that is there already is there once',
    (service) => service.addTag({ ...untagged, tags: ['home'] }, 'home'),
    'POST /api/tags',
    [home],
  ],
  [
    'a tag that is deleted is missing, the others stay',
    (service) => service.deleteTag(camp, 'home'),
    'DELETE /api/tags',
    [stars],
  ],
  [
    'an import counts nothing',
    (service) => service.importGpxDirectory({ dir: '/tracks', recursive: true }),
    'POST /api/import',
    noImport,
  ],
  [
    'a search that is recorded is not stored',
    (service) => service.recordHistory('ca', 1, 2),
    'POST /api/history',
    { stored: 0, multiple: false },
  ],
  ['the version is unknown', (service) => service.getVersion(), 'GET /api/version', noVersion],
];

test('an empty result is a whole one, and says of nothing that there is some', (t) => {
  t.deepEqual(importResultSchema.parse(noImport), noImport);
  const { dir, imported, formats, ...rest } = noImport;
  t.deepEqual([dir, imported, formats], ['/tracks', false, {}]);
  t.true(
    Object.values(rest).every(
      (value) => value === 0 || (Array.isArray(value) && value.length === 0),
    ),
  );
});

for (const [title, ask, kind, result] of simulated) {
  test(`offline: ${title}`, async (t) => {
    const { service, taken } = recordedService(t, { apiPort: -1 });
    t.deepEqual(await ask(service), result);
    t.deepEqual(taken().at(-1)?.slice(0, 3), ['requestSucceeded', `${kind} (offline)`, result]);
  });
}

test('offline: the location is (0, 0)', async (t) => {
  const { service, taken } = recordedService(t, { apiPort: -1 });
  const fix = await service.getLocation();
  t.like(fix, { lat: 0, lon: 0, accuracy_m: 0, source: 'offline' });
  t.deepEqual(taken().slice(0, 2), [['locationFetchStarted'], ['locationFetched', fix]]);
});

test('offline: request() succeeds with null, and a rename without a change still fails', async (t) => {
  const { service, taken } = recordedService(t, { apiPort: -1 });
  t.is(await service.request('/api/x?y=1', { method: 'DELETE', context: 'c' }), null);
  t.deepEqual(taken(), [['requestSucceeded', 'DELETE /api/x (offline)', null, 'c']]);
  await t.throwsAsync(service.renameWaypoint(camp, 'Camp'), { message: 'no change' });
  t.deepEqual(taken()[0], ['waypointRenameFailed', camp, 'Camp', 'no change']);
});

test('offline: nothing is sent, whatever base and token are set, and a port set later ends it', async (t) => {
  let requests = 0;
  const { service } = recordedService(t, {
    apiPort: -1,
    apiBase: 'http://127.0.0.1:9',
    apiToken: 'x',
    renewAccess: async () => {
      requests += 1;
      return undefined;
    },
  });
  for (const [, ask] of simulated) await ask(service);
  t.is(requests, 0);
  service.apiPort = 0;
  await t.throwsAsync(service.getWaypoints());
});

test('the outcome comes after the method has returned, the start before', async (t) => {
  const { service, taken } = recordedService(t, { apiPort: -1 });
  const loaded = service.getWaypoints();
  t.deepEqual(taken(), [['waypointsLoadStarted']]);
  await loaded;
  t.is(taken().length, 2);
  const renamed = service.renameWaypoint(camp, '');
  t.deepEqual(taken(), []);
  await t.throwsAsync(renamed, { message: 'no change' });
  t.is(taken().length, 2);
});

test('docs/client.md has a row for every method and names every signal', (t) => {
  const text = readFileSync(join(import.meta.dirname, '..', 'docs', 'client.md'), 'utf8');
  const rows = [...text.matchAll(/^\| `(\w+)\(/gmu)].map(([, name = '']) => name);
  const service = new WaypointService({ apiPort: -1 });
  const fields = Object.entries(service).filter(([, value]) => typeof value === 'function');
  const own = Object.getOwnPropertyNames(WaypointService.prototype);
  const methods = [
    ...own.filter((name) => name !== 'constructor'),
    ...fields.map(([name]) => name),
    'request',
  ];
  t.deepEqual(rows.toSorted(), methods.toSorted());
  const folder = join(import.meta.dirname, '../client/waypoints');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const source = files
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(folder, file), 'utf8'));
  // As they are handed to emit(): a name in front of its arguments.
  const signals = [...source.join('').matchAll(/\['([a-z]+[A-Z]\w*)',/gu)].map(([, name]) => name);
  t.true(signals.length > 100);
  for (const name of signals) t.true(text.includes(`\`${name}\``), name);
});
