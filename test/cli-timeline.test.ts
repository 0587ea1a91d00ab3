import { kilometres, placeOf, stayTime } from '../model/timeline-words.ts';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { parsePeriod } from '../cli/commands/timeline/period.ts';
import { parseMoment, whereAt } from '../cli/commands/where.ts';
import { parseDate } from '../model/calendar-date.ts';
import type { TimelineJobRecord } from '../model/timeline-job.ts';
import type { TimelineResult, TimelineStop } from '../model/timeline-result.ts';
import { fail, finish, startFakeDaemon, testCli, type TestCli } from './helpers/cli.ts';
import { startTestDaemon, type TestDaemon } from './helpers/daemon.ts';
import { resultOf } from './programs/unruly-timeline-tasks.ts';
import { posix } from './helpers/where.ts';
import { answerWhen } from './helpers/until.ts';

const today = parseDate('2024-03-31')!;

const periods: [words: string[], last: string | undefined, start: string, end: string][] = [
  [['2024'], undefined, '2024-01-01', '2024-12-31'],
  [['0000'], undefined, '0000-01-01', '0000-12-31'],
  [['9999'], undefined, '9999-01-01', '9999-12-31'],
  [['2024-02'], undefined, '2024-02-01', '2024-02-29'],
  [['2000-02'], undefined, '2000-02-01', '2000-02-29'],
  [['1900-02'], undefined, '1900-02-01', '1900-02-28'],
  [['2023-12'], undefined, '2023-12-01', '2023-12-31'],
  [['2019-07-14'], undefined, '2019-07-14', '2019-07-14'],
  [['2019-07-14', '2019-08-01'], undefined, '2019-07-14', '2019-08-01'],
  [['2019', '2021-04'], undefined, '2019-01-01', '2021-04-30'],
  [['2000-01-01', '2020-01-15'], undefined, '2000-01-01', '2020-01-15'],
  [[], '1d', '2024-03-31', '2024-03-31'],
  [[], '30d', '2024-03-02', '2024-03-31'],
  [[], '4w', '2024-03-04', '2024-03-31'],
  [[], '1m', '2024-03-01', '2024-03-31'],
  [[], '12m', '2023-04-01', '2024-03-31'],
  [[], '2y', '2022-04-01', '2024-03-31'],
  [[], '7320d', '2004-03-17', '2024-03-31'],
];
for (const [words, last, start_date, end_date] of periods) {
  test(`the period ${[...words, last ?? ''].join(' ')} is ${start_date} to ${end_date}`, (t) => {
    t.deepEqual(parsePeriod(words, last, today), { start_date, end_date });
  });
}

