/** What tests of the page of the map look at again and again. */
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import test, { type ExecutionContext } from 'ava';
import type { Browser, Page } from 'playwright-core';
import type { TestDaemon } from './daemon.ts';
import { hasChromium, pixelsOf, startBrowser, type OpenedMap } from './map-page.ts';
import { testWith } from './where.ts';

export const journey = join(import.meta.dirname, '..', '..', 'fixtures', 'journey');
export const importJourney = (daemon: TestDaemon) =>
  daemon.call('POST', '/api/import', { dir: journey });

/** Of this file of tests. */
export let browser: Browser;
if (hasChromium) {
  test.before(async () => {
    browser = await startBrowser();
  });
  test.after.always(() => browser.close());
}

/** One page after the other: they draw in software. */
export const testPage = testWith(hasChromium, 'no chromium', test.serial);

/** Expressions for `pixelsOf`. Lines let through what is below them. */
export const colours = {
  track: 'red > green + 40 && red > blue + 40',
  day: 'blue > red + 80',
  walk: 'red === 46 && green === 139 && blue === 79',
  waypoint: 'red === 79 && green === 125 && blue === 148',
  /** It lets some through, too. */
  cluster: 'Math.abs(red - 101) < 7 && Math.abs(green - 142) < 5 && Math.abs(blue - 161) < 5',
  bookmark: 'red === 11 && green === 122 && blue === 107',
  sea: 'red === 207 && green === 223 && blue === 230',
  land: 'red === 246 && green === 244 && blue === 238',
  darkLand: 'red === 34 && green === 42 && blue === 48',
} as const;
/** What neither the panel nor the bar hides. */
export const middle = { x: 420, y: 100, width: 800, height: 560 };

/** Waits until a part of the page has a colour, or has none of it any more. */
export async function untilShown(
  t: ExecutionContext,
  page: Page,
  colour: string,
  isThere = true,
  least = 20,
): Promise<void> {
  for (let tries = 0; tries < 40; tries += 1) {
    if ((await pixelsOf(page, colour, middle)) > least === isThere) {
      t.pass();
      return;
    }
    // A frame of the page.
    await page.evaluate('new Promise((next) => requestAnimationFrame(next))');
  }
  t.fail(`the colour ${colour} is ${isThere ? 'not ' : ''}on the map`);
}

/**
 * All that was asked for is of the page's own server, nothing was refused, and the token is in no part of the page.
 * @param refusals statuses that the test is about, which a browser tells as errors.
 */
export async function assertSealed(
  t: ExecutionContext,
  { page, origin, daemon, asked, complaints }: OpenedMap,
  refusals: readonly number[] = [],
) {
  const foreign = asked.filter(
    (address) => !address.startsWith(`${origin}/`) && !/^(?:blob|data):/u.test(address),
  );
  t.deepEqual(foreign, []);
  // 409: a timeline may end between the look at it and its cancel.
  const told = [/ status of 409 .*\/api\/timelines\//u];
  for (const status of refusals) told.push(new RegExp(` status of ${status} `, 'u'));
  t.deepEqual(
    complaints.filter((text) => !told.some((form) => form.test(text))),
    [],
  );
  t.deepEqual(
    asked.filter((address) => address.includes(daemon.token)),
    [],
  );
  const content = await page.evaluate<string>(
    'document.documentElement.outerHTML + JSON.stringify({ ...sessionStorage }) + JSON.stringify({ ...localStorage }) + document.cookie + location.href',
  );
  t.false(content.includes(daemon.token));
  t.is(new URL(page.url()).hash, '', 'the code has left the address');
}

export async function assertAccessible(t: ExecutionContext, page: Page, what: string) {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  t.deepEqual(
    serious.map(({ id, nodes }) => [what, id, nodes.map(({ html }) => html).slice(0, 3)]),
    [],
  );
}
