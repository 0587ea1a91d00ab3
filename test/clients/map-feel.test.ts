/** How the page of the map feels: what it shows while one waits, clicks on the map, keys alone, sizes, and dark. */
import type { Page, Route } from 'playwright-core';
import { type TestDaemon } from '../helpers/daemon.ts';
import { valuesOf } from '../helpers/fields.ts';
import { gpxTrack } from '../helpers/fixes.ts';
import { importTree } from '../helpers/imported-files.ts';
import { gpx } from '../helpers/imports.ts';
import {
  assertAccessible,
  assertSealed,
  browser,
  colours,
  importJourney,
  middle,
  testPage,
  untilShown,
} from '../helpers/map-checks.ts';
import { lowestOf, openMap, pixelsOf } from '../helpers/map-page.ts';
import { until } from '../helpers/until.ts';

const { bookmark, cluster, darkLand, day, land, track, waypoint } = colours;

testPage('an import shows how far it is, and its cancel stops what is left', async (t) => {
  const map = await openMap(t, browser);
  const { page, daemon } = map;
  const session = await page.context().newCDPSession(page);
  const slowly = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 100_000 };
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', slowly);
  const file = (name: string, waypoints: number) => ({
    name,
    mimeType: 'application/gpx+xml',
    buffer: Buffer.from(
      gpx(Array.from({ length: waypoints }, (_, at) => [`${name} ${at}`, 41 + at / 1e5, -8])),
    ),
  });
  const files = [file('a.gpx', 1), file('b.gpx', 30_000), file('c.gpx', 1)];
  await page.getByLabel('Import files').setInputFiles(files);
  await page.getByRole('tab', { name: 'Library' }).click();
  const running = page.getByRole('group', { name: 'Import' });
  const bar = running.getByRole('progressbar', { name: 'File 2 of 3: b.gpx' });
  const share = async (): Promise<number> => Number(await bar.getAttribute('value'));
  await bar.waitFor();
  const begun = await share();
  await until(async () => (await share()) > begun);
  t.true((await share()) < Number(await bar.getAttribute('max')));
  await assertAccessible(t, page, 'a running import');
  await running.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('Stopped before the end. Finished files are kept.').waitFor();
  await page.getByLabel('Import files').waitFor();
  const { files: kept } = (await daemon.get('/api/imports')).body;
  t.deepEqual(valuesOf(kept, 'path'), ['a.gpx']);
  await assertSealed(t, map);
});

/** Holds requests back until they are told to fail, then answers so until they are to go on. */
async function hold(page: Page, address: RegExp) {
  let isFailing = false;
  const held: Route[] = [];
  const fail = (route: Route) =>
    route.fulfill({ status: 500, json: { message: 'Not today.', code: 'internal' } });
  await page.route(address, async (route) => {
    if (isFailing) await fail(route);
    else held.push(route);
  });
  return {
    fail: async () => {
      isFailing = true;
      for (const route of held) await fail(route);
    },
    goOn: () => page.unroute(address),
  };
}

testPage('each panel says that it loads, why it could not, and then what there is', async (t) => {
  const { page, daemon } = await openMap(t, browser, { fill: importJourney });
  const panel = page.getByRole('tabpanel');
  const panels: readonly [tab: string, what: string, address: RegExp, there: RegExp][] = [
    ['Places', 'the waypoints', /\/api\/clusters/u, /Antwerpen/u],
    ['Library', 'the library', /\/api\/imports/u, /01-porto\.gpx/u],
    ['Year', 'the year', /\/api\/timelines\/\w/u, /Portugal/u],
  ];
  for (const [tab, what, address, there] of panels) {
    const requests = await hold(page, address);
    await page.getByRole('tab', { name: tab }).click();
    await panel.getByRole('status').getByText(`Loading ${what} …`).waitFor();
    t.is(await panel.getByText(/^(?:None|No waypoint|Nothing)/u).count(), 0, tab);
    await requests.fail();
    await panel.getByRole('alert').getByText('Not today.').waitFor();
    await requests.goOn();
    // Whatever changes what is stored has it asked for anew.
    await daemon.call('POST', '/api/bookmarks', { name: tab, lat: 1, lon: 2 });
    await panel.getByText(there).first().waitFor();
  }
});