const noPeriods: [words: string[], last: string | undefined, why: RegExp][] = [
  [[], undefined, /Say which period/],
  [['2024', '2024', '2024'], undefined, /Say which period/],
  [['24'], undefined, /24 is no date/],
  [['2024-2'], undefined, /is no date/],
  [['2024-13'], undefined, /is no date/],
  [['2023-02-29'], undefined, /is no date/],
  [['2024-07-14T10:00Z'], undefined, /is no date/],
  [['yesterday\u001B[2J'], undefined, /^yesterday\uFFFD\[2J is no date/],
  [['2024-02', '2024-01'], undefined, /ends before it begins/],
  [['2000-01-01', '2020-01-16'], undefined, /at most 7,320 days; these are 7321/],
  [['2024'], '30d', /not both/],
  [[], '7321d', /at most 7,320 days/],
  [[], '0d', /is no number of days/],
  [[], '30', /is no number of days/],
  [[], '-3d', /is no number of days/],
  [[], '3h', /is no number of days/],
  [[], '99999y', /before all dates/],
];
for (const [words, last, why] of noPeriods) {
  test(`the period "${JSON.stringify([...words, last ?? ''])}" is refused`, (t) => {
    const error = t.throws(() => parsePeriod(words, last, today), { message: why });
    t.is((error as { exitCode?: number }).exitCode, 64);
  });
}

const moments: [text: string, time: string][] = [
  ['2019-07-14T15:30Z', '2019-07-14T15:30:00.000Z'],
  ['2019-07-14 15:30', '2019-07-14T15:30:00.000Z'],
  ['2019-07-14t15:30:05z', '2019-07-14T15:30:05.000Z'],
  ['2019-07-14T15:30:05.25Z', '2019-07-14T15:30:05.250Z'],
  ['2019-07-14 15:30 +02:00', '2019-07-14T13:30:00.000Z'],
  ['2019-07-14T15:30-0330', '2019-07-14T19:00:00.000Z'],
  ['1969-12-31T23:59Z', '1969-12-31T23:59:00.000Z'],
];
for (const [text, time] of moments) {
  test(`the moment ${text} is ${time}`, (t) => t.is(parseMoment(text).timeMs, Date.parse(time)));
}

for (const text of ['2019-07-14', '15:30', '2019-07-14T25:00Z', '2019-02-30T10:00Z', 'now', '']) {
  test(`the moment "${text}" is refused`, (t) => {
    t.throws(() => parseMoment(text), { message: /is no moment/ });
  });
}

test('times and distances are printed in the units that fit', (t) => {
  const seconds = [0, 59, 60, 3_599, 3_600, 47_520, 86_399, 86_400, 273_600, 90_061];
  t.deepEqual(seconds.map(stayTime), [
    '0 s',
    '59 s',
    '1 min',
    '59 min',
    '1 h',
    '13 h 12 min',
    '23 h 59 min',
    '1 d',
    '3 d 4 h',
    '1 d 1 h',
  ]);
  t.deepEqual([0, 40, 449, 9_949, 9_960, 71_500, 1_284_000].map(kilometres), [
    '0',
    '0',
    '0.4',
    '9.9',
    '10',
    '72',
    '1,284',
  ]);
  const names = { locality: 'Porto', region: 'Porto', country: 'Portugal' };
  t.is(placeOf(names), 'Porto, Portugal');
  t.is(placeOf({ ...names, locality: '', region: '' }), 'Portugal');
});

const stay: TimelineStop = {
  index: 0,
  kind: 'stay',
  date_utc: '2024-05-04',
  latitude: 41.1433,
  longitude: -8.6168,
  radius_m: 12,
  first_observation_utc: '2024-05-04T09:10:00Z',
  last_observation_utc: '2024-05-04T11:00:00Z',
  duration_seconds: 6_600,
  bridged_seconds: 0,
  recorded_observations: 120,
  distance_from_previous_m: 0,
  travel_seconds: 0,
  place: 0,
  continues_before: false,
  continues_after: false,
  country: 'Portugal',
  country_id: 'PT',
  region: 'Porto',
  region_id: 'PT.17',
  county: '',
  local_admin: '',
  locality: 'Porto',
  locality_id: '2735943',
  near_border: [],
  lat: 41.1433,
  lon: -8.6168,
};

const later: TimelineStop = {
  ...stay,
  index: 1,
  date_utc: '2024-05-05',
  latitude: 42.0466,
  longitude: -8.6443,
  lat: 42.0466,
  lon: -8.6443,
  first_observation_utc: '2024-05-04T13:20:00Z',
  last_observation_utc: '2024-05-05T08:00:30.500Z',
  duration_seconds: 67_230,
  bridged_seconds: 36_000,
  distance_from_previous_m: 120_345,
  travel_seconds: 8_400,
  place: 1,
  country: 'Spain',
  country_id: 'ES',
  region: '=Galicia, "north"',
  region_id: 'ES.58',
  locality: 'Tui\u001B[31m',
  locality_id: '3107784',
};

test('a moment is at a stop, between two, or beyond what is known', (t) => {
  const result = resultOf([stay, later]);
  const at = (time: string, of = result) => whereAt(of, Date.parse(time));
  t.deepEqual(at('2024-05-04T09:10:00Z'), { state: 'stop', stop: stay });
  t.deepEqual(at('2024-05-04T11:00:00Z'), { state: 'stop', stop: stay });
  const between = { state: 'between', previous: stay, next: later };
  t.deepEqual(at('2024-05-04T11:00:00.001Z'), between);
  t.deepEqual(at('2024-05-04T13:19:59Z'), between);
  t.deepEqual(at('2024-05-05T08:00:30.5Z'), { state: 'stop', stop: later });
  t.deepEqual(at('2024-05-05T08:00:31Z'), { state: 'unknown', previous: later });
  t.deepEqual(at('2024-05-04T09:09:59Z'), { state: 'unknown', next: stay });
  t.deepEqual(at('2024-05-04T09:10:00Z', resultOf([])), { state: 'unknown' });
});

const id = '0123456789abcdef0123456789abcdef';
const queued = {
  id,
  state: 'queued',
  start_date: '2024-05-04',
  end_date: '2024-05-05',
  processed_observations: 0,
  created_at: '2024-06-01T12:00:00Z',
};
const running = {
  ...queued,
  state: 'running',
  total_observations: 10,
  started_at: '2024-06-01T12:00:00Z',
};
const finished = { ...running, finished_at: '2024-06-01T12:00:01Z' };

type Job = Readonly<Record<string, unknown>>;

/** A daemon whose one job goes through these records, one for each time it is asked. */
function jobDaemon(
  t: ExecutionContext<unknown>,
  cli: TestCli,
  records: readonly Job[],
  result?: TimelineResult,
) {
  let asked = 0;
  return startFakeDaemon(t, cli, {
    'POST /api/timelines': (_, response: ServerResponse) => {
      response.statusCode = 202;
      return { job_id: id };
    },
    [`GET /api/timelines/${id}`]: ({ query }) => {
      if (query.get('result') === 'true') return { ...finished, state: 'completed', result };
      return records[Math.min(asked++, records.length - 1)];
    },
    [`DELETE /api/timelines/${id}`]: (_, response: ServerResponse) => {
      response.statusCode = 202;
      return { status: 'cancelling' };
    },
  });
}

const whole: TimelineResult = {
  ...resultOf([stay, later]),
  period: {
    ...resultOf([]).period,
    start_utc: '2024-05-04T00:00:00Z',
    end_utc_exclusive: '2024-05-06T00:00:00Z',
    days: 2,
  },
  dataset: {
    dataset_version: '2026.11',
    source_version: 'x',
    attribution: 'GeoNames\u001B[2J',
    license: 'CC-BY-4.0',
  },
  summary: {
    ...resultOf([]).summary,
    recorded_observations: 50_408,
    outlier_observations: 18_947,
    stops_found: 30_000,
    stops_returned: 2,
    stop_seconds: 73_830,
    bridged_seconds: 36_000,
  },
  timeline_truncated: true,
};

const done = [queued, running, { ...finished, state: 'completed' }];

test('timeline: names cannot harm a terminal; what is cut or inferred is said', async (t) => {
  const cli = testCli(t);
  const { requests } = await jobDaemon(t, cli, done, whole);
  const table = await cli.out(['timeline', '2024-05-04', '2024-05-05', '--stops']);
  t.is(
    table,
    `2024-05-04 to 2024-05-05: data on 1 of 2 days. Days and times are UTC.
Places: geodata 2026.11, GeoNames\uFFFD[2J.

ARRIVED           LEFT                     TIME   KM  PLACE
2024-05-04 09:10  11:00              1 h 50 min       Porto, Portugal
2024-05-04 13:20  2024-05-05 08:00  18 h 40 min  120  Tui\uFFFD[31m, =Galicia, "north", Spain

18,947 of 50,408 points were ignored as errors (another device, spikes):
docs/timelines.md
10 h of 20 h 30 min in stops are inferred: silence that began at a stop and
ended at or near it.
Only 2 of 30,000 stops are listed: the longest, and the last of each place.
Totals count all.
`,
  );
  t.deepEqual(requests[1]?.body, {
    start_date: '2024-05-04',
    end_date: '2024-05-05',
    time_zone: 'local',
  });
  t.is(requests.filter(({ path }) => path.endsWith(id)).length, done.length + 1);
});

test('trips: that stops are missing is said, beside what is for a program, too', async (t) => {
  const cli = testCli(t);
  await jobDaemon(t, cli, done, whole);
  const { stdout, stderr } = await cli.run(['trips', '2024', '--json']);
  t.deepEqual(JSON.parse(stdout).trips, []);
  t.regex(stderr, /^Only 2 of 30,000 stops are looked at: .* trips are missing here\.$/mu);
});

test('timeline: CSV is for spreadsheets, and its notes are beside it', async (t) => {
  const cli = testCli(t);
  await jobDaemon(t, cli, done, whole);
  const { stdout, stderr } = await cli.run(['timeline', '2024', '--stops', '-f', 'csv']);
  const [titles, , tui, end] = stdout.split('\r\n');
  t.regex(titles!, /^index,kind,date_utc,latitude,longitude,.*,locality,locality_id,near_border$/);
  t.true(tui?.endsWith(`,Spain,ES,"'=Galicia, ""north""",ES.58,,,Tui\u001B[31m,3107784,`));
  t.is(end, '');
  t.regex(stderr, /Only 2 of 30,000 stops are listed/);
});

const pass: TimelineStop = { ...stay, index: 2, kind: 'pass', duration_seconds: 0 };
const mark: TimelineStop = {
  ...pass,
  index: 3,
  kind: 'mark',
  first_observation_utc: '2024-05-07T00:00:00Z',
  last_observation_utc: '2024-05-07T00:00:00Z',
};
/** Until midnight, which is of the day before. */
const long: TimelineStop = {
  ...later,
  last_observation_utc: '2024-05-07T00:00:00Z',
  duration_seconds: 211_200,
};

test('timeline: a day has the stays and marks that touch it, whatever ended elsewhere or was only passed', async (t) => {
  const cli = testCli(t);
  const counts = { recorded_observations: 5, stops: 272, distance_m: 0, countries: ['ES'] };
  const presence = [{ country_id: 'ES', kind: 'recorded' as const }];
  const day = { ...counts, utc_offset_minutes: 0, presence };
  const dates = ['04', '05', '06', '07'].map((end) => `2024-05-${end}`);
  const days = dates.map((date_utc, at) => ({
    ...day,
    date_utc,
    date_local: date_utc,
    stop_seconds: at < 3 ? 60 : 0,
  }));
  await jobDaemon(t, cli, done, { ...resultOf([stay, pass, long, mark]), days });
  const lines = (await cli.out(['timeline', '2024', '--days'])).split('\n');
  t.deepEqual(
    lines.filter((line) => line.startsWith('2024')).map((line) => line.split(/ {2,}/u)),
    [
      [dates[0], '5', '2', '1 min', '0', 'ES'],
      [dates[1], '5', '1', '1 min', '0', 'ES'],
      [dates[2], '5', '1', '1 min', '0', 'ES'],
      [dates[3], '5', '1', '-', '0', 'ES'],
    ],
  );
});

test('timeline: a level without any stay has a sentence instead of a table without rows', async (t) => {
  const cli = testCli(t);
  const { country, country_id, region, region_id, county, local_admin } = stay;
  const names = { country, country_id, region: '', region_id: '', county, local_admin };
  const row = {
    ...names,
    locality: '',
    locality_id: '',
    timeline_index: 0,
    visits: 0,
    stop_seconds: 0,
    bridged_seconds: 0,
    recorded_observations: 9,
    recorded_days: 1,
    nights: 0,
    source_files: 1,
    first_observation_utc: stay.first_observation_utc,
    last_observation_utc: stay.last_observation_utc,
    days: 1,
    days_inferred: 0,
    nights_inferred: 0,
  };
  const places = [
    { ...row, level: 'country' as const },
    { ...row, level: 'region' as const, region, region_id },
    { ...row, level: 'region' as const, region: 'Braga', region_id: 'PT.04' },
  ];
  const { dataset } = whole;
  await jobDaemon(t, cli, done, { ...resultOf([pass]), dataset, places });
  const table = await cli.out(['timeline', '2024']);
  t.regex(table, /^COUNTRY.*\nPortugal +1 +0 +- /mu);
  t.notRegex(table, /^REGION/mu);
  t.regex(table, /^No stay in any region: --level region shows 2 regions\.$/mu);
});

test('where: of a stay that is longer than the days looked at, only the least is known', async (t) => {
  const cli = testCli(t);
  await jobDaemon(t, cli, done, resultOf([{ ...long, continues_after: true }]));
  const answer = await cli.out(['where', '2024-05-05', '10:00']);
  t.regex(answer, /^to +after 2024-05-07 00:00\nfor +at least 2 d 10 h\n/mu);
});

/** In Spain over the night in which summer time ends; left at 01:30 UTC, which the clock there shows for the second time. */
const autumn: TimelineStop = {
  ...later,
  index: 2,
  first_observation_utc: '2024-10-26T22:10:00Z',
  last_observation_utc: '2024-10-27T01:30:00Z',
};
const trip = { index: 0, from_stop: 0, to_stop: 1, distance_m: 120_345, duration_seconds: 8_400 };
const spainRow = {
  level: 'country' as const,
  country: 'Spain',
  country_id: 'ES',
  region: '',
  region_id: '',
  county: '',
  local_admin: '',
  locality: '',
  locality_id: '',
  timeline_index: 2,
  visits: 2,
  stop_seconds: 1,
  bridged_seconds: 0,
  recorded_observations: 9,
  recorded_days: 2,
  nights: 1,
  source_files: 1,
  days: 2,
  days_inferred: 0,
  nights_inferred: 0,
  first_observation_utc: autumn.first_observation_utc,
  last_observation_utc: autumn.last_observation_utc,
};
const autumnDay: TimelineResult['days'][number] = {
  date_utc: '2024-10-27',
  date_local: '2024-10-27',
  utc_offset_minutes: 60,
  stops: 1,
  recorded_observations: 5,
  stop_seconds: 60,
  distance_m: 0,
  countries: ['ES'],
  presence: [],
};
const twoZones: TimelineResult = {
  ...whole,
  timeline: [stay, later, autumn],
  places: [spainRow],
  days: [autumnDay],
  trips: [
    {
      ...trip,
      start_utc: '2024-05-04T11:00:00Z',
      end_utc: '2024-05-04T13:20:00Z',
      mode: 'car',
      mode_confidence: 1,
      recorded_observations: 9,
      recorded_seconds: 8_400,
      legs: [],
    },
  ],
};

/** What each command shows in a zone: times of stops, the trip's, the moment's, the first and last day in Spain, stops of the day. */
const clocks: [zone: string, stops: string[], left: string, moment: RegExp, span: RegExp][] = [
  [
    'UTC',
    [
      '2024-05-04 09:10  11:00',
      '2024-05-04 13:20  2024-05-05 08:00',
      '2024-10-26 22:10  2024-10-27 01:30',
    ],
    '2024-05-04 11:00',
    /^2024-05-04 10:00 UTC: Porto.*\n.*\nfrom +2024-05-04 09:10\nto +2024-05-04 11:00\n/u,
    /2024-10-26  2024-10-27\n/u,
  ],
  [
    'local',
    ['2024-05-04 10:10  12:00', '2024-05-04 15:20  2024-05-05 10:00', '2024-10-27 00:10  02:30'],
    '2024-05-04 12:00',
    /^2024-05-04 11:00 \(2024-05-04 10:00 UTC\): Porto.*\n.*\nfrom +2024-05-04 10:10\nto +2024-05-04 12:00\n/u,
    /2024-10-27  2024-10-27\n/u,
  ],
  [
    'Pacific/Auckland',
    ['2024-05-04 21:10  23:00', '2024-05-05 01:20  20:00', '2024-10-27 11:10  14:30'],
    '2024-05-04 23:00',
    /^2024-05-04 22:00 \(2024-05-04 10:00 UTC\): Porto.*\n.*\nfrom +2024-05-04 21:10\nto +2024-05-04 23:00\n/u,
    /2024-10-27  2024-10-27\n/u,
  ],
];
for (const [zone, stops, left, moment, span] of clocks) {
  test(`tables of a timeline show the clock of the zone ${zone}, on both sides of its summer time`, async (t) => {
    const cli = testCli(t);
    const { period } = whole;
    await jobDaemon(t, cli, done, { ...twoZones, period: { ...period, time_zone: zone } });
    const option = zone === 'local' ? ['--local'] : ['--zone', zone];
    const stopLines = (await cli.out(['timeline', '2024', '--stops', ...option])).split('\n');
    const rows = stopLines.filter((line) => /^2024.* (?:h|min) /u.test(line));
    t.deepEqual(
      rows.map((line) => line.split(/ {2,}/u).slice(0, 2).join('  ')),
      stops,
    );
    t.regex(await cli.out(['trips', '2024', ...option]), new RegExp(`^${left} `, 'mu'));
    t.regex(await cli.out(['where', '2024-05-04T10:00Z', ...option]), moment);
    t.regex(await cli.out(['timeline', '2024', '--level', 'country', ...option]), span);
    t.regex(await cli.out(['timeline', '2024', '--days', ...option]), /^2024-10-27 +5 +1 /mu);
    const csv = (await cli.out(['where', '2024-05-04', '--csv', ...option])).split('\r\n');
    t.is(csv.length, 5);
    t.true(csv[1]!.includes(',2024-05-04T09:10:00Z,'), 'CSV is for programs');
  });
}

test('timeline: a daemon that goes takes the timeline with it, and that is said', async (t) => {
  const cli = testCli(t);
  await startFakeDaemon(t, cli, {
    'POST /api/timelines': () => ({ job_id: id }),
    [`GET /api/timelines/${id}`]: (_, response) => {
      response.socket?.destroy();
    },
  });
  const { code, stderr } = await cli.run(['timeline', '2024']);
  t.is(code, 1);
  t.regex(stderr, /^waypointd: The daemon has gone, and the timeline with it\. Start the daemon/u);
});

test('timeline: a job that has failed is told, with exit code 1', async (t) => {
  const cli = testCli(t);
  const error = 'The timeline took longer than ten minutes.';
  await jobDaemon(t, cli, [running, { ...finished, state: 'failed', error }]);
  t.deepEqual(await cli.run(['timeline', '2024']), {
    code: 1,
    stdout: '',
    stderr: `waypointd: ${error}\n`,
  });
});

test('where: a full line of jobs is told, with exit code 1', async (t) => {
  const cli = testCli(t);
  await startFakeDaemon(t, cli, {
    'POST /api/timelines': (_, response) => fail(response, 429, 'busy', 'Too many.'),
  });
  const { code, stderr } = await cli.run(['where', '2024-05-04T10:00Z']);
  t.is(code, 1);
  t.regex(stderr, /Too many timelines are waiting/);
});

posix('timeline: Ctrl-C cancels the job', async (t) => {
  const cli = testCli(t);
  const asked = Promise.withResolvers<void>();
  let isCancelled = false;
  await startFakeDaemon(t, cli, {
    'POST /api/timelines': () => ({ job_id: id }),
    [`GET /api/timelines/${id}`]: () => {
      asked.resolve();
      return isCancelled ? { ...finished, state: 'cancelled' } : running;
    },
    [`DELETE /api/timelines/${id}`]: () => {
      isCancelled = true;
      return { status: 'cancelling' };
    },
  });
  const child = cli.start(['timeline', '2024']);
  const ended = finish(child);
  await asked.promise;
  child.kill('SIGINT');
  const { code, stdout, stderr } = await ended;
  t.true(isCancelled);
  t.deepEqual({ code, stdout, stderr }, { code: 130, stdout: '', stderr: 'Stopping …\n' });
});

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const [, shownInReadme = '?'] = /^\$ npx waypointd timeline 2024\n([^…]+)…$/mu.exec(readme) ?? [];
const journey = fileURLToPath(new URL('../fixtures/journey', import.meta.url));

test('a journey through eight countries, by HTTP and as tables, CSV, GeoJSON and JSON', async (t) => {
  const cli = testCli(t);
  const daemon = await startTestDaemon(t, { root: cli.root, options: { handOver: true } });
  t.is((await daemon.call('POST', '/api/import', { dir: journey })).status, 200);
  const result = await journeyResult(t, daemon);
  const countries = result.places.filter(({ level }) => level === 'country');

  const overview = async () => {
    const { stdout, stderr } = await cli.run(['timeline', '2024']);
    t.is(stderr, '');
    t.is(shownInReadme, stdout.slice(0, shownInReadme.length), 'README.md shows what is printed');
    t.regex(
      stdout,
      /^2024-01-01 to 2024-12-31: data on 23 of 366 days\. Days and times are those of\nthe place\.\nPlaces: geodata \d[\d.]+, .*GeoNames.*\n.*\n\nCOUNTRY +DAYS +NIGHTS +TIME  FIRST +LAST\n/u,
    );
    t.regex(stdout, /^Portugal +4 +3 +2 d \d+ h  2024-05-03  2024-05-06$/mu);
    t.regex(stdout, /^Galicia +Spain +5 +4 +3 d \d+ h  2024-05-10$/mu);
    t.regex(stdout, /^Bilbao +Basque Country +ES +3 +2 +1 d \d+ h  2024-05-12$/mu);
    t.regex(stdout, /^… and \d+ more: --level locality shows all localities\.$/mu);
    t.regex(
      stdout,
      /\n\d+ d \d+ h of \d+ d \d+ h in stops are inferred: .*\n.* it\.\nNothing was recorded for /u,
    );
  };
  const csv = async () => {
    const text = await cli.out(['timeline', '2024-05', '--level', 'country', '--format', 'csv']);
    t.is(await cli.out(['timeline', '2024-05', '--level', 'country', '--csv']), text);
    t.deepEqual(
      text.split('\r\n').map((line) => line.split(',').slice(0, 3)),
      [
        ['level', 'country', 'country_id'],
        ...countries.map(({ country, country_id: code }) => ['country', country, code]),
        [''],
      ],
    );
  };
  const geojson = async () => {
    const { features } = JSON.parse(
      await cli.out(['timeline', '2024-05', '-f', 'geojson', '--utc']),
    );
    const { latitude, longitude, lat, lon, ...stop } = result.timeline[0]!;
    const properties = {
      ...stop,
      first_observation_local: '2024-05-03T19:40:00+00:00',
      last_observation_local: '2024-05-04T09:22:00+00:00',
    };
    t.deepEqual([lat, lon], [latitude, longitude]);
    const geometry = { type: 'Point', coordinates: [longitude, latitude] };
    t.deepEqual(features[0], { type: 'Feature', geometry, properties });
    t.is(features.length, result.timeline.length);
  };
  const json = async () => {
    const { timeline, trips, ...printed } = JSON.parse(
      await cli.out(['timeline', '2024-05', '-f', 'json', '--utc']),
    );
    const { timeline: stops, trips: ways, ...answered } = result;
    t.deepEqual(printed, answered);
    t.like(timeline, stops);
    t.like(trips, ways);
  };
  const days = async () =>
    t.regex(await cli.out(['timeline', '2024-05-05', '--days']), /^2024-05-05 +311 .* PT$/mu);
  const nothing = async () =>
    t.regex(
      (await cli.run(['timeline', '1969-12-31'])).stderr,
      /^Nothing was recorded on 1969-12-31\.\nThere are 4,764 points of other days; ".* status" tells from when to when\.\n$/u,
    );
  const atStop = async () =>
    t.regex(
      await cli.out(['where', '2024-05-04T10:00Z']),
      /^2024-05-04 11:00 \(2024-05-04 10:00 UTC\): Porto, Portugal\nposition  41\.14\d*, -8\.61\d*\nfrom +2024-05-04 10:5\d\nto +2024-05-04 11:1\d\nfor +1\d min\n$/,
    );
  const between = async () =>
    t.regex(
      await cli.out(['where', '2024-05-08', '11:00', '--zone', 'UTC']),
      /^2024-05-08 11:00 UTC: between two stops\npassed +2024-05-08 10:\d\d  Teo, .*\nreached +2024-05-08 11:2\d  Santiago de Compostela, Galicia, Spain, \d+ km on\n$/,
    );
  const day = async () =>
    t.regex(
      await cli.out(['where', '2024-05-14', '--zone', 'UTC']),
      /^2024-05-14: data on 1 of 1 day\..*\n.*\n.*\n\nARRIVED .*\nearlier +09:\d\d .*Spain\n(?:2024-05-14 .*\n){2}2024-05-14 11:\d\d +later +12 h.* Bordeaux, New Aquitaine, France\n… and \d+ places only passed/u,
    );
  const after = async () => {
    const answer = await cli.json(['where', '2024-06-01T08:00+02:00']);
    const previous = { country_id: 'SE', locality: 'Helsingborg' };
    t.like(answer, { time_utc: '2024-06-01T06:00:00Z', state: 'unknown', previous });
    t.false('next' in answer);
  };
  const commands = [overview, csv, geojson, json, days, nothing, atStop, between, day, after];
  await Promise.all(commands.map((command) => command()));
  t.notRegex(daemon.logged.join('\n'), /2024-05|Porto|41\.1\d/);
});

async function journeyResult(t: ExecutionContext, daemon: TestDaemon): Promise<TimelineResult> {
  const period = { start_date: '2024-05-01', end_date: '2024-05-31' };
  const accepted = await daemon.call('POST', '/api/timelines', period);
  const path = `/api/timelines/${accepted.body.job_id}`;
  const job = await answerWhen(
    () => daemon.get<TimelineJobRecord>(path),
    ({ body }) => body.finished_at !== undefined,
  );
  t.like(job.body, { state: 'completed', ...period, processed_observations: 4_764 });
  t.is(job.body.total_observations, 4_764);
  const { body } = await daemon.get<TimelineJobRecord>(`${path}?result=true`);
  const countries = body.result!.places.filter(({ level }) => level === 'country');
  t.deepEqual(countries.map(({ country_id: code }) => code).toSorted(), [
    'BE',
    'DE',
    'DK',
    'ES',
    'FR',
    'NL',
    'PT',
    'SE',
  ]);
  return body.result!;
}
