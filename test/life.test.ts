/** Places and summaries: what all recordings come to. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { builtinGeodata } from '../bench/timelines/builtin-geodata.ts';
import { metresBetween, moved } from '../bench/timelines/geometry.ts';
import { WholeTimelines } from '../daemon/timelines/whole-timelines.ts';
import type { WaypointError } from '../model/failure.ts';
import type { LifePlace, Summary } from '../model/life.ts';
import { placeSums, rolesAround } from '../worker/timeline/whole/sums.ts';
import { readWhole } from '../worker/timeline/whole/read-whole.ts';
import { summaryOf } from '../worker/timeline/whole/summary.ts';
import type { WholeTimeline } from '../worker/timeline/whole/whole.ts';
import { TimelineControl } from '../worker/timeline/control.ts';
import { testCli } from './helpers/cli.ts';
import { startTestDaemon, tellTimeline, type TestDaemon } from './helpers/daemon.ts';
import { seeds } from './helpers/effort.ts';
import { rowsOf, valuesOf } from './helpers/fields.ts';
import { at, gpxTrack } from './helpers/fixes.ts';
import { importTree } from './helpers/imported-files.ts';
import { writeTree } from './helpers/imports.ts';
import { lifeOf, lives, type Life } from './helpers/life.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';
import { manualTime } from './helpers/manual-time.ts';
import { libraryOf } from './helpers/timeline-library.ts';
import { answerWhen } from './helpers/until.ts';

async function withLife(t: ExecutionContext, { fixes }: Pick<Life, 'fixes'>): Promise<TestDaemon> {
  const daemon = await startTestDaemon(t, { settings: { geocoder: 'offline' } });
  t.is((await importTree(daemon, { 'life.gpx': gpxTrack(fixes) })).status, 200);
  return daemon;
}

/** Asks again as long as the answer is being made. */
async function made<T>(t: ExecutionContext, daemon: TestDaemon, path: string): Promise<T> {
  const answer = await answerWhen(
    () => daemon.get(path),
    ({ status, headers }) => status !== 429 || headers.get('Retry-After') !== '1',
  );
  t.is(answer.status, 200);
  return answer.body as T;
}

const placesOf = async (t: ExecutionContext, daemon: TestDaemon, query = '') =>
  (await made<{ places: LifePlace[] }>(t, daemon, `/api/places${query}`)).places;

/** What is found of a life without a daemon around it. */
function wholeOf(t: ExecutionContext, { fixes }: Life): WholeTimeline {
  const { lookup, dataset } = builtinGeodata();
  const outcome = readWhole(
    {
      libraryPath: libraryOf(t, [{ path: 'a', trackPoints: fixes }]),
      geodataPath: null,
      dataset: null,
      control: new TimelineControl().shared,
      today: 20_000,
    },
    { lookup: lookup!, dataset: dataset! },
  );
  if (outcome.state !== 'completed') throw new Error(outcome.state);
  return outcome.whole;
}

const always = { fromDay: -Infinity, toDay: Infinity };

for (const kind of lives) {
  test(`home, work, visits and ways are told as they were: ${kind}`, (t) => {
    for (const seed of seeds(4)) {
      const life = lifeOf(kind, seed, 180);
      const whole = wholeOf(t, life);
      const numberOf = (name: keyof Life['places'] | undefined): number | undefined =>
        name && whole.places.findIndex((place) => metresBetween(place, life.places[name]) < 100);
      const roles = rolesAround(whole, always);
      t.deepEqual(roles, { home: numberOf(life.home), work: numberOf(life.work) }, `seed ${seed}`);
      const sums = placeSums(whole, always);
      for (const [name, visits] of life.visits)
        isNear(
          t,
          sums.get(numberOf(name)!)?.visits,
          visits,
          Math.max(2, 0.02 * visits),
          `${name} ${seed}`,
        );
      const summary = summaryOf(whole, always, 20_000);
      for (const [mode, metres] of life.metres) {
        const found = summary.modes.find((row) => row.mode === mode);
        isNear(t, found?.distance_m, metres, 0.05 * metres, `${mode} ${seed}`);
      }
      t.is(summary.nights_away, life.home && life.nightsAway, `seed ${seed}`);
    }
  });
}

