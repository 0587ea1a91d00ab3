/** `waypointd map` as a program: how the browser gets its address, beside which daemon it works, and how it ends. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { sessionHeader } from '../map/session-header.ts';
import { testCli, untilPrinted, type TestCli } from './helpers/cli.ts';
import { startTestDaemon } from './helpers/daemon.ts';
import { waterWorld } from './helpers/map-page.ts';
import { until } from './helpers/until.ts';
import { testUnless } from './helpers/where.ts';

const page = join(import.meta.dirname, '..', 'dist', 'map', 'index.html.gz');
const built = testUnless(existsSync(page) ? undefined : 'the page is not built');
/** Where xdg-open is what opens files. */
const linux = testUnless(
  process.platform !== 'linux'
    ? 'not Linux'
    : existsSync(page)
      ? undefined
      : 'the page is not built',
);
const sameOrigin = { 'sec-fetch-site': 'same-origin' };

/** Puts a browser first on the path that notes what it was given, and what every process of this machine shows. */
function fakeBrowser({ root, env }: TestCli) {
  const bin = join(root, 'bin');
  mkdirSync(bin);
  const program = join(bin, 'xdg-open');
  writeFileSync(
    program,
    `#!/bin/sh
stat -c %a "$1" >"${root}/mode"
cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\000' ' ' >"${root}/shown"
cp "$1" "${root}/redirect"
echo "$@" >"${root}/words.new"
mv "${root}/words.new" "${root}/words"
`,
  );
  chmodSync(program, 0o700);
  const read = (name: string): string => readFileSync(join(root, name), 'utf8').trim();
  return {
    // The package that opens files brings an xdg-open of its own, which takes what BROWSER names.
    env: { PATH: bin + delimiter + env['PATH'], BROWSER: program },
    opened: () => until(() => existsSync(join(root, 'words'))),
    read,
    address: () => new URL(/url=([^"]+)"/u.exec(read('redirect'))?.[1] ?? ''),
  };
}

async function trade({ origin, hash }: URL): Promise<Record<string, string>> {
  const answer = await fetch(`${origin}/session`, {
    method: 'POST',
    headers: { ...sameOrigin, 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({ code: hash.slice(1) }),
  });
  const { secret } = (await answer.json()) as { secret: string };
  return { ...sameOrigin, [sessionHeader]: secret, connection: 'close' };
}

function redirects({ root }: TestCli): string[] {
  return readdirSync(join(root, 'run')).filter((name) => name.startsWith('map-'));
}

async function printedAddress(child: ReturnType<TestCli['start']>): Promise<URL> {
  const [address] = await untilPrinted(child.stdout, /http:\S+#\S+/u);
  return new URL(address);
}

linux('the browser is sent to a private file, which goes once it was used', async (t) => {
  const cli = testCli(t);
  const browser = fakeBrowser(cli);
  const left = join(cli.root, 'run', 'map-0123456789abcdef.html');
  mkdirSync(join(cli.root, 'run'), { recursive: true, mode: 0o700 });
  writeFileSync(left, 'of a command that was killed');
  utimesSync(left, 0, 0);
  const child = cli.start(['map'], { env: browser.env });
  const ended = once(child, 'exit');
  const said = text(child.stderr ?? process.stdin);
  await browser.opened();
  const [file, ...others] = redirects(cli);
  t.deepEqual(others, [], 'what another has left is gone');
  t.is(browser.read('words'), join(cli.root, 'run', file ?? ''));
  t.is(browser.read('mode'), '600');
  const address = browser.address();
  const code = address.hash.slice(1);
  t.regex(code, /^[\w-]{43}$/u);
  t.true(browser.read('shown').includes(String(file)), 'the arguments of all programs were seen');
  t.false(browser.read('shown').includes(code));
  const headers = await trade(address);
  await until(() => redirects(cli).length === 0);
  t.is((await fetch(`${address.origin}/api/waypoints`, { headers })).status, 200);
  const html = await fetch(address.origin, { headers: { connection: 'close' } });
  t.regex(await html.text(), /<script type="module" src="\/main\.js">/u);
  child.kill('SIGINT');
  t.deepEqual(await ended, [0, null]);
  t.false((await said).includes(code));
});

linux('a file that was never used goes with the map', async (t) => {
  const cli = testCli(t);
  const browser = fakeBrowser(cli);
  const child = cli.start(['map'], { env: browser.env });
  const ended = once(child, 'exit');
  await browser.opened();
  await untilPrinted(child.stderr, /Ctrl-C/u);
  t.is(redirects(cli).length, 1);
  child.kill('SIGTERM');
  t.deepEqual(await ended, [0, null]);
  t.deepEqual(redirects(cli), []);
});

built(
  'without a daemon the map runs one, which other commands find; both end together',
  async (t) => {
    const cli = testCli(t);
    const child = cli.start(['map', '--no-open']);
    const ended = once(child, 'exit');
    const address = await printedAddress(child);
    const headers = await trade(address);
    await cli.out(['bookmark', 'add', 'Camp', '1,2']);
    const list = await fetch(`${address.origin}/api/waypoints`, { headers });
    t.like(await list.json(), [{ name: 'Camp', lat: 1, lon: 2 }]);
    child.kill('SIGTERM');
    if (process.platform === 'win32') return; // Ended at once: no signal can be handled there.
    t.deepEqual(await ended, [0, null]);
    t.false(existsSync(join(cli.root, 'run', 'daemon.json')));
  },
);

built('a street map is checked, set, and said what it covers', async (t) => {
  const cli = testCli(t);
  const file = join(cli.root, 'home.pmtiles');
  const use = () => cli.run(['map', 'basemap', file]);
  const whole = waterWorld();
  const pictures = Buffer.from(whole);
  pictures[99] = 2;
  const refused: readonly (readonly [content: Buffer, why: RegExp])[] = [
    [Buffer.from('PK'), /is not a PMTiles archive/u],
    [whole.subarray(0, -1), /damaged, or did not arrive whole/u],
    [whole.subarray(0, 130), /damaged, or did not arrive whole/u],
    [pictures, /has pictures instead of vectors/u],
    [waterWorld('{"vector_layers":[{"id":"transportation"}]}'), /none of the layers of Protomaps/u],
  ];
  for (const [content, why] of refused) {
    writeFileSync(file, content);
    const { code, stderr } = await use();
    t.regex(stderr, why);
    t.is(code, 78);
    t.is(await cli.out(['config', 'get', 'basemap']), '');
  }
  writeFileSync(file, waterWorld('{"vector_layers":[{"id":"water"}]}'));
  const { code, stdout } = await use();
  t.is(code, 0);
  t.regex(
    stdout,
    /home\.pmtiles is the street map .* kB, zoom 0 to 0, 85\.00° S to 85\.00° N and/u,
  );
  t.is((await cli.out(['config', 'get', 'basemap'])).trim(), file);
});

built('beside a daemon the map uses that one, also after it was started anew', async (t) => {
  const cli = testCli(t);
  const daemon = await startTestDaemon(t, { root: cli.root, options: { handOver: true } });
  const windows = [];
  for (const child of [1, 2].map(() => cli.start(['map', '--no-open']))) {
    const address = await printedAddress(child);
    const headers = await trade(address);
    t.is((await fetch(`${address.origin}/api/version`, { headers })).status, 200);
    windows.push({ url: `${address.origin}/api/waypoints`, headers });
  }
  t.not(windows[0]?.url, windows[1]?.url, 'each call has its own');
  const next = await daemon.restart();
  await next.call('POST', '/api/bookmarks', { name: 'Camp', lat: 1, lon: 2 });
  for (const { url, headers } of windows) {
    const list = await fetch(url, { headers });
    t.like(await list.json(), [{ name: 'Camp' }]);
  }
});

built('the map takes the port and the street map that it is told, or says why not', async (t) => {
  const cli = testCli(t);
  const free = createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const port = String((free.address() as AddressInfo).port);
  const taken = await cli.run(['map', '--no-open', '--port', port]);
  t.is(taken.code, 75);
  t.is(taken.stderr.split('\n').at(-2)?.includes(`Port ${port} cannot be had`), true);
  free.close();
  await once(free, 'close');
  writeFileSync(join(cli.root, 'area.pmtiles'), 'PMTiles\u0003');
  const child = cli.start(['map', '--no-open', '--port', port, '--basemap', 'area.pmtiles']);
  const address = await printedAddress(child);
  t.is(address.port, port);
  const headers = { ...(await trade(address)), range: 'bytes=0-6' };
  const answer = await fetch(`${address.origin}/basemap.pmtiles`, { headers });
  t.is(await answer.text(), 'PMTiles');
  const wrong = await cli.run(['map', '--no-open', '--basemap', 'absent.pmtiles']);
  t.is(wrong.code, 78);
  t.regex(wrong.stderr, /absent\.pmtiles cannot be opened/u);
});

built('the page of the map is at most 700 kB as it is sent', (t) => {
  const files = readdirSync(dirname(page)).filter((name) => name.endsWith('.gz'));
  const bytes = files.reduce((sum, name) => sum + statSync(join(dirname(page), name)).size, 0);
  t.log(`${files.length} files, ${Math.round(bytes / 1_000)} kB`);
  t.true(bytes > 0 && bytes <= 700_000, `${bytes} bytes`);
});

built('the base map of the page is at most 3 MB as it is sent', (t) => {
  const directory = join(dirname(page), 'basemap');
  const files = existsSync(directory) ? readdirSync(directory) : [];
  const bytes = files.reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);
  t.log(`${files.length} files, ${Math.round(bytes / 1_000)} kB`);
  t.true(bytes <= 3_000_000, `${bytes} bytes`);
});