testPage('why a bookmark could not be saved is said, and its form stays', async (t) => {
  const map = await openMap(t, browser, {
    fill: (daemon) => daemon.call('POST', '/api/bookmarks', { name: 'First', lat: 41, lon: -8 }),
  });
  const { page } = map;
  const requests = await hold(page, /\/api\/bookmarks/u);
  await requests.fail();
  await page.getByRole('tab', { name: 'Places' }).click();
  await page.getByRole('button', { name: 'Add' }).click();
  const form = page.getByRole('form', { name: 'Bookmark' });
  await form.getByLabel('Name').fill('Camp');
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('status').getByText('Not today.').waitFor();
  t.is(await form.getByLabel('Name').inputValue(), 'Camp');
  await requests.goOn();
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Camp' }).waitFor();
  await assertSealed(t, map, [500]);
});

/** Timelines are a quarter done, for ever. @param onAsked gets each request about one. */
async function unfinished(page: Page, daemon: TestDaemon, onAsked: (job: string) => unknown) {
  await page.route('**/api/timelines/*', async (route) => {
    const { pathname } = new URL(route.request().url());
    const method = route.request().method();
    onAsked(`${method} ${pathname}`);
    if (method !== 'GET') return route.continue();
    const { body } = await daemon.get(pathname);
    const running = { state: 'running', processed_observations: 30, total_observations: 120 };
    await route.fulfill({ json: { ...body, ...running } });
  });
}

testPage('a timeline tells how far it is, and is given up when another is asked for', async (t) => {
  const { page, daemon } = await openMap(t, browser, { fill: importJourney });
  const jobs: string[] = [];
  await unfinished(page, daemon, (job) => jobs.push(job));
  await page.getByRole('textbox', { name: 'Day' }).fill('2024-05-04');
  const bar = page.getByRole('progressbar', { name: 'Progress of the day' });
  await until(async () => (await bar.getAttribute('value')) === '0.25');
  await assertAccessible(t, page, 'a day that loads');
  const ofDay = jobs.findLast((job) => job.startsWith('GET'));
  await page.getByRole('tab', { name: 'Year' }).click();
  await page.getByRole('progressbar', { name: 'Progress of the year' }).waitFor();
  // The day is asked for meanwhile, too.
  const year = jobs.findLast((job) => job.startsWith('GET') && job !== ofDay)?.split(' ')[1];
  await page.getByRole('tab', { name: 'Places' }).click();
  await until(() => jobs.includes(`DELETE ${year}`));
  t.pass();
});

testPage('a timeline is cancelled by a button of its own, and made after all', async (t) => {
  const map = await openMap(t, browser, { fill: importJourney });
  const { page, daemon } = map;
  const jobs: string[] = [];
  await unfinished(page, daemon, (job) => jobs.push(job));
  await page.getByRole('textbox', { name: 'Day' }).fill('2024-05-04');
  const panel = page.getByRole('tabpanel');
  await panel.getByRole('button', { name: 'Cancel' }).click();
  await panel.getByRole('alert').getByText('Cancelled.').waitFor();
  await until(() => jobs.some((job) => job.startsWith('DELETE')));
  await page.unroute('**/api/timelines/*');
  await panel.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('list', { name: 'Stays and trips' }).waitFor();
  await untilShown(t, page, day);
  await assertSealed(t, map);
});

testPage('an answer that comes after a newer one changes nothing', async (t) => {
  const { page, daemon } = await openMap(t, browser, { fill: importJourney });
  const held = Promise.withResolvers<Route>();
  await page.route('**/api/imports?*', (route) => held.resolve(route), { times: 1 });
  await page.getByRole('tab', { name: 'Library' }).click();
  const late = await held.promise;
  await daemon.call('POST', '/api/bookmarks', { name: 'Newer', lat: 1, lon: 2 });
  const file = page.getByRole('button', { name: 'Remove 01-porto.gpx' });
  await file.waitFor();
  const answered = page.waitForResponse((answer) => answer.request() === late.request());
  await late.fulfill({ json: { files: [] } });
  await (await answered).finished();
  // A turn of the page after that.
  await page.evaluate("fetch('/icon.svg').then((answer) => answer.text())");
  t.true(await file.isVisible());
});