function isNear(t: ExecutionContext, found = NaN, wanted: number, by: number, what: string): void {
  t.true(Math.abs(found - wanted) <= by, `${what}: ${found} for ${wanted}`);
}

test('places have visits, times, roles and the names of bookmarks, and a summary adds up', async (t) => {
  const life = lifeOf('office', seeds(1)[0]!, 120);
  const daemon = await withLife(t, life);
  const { home, hotel, hall } = life.places;
  const bookmarks = [
    { name: 'Home', ...moved(home, 0, 100) },
    { name: 'Neighbour', ...moved(home, 0, -130) },
    { name: 'Not the hall', ...moved(hall, 0, 170) },
  ];
  for (const bookmark of bookmarks)
    t.is((await daemon.call('POST', '/api/bookmarks', bookmark)).status, 201);
  const places = await placesOf(t, daemon);
  t.deepEqual(valuesOf(places.slice(0, 2), 'role'), ['home', 'work']);
  t.deepEqual(places.map(({ bookmark }) => bookmark?.name).filter(Boolean), ['Home']);
  t.deepEqual(
    valuesOf(places, 'seconds'),
    places.map(({ seconds }) => seconds).toSorted((a, b) => b - a),
  );

  // A week at the hotel makes it no home, and places keep their ids.
  const holiday = await placesOf(t, daemon, '?from=2023-04-14&to=2023-04-20');
  t.true(metresBetween(holiday[0]!, hotel) < 100);
  t.like(holiday[0], { role: undefined, nights: 7 });
  t.true(holiday.every(({ id }) => places.some((place) => place.id === id)));
  const { lat, lon } = hotel;
  const box = [lon - 0.01, lat - 0.01, lon + 0.01, lat + 0.01].join();
  t.deepEqual(valuesOf(await placesOf(t, daemon, `?bbox=${box}`), 'id'), [holiday[0]!.id]);
  t.is((await placesOf(t, daemon, '?limit=1')).length, 1);

  const period = { start_date: '2023-03-01', end_date: '2023-04-30', time_zone: 'local' };
  const result = await tellTimeline(daemon, period);
  const summary = await made<Summary>(t, daemon, '/api/summary?from=2023-03-01&to=2023-04-30');
  t.deepEqual(
    rowsOf(summary.countries, 'name', 'days', 'nights'),
    result.places
      .filter(({ level }) => level === 'country')
      .map((row) => [row.country, row.days, row.nights]),
  );
  const stays = result.timeline.filter((stop) => metresBetween(stop, hotel) < 100);
  t.like(
    places.find(({ id }) => id === holiday[0]!.id)!,
    {
      first_utc: stays[0]!.first_observation_utc,
      last_utc: stays.at(-1)!.last_observation_utc,
    },
  );
  const legs = result.trips.flatMap((trip) => trip.legs);
  for (const { mode, distance_m } of summary.modes) {
    const metres = legs
      .filter((leg) => leg.mode === mode)
      .reduce((sum, leg) => sum + leg.distance_m, 0);
    t.is(distance_m, metres, mode);
  }
  const sum = summary.modes.reduce((metres, { distance_m }) => metres + distance_m, 0);
  t.is(summary.distance_m, sum);
  const longest = result.trips.reduce((a, b) => (b.distance_m > a.distance_m ? b : a));
  t.like(longest, summary.longest_trip!);
  t.is(summary.nights_away, 12);
  t.true(Math.abs(summary.farthest!.distance_m - metresBetween(home, hotel)) < 3_000);
  t.is(summary.days_without_data, 0);
  const year = await made<Summary>(t, daemon, '/api/summary?from=2023-01-01&to=2023-12-31');
  t.is(year.days_without_data, 365 - 121);
});

test('a way that nothing was recorded of counts by its mode, in the year in which it ends', async (t) => {
  const [berlin, lisbon] = [
    { lat: 52.52, lon: 13.405 },
    { lat: 38.7223, lon: -9.1393 },
  ];
  const daemon = await withLife(t, {
    fixes: [
      ...at(berlin, '2023-12-30T08:00Z', '2023-12-31T20:00Z'),
      ...at(lisbon, '2024-01-01T02:00Z', '2024-01-02T08:00Z'),
    ],
  });
  const of = (year: number): Promise<Summary> =>
    made(t, daemon, `/api/summary?from=${year}-01-01&to=${year}-12-31`);
  t.deepEqual((await of(2023)).modes, []);
  const { modes, distance_m, longest_trip } = await of(2024);
  t.deepEqual(valuesOf(modes, 'mode'), ['flight']);
  isNear(t, distance_m, metresBetween(berlin, lisbon), 20_000, 'flight');
  t.is(longest_trip?.distance_m, distance_m);
});

