import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { ExecutionContext } from 'ava';
import { chromium as engine, type Browser, type Page } from 'playwright-core';
import { startTestDaemon, type TestDaemon } from './daemon.ts';
import { importTree } from './imported-files.ts';
import { accessOf, startTestMap } from './map-server.ts';

const program = ['chromium', 'chromium-browser', 'google-chrome']
  .map((name) => spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim())
  .find((file) => file !== '');
/** Whether there is a browser to test with. */
export const hasChromium = program !== undefined;

/** Starts a browser without a window, whose pictures are made in software. */
export function startBrowser(): Promise<Browser> {
  return engine.launch({
    executablePath: program ?? '',
    // The sandbox needs what root in a container has not; the pages here are ours.
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
  });
}

export interface MapPageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
  /** A street map of the user's own. */
  readonly basemap?: string;
  /** Imported before the page is opened. */
  readonly files?: Readonly<Record<string, string>>;
  /** Called before the page is opened. */
  readonly fill?: (daemon: TestDaemon) => Promise<unknown>;
  /** A script that runs in the page before its own. */
  readonly before?: string;
}

/** A daemon, the map's server in front of it with the page as it was built, and that page in a tab of its own. */
export async function openMap(
  t: ExecutionContext,
  browser: Browser,
  { width = 1_280, height = 800, dark = false, basemap, files, fill, before }: MapPageOptions = {},
) {
  const daemon = await startTestDaemon(t);
  if (files !== undefined) await importTree(daemon, files);
  await fill?.(daemon);
  /** The one that is running: a test may start another. */
  const opened = { daemon };
  const map = await startTestMap(t, {
    pageDirectory: join(import.meta.dirname, '..', '..', 'dist', 'map'),
    findDaemon: () => Promise.resolve(accessOf(opened.daemon)),
    basemap,
  });
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: dark ? 'dark' : 'light',
    locale: 'en-GB',
    reducedMotion: 'reduce',
  });
  t.teardown(() => context.close());
  const page = await context.newPage();
  if (before !== undefined) await page.addInitScript(before);
  // Far beyond what anything takes: it is no measure, but ends what hangs before ava does.
  page.setDefaultTimeout(100_000);
  /** Addresses of all requests of the page. */
  const asked: string[] = [];
  /** What the page's own code has thrown, or the browser has refused. */
  const complaints: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    const isBad = message.type() === 'warning' || message.type() === 'error';
    if (isBad) complaints.push(`${message.text()} ${message.location().url}`);
  });
  await page.goto(map.newAddress());
  const origin = `http://127.0.0.1:${map.port}`;
  return Object.assign(opened, { page, origin, map, asked, complaints });
}

export type OpenedMap = Awaited<ReturnType<typeof openMap>>;

/** How many pixels of a part of the page are of a colour: an expression of `red`, `green` and `blue`. */
export async function pixelsOf(page: Page, colour: string, clip: Clip): Promise<number> {
  return (await lookFor(page, colour, clip)).count;
}

/** The lowest pixel of a colour in a part of the page, as a pointer has it; undefined where there is none. */
export async function lowestOf(page: Page, colour: string, clip: Clip) {
  const { count, x, y } = await lookFor(page, colour, clip);
  return count === 0 ? undefined : ([clip.x + x, clip.y + y] as const);
}

async function lookFor(page: Page, colour: string, clip: Clip) {
  const picture = (await page.screenshot({ clip })).toString('base64');
  // In a page without a policy: that of ours lets nothing be evaluated.
  const tab = await page.context().newPage();
  const found = await tab.evaluate<{ count: number; x: number; y: number }>(`(async () => {
    const bytes = Uint8Array.from(atob('${picture}'), (letter) => letter.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes]));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    canvas.drawImage(bitmap, 0, 0);
    const { data } = canvas.getImageData(0, 0, bitmap.width, bitmap.height);
    let [count, last] = [0, 0];
    for (let at = 0; at < data.length; at += 4) {
      const [red, green, blue] = data.subarray(at);
      if (!(${colour})) continue;
      count += 1;
      last = at / 4;
    }
    return { count, x: last % bitmap.width, y: Math.floor(last / bitmap.width) };
  })()`);
  await tab.close();
  return found;
}

interface Clip {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A PMTiles archive of one tile: the whole world is water. */
export function waterWorld(about = '{}'): Buffer {
  const ring = [9, 0, 0, 26, 8192, 0, 0, 8192, 8191, 0, 15];
  const feature = Buffer.concat([Buffer.from([0x18, 3]), field(4, varints(ring))]);
  const layer = Buffer.concat([
    field(1, Buffer.from('water')),
    field(2, feature),
    Buffer.from([0x28, ...varints([4_096]), 0x78, 2]),
  ]);
  const tile = gzipSync(field(3, layer));
  const root = gzipSync(varints([1, 0, 1, tile.length, 1]));
  const metadata = gzipSync(about);
  const head = Buffer.alloc(127);
  head.write('PMTiles');
  head[7] = 3;
  const parts = [root, metadata, Buffer.alloc(0), tile];
  let at = head.length;
  parts.forEach((part, index) => {
    head.writeBigUInt64LE(BigInt(at), 8 + index * 16);
    head.writeBigUInt64LE(BigInt(part.length), 16 + index * 16);
    at += part.length;
  });
  for (const offset of [72, 80, 88]) head.writeBigUInt64LE(1n, offset);
  // Clustered, directories and tiles in gzip, of vectors, of zoom 0 only.
  head.set([1, 2, 2, 1, 0, 0], 96);
  [-1_800_000_000, -850_000_000, 1_800_000_000, 850_000_000].forEach((edge, index) =>
    head.writeInt32LE(edge, 102 + index * 4),
  );
  return Buffer.concat([head, ...parts]);
}

function field(number: number, content: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([number * 8 + 2]), varints([content.length]), content]);
}

function varints(values: readonly number[]): Buffer {
  const bytes = values.flatMap((value) => {
    const parts: number[] = [];
    for (let rest = value; ; rest >>>= 7) {
      if (rest < 128) return [...parts, rest];
      parts.push((rest & 127) | 128);
    }
  });
  return Buffer.from(bytes);
}