testPage('Enter takes what was typed last, however fast it comes', async (t) => {
  const map = await openMap(t, browser, {
    fill: async (daemon) => {
      await daemon.call('POST', '/api/bookmarks', { name: 'Alpha', lat: 41, lon: -8 });
      await daemon.call('POST', '/api/bookmarks', { name: 'Beta', lat: 42, lon: -8 });
    },
  });
  const { page } = map;
  const box = page.getByRole('combobox', { name: 'Search' });
  await box.fill('Alpha');
  await page.getByRole('option', { name: /Alpha/u }).waitFor();
  const entered = Promise.withResolvers<void>();
  await page.route(/suggest.*Beta/u, async (route) => {
    await entered.promise;
    await route.continue();
  });
  await box.fill('Beta');
  await box.press('Enter');
  entered.resolve();
  await page.getByRole('heading', { name: 'Beta' }).waitFor();
  await assertSealed(t, map);
});

/** A track of an hour to the east, on a day in May. */
function hour(year: number, lat: number, lon: number): string {
  return gpxTrack(
    Array.from({ length: 60 }, (_, minute) => [
      Date.UTC(year, 4, 4, 12, minute),
      lat,
      Number((lon + minute / 100).toFixed(2)),
    ]),
  );
}

testPage('the map goes to the tracks of a period where it shows none of them', async (t) => {
  const files = { 'north.gpx': hour(2024, 41.1, -8.9), 'south.gpx': hour(2023, -33.9, 150) };
  const map = await openMap(t, browser, { files });
  const { page } = map;
  const period = page.getByRole('region', { name: 'Period' });
  const from = period.getByLabel('From', { exact: true });
  const to = period.getByLabel('To', { exact: true });
  for (const [field, date] of [
    [to, '2023-12-31'],
    [from, '2024-05-04'],
  ] as const) {
    await page.getByRole('combobox', { name: 'Search' }).fill('10, 10');
    await page.getByRole('option', { name: /10/u }).waitFor();
    await page.keyboard.press('Enter');
    await untilShown(t, page, track, false);
    await field.fill(date);
    // A line over most of the map.
    await untilShown(t, page, track, true, 300);
  }
  await assertSealed(t, map);
});

testPage('a search that finds nothing says so, and a found position is marked', async (t) => {
  const map = await openMap(t, browser);
  const { page } = map;
  const box = page.getByRole('combobox', { name: 'Search' });
  await box.fill('xyzzy');
  await page.getByRole('search').getByText('Nothing found').waitFor();
  await box.fill('41.15, -8.61');
  await page.getByRole('option', { name: /41\.15/u }).waitFor();
  await page.keyboard.press('Enter');
  await untilShown(t, page, bookmark);
  await page.getByRole('button', { name: 'Clear the search' }).click();
  await untilShown(t, page, bookmark, false);
  t.is(await box.inputValue(), '');
  await assertSealed(t, map);
});

testPage(
  'a click on the map leads to a waypoint, into a cluster, and to the day of a track',
  async (t) => {
    const files = {
      'mill.gpx': gpx([['Old Mill', 41.1, -8.6]]),
      'line.gpx': hour(2024, 41.1, -8.9),
    };
    const map = await openMap(t, browser, { files });
    const { page } = map;
    await untilShown(t, page, track);
    // All of it is in the middle of what the panel and the bar leave free: the track runs through it.
    const [x, y] = [(460 + 1_200) / 2, (60 + 660) / 2];
    await page.mouse.click(x - 100, y);
    await page.getByRole('heading', { name: /4 May 2024/u }).waitFor();
    await untilShown(t, page, day);
    await page.getByRole('tab', { name: 'Places' }).click();
    await page.getByRole('button', { name: 'Old Mill' }).click();
    await page.getByRole('heading', { name: 'Old Mill' }).waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await untilShown(t, page, waypoint);
    await page.mouse.click(x, y);
    await page.getByRole('heading', { name: 'Old Mill' }).waitFor();
    await assertSealed(t, map);
  },
);

