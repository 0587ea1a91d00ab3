/**
 * The page of the map in a real browser, by roles and names: what its user sees and does, what stands in it, what it asks,
 * and what axe says of it. Pictures are compared by the colours in them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { moved } from '../../bench/timelines/geometry.ts';
import { sessionHeader } from '../../map/session-header.ts';
import { openForeignPages, tryToReadAndWrite } from '../helpers/foreign-page.ts';
import { at, gpxTrack, hourMs, minuteMs, way } from '../helpers/fixes.ts';
import { importTree } from '../helpers/imported-files.ts';
import { gpx } from '../helpers/imports.ts';
import { lifeOf } from '../helpers/life.ts';
import {
  assertAccessible,
  assertSealed,
  browser,
  colours,
  importJourney,
  journey,
  middle,
  testPage,
  untilShown,
} from '../helpers/map-checks.ts';
import { openMap, pixelsOf, waterWorld } from '../helpers/map-page.ts';
import type { TestDaemon } from '../helpers/daemon.ts';
import { type Observed } from '../helpers/timeline-library.ts';
import { until } from '../helpers/until.ts';
import { temporaryDirectory } from '../helpers/temporary-directory.ts';

const { day, land, sea, track, walk } = colours;

testPage('an empty map says how to begin, and takes files', async (t) => {
  const map = await openMap(t, browser);
  const { page, daemon } = map;
  await page.getByRole('heading', { name: 'Nothing here yet' }).waitFor();
  await assertAccessible(t, page, 'empty');
  await untilShown(t, page, land);
  await untilShown(t, page, sea);
  t.is(await pixelsOf(page, track, middle), 0);
  await page.getByLabel('Import files').setInputFiles(join(journey, '01-porto.gpx'));
  await page.getByRole('heading', { name: /^Imported .* from 1 file\.$/u }).waitFor();
  await page.getByRole('button', { name: 'Remove 01-porto.gpx' }).waitFor();
  // The map has gone there: it is no dot on the world.
  await untilShown(t, page, track, true, 400);
  await page.getByLabel('Import files').setInputFiles(
    ['notes.gpx', 'photo.jpg'].map((name) => ({
      name,
      mimeType: 'text/plain',
      buffer: Buffer.from('no tracks'),
    })),
  );
  const sheet = page.getByRole('region', { name: 'What came in' });
  await sheet.getByRole('heading', { name: 'Nothing was imported.' }).waitFor();
  await sheet.getByText('notes.gpx: it is not well-formed XML').waitFor();
  await sheet.getByText('photo.jpg').waitFor();
  await assertAccessible(t, page, 'what came in');
  await sheet.getByRole('button', { name: 'Close' }).click();
  await sheet.waitFor({ state: 'detached' });
  t.is((await daemon.get('/api/imports')).body.files.length, 1);
  await assertSealed(t, map);
});

testPage('dropped files come in; a file is removed, and that is undone', async (t) => {
  const map = await openMap(t, browser);
  const { page, daemon } = map;
  const text = gpx([['Camp <b>one</b>', 41.1, -8.6]]);
  const data = await page.evaluateHandle(
    `(() => {
      const data = new DataTransfer();
      data.items.add(new File([${JSON.stringify(text)}], 'camp.gpx'));
      return data;
    })()`,
  );
  await page.getByRole('tab', { name: 'Day' }).waitFor();
  await page.dispatchEvent('.page', 'dragover', { dataTransfer: data });
  await page.getByText('Drop to import').waitFor();
  await page.dispatchEvent('.page', 'drop', { dataTransfer: data });
  await page.getByRole('heading', { name: /from 1 file\.$/u }).waitFor();
  await page.getByRole('button', { name: 'Remove camp.gpx' }).click();
  await page.getByRole('status').getByText('File removed').first().waitFor();
  t.is((await daemon.get('/api/waypoints')).body.length, 0);
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('status').getByText('Change undone').waitFor();
  t.is((await daemon.get('/api/waypoints')).body.length, 1);
  await assertSealed(t, map);
});

testPage('bookmarks are added, tagged, edited and deleted, and that is undone', async (t) => {
  const map = await openMap(t, browser);
  const { page, daemon } = map;
  const names = async () =>
    (await daemon.get('/api/waypoints')).body.map((one: { name: string }) => one.name);
  await page.getByRole('tab', { name: 'Places' }).click();
  await daemon.call('POST', '/api/bookmarks', { name: 'First', lat: 41, lon: -8 });
  await page.getByRole('button', { name: 'Add' }).click();
  const form = page.getByRole('form', { name: 'Bookmark' });
  await form.getByLabel('Name').fill('<img src=x onerror=alert(1)>');
  await form.getByLabel('Latitude').fill('38.3');
  await form.getByLabel('Longitude').fill('26.3');
  await form.getByLabel('Note').fill('two\nlines');
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: '<img src=x onerror=alert(1)>' }).waitFor();
  t.is(await page.locator('img').count(), 0, 'a name is text');
  await page.getByLabel('New tag').fill('food');
  await page.getByRole('button', { name: 'Add tag' }).click();
  await page.getByRole('button', { name: /Remove tag .*food/u }).waitFor();
  await assertAccessible(t, page, 'a waypoint');
  await page.getByRole('button', { name: /Remove tag .*food/u }).click();
  await page.getByRole('status').getByText('Tag removed').first().waitFor();
  await page.getByRole('button', { name: 'Edit' }).click();
  await form.getByLabel('Name').fill('Çeşme');
  await assertAccessible(t, page, 'the form');
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Çeşme' }).waitFor();
  await page.getByRole('button', { name: 'Delete' }).click();
  const notice = page.getByRole('status').getByText('Bookmark deleted').first();
  await notice.waitFor();
  t.deepEqual(await names(), ['First']);
  await notice.locator('..').getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('status').getByText('Change undone').waitFor();
  t.deepEqual((await names()).toSorted(), ['First', 'Çeşme']);
  await assertSealed(t, map);
});

testPage('an imported waypoint is found, hidden and shown again', async (t) => {
  const files = { 'a.gpx': gpx([['Old Mill', 41.1, -8.6]]) };
  const map = await openMap(t, browser, { files });
  const { page, daemon } = map;
  // What is found takes the place of a form that was begun.
  await page.getByRole('tab', { name: 'Places' }).click();
  await page.getByRole('button', { name: 'Add' }).click();
  const search = page.getByRole('combobox', { name: 'Search' });
  await search.fill('what was sought before');
  await search.blur();
  // It takes the place of the text before.
  for (const key of '/mill') await page.keyboard.press(key);
  t.is(await search.inputValue(), 'mill');
  await page.getByRole('option', { name: /Old Mill/u }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Old Mill' }).waitFor();
  await page.locator('h2:focus', { hasText: 'Old Mill' }).waitFor();
  await page.keyboard.press('Escape');
  t.is(await search.inputValue(), '', 'the search is over');
  await page.getByRole('button', { name: 'Hide' }).click();
  await page.getByRole('status').getByText('Waypoint hidden').first().waitFor();
  t.is((await daemon.get('/api/waypoints')).body.length, 0);
  await page.getByRole('tab', { name: 'Library' }).click();
  await page.getByText('Hidden waypoints').click();
  await page.getByRole('button', { name: 'Show Old Mill' }).click();
  await page.getByText('None.').waitFor();
  t.is((await daemon.get('/api/waypoints')).body.length, 1);
  await assertSealed(t, map);
});

testPage(
  'a waypoint that somebody deletes is not taken for its neighbour of one name',
  async (t) => {
    const camps = [41, 41.005].map((lat) => ({ name: 'Camp', lat, lon: -8, desc: `At ${lat}` }));
    const map = await openMap(t, browser, {
      fill: async (daemon) => {
        for (const camp of camps) await daemon.call('POST', '/api/bookmarks', camp);
      },
    });
    const { page, daemon } = map;
    await page.getByRole('combobox', { name: 'Search' }).fill('camp');
    await page.getByRole('option', { name: /Camp/u }).first().click();
    await page.getByText('At 41', { exact: true }).waitFor();
    await daemon.call('DELETE', '/api/bookmarks?name=Camp&lat=41&lon=-8');
    await page.getByRole('heading', { name: 'Waypoints in view' }).waitFor();
    t.false(await page.getByText('At 41.005').isVisible());
    await assertSealed(t, map);
  },
);

testPage('the calendar of a year tells the countries of its days, and leads to one', async (t) => {
  const files = { 'wrong-clock.gpx': gpx([], ['2028-01-01T10:00:00Z']) };
  const fill = async (daemon: TestDaemon): Promise<void> => {
    await importJourney(daemon);
    t.is((await importTree(daemon, files)).status, 200);
  };
  const map = await openMap(t, browser, { fill });
  const { page } = map;
  await page.getByRole('tab', { name: 'Year' }).click();
  await page.getByRole('heading', { name: '2024' }).waitFor();
  await page.getByRole('tab', { name: 'Day' }).click();
  await page.getByRole('textbox', { name: 'Day' }).fill('2028-01-01');
  await page.getByRole('tab', { name: 'Year' }).click();
  await page.getByRole('heading', { name: '2028' }).waitFor();
  for (let year = 2028; year > 2024; year -= 1)
    await page.getByRole('button', { name: 'Year before' }).click();
  const fourth = page.getByRole('button', { name: /4 May 2024: Portugal/u });
  await fourth.waitFor();
  const wednesday = page.getByRole('button', { name: /\b1 May 2024/u });
  const style = await wednesday.getAttribute('style');
  t.regex(style ?? '', /grid-column: 3\b/u, 'weeks begin with Monday');
  t.regex(await page.getByRole('row', { name: /Portugal/u }).innerText(), /4 days/u);
  await assertAccessible(t, page, 'a year');
  await fourth.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: /5 May 2024/u }).waitFor();
  await assertSealed(t, map);
});

testPage(
  'a timeline that is left when it has just been made is neither cancelled nor a failure',
  async (t) => {
    const map = await openMap(t, browser, { fill: importJourney });
    const { page, daemon } = map;
    const [made, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const methods: string[] = [];
    await page.route('**/api/timelines/*', async (route) => {
      methods.push(route.request().method());
      const { pathname } = new URL(route.request().url());
      let job: unknown;
      do job = (await daemon.call('GET', pathname)).body;
      while (!JSON.stringify(job).includes('"state":"completed"'));
      made.resolve();
      await left.promise;
      await route.continue();
    });
    await page.getByRole('textbox', { name: 'Day' }).fill('2024-05-04');
    await made.promise;
    await page.getByRole('textbox', { name: 'Day' }).fill('2024-05-05');
    left.resolve();
    await page.getByRole('heading', { name: /5 May 2024/u }).waitFor();
    await page.getByRole('tab', { name: 'Places' }).click();
    await page.getByRole('button', { name: 'Add' }).waitFor();
    t.deepEqual(new Set(methods), new Set(['GET']));
    await assertSealed(t, map);
  },
);

testPage('a day has its stays and trips, a time slider, elevation and speed', async (t) => {
  const map = await openMap(t, browser, { fill: importJourney });
  const { page } = map;
  await page.getByRole('textbox', { name: 'Day' }).fill('2024-05-04');
  const stays = page.getByRole('list', { name: 'Stays and trips' });
  await stays.getByText('Porto').first().waitFor();
  const chooser = page.getByRole('textbox', { name: 'Day' });
  // The browser's own reading of dates would take it for the 2nd of March.
  await chooser.fill('2024-02-31');
  await chooser.blur();
  t.is(await chooser.inputValue(), '2024-05-04');
  await page.getByRole('img', { name: /Elevation of the day/u }).waitFor();
  await page.getByRole('img', { name: /Speed of the day/u }).waitFor();
  await untilShown(t, page, day);
  await page.getByRole('list', { name: 'Colours on the map' }).getByText('walk').waitFor();
  await untilShown(t, page, walk);
  await page.getByRole('combobox', { name: 'Format' }).selectOption('KML');
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  const file = await saved;
  t.is(file.suggestedFilename(), 'waypointd 2024-05-04.kml');
  const text = readFileSync(await file.path(), 'utf8');
  t.regex(text, /<kml.*2024-05-04T/su);
  t.notRegex(text, /2024-05-0[35]T/u, 'of the chosen day alone');
  const slider = page.getByRole('slider', { name: /Time of day/u });
  const before = await slider.getAttribute('aria-valuetext');
  await slider.focus();
  await page.keyboard.press('PageUp');
  t.not(await slider.getAttribute('aria-valuetext'), before);
  await assertAccessible(t, page, 'a day');
  await page.getByRole('button', { name: 'Next day with tracks' }).click();
  await page.getByRole('heading', { name: /5 May 2024/u }).waitFor();
  await assertSealed(t, map);
});

testPage('on a trip of several legs the time slider tells the leg', async (t) => {
  const [berlin, noon] = [{ lat: 52.52, lon: 13.405 }, Date.UTC(2024, 4, 3, 12)];
  const [lake, hut] = [moved(berlin, 0, -20_000), moved(berlin, 9_000, -20_000)];
  const fixes = [
    ...at(berlin, noon - 2 * hourMs, noon, 5),
    ...way(berlin, lake, noon, noon + 40 * minuteMs, 1),
    ...way(lake, hut, noon + 40 * minuteMs, noon + 160 * minuteMs, 1),
    ...at(hut, noon + 160 * minuteMs, noon + 300 * minuteMs, 5),
  ];
  const map = await openMap(t, browser, { files: { 'a.gpx': gpxTrack(fixes) } });
  const { page } = map;
  await page.getByRole('textbox', { name: 'Day' }).fill('2024-05-03');
  const slider = page.getByRole('slider', { name: /Time of day/u });
  for (const [minutes, mode] of [
    [20, 'car'],
    [100, 'walk'],
  ] as const) {
    await slider.fill(String(noon + minutes * minuteMs));
    t.regex((await slider.getAttribute('aria-valuetext')) ?? '', new RegExp(`, ${mode}`, 'u'));
  }
  await assertSealed(t, map);
});

testPage('a way of moving and a false stay are corrected where they stand', async (t) => {
  const map = await openMap(t, browser, { fill: importJourney });
  const { page, daemon } = map;
  await page.getByRole('textbox', { name: 'Day' }).fill('2024-05-04');
  const course = page.getByRole('list', { name: 'Stays and trips' });
  const ways = course.getByRole('button', { name: /^Correct walk from/u });
  const stays = course.getByRole('button', { name: /^Correct the stay from/u });
  await ways.first().waitFor();
  const [walks, first] = [await ways.count(), await stays.count()];
  await ways.first().click();
  const form = course.getByRole('form', { name: 'Correction' });
  await form.getByRole('combobox', { name: 'Way of moving' }).selectOption('boat');
  await assertAccessible(t, page, 'a correction');
  await form.getByRole('button', { name: 'Correct' }).click();
  await course.getByText('corrected').waitFor();
  await page.getByRole('list', { name: 'Colours on the map' }).getByText('boat').waitFor();
  t.is(await ways.count(), walks - 1);
  await course.getByRole('button', { name: /^Correct boat/u }).click();
  await form.getByRole('button', { name: 'Take it back' }).click();
  await course.getByText('corrected').waitFor({ state: 'detached' });
  t.is(await ways.count(), walks);
  t.deepEqual((await daemon.get('/api/corrections')).body.corrections, []);
  await stays.nth(2).click();
  await form.getByRole('button', { name: 'This was no stay' }).click();
  await until(async () => (await stays.count()) === first - 1);
  await page
    .getByRole('status')
    .filter({ hasText: 'Timeline corrected' })
    .getByRole('button', { name: 'Undo' })
    .first()
    .click();
  await until(async () => (await stays.count()) === first);
  await assertSealed(t, map);
});

testPage(
  'home and work are there, and naming one makes a bookmark that names its stays',
  async (t) => {
    // Ten weeks: nights in one place, working hours in another.
    const { fixes } = lifeOf('office', 7, 70);
    const files = { 'life.gpx': gpxTrack(fixes) };
    const map = await openMap(t, browser, { files });
    const { page, daemon } = map;
    await page.getByRole('tab', { name: 'Places' }).click();
    const own = page.getByRole('region', { name: 'Your places' });
    await own.getByRole('button', { name: /^Home, Lübeck ?\d+ visits/u }).waitFor();
    await own.getByRole('button', { name: /^Work, .*\d+ visits/u }).waitFor();
    await assertAccessible(t, page, 'your places');
    await own.getByRole('button', { name: 'Name it' }).first().click();
    const form = page.getByRole('form', { name: 'Bookmark' });
    t.is(await form.getByLabel('Name').inputValue(), 'Home');
    await form.getByLabel('Name').fill('Villa');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Villa' }).waitFor();
    t.is((await daemon.get('/api/waypoints?bookmarksOnly=true')).body[0].name, 'Villa');
    await page.getByRole('button', { name: 'Close' }).click();
    await own.getByRole('button', { name: /^Villa, Lübeck ?Home · \d+ visits/u }).waitFor();
    await page.getByRole('tab', { name: 'Day' }).click();
    await page.getByRole('textbox', { name: 'Day' }).fill('2023-02-08');
    await page
      .getByRole('list', { name: 'Stays and trips' })
      .getByText('Villa, Lübeck')
      .first()
      .waitFor();
    await page.getByRole('tab', { name: 'Year' }).click();
    const sums = page.getByRole('table', { name: 'The year in numbers' });
    t.regex(await sums.getByRole('row', { name: /On the way/u }).innerText(), /\d km/u);
    t.regex(await sums.getByRole('row', { name: /Away from home/u }).innerText(), /\d nights?/u);
    await assertSealed(t, map);
  },
);

testPage('a period is chosen by dates, in the bar, and by keys', async (t) => {
  const map = await openMap(t, browser, { fill: importJourney });
  const { page, asked } = map;
  await untilShown(t, page, track);
  const bar = page.getByRole('region', { name: 'Period' });
  await bar.getByLabel('From', { exact: true }).fill('2024-05-10');
  t.is(await bar.getByLabel('To', { exact: true }).inputValue(), '2024-05-29', 'the last day');
  await bar.getByLabel('From', { exact: true }).fill('2001-01-01');
  await bar.getByLabel('To', { exact: true }).fill('2001-12-31');
  await untilShown(t, page, track, false);
  t.true(asked.some((address) => address.includes('from=2001-01-01&to=2001-12-31')));
  await bar.getByRole('button', { name: 'All' }).click();
  await untilShown(t, page, track);
  const box = await page.locator('.bars').boundingBox();
  t.truthy(box);
  const { x = 0, y = 0, width = 0 } = box ?? {};
  await page.mouse.move(x + width * 0.25, y + 10);
  await page.mouse.down();
  await page.mouse.move(x + width * 0.75, y + 10, { steps: 4 });
  await page.mouse.up();
  const end = bar.getByRole('slider', { name: 'End of the period' });
  const chosen = Number(await end.inputValue());
  await end.focus();
  await page.keyboard.press('ArrowLeft');
  t.is(Number(await end.inputValue()), chosen - 1);
  const [least, most] = [await end.getAttribute('min'), await end.getAttribute('max')].map(Number);
  const share = (chosen - 1 - (least ?? 0)) / ((most ?? 0) - (least ?? 0));
  await page.mouse.move(x + width * share, y + 10);
  await page.mouse.down();
  await page.mouse.move(x + width * 0.95, y + 10, { steps: 4 });
  await page.mouse.up();
  t.true(Number(await end.inputValue()) > chosen, 'the end follows the pointer');
  const begin = bar.getByRole('slider', { name: 'Begin of the period' });
  await begin.focus();
  await page.keyboard.press('End');
  t.is(Number(await begin.inputValue()), Number(await end.inputValue()) - 1, 'no period is empty');
  await assertSealed(t, map);
});

testPage('a daemon that goes away is told of, and taken up again when it is back', async (t) => {
  const map = await openMap(t, browser, { fill: importJourney });
  const { page } = map;
  await page.getByRole('tab', { name: 'Library' }).click();
  await page.getByRole('button', { name: 'Remove 01-porto.gpx' }).waitFor();
  await map.daemon.close();
  await page.getByRole('alert').getByText('waypointd does not answer.').waitFor();
  map.daemon = await map.daemon.restart();
  await page
    .getByRole('alert')
    .getByText('waypointd does not answer.')
    .waitFor({ state: 'detached' });
  await map.daemon.call('POST', '/api/bookmarks', { name: 'Since then', lat: 1, lon: 2 });
  await page.getByText('1 bookmark', { exact: false }).waitFor();
  await assertSealed(t, map, [502, 503]);
});

testPage('narrow and dark pages hide nothing, and are as accessible', async (t) => {
  const map = await openMap(t, browser, {
    width: 360,
    height: 640,
    dark: true,
    fill: importJourney,
  });
  const { page } = map;
  for (const name of ['Day', 'Places', 'Year', 'Library']) {
    await page.getByRole('tab', { name }).click();
    await assertAccessible(t, page, name);
    t.is(await page.evaluate('document.documentElement.scrollWidth'), 360);
  }
  await page.getByRole('button', { name: 'Show the panel' }).click();
  t.false(await page.getByRole('tabpanel').isVisible());
  await page.getByRole('tab', { name: 'Library' }).press('ArrowLeft');
  await page.locator('[role=tab]:focus', { hasText: 'Year' }).waitFor();
  const dark = page.getByRole('button', { name: 'Dark colours' });
  const isDark = (pressed: boolean) =>
    page.getByRole('button', { name: 'Dark colours', pressed }).waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await isDark(colorScheme === 'dark');
  }
  await dark.click();
  // What the user has chosen stays, whatever the system has from then on.
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    // The page hears of it in one frame, and shows it in the next.
    for (let frame = 0; frame < 3; frame += 1)
      await page.evaluate('new Promise(requestAnimationFrame)');
    await isDark(false);
  }
  await assertAccessible(t, page, 'light after dark');
  await assertSealed(t, map);
});

testPage('a street map of the user lies over the built-in one', async (t) => {
  const basemap = join(temporaryDirectory(t), 'world.pmtiles');
  writeFileSync(basemap, waterWorld());
  const map = await openMap(t, browser, { basemap });
  // The water of @protomaps/basemaps.
  await untilShown(t, map.page, 'red === 128 && green === 222 && blue === 234');
  t.is(await pixelsOf(map.page, land, middle), 0);
  await assertSealed(t, map);
});

testPage('a page without a session says what to do', async (t) => {
  const { page, origin } = await openMap(t, browser);
  // Its session has begun.
  await page.getByRole('heading', { name: 'Nothing here yet' }).waitFor();
  await page.evaluate('sessionStorage.clear()');
  await page.goto(`${origin}/`);
  await page.getByRole('alert').getByText('waypointd map').waitFor();
  t.is(await page.getByRole('tab').count(), 0);
});

testPage('a page of another origin can neither read nor write', async (t) => {
  const { page, origin, daemon } = await openMap(t, browser);
  await page.getByRole('heading', { name: 'Nothing here yet' }).waitFor();
  const secret = await page.evaluate<string>('sessionStorage.getItem("waypointd-session")');
  // Even one that has the secret.
  const headers = { [sessionHeader]: secret };
  for (const foreign of await openForeignPages(t, browser)) {
    const got = await tryToReadAndWrite(foreign, origin, headers);
    t.deepEqual(new Set(got), new Set(['blocked']), foreign.url());
  }
  t.deepEqual((await daemon.get('/api/waypoints')).body, []);
  t.deepEqual((await daemon.get('/api/imports')).body.files, []);
  const own = await tryToReadAndWrite(page, origin, headers);
  t.deepEqual(own, [200, 401, 401, 201, 401, 201], 'what the page itself may');
});

testPage('pages say at once that their server has ended, and ask no more', async (t) => {
  const { page, map } = await openMap(t, browser);
  const other = await page.context().newPage();
  await other.goto(map.newAddress());
  const pages = [page, other];
  for (const each of pages) {
    await each.getByRole('tab', { name: 'Places' }).waitFor();
    await each.clock.install();
    // From here on the clock is ours.
    await each.waitForResponse('**/api/status');
  }
  await map.close(0);
  const asked: string[] = [];
  for (const each of pages) {
    await each.getByText('This page has ended').waitFor();
    each.on('request', (request) => asked.push(request.url()));
  }
  for (const each of pages) {
    await each.clock.runFor(60_000);
    // A turn after whatever the clock has set off.
    await each.evaluate("fetch('/icon.svg').catch(() => undefined)");
  }
  t.deepEqual(
    asked.filter((address) => !address.endsWith('/icon.svg')),
    [],
  );
});

testPage('a day across the antimeridian is seen from near', async (t) => {
  const fixes = Array.from({ length: 60 }, (_, minute): Observed => {
    const lon = ((179.7 + minute / 100 + 540) % 360) - 180;
    return [Date.UTC(2024, 4, 4, 1, minute), -16.8, lon];
  });
  const files = { 'a.gpx': gpxTrack(fixes) };
  const map = await openMap(t, browser, { files });
  await map.page.getByRole('textbox', { name: 'Day' }).fill('2024-05-04');
  // A line over most of the map, not a dot on the world.
  await untilShown(t, map.page, day, true, 800);
  await assertSealed(t, map);
});
