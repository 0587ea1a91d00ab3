/**
 * `npm run pictures`: makes the pictures of README.md and docs/map.md from the journey in fixtures/, with the program as it
 * was built and a Chromium: the page of the map and the calendar of the year.
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

const root = fileURLToPath(packageUrl);
const target = join(root, 'docs', 'pictures');
const launcher = join(root, 'bin', 'waypointd.js');
const viewport = { width: 1_120, height: 700 };
/** Of 100: letters stay sharp. */
const stillQuality = 80;

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
  } finally {
    await browser.close();
  }
}

/** A day of the journey with its stays and trips. */
async function drawDay(page: Page): Promise<Buffer> {
  await page.getByRole('textbox', { name: 'Day' }).fill('2024-05-04');
  await page.getByRole('list', { name: 'Stays and trips' }).waitFor();
  await settle(page);
  return picture(page, stillQuality);
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