testPage(
  'a click on a number goes nearer, and one on the map moves the mark of a draft',
  async (t) => {
    const files = {
      'two.gpx': gpx([
        ['A', 41, -8.6],
        ['B', 41.1, -8.5],
        ['Far', 50, 8],
      ]),
    };
    const map = await openMap(t, browser, { files });
    const { page } = map;
    await untilShown(t, page, cluster);
    await page.getByRole('tab', { name: 'Places' }).click();
    await page.getByText('2 more waypoints: zoom in').waitFor();
    const [x = 0, y = 0] = (await lowestOf(page, cluster, middle)) ?? [];
    await page.mouse.click(x, y);
    await page.getByText('more waypoints').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Add' }).click();
    const latitude = page.getByLabel('Latitude');
    const before = await latitude.inputValue();
    await page.mouse.click(900, 250);
    await until(async () => (await latitude.inputValue()) !== before);
    const at = { x: 870, y: 220, width: 60, height: 60 };
    await until(async () => (await pixelsOf(page, bookmark, at)) > 20);
    await assertSealed(t, map);
  },
);

/** What the sentence says, and the button that does it, of a place or in the library. */
const deletions: readonly (readonly [what: string, button: string | RegExp, place?: string])[] = [
  ['Tag removed', /Remove tag .*food/u, 'Home'],
  ['Bookmark deleted', 'Delete', 'Home'],
  ['Waypoint hidden', 'Hide', 'Old Mill'],
  ['File removed', 'Remove mill.gpx'],
];

async function openPlace(page: Page, name: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Search' }).fill(name);
  await page.getByRole('option', { name: new RegExp(name, 'u') }).click();
  await page.getByRole('heading', { name }).waitFor();
}

testPage('whatever is deleted comes back by the button beside the sentence', async (t) => {
  const files = { 'mill.gpx': gpx([['Old Mill', 41.1, -8.6]]) };
  const home = { name: 'Home', lat: 41, lon: -8 };
  const map = await openMap(t, browser, {
    fill: async (daemon) => {
      await importTree(daemon, files);
      await daemon.call('POST', '/api/bookmarks', home);
      await daemon.call('POST', '/api/tags', { ...home, tag: 'food' });
    },
  });
  const { page, daemon } = map;
  const stored = async (): Promise<string> => {
    const { body } = await daemon.get('/api/waypoints');
    return JSON.stringify(
      body.map(({ name, tags }: { name: string; tags: object }) => [name, tags]),
    );
  };
  const before = await stored();
  t.regex(before, /Home.*food.*Old Mill/u);
  for (const [what, button, place] of deletions) {
    if (place === undefined) await page.getByRole('tab', { name: 'Library' }).click();
    else await openPlace(page, place);
    await page.getByRole('button', { name: button }).click();
    const notice = page.getByRole('status').getByText(what);
    await notice.waitFor();
    t.not(await stored(), before, what);
    await notice.locator('..').getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('status').getByText('Change undone').waitFor();
    t.is(await stored(), before, what);
    await page.getByRole('button', { name: 'Dismiss' }).click();
  }
  await page.getByRole('button', { name: 'Remove mill.gpx' }).click();
  await page.getByRole('button', { name: 'Restore mill.gpx' }).click();
  await page.getByRole('button', { name: 'Remove mill.gpx' }).waitFor();
  t.is(await stored(), before, 'restored');
  await assertSealed(t, map);
});