test('corrections change places and summaries, and say whether they still fit', async (t) => {
  const daemon = await withLife(t, lifeOf('home office', seeds(1)[0]!, 20));
  const result = await tellTimeline(daemon, { start_date: '2023-01-02', end_date: '2023-01-05' });
  const { start_utc, end_utc } = result.trips[0]!;
  t.false(
    (await made<Summary>(t, daemon, '/api/summary')).modes.some(({ mode }) => mode === 'boat'),
  );
  for (const correction of [
    { kind: 'mode', mode: 'boat', start_utc, end_utc },
    { kind: 'not_a_stay', start_utc: '2021-01-01T00:00:00Z', end_utc: '2021-01-02T00:00:00Z' },
  ])
    t.is((await daemon.call('POST', '/api/corrections', correction)).status, 201);
  const { modes } = await made<Summary>(t, daemon, '/api/summary');
  t.is(modes.find(({ mode }) => mode === 'boat')?.distance_m, result.trips[0]!.distance_m);
  const fits = async (): Promise<boolean[]> => {
    const { body } = await answerWhen(
      () => daemon.get('/api/corrections'),
      ({ body: { corrections } }) => corrections.every((row: object) => 'applies' in row),
    );
    return body.corrections.map(({ applies }: { applies: boolean }) => applies);
  };
  t.deepEqual(await fits(), [false, true]);
  const [file] = (await daemon.get('/api/imports')).body.files;
  await daemon.call('DELETE', `/api/imports/${file.id}`);
  t.deepEqual(await fits(), [false, false]);
  t.deepEqual(await placesOf(t, daemon), []);
});

test('without recordings there are no places, and a wrong question is refused by its field', async (t) => {
  const daemon = await startTestDaemon(t);
  t.deepEqual(await placesOf(t, daemon), []);
  t.deepEqual(await made(t, daemon, '/api/summary'), {
    distance_m: 0,
    modes: [],
    countries: [],
    regions: 0,
    towns: 0,
    days_without_data: 0,
  });
  for (const [query, field] of [
    ['from=2023-13-01', 'from'],
    ['from=2023-02-01&to=2023-01-31', 'to'],
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['bbox=0,9,1,8', 'bbox'],
  ]) {
    const { status, body } = await daemon.get(`/api/places?${query}`);
    t.is(status, 400);
    t.is(body.message, `The field \`${field}\` is not valid.`);
  }
  t.is((await daemon.get('/api/places?limit=1000&from=2023-02-01&to=2023-02-01')).status, 200);
});

