import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { chromium, startChromium, type Chromium, type Page } from '../helpers/chromium.ts';
import { untilPrinted } from '../helpers/cli.ts';
import { startTestDaemon, temporaryDirectory, type TestDaemon } from '../helpers/daemon.ts';
import { gpx, writeTree } from '../helpers/imports.ts';

const root = resolve(import.meta.dirname, '..', '..');
const run = promisify(execFile);

function testBrowser(title: string, body: (t: ExecutionContext) => Promise<void>): void {
  if (chromium !== undefined) test(title, body);
  else test.skip(`${title} (skipped: no chromium)`, body);
}

/** The package as it is installed, as far as user interfaces use it, with the example beside it. */
async function installPackage(directory: string): Promise<string> {
  const installed = join(directory, 'node_modules', 'waypointd');
  mkdirSync(installed, { recursive: true });
  cpSync(join(root, 'package.json'), join(installed, 'package.json'));
  symlinkSync(join(root, 'node_modules', 'zod'), join(directory, 'node_modules', 'zod'));
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

let browser: Chromium;
let directory: string;
let example: string;

if (chromium !== undefined) {
  test.before(async () => {
    browser = startChromium();
    directory = mkdtempSync(join(tmpdir(), 'waypointd-test-'));
    example = await installPackage(directory);
  });
  test.after.always(async () => {
    await browser.close();
    rmSync(directory, { recursive: true, force: true });
  });
}

interface Served {
  readonly daemon: TestDaemon;
  readonly page: Page;
  /** Of the example's server, without its key. */
  readonly origin: string;
}

/** A daemon, the example's server in front of it, and its page in a browser. */
async function openExample(t: ExecutionContext): Promise<Served> {
  const daemon = await startTestDaemon(t, { options: { handOver: true } });
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
  const page = await browser.open(address);
  await page.until('document.querySelector("#status")?.textContent === "0 waypoints"');
  return { daemon, page, origin };
}

testBrowser("the example's page shows, adds, finds and deletes waypoints", async (t) => {
  const { daemon, page, origin } = await openExample(t);
  await daemon.call('POST', '/api/bookmarks', { name: '<b>Camp</b>', lat: 1, lon: 2 });
  t.is(await page.evaluate('location.href'), `${origin}/`, 'the key has left the address');
  await page.evaluate(`
    const form = document.querySelector('#add');
    form.elements.name.value = 'Çeşme';
    form.elements.lat.value = '38.3';
    form.elements.lon.value = '26.3';
    form.requestSubmit();
  `);
  await page.until('document.querySelectorAll("waypoint-list li").length === 2');
  t.is(await page.evaluate('document.querySelectorAll("waypoint-list b").length'), 0);
  await page.evaluate(`
    const search = document.querySelector('#search');
    search.elements.query.value = 'ces';
    search.elements.query.dispatchEvent(new Event('input', { bubbles: true }));
  `);
  await page.until('document.querySelectorAll("waypoint-list li").length === 1');
  t.regex(
    await page.evaluate<string>('document.querySelector("waypoint-list").textContent'),
    /Çeşme/u,
  );
  await page.evaluate('api.getWaypoints()');
  await page.evaluate('document.querySelector("waypoint-list button").click()');
  await page.until('document.querySelectorAll("waypoint-list li").length === 1');
  t.is((await daemon.get('/api/waypoints')).body.length, 1);
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
    const foreign = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<title>foreign</title>');
    }).listen(0, '127.0.0.1');
    await once(foreign, 'listening');
    t.teardown(() => {
      foreign.closeAllConnections();
      foreign.close();
    });
    const { port } = foreign.address() as AddressInfo;
    const evil = await browser.open(`http://localhost:${port}/`);
    await evil.until('document.title === "foreign"');
    const key = await page.evaluate<string>('sessionStorage.getItem("key")');
    const body = JSON.stringify({ name: 'Planted', lat: 1, lon: 2 });
    for (const [base, token] of [
      [origin, key],
      [daemon.url, daemon.token],
    ]) {
      const url = `${base}/api/bookmarks`;
      const results = await evil.evaluate<string[]>(`(async () => {
      const attempts = [
        { method: 'POST', body: ${JSON.stringify(body)}, mode: 'no-cors' },
        { method: 'POST', body: ${JSON.stringify(body)},
          headers: { 'content-type': 'application/json', authorization: 'Bearer ${token}' } },
        { headers: { authorization: 'Bearer ${token}' } },
      ];
      const results = [];
      for (const options of attempts) {
        const answer = await fetch(${JSON.stringify(url)}, options).catch(() => ({ type: 'blocked' }));
        results.push(answer.type);
      }
      return results;
    })()`);
      t.deepEqual(results, ['blocked', 'blocked', 'blocked'], base);
    }
    t.deepEqual((await daemon.get('/api/waypoints')).body, []);
  },
);