testPage('all is done by keys alone: the focus is always seen, and never lost', async (t) => {
  const map = await openMap(t, browser, { fill: importJourney });
  const { page, daemon } = map;
  const keys = async (...pressed: string[]) => {
    for (const key of pressed) await page.keyboard.press(key);
  };
  const focused = (): Promise<string> =>
    page.evaluate(`(() => {
      const { activeElement: at } = document;
      const name = at.getAttribute('aria-label') ?? at.labels?.[0]?.textContent ?? at.textContent;
      return at === document.body ? '' : name.trim();
    })()`);
  const reach = async (name: string): Promise<void> => {
    for (let steps = 0; (await focused()) !== name; steps += 1) {
      t.true(steps < 60, `Tab leads to ${name}`);
      await keys('Tab');
    }
  };
  await untilShown(t, page, track);
  // Once round: each stop is inside the window.
  const seen = new Set<string>();
  const isNew = (): Promise<boolean> =>
    page.evaluate(`(() => {
      const { activeElement: at } = document;
      const isNew = at !== document.body && !at.wasReached;
      at.wasReached = true;
      return isNew;
    })()`);
  await keys('Tab');
  while (await isNew()) {
    const name = await focused();
    seen.add(name);
    const box = await page.locator(':focus').boundingBox();
    t.true(box !== null && box.x + box.width > 0 && box.y + box.height > 0, name);
    await keys('Tab');
  }
  const stops = ['Map', 'Zoom in', 'Dark colours', 'Search', 'Day', 'From', 'To'];
  t.deepEqual(
    stops.filter((name) => !seen.has(name)),
    [],
  );
  await page.keyboard.press('/');
  t.is(await focused(), 'Search');
  await reach('Day');
  await keys('ArrowRight');
  t.is(await focused(), 'Places');
  await reach('Add');
  await keys('Enter');
  await until(async () => (await focused()) === 'Name');
  await page.keyboard.type('By keys');
  await keys('Enter');
  await page.getByRole('heading', { name: 'By keys' }).waitFor();
  t.is(await focused(), 'By keys');
  await reach('New tag');
  await page.keyboard.type('inn');
  await keys('Enter');
  await page.getByRole('button', { name: 'Remove tag inn' }).waitFor();
  await reach('Delete');
  await keys('Enter');
  await page.getByRole('status').getByText('Bookmark deleted').waitFor();
  const isKept = async () => (await focused()) !== '';
  await until(isKept);
  await reach('Undo');
  await keys('Enter');
  await page.getByRole('status').getByText('Change undone').waitFor();
  const { body } = await daemon.get('/api/waypoints');
  t.true(body.some(({ name }: { name: string }) => name === 'By keys'));
  await reach('Map');
  const asked = page.waitForRequest(/\/api\/clusters/u);
  await keys('ArrowRight', 'Equal');
  await asked;
  await assertSealed(t, map);
});

const sizes: readonly (readonly [width: number, height: number, dark: boolean])[] = [
  [360, 640, false],
  [1_280, 800, true],
  [3_840, 2_160, false],
];

testPage('from a phone to 4K all is there and nothing jumps, light and dark', async (t) => {
  for (const [width, height, dark] of sizes) {
    const what = `${width} × ${height}`;
    const map = await openMap(t, browser, {
      width,
      height,
      dark,
      fill: importJourney,
      before: `new PerformanceObserver((list) => {
        for (const { value, hadRecentInput, sources } of list.getEntries())
          if (!hadRecentInput) (globalThis.jumps ??= []).push([value, sources.map(({ node }) => node?.className)]);
      }).observe({ type: 'layout-shift', buffered: true })`,
    });
    const { page } = map;
    const whole = { x: 0, y: 0, width, height };
    await until(async () => (await pixelsOf(page, dark ? darkLand : land, whole)) > 1_000);
    t.is(await pixelsOf(page, dark ? land : darkLand, whole), 0, what);
    for (const name of ['Places', 'Year', 'Library', 'Day']) {
      await page.getByRole('tab', { name }).click();
      t.is(await page.evaluate('globalThis.content.scrollTop'), 0, `${what}: ${name}`);
      await page.evaluate('globalThis.content.scrollTop = 10_000');
      const box = await page.getByRole('tabpanel').boundingBox();
      t.true(box !== null && box.x >= 0 && box.x + box.width <= width, `${what}: ${name}`);
      t.true(box !== null && box.y + box.height <= height, `${what}: ${name}`);
      t.is(await page.evaluate('document.documentElement.scrollWidth'), width, what);
    }
    // Keys: what a script fills in is no input by which a page may change its shape.
    await page.getByRole('textbox', { name: 'Day' }).pressSequentially('2024-05-04');
    await page.getByRole('list', { name: 'Stays and trips' }).waitFor();
    await assertAccessible(t, page, what);
    t.deepEqual(await page.evaluate('globalThis.jumps ?? []'), [], what);
    await assertSealed(t, map);
    await page.context().close();
  }
});