test('the command line tells places, a year and corrections, with the names of bookmarks', async (t) => {
  const cli = testCli(t);
  const life = lifeOf('office', seeds(1)[0]!, 40);
  const dir = join(temporaryDirectory(t), 'tracks');
  mkdirSync(dir);
  writeTree(dir, { 'life.gpx': gpxTrack(life.fixes) });
  await cli.out(['import', dir]);
  const { lat, lon } = life.places.home;
  await cli.out(['bookmark', 'add', 'Burrow', String(lat), String(lon)]);
  const [first, second] = (await cli.out(['places'])).split('\n').slice(1);
  t.regex(first!, /^Burrow, \S.* home +\d+ /u);
  t.regex(second!, / work +\d+ /u);
  t.is((await cli.out(['places', '2023-01', '--home'])).trim().split('\n').length, 2);
  const { places } = await cli.json(['places', '--work']);
  t.deepEqual(valuesOf(places, 'role'), ['work']);

  for (const words of [
    ['trips', '2023-01-04'],
    ['where', '2023-01-04'],
    ['timeline', '2023-01-04', '--stops'],
    ['when', 'Burrow'],
  ])
    t.true((await cli.out(words)).includes('Burrow'), words.join(' '));
  t.regex(
    await cli.out(['year', '2023']),
    /^2023\. Days and times are those of the place\.\n\n[\d,.]+ km on the way\..*Longest trip: .* to .*, 2023-/su,
  );
  t.regex(await cli.out(['year', '2023', '--svg']), /^<svg .*Stays in \d+ region/su);
  t.is((await cli.json(['year', '2023'])).days_without_data, 365 - 41);
  t.is(await cli.out(['year', '2013']), 'Nothing was recorded in 2013.\n');

  const [trip] = (await cli.json(['trips', '2023-01-04'])).trips;
  const made = await cli.out(['correct', 'mode', 'boat', trip.start_utc]);
  t.regex(made, /^Corrected: boat, 2023-01-04 \d\d:\d\d to .*, by the clock of the place\. /u);
  t.is((await cli.json(['trips', '2023-01-04'])).trips[0].mode, 'boat');
  t.regex(await cli.out(['correct', 'list']), /boat, .* yes\n$/u);
  const backup = join(temporaryDirectory(t), 'backup.tar');
  await cli.out(['backup', 'create', backup]);
  const other = testCli(t);
  await other.out(['backup', 'restore', backup]);
  t.is(await other.out(['correct', 'list']), await cli.out(['correct', 'list']));
  t.is((await other.json(['trips', '2023-01-04'])).trips[0].mode, 'boat');
  // By then each seed's way to the shop is over.
  await cli.out(['correct', 'not-a-stay', '2023-01-04', '15:00']);
  await cli.out([
    'correct',
    'stay',
    '2023-01-05',
    '13:00',
    '2023-01-05',
    '13:10',
    '--at',
    '53.8,10.6',
  ]);
  t.is((await cli.json(['correct', 'list'])).corrections.length, 3);
  t.regex(await cli.out(['undo']), /a stay at 53\.8,10\.6, 2023-01-05 12:00:00Z/u);
  t.is(await cli.out(['correct', 'rm', '1']), 'Deleted correction 1.\n');
  t.not((await cli.json(['trips', '2023-01-04'])).trips[0].mode, 'boat');
  for (const [words, sentence] of [
    [['correct', 'mode', 'sledge', '2023-01-04', '12:00'], 'A mode is one of walk, '],
    [['correct', 'mode', 'car', '2013-01-04', '12:00'], 'There was no trip at that moment.'],
    [['correct', 'not-a-stay', '2013-01-04', '12:00'], 'There was no stay at that moment.'],
    [['correct', 'rm', '77'], 'No correction has this number.'],
    [['correct', 'rm', 'x'], 'The number of a correction is a whole number'],
    [['correct', 'not-a-stay', '2013-01-04'], 'Say the time of day, too: 2013-01-04 15:30'],
    [['correct', 'stay', '2013-01-04', '12:00', '13:00'], 'Say from when and to when: '],
    [['year', '23'], '23 is no year. Write four digits, such as 2024.'],
    [['places', '--home', '--work'], 'Choose one of --home and --work.'],
    [['places', '--limit', '1001'], '--limit is a whole number from 1 to 1000.'],
  ] as const) {
    const { code, stderr } = await cli.run([...words]);
    t.not(code, 0);
    t.true(stderr.includes(sentence), stderr);
  }
});

test('who asks for places while the daemon stops leaves no timer behind', async (t) => {
  const time = manualTime();
  let geodata = Promise.resolve(null);
  const errors: string[] = [];
  const whole = new WholeTimelines({
    libraryPath: libraryOf(t, [{ path: 'a', trackPoints: at({ lat: 1, lon: 2 }, 0, 3_600_000) }]),
    clock: time.clock,
    schedule: time.schedule,
    log: { debug() {}, info() {}, warn() {}, error: (event) => void errors.push(event) },
    libraryRevision: () => '1',
    correctionsRevision: () => 0,
    corrections: () => [],
    libraryReady: () => Promise.resolve(),
    geodata: () => geodata,
  });
  await whole.get();
  t.is(time.waiting(), 1, 'until it is forgotten');
  const slow = Promise.withResolvers<null>();
  geodata = slow.promise;
  const asked = whole.get();
  const closed = whole.close();
  slow.resolve(null);
  t.is((await t.throwsAsync<WaypointError>(asked))?.failure, 'unavailable');
  await closed;
  t.is(time.waiting(), 0);
  t.deepEqual(errors, []);
});
