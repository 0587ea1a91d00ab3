/**
 * `npm run pictures`: makes the pictures of README.md and docs/map.md from the journey in fixtures/, with the program as it
 * was built, a Chromium and webpmux (of libwebp): the page of the map, a film of its use, and the calendar of the year.
 */
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Page, Request } from 'playwright-core';
import { packageUrl } from '../../model/program-files.ts';
import { untilPrinted } from '../../test/helpers/cli.ts';
import { startBrowser } from '../../test/helpers/map-page.ts';

const root = fileURLToPath(packageUrl);
const target = join(root, 'docs', 'pictures');
const launcher = join(root, 'bin', 'waypointd.js');
const viewport = { width: 1_120, height: 700 };
/** Quality of 100: letters stay sharp, and the film below 1.5 MB. */
const stillQuality = 80;
const filmQuality = 55;
const stillMs = 300;

const scratch = mkdtempSync(join(tmpdir(), 'waypointd-pictures-'));
const env = {
  ...process.env,
  WAYPOINTD_DATA_DIR: join(scratch, 'data'),
  WAYPOINTD_CACHE_DIR: join(scratch, 'cache'),
  WAYPOINTD_RUNTIME_DIR: join(scratch, 'run'),
};

async function waypointd(...words: string[]): Promise<string> {
  const options = { env, maxBuffer: 16_777_216 };
  return (await promisify(execFile)(process.execPath, [launcher, ...words], options)).stdout;
}

try {
  mkdirSync(target, { recursive: true });
  await waypointd('import', join(root, 'fixtures', 'journey'), '-r');
  await waypointd('bookmark', 'add', 'Camp by the river', '43.3614', '-2.5007', '--tag', 'camp');
  writeFileSync(join(target, 'calendar.svg'), await waypointd('days', '2024', '--svg'));
  const map = spawn(process.execPath, [launcher, 'map', '--no-open'], { env });
  try {
    const [address] = await untilPrinted(map.stdout, /http:\S+/u);
    await drawMap(address);
  } finally {
    map.kill();
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function drawMap(address: string): Promise<void> {
  const browser = await startBrowser();
  try {
    const context = await browser.newContext({ viewport, locale: 'en-GB', colorScheme: 'light' });
    const page = await context.newPage();
    const settled = untilSettled(page);
    await page.goto(address);
    await film(page, settled);
    writeFileSync(join(target, 'map.webp'), await drawDay(page, settled));
  } finally {
    await browser.close();
  }
}

/** A day of the journey with its stays and trips. */
async function drawDay(page: Page, settled: () => Promise<void>): Promise<Buffer> {
  await page.getByRole('tab', { name: 'Day' }).click();
  await page.getByRole('textbox', { name: 'Day' }).fill('2024-05-04');
  await page.getByRole('list', { name: 'Stays and trips' }).waitFor();
  await settled();
  return picture(page, stillQuality);
}

/** Plays a visit of the page, from all tracks to one hour of one day. */
async function film(page: Page, settled: () => Promise<void>): Promise<void> {
  const frames: string[] = [];
  const show = async (ms: number): Promise<void> => {
    await settled();
    const file = join(scratch, `frame-${frames.length}.webp`);
    writeFileSync(file, await picture(page, filmQuality));
    frames.push('-frame', file, `+${ms}`);
  };
  await page.getByRole('tab', { name: 'Year' }).click();
  await page.getByRole('row', { name: /Portugal/u }).waitFor();
  await show(2_500);
  await page.getByRole('button', { name: /, 4 May 2024/u }).click();
  await page.getByRole('img', { name: /Elevation of the day/u }).waitFor();
  await show(1_800);
  await page.getByRole('slider', { name: /Time of day/u }).focus();
  for (let step = 0; step < 9; step += 1) {
    await page.keyboard.press('PageUp');
    await show(400);
  }
  await page.getByRole('button', { name: 'Next day with tracks' }).click();
  await page.getByRole('heading', { name: /, 5 May 2024/u }).waitFor();
  await show(1_800);
  await page.getByRole('combobox', { name: 'Search' }).pressSequentially('camp', { delay: 150 });
  await page.getByRole('option').first().waitFor();
  await show(1_500);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Camp by the river' }).waitFor();
  await show(2_500);
  await promisify(execFile)('webpmux', [...frames, '-o', join(target, 'map-film.webp')]);
}

/** @returns waits until the map has loaded and drawn, and nothing moves any more */
function untilSettled(page: Page): () => Promise<void> {
  const pending = new Set<Request>();
  page.on('request', (request) => pending.add(request));
  for (const end of ['requestfinished', 'requestfailed'] as const) {
    page.on(end as 'requestfinished', (request) => pending.delete(request));
  }
  return async () => {
    let last: Buffer | undefined;
    for (;;) {
      await page.waitForTimeout(stillMs);
      const next = await picture(page, 1);
      // The page holds an answer open for as long as its server is there.
      const isLoading = [...pending].some((request) => !request.url().endsWith('/alive'));
      if (!isLoading && last?.equals(next) === true) return;
      last = next;
    }
  };
}

async function picture(page: Page, quality: number): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality });
  await session.detach();
  return Buffer.from(data, 'base64');
}
