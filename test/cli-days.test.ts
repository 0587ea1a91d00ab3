/** `days`, `trips`, `when`, and periods in local days: as printed by the command line, of one daemon with one journey. */
import test, { type ExecutionContext } from 'ava';
import { between, metresBetween, type Position } from '../bench/timelines/geometry.ts';
import { parseWindow, reportWindow } from '../cli/commands/timeline/day-window.ts';
import { isInSchengen } from '../cli/commands/days.ts';
import { momentOf } from '../cli/commands/where.ts';
import { formatDate, parseDate } from '../model/calendar-date.ts';
import { testCli, type TestCli } from './helpers/cli.ts';
import { startTestDaemon } from './helpers/daemon.ts';
import { at, gpxTrack } from './helpers/fixes.ts';
import { importTree } from './helpers/imported-files.ts';
import { type Observed } from './helpers/timeline-library.ts';

const berlin = { lat: 52.52, lon: 13.405 };
const lisbon = { lat: 38.7223, lon: -9.1393 };

function flight(from: Position, to: Position, start: string): Observed[] {
  const ms = (metresBetween(from, to) / 230) * 1_000;
  return Array.from({ length: 20 }, (_, i) => {
    const { lat, lon } = between(from, to, (i + 1) / 21);
    return [Date.parse(start) + Math.round((ms * (i + 1)) / 21_000) * 1_000, lat, lon];
  });
}

/** Berlin, a flight, five days in Lisbon of which two are without a fix, and home again. */
const journey: readonly Observed[] = [
  ...at(berlin, '2024-03-01T06:00Z', '2024-03-04T08:00Z'),
  ...flight(berlin, lisbon, '2024-03-04T08:00Z'),
  ...at(lisbon, '2024-03-04T11:00Z', '2024-03-05T20:00Z'),
  ...at(lisbon, '2024-03-08T09:00Z', '2024-03-08T15:00Z'),
  ...flight(lisbon, berlin, '2024-03-08T15:00Z'),
  ...at(berlin, '2024-03-08T18:00Z', '2024-03-10T20:00Z'),
];

async function cliWith(t: ExecutionContext, files: Record<string, string>) {
  const cli = testCli(t);
  const settings = { geocoder: 'offline' } as const;
  const daemon = await startTestDaemon(t, {
    root: cli.root,
    settings,
    options: { handOver: true },
  });
  t.is((await importTree(daemon, files)).status, 200);
  return { cli, daemon };
}

async function journeyCli(t: ExecutionContext): Promise<TestCli> {
  // A tablet that stayed in Porto the whole time.
  const tablet = at({ lat: 41.1496, lon: -8.611 }, '2024-03-01T06:05Z', '2024-03-02T06:00Z');
  const { cli, daemon } = await cliWith(t, {
    'a.gpx': gpxTrack(journey),
    'b.gpx': gpxTrack(tablet),
  });
  const bookmark = { name: 'Lisbon by the river', ...lisbon };
  t.is((await daemon.call('POST', '/api/bookmarks', bookmark)).status, 201);
  return cli;
}

