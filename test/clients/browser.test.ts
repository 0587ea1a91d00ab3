import { execFile, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import type { Browser } from 'playwright-core';
import { untilPrinted } from '../helpers/cli.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { openForeignPages, tryToReadAndWrite } from '../helpers/foreign-page.ts';
import { gpx, writeTree } from '../helpers/imports.ts';
import { hasChromium, pixelsOf, startBrowser } from '../helpers/map-page.ts';
import { temporaryDirectory } from '../helpers/temporary-directory.ts';
import { testWith } from '../helpers/where.ts';

const root = resolve(import.meta.dirname, '..', '..');
const run = promisify(execFile);

const testBrowser = testWith(hasChromium, 'no chromium');

/** The package as it is installed, as far as user interfaces use it, with the example beside it. */
async function installPackage(directory: string): Promise<string> {
  const installed = join(directory, 'node_modules', 'waypointd');
  mkdirSync(installed, { recursive: true });
  cpSync(join(root, 'package.json'), join(installed, 'package.json'));
  for (const name of ['zod', 'maplibre-gl']) {
    symlinkSync(join(root, 'node_modules', name), join(directory, 'node_modules', name));
  }
  const config = join(directory, 'tsconfig.json');
  const files = ['index.ts', 'node/index.ts'].map((file) => join(root, 'client/waypoints', file));
  writeFileSync(
    config,
    JSON.stringify({
      extends: join(root, 'tsconfig.build.json'),
      compilerOptions: {
        outDir: join(installed, 'dist'),
        rootDir: root,
        typeRoots: [join(root, 'node_modules', '@types')],
      },
      files,
      include: [],
    }),
  );
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  await run(process.execPath, [tsc, '-p', config]);
  const example = join(directory, 'web');
  cpSync(join(root, 'examples', 'web'), example, { recursive: true });
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
  return example;
}

let browser: Browser;
let directory: string;
let example: string;

if (hasChromium) {
  test.before(async () => {
    browser = await startBrowser();
    directory = mkdtempSync(join(tmpdir(), 'waypointd-test-'));
    example = await installPackage(directory);
  });
  test.after.always(async () => {
    await browser.close();
    rmSync(directory, { recursive: true, force: true });
  });
}

/** A daemon, the example's server in front of it, and its page in a browser. */
async function openExample(t: ExecutionContext, fill?: (daemon: TestDaemon) => Promise<unknown>) {
  const daemon = await startTestDaemon(t, { options: { handOver: true } });
  await fill?.(daemon);
  const server = spawn(process.execPath, [join(example, 'server.js'), '0'], {
    env: {
      ...process.env,
      WAYPOINTD_DATA_DIR: join(daemon.root, 'data'),
      WAYPOINTD_RUNTIME_DIR: join(daemon.root, 'run'),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => server.kill('SIGKILL'));
  const [address, origin = ''] = await untilPrinted(server.stdout, /(http:\S+)\/#\S+/u);
  const context = await browser.newContext({ viewport: { width: 640, height: 480 } });
  t.teardown(() => context.close());
  const page = await context.newPage();
  await page.goto(address);
  await page.getByText('places and clusters').waitFor();
  return {
    daemon,
    page,
    /** Of the example's server, without its key. */
    origin,
  };
}

testBrowser("the example's page shows tiles and clusters", async (t) => {
  const { page, origin } = await openExample(t, async (daemon) => {
    await daemon.call('POST', '/api/import', { dir: join(root, 'fixtures', 'journey') });
    for (const name of ['a', 'b']) {
      await daemon.call('POST', '/api/bookmarks', { name, lat: 41.15, lon: -8.61 });
    }
  });
  t.is(page.url(), `${origin}/`, 'the key has left the address');
  const all = { x: 0, y: 60, width: 640, height: 420 };
  const isShown = async () =>
    (await pixelsOf(page, 'red === 204 && green === 51 && blue === 51', all)) > 20 &&
    (await pixelsOf(page, 'red === 0 && green === 85 && blue === 153', all)) > 20;
  let tries = 0;
  while (!(await isShown()) && tries < 40) tries += 1;
  t.true(tries < 40, 'lines of tracks and circles of clusters');
  const status = page.getByRole('status');
  const before = await status.innerText();
  await page.locator('canvas').press('Minus');
  // Each move asks anew: fewer of them are left on a smaller map.
  await status.filter({ hasNotText: before }).waitFor();
  t.true(Number.parseInt(await status.innerText(), 10) < Number.parseInt(before, 10));
});

testBrowser('the service layer works in a page as it does elsewhere', async (t) => {
  const { page } = await openExample(t);
  const dir = temporaryDirectory(t);
  writeTree(dir, { 'a.gpx': gpx([['Porto', 41.1, -8.6]]) });
  const seen = await page.evaluate<Record<string, unknown>>(`(async () => {
    const seen = {};
    const signals = [];
    for (const name of ['tagAdded', 'importCompleted', 'locationFetched', 'requestFailed'])
      api.subscribe(name, (...args) => signals.push([name, args.length]));
    const summary = await api.importGpxDirectory({ dir: ${JSON.stringify(dir)}, recursive: false });
    seen.files = summary.files;
    const [porto] = await api.getWaypoints();
    seen.name = porto.name;
    seen.tags = (await api.addTag(porto, 'home')).map(({ display }) => display);
    seen.distinct = (await api.fetchDistinctTags()).length;
    seen.clusters = (await api.getClusters(3, 60)).length;
    seen.tile = (await api.getTile({ z: 0, x: 0, y: 0 })) instanceof Uint8Array;
    await api.recordHistory('porto', porto.lat, porto.lon);
    seen.recent = (await api.getRecentSearches(3)).queries;
    seen.fix = await api.getLocation();
    seen.module = (await api.getVersion()).module.name;
    seen.refused = await api.renameWaypoint(porto, 'X').catch((error) => error.message.slice(0, 8));
    seen.outside = await api.request('//127.0.0.1/x').catch((error) => error.message.slice(0, 10));
    api.apiPort = -1;
    seen.offline = await api.getWaypoints();
    seen.signals = signals;
    return seen;
  })()`);
  t.deepEqual(seen, {
    files: 1,
    name: 'Porto',
    tags: ['🏠 home'],
    distinct: 1,
    clusters: 1,
    tile: true,
    recent: ['porto'],
    fix: null,
    module: 'waypointd',
    refused: 'HTTP 404',
    outside: 'send error',
    offline: [],
    signals: [
      ['importCompleted', 2],
      ['tagAdded', 5],
      ['locationFetched', 1],
      ['requestFailed', 3],
      ['requestFailed', 3],
    ],
  });
});

testBrowser(
  'pages of other origins reach neither the daemon nor, through the example, its data',
  async (t) => {
    const { daemon, page, origin } = await openExample(t);
    const key = await page.evaluate<string>('sessionStorage.getItem("key")');
    for (const foreign of await openForeignPages(t, browser)) {
      for (const [base, token] of [
        [origin, key],
        [daemon.url, daemon.token],
      ] as const) {
        const got = await tryToReadAndWrite(foreign, base, { authorization: `Bearer ${token}` });
        t.deepEqual(new Set(got), new Set(['blocked']), base);
      }
    }
    t.deepEqual((await daemon.get('/api/waypoints')).body, []);
    const own = await tryToReadAndWrite(page, origin, { authorization: `Bearer ${key}` });
    t.deepEqual(own, [200, 401, 401, 201, 401, 201], 'what the page itself may');
  },
);

testBrowser("the example gives out its page's files and no others", async (t) => {
  const { origin } = await openExample(t);
  const paths = [
    '//etc/x.js',
    '/server.js',
    '/waypointd/cli/main.js',
    '/maplibre-gl/../zod/index.js',
  ];
  paths.push(`/maplibre-gl/${join(example, 'server.js')}`, `/waypointd/model/${example}/server.js`);
  for (const path of paths) t.is((await fetch(origin + path)).status, 404, path);
});
