/**
 * `npm run pictures`: makes the pictures of README.md and docs/map.md from the journey in fixtures/, with the program as it
 * was built and a Chromium: the page of the map, a film of its use, and the calendar of the year.
 */
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { packageUrl } from '../../model/program-files.ts';
import { untilPrinted } from '../../test/helpers/cli.ts';
import { startBrowser } from '../../test/helpers/map-page.ts';
import { animatedWebp, type Frame } from './animated-webp.ts';

const root = fileURLToPath(packageUrl);
const target = join(root, 'docs', 'pictures');
const launcher = join(root, 'bin', 'waypointd.js');
const viewport = { width: 1_120, height: 700 };
/** Of 100: letters stay sharp, and the film below a megabyte. */
const stillQuality = 80;
const filmQuality = 55;

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
    await page.goto(address);
    writeFileSync(join(target, 'map.webp'), await drawDay(page));
    writeFileSync(join(target, 'map-film.webp'), await film(page));
  } finally {
    await browser.close();
  }
}

/** A day of the journey with its stays and trips. */
async function drawDay(page: Page): Promise<Buffer> {
  await page.getByRole('textbox', { name: 'Day' }).fill('2024-05-12');
  await page.getByRole('img', { name: /Elevation of the day/u }).waitFor();
  await settle(page);
  return picture(page, stillQuality);
}

/** What one does with the page, from all tracks to one hour of one day. */
async function film(page: Page): Promise<Buffer> {
  const frames: Frame[] = [];
  const show = async (ms: number): Promise<void> => {
    await settle(page);
    frames.push({ file: await picture(page, filmQuality), ms });
  };
  await page.getByRole('tab', { name: 'Places' }).click();
  await page.getByRole('region', { name: 'Period' }).getByRole('button', { name: 'All' }).click();
  await show(1_500);
  await page.getByRole('tab', { name: 'Year' }).click();
  await page.getByRole('row', { name: /Portugal/u }).waitFor();
  await show(1_800);
  await page.getByRole('button', { name: /4 May 2024/u }).click();
  await page.getByRole('img', { name: /Elevation of the day/u }).waitFor();
  await show(1_500);
  await page.getByRole('slider', { name: /Time of day/u }).focus();
  for (let step = 0; step < 8; step += 1) {
    await page.keyboard.press('PageUp');
    await show(350);
  }
  await page.getByRole('button', { name: 'Next day with tracks' }).click();
  await show(1_500);
  await page.getByRole('combobox', { name: 'Search' }).pressSequentially('playa');
  await page.getByRole('option').first().waitFor();
  await show(1_800);
  return animatedWebp(frames, viewport.width, viewport.height);
}

/** Until the map has loaded and drawn, and nothing moves any more. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  let last: Buffer | undefined;
  for (;;) {
    const next = await picture(page, 1);
    if (last?.equals(next) === true) return;
    last = next;
  }
}

async function picture(page: Page, quality: number): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality });
  await session.detach();
  return Buffer.from(data, 'base64');
}