test('the commands about days tell the same of one journey', async (t) => {
  const cli = await journeyCli(t);
  const report = await cli.out(['days', '2024', '--in', 'schengen', '--window', '4/180']);
  t.regex(
    report,
    /^Days and nights from 2024-01-01 to 2024-12-31\. Days and times are those of the\nplace\.\n\nCOUNTRY +DAYS +INFERRED +NIGHTS +INFERRED +FIRST +LAST\n/,
  );
  t.regex(report, /^Germany +7 +0 +5 +0 +2024-03-01 +2024-03-10$/m);
  t.regex(report, /^Portugal +5 +2 +4 +\d +2024-03-04 +2024-03-08$/m);
  t.notRegex(report, /^France/m);
  t.regex(report, /^2024 +Jan .*Dec$/m);
  t.regex(report, /^DE +\.{8}\+[#+.]+$/m);
  t.regex(report, /^Limit first exceeded on 2024-03-05\.$/m);
  t.regex(report, /10 days listed\. Of the whole period 0 days and 0 nights/);
  t.regex(report, /^[^\n]*Days and times are those of the\nplace\./u);
  t.regex(
    report,
    /^Not followed: \d+ points of another device \(import 2\); --sources and\n--exclude/m,
  );
  const windowOf = async (...words: string[]) => (await cli.json(['days', ...words])).window;
  const march = ['2024-03-04', '2024-03-10', '--in', 'schengen'];
  t.is(
    (await windowOf(...march, '--window', '3/4')).exceeded_on,
    '2024-03-04',
    'days before count',
  );
  t.is((await windowOf(...march, '--window', '1/1')).greatest, 1);
  t.is((await windowOf(...march, '--window', '1/7320')).days, 7320);
  const tooLong = await cli.run(['days', ...march, '--window', '1/7321']);
  t.deepEqual([tooLong.code, /The window is too long\./.test(tooLong.stderr)], [64, true]);
  const without = await cli.out(['days', '2024', '--exclude-sources', '2']);
  t.notRegex(without, /Not followed/);
  const tabletOnly = await cli.out(['days', '2024', '--sources', '2']);
  t.regex(tabletOnly, /^Portugal +2 +0 +1 /m);
  t.true(
    report.split('\n').every((line) => line.length <= 80),
    report,
  );

  const picture = await cli.out(['days', '2024', '--in', 'PT', '--svg']);
  t.regex(picture, /<title>2024-03-04: Germany, Portugal<\/title>/);
  t.regex(picture, />Portugal: 5 days, 2 inferred</);
  t.regex(await cli.out(['timeline', '2024', '--svg', '--local']), /<title>2024-03-01: Germany</);

  const spain = await cli.json(['days', '2024', '--in', 'PT', '--zone', 'Europe/Lisbon']);
  t.like(spain, {
    start_date: '2024-01-01',
    time_zone: 'Europe/Lisbon',
    unknown_days: 0,
    transit_nights: 0,
  });
  t.deepEqual(
    spain.days.map((day: { date_local: string }) => day.date_local.slice(-2)),
    ['04', '05', '06', '07', '08'],
  );
  const csv = (await cli.out(['days', '2024', '--in', 'PT', '--csv'])).split('\r\n');
  t.is(csv[0], 'date,utc_offset_minutes,country_id,kind,observations');
  t.true(csv.includes('2024-03-06,0,PT,inferred,0'));

  const trips = await cli.out(['trips', '2024-03']);
  t.regex(trips, /^2024-03-04 09:00 +3 h +2,3\d\d +flight +Berlin\b.* +Lisbon\b/m);
  t.regex(trips, /^flight +4,\d{3} km in 2$/m);
  // Two days without a fix.
  t.regex(trips, / not recorded +Lisbon\b.* +Lisbon\b/m);
  t.regex(trips, /^not recorded +0 km in 1$/m);
  const { trips: listed } = await cli.json(['trips', 'all']);
  t.is(listed.filter(({ mode }: { mode: string }) => mode === 'flight').length, 2);
  t.is((await cli.out(['trips', '2024', '--csv'])).split('\r\n').length, listed.length + 2);

  const when = await cli.out(['when', '38.7223,-9.1393', '--radius', '500']);
  t.regex(when, /^Within 500 m of 38\.72230?0*, -9\.1393.*: 2 visits, /);
  t.regex(
    await cli.out(['when', 'lisbon', '--radius', '9000']),
    /^Within 9,000 m of Lisbon.*: 2 visits, /,
  );
  t.regex(
    await cli.out(['when', 'lisbon']),
    /^At Lisbon, .*, within 8,100 m or named after it: 2 visits, /,
  );
  t.regex(await cli.out(['when', 'portugal']), /^In Portugal: \d visits, /);
  t.regex(await cli.out(['when', 'portugal', '--radius', '10']), /^Within 10 m of Portugal, /);
  t.regex(await cli.out(['when', 'crete']), /^In Crete, Greece: never, /);
  t.regex(
    await cli.out(['when', '10', '10']),
    /^Within 200 m of .*: never, as far as recorded\.$/m,
  );
  const [head, visit, , end] = (
    await cli.out(['when', '38.7223,-9.1393', '--csv', '--local', '--exclude-sources', '2'])
  ).split('\r\n');
  t.regex(head!, /^index,kind,.*country_id/);
  t.regex(visit!, /,stay,.*,PT,/);
  t.is(end, '');
  const rows = (await cli.out(['timeline', '2024-03-05', '-f', 'csv', '--days'])).split('\r\n');
  t.true(rows[1]!.includes('PT:recorded'), rows[1]);
  t.regex(
    await cli.out(['where', '2024-03-01', '--sources', '2', '--zone', 'Europe/Lisbon']),
    /Porto/,
  );

  t.regex(
    await cli.out(['timeline', 'all', '--local']),
    /^2024-02-29 to 2024-03-11: data on 8 of \d+ days\. Days and times are those of\sthe\splace\.$/m,
  );
  t.regex(
    await cli.out(['timeline', '2024-03-06', '--days', '--zone', 'Europe/Lisbon']),
    /^2024-03-06 +0 +\d .*PT$/m,
  );
});

const refused: [words: string[], why: RegExp][] = [
  [['days', '2024', '--in', 'Spain'], /are no countries/],
  [['days', '2024', '--in', 'ES,XX'], /are no countries/],
  [['days', '2024', '--window', '90'], /is no window/],
  [['days', '2024', '--window', '90/30'], /is no window/],
  [['days', '2024', '--svg', '--csv'], /Choose one of --csv and --svg/],
  [['timeline', '2024', '--svg', '--days'], /Choose one of/],
  [['timeline', '2024', '--svg', '-f', 'csv'], /has no --format/],
  [['timeline', '2024', '--svg', '--csv'], /has no --format/],
  [['timeline', '2024', '--csv', '--json'], /Choose one of --json/],
  [['timeline', '2024', '--csv', '-f', 'geojson'], /Choose one of --json/],
  [['timeline', '2024', '--json', '--days'], /JSON has all there is/],
  [['days', '2024', '--zone', 'Mars/Olympus'], /is no time zone/],
  [['timeline', '2024', '--zone', '+02:00'], /is no time zone/],
  [['timeline', '2024', '--zone', 'UTC', '--local'], /Give one of --local, --utc and --zone/],
  [['days', '2024', '--sources', '0'], /are no ids of files/],
  [['trips', '2024', '--exclude-sources', '3,a.gpx'], /are no ids of files/],
  [['where', 'now', '--utc', '--zone', 'UTC'], /Give one of --local, --utc and --zone/],
  [['where', 'now', '--csv'], /stops of a day/],
  [['when', 'x', '--radius', '0'], /The radius/],
  [['when', 'x', '--radius', '100001'], /The radius/],
];
test('when: a stay that timelines name after a town is one there, also beyond its edge', async (t) => {
  const farm = at({ lat: 53.8, lon: 11.05 }, '2024-05-01T10:00Z', '2024-05-01T13:00Z');
  const { cli } = await cliWith(t, { 'a.gpx': gpxTrack(farm) });
  t.regex(await cli.out(['timeline', '2024', '--stops']), /Rehna, Mecklenburg-Vorpommern/);
  t.regex(
    await cli.out(['when', 'Rehna']),
    /^At Rehna, .*, within 1,000 m or named after it: 1\nvisit, 3 h\. Days and times are those of the place\.$/m,
  );
  t.regex(
    await cli.out(['when', 'Rehna', '--radius', '1000']),
    /^Within 1,000 m of Rehna.*: never/,
  );
});

test('all: a clock that was ahead of time, or a very old file, does not push the rest out unsaid', async (t) => {
  const trip = at(berlin, '2024-05-01T10:00Z', '2024-05-01T13:00Z');
  const ahead = at(berlin, '2097-05-01T10:00Z', '2097-05-01T13:00Z');
  const { cli, daemon } = await cliWith(t, {
    'a.gpx': gpxTrack(trip),
    'ahead.gpx': gpxTrack(ahead),
  });
  t.regex(
    await cli.out(['when', 'Germany']),
    /^In Germany: 1 visit, 3 h\. Days and times are those of the place\.$/mu,
  );
  const { stdout, stderr } = await cli.run(['days', 'all', '--in', 'de']);
  t.regex(stdout, /^Germany +1 /mu);
  t.regex(stderr, /^Left out: what is dated before \d{4}-\d\d-\d\d or after \d{4}-\d\d-\d\d; /mu);
  const old = { 'old.gpx': gpxTrack(at(berlin, '1999-05-01T10:00Z', '1999-05-01T13:00Z')) };
  t.is((await importTree(daemon, old)).status, 200);
  t.is((await daemon.call('DELETE', '/api/imports/2')).status, 200);
  t.regex((await cli.run(['trips', 'all'])).stderr, /^Left out: what is dated before 2004/mu);
  t.is(
    (await cli.run(['timeline', '2024', '--sources', '9'])).stderr.includes('"imports list"'),
    true,
  );
});

test('where: a time without a zone is that of the place, as all that the commands print', async (t) => {
  const { cli } = await cliWith(t, {
    // Nine hours ahead of UTC, and without summer time.
    'a.gpx': gpxTrack(at({ lat: 35.68, lon: 139.76 }, '2024-05-01T00:00Z', '2024-05-01T03:00Z')),
  });
  t.regex(
    await cli.out(['where', '2024-05-01 10:00']),
    /^2024-05-01 10:00 \(2024-05-01 01:00 UTC\)/u,
  );
  t.regex(
    await cli.out(['where', '2024-05-01T01:00Z']),
    /^2024-05-01 10:00 \(2024-05-01 01:00 UTC\)/u,
  );
  t.regex(await cli.out(['where', '2024-05-01 01:00', '--utc']), /^2024-05-01 01:00 UTC/u);
  const zone = ['--zone', 'Europe/Lisbon'];
  t.regex(
    await cli.out(['where', '2024-05-01 02:00', ...zone]),
    /^2024-05-01 02:00 \(2024-05-01 01:00 UTC\)/u,
  );
  const [stop] = (await cli.json(['where', '2024-05-01'])).stops;
  t.is(stop.first_observation_local, '2024-05-01T09:00:00+09:00');
  const asked = ['2024-05-01', '--json'];
  for (const [command, list] of [
    ['timeline', 'timeline'],
    ['trips', 'trips'],
  ] as const) {
    const answer = JSON.parse(await cli.out([command, ...asked]));
    t.is(answer.period.time_zone, 'local', command);
    t.true(Array.isArray(answer[list]));
  }
  const [visit] = (await cli.json(['when', '35.68,139.76'])).visits;
  t.is(visit.last_observation_local, '2024-05-01T12:00:00+09:00');
});

test('where: of a moment without a stop the day of the place is told of', async (t) => {
  // The 1st and the 3rd of Sydney, ten hours ahead, from 8 in the morning.
  const fixes = [
    ...at({ lat: -33.87, lon: 151.2 }, '2024-04-30T22:00Z', '2024-04-30T23:00Z'),
    ...at({ lat: -34.87, lon: 150.6 }, '2024-05-02T22:00Z', '2024-05-02T23:00Z'),
  ];
  const { cli } = await cliWith(t, { 'a.gpx': gpxTrack(fixes) });
  const nothing = /^Nothing was recorded that day\.$/mu;
  const early = await cli.out(['where', '2024-05-02T20:00Z']);
  t.regex(early, /^2024-05-03 06:00 /u);
  t.notRegex(early, nothing);
  const before = await cli.out(['where', '2024-05-02T10:00Z']);
  t.regex(before, /^2024-05-02 20:00 /u);
  t.regex(before, nothing);
});

test('what the commands cannot understand is refused before a daemon is asked', async (t) => {
  const cli = testCli(t);
  for (const [words, why] of refused) {
    const { code, stderr } = await cli.run(words);
    t.is(code, 64, words.join(' '));
    t.regex(stderr, why);
  }
});

test('a country is in the Schengen area from the day it joined', (t) => {
  const cases: [country: string, date: string, isIn: boolean][] = [
    ['DE', '1995-03-25', false],
    ['DE', '1995-03-26', true],
    ['HR', '2022-12-31', false],
    ['HR', '2023-01-01', true],
    ['BG', '2024-03-30', false],
    ['RO', '2024-03-31', true],
    ['CY', '2024-06-01', false],
    ['IE', '2024-06-01', false],
    ['GB', '2019-06-01', false],
    ['GL', '2019-06-01', false],
    ['', '2019-06-01', false],
  ];
  for (const [country, date, isIn] of cases)
    t.is(isInSchengen(country, date), isIn, `${country} ${date}`);
});

test('a window of 90 days in 180 slides over the year', (t) => {
  const dates = (first: string, count: number): string[] =>
    Array.from({ length: count }, (_, i) => formatDate(parseDate(first)! + i));
  const window = parseWindow('90/180');
  t.deepEqual(window, { most: 90, days: 180 });
  const once = reportWindow(window, dates('2024-01-01', 60), '2024-01-01', '2024-03-31');
  t.like(once, {
    used: 60,
    left: 30,
    greatest: 60,
    greatest_on: '2024-02-29',
    limit_reached_on: '2024-04-30',
  });
  t.is(once.exceeded_on, undefined);
  // The first of January falls out of the window of the 29th of June.
  const both = [...dates('2024-01-01', 60), ...dates('2024-05-31', 40)];
  const twice = reportWindow(window, both, '2024-05-31', '2024-07-09');
  t.like(twice, { greatest: 89, greatest_on: '2024-06-28', used: 89, on: '2024-07-09' });
  t.is(twice.exceeded_on, undefined);
  const over = reportWindow(window, dates('2024-01-01', 91), '2024-01-01', '2024-12-31');
  t.like(over, { exceeded_on: '2024-03-31', greatest: 91, used: 0, left: 90 });
});

test('yesterday is the day before, of this machine, over months and years', (t) => {
  t.is(momentOf('yesterday', new Date(2024, 2, 1, 0, 5)), '2024-02-29');
  t.is(momentOf('yesterday', new Date(2024, 0, 1, 23, 55)), '2023-12-31');
  t.is(momentOf('today', new Date(2024, 0, 1, 23, 55)), '2024-01-01');
  t.is(momentOf('now', new Date(0)), '1970-01-01T00:00:00Z');
  t.is(momentOf('2019-07-14', new Date(0)), '2019-07-14');
});
