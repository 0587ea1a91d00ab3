/** Where timelines could lie: edges of time, of the globe, of the period and of the rules, each with its exact answer. */
import test, { type ExecutionContext } from 'ava';
import { moved, type Position } from '../bench/timelines/geometry.ts';
import type { TimelineResult, TimelineStop } from '../model/timeline-result.ts';
import { startTestDaemon, timelineJob } from './helpers/daemon.ts';
import { rowsOf, valuesOf } from './helpers/fields.ts';
import { at, hourMs, minuteMs, wavering } from './helpers/fixes.ts';
import { importTree } from './helpers/imported-files.ts';
import {
  days,
  libraryOf,
  stays,
  timelineOf,
  type LibraryContent,
  type Observed,
} from './helpers/timeline-library.ts';

const secondMs = 1_000;

const kassel: Position = { lat: 51.3127, lon: 9.4797 };
const prague: Position = { lat: 50.0755, lon: 14.4378 };

/** A minute after minute at one place, both ends included; a receiver wavers by some metres. */
function staying(place: Position, from: string, to: string, everyMs = minuteMs): Observed[] {
  return wavering(() => place, Date.parse(from), Date.parse(to), everyMs);
}

function track(...trackPoints: Observed[]): LibraryContent {
  return { path: 'a.gpx', trackPoints };
}

function made(t: ExecutionContext, files: readonly LibraryContent[], start: string, end = start) {
  return timelineOf(t, libraryOf(t, files), days(start, end)).result;
}

function brief({ kind, ...stop }: TimelineStop): string {
  const flags = `${stop.continues_before ? '<' : ''}${stop.continues_after ? '>' : ''}`;
  return `${kind} ${stop.first_observation_utc} ${stop.duration_seconds}${flags}`;
}

function country({ places }: TimelineResult, id: string) {
  return places.find((row) => row.level === 'country' && row.country_id === id);
}

// Time

test('a leap day is a day like any other', (t) => {
  const points = staying(kassel, '2024-02-29T00:00:00Z', '2024-02-29T23:59:00Z');
  const result = made(t, [track(...points)], '2024-02-29');
  t.is(result.period.days, 1);
  t.is(result.period.end_utc_exclusive, '2024-03-01T00:00:00Z');
  t.deepEqual(result.timeline.map(brief), ['stay 2024-02-29T00:00:00Z 86340']);
  t.deepEqual(rowsOf(result.days, 'date_utc', 'stop_seconds'), [['2024-02-29', 86_340]]);
  t.is(made(t, [track(...points)], '2024-02-01', '2024-03-31').period.days, 60);
});

test('a day begins with 00:00:00.000Z and ends before the next one', (t) => {
  const fix = (time: string): Observed => [Date.parse(time), kassel.lat, kassel.lon];
  const points = [
    fix('2024-05-01T23:59:59.999Z'),
    fix('2024-05-02T00:00:00.000Z'),
    fix('2024-05-02T23:59:59.999Z'),
    fix('2024-05-03T00:00:00.000Z'),
  ];
  const result = made(t, [track(...points)], '2024-05-02');
  t.like(result.summary, {
    recorded_observations: 2,
    first_observation_utc: '2024-05-02T00:00:00Z',
    last_observation_utc: '2024-05-02T23:59:59.999Z',
    active_days: 1,
    indexed_valid_times: 4,
  });
});

test('a stay over midnight is cut at 00:00Z in the days, and in one piece in the timeline', (t) => {
  const points = staying(kassel, '2024-05-01T20:00:00Z', '2024-05-02T07:30:00Z');
  const result = made(t, [track(...points)], '2024-05-01', '2024-05-02');
  t.deepEqual(result.timeline.map(brief), ['stay 2024-05-01T20:00:00Z 41400']);
  t.is(result.timeline[0]?.date_utc, '2024-05-02');
  t.deepEqual(rowsOf(result.days, 'date_utc', 'stop_seconds', 'stops'), [
    ['2024-05-01', 14_400, 0],
    ['2024-05-02', 27_000, 1],
  ]);
  t.like(country(result, 'DE'), { nights: 1, recorded_days: 2, visits: 1, stop_seconds: 41_400 });
});

test('a stay that crosses both ends of the period is cut to it and says so', (t) => {
  const points = staying(kassel, '2024-05-01T06:00:00Z', '2024-05-04T18:00:00Z', 5 * minuteMs);
  const result = made(t, [track(...points)], '2024-05-02', '2024-05-03');
  t.deepEqual(result.timeline.map(brief), ['stay 2024-05-02T00:00:00Z 172800<>']);
  t.is(result.timeline[0]?.last_observation_utc, '2024-05-04T00:00:00Z');
  t.is(result.timeline[0]?.date_utc, '2024-05-03');
  t.is(result.summary.recorded_observations, 576);
  t.like(country(result, 'DE'), { nights: 2, recorded_days: 2, stop_seconds: 172_800 });
  t.deepEqual(valuesOf(result.days, 'stop_seconds'), [86_400, 86_400]);
});

test('a stay crosses the ends of the period through silences, too', (t) => {
  const library = libraryOf(t, [
    track(
      ...staying(kassel, '2024-05-01T20:00:00Z', '2024-05-01T22:00:00Z'),
      ...staying(kassel, '2024-05-02T09:00:00Z', '2024-05-02T21:00:00Z'),
      ...staying(kassel, '2024-05-03T08:00:00Z', '2024-05-03T10:00:00Z'),
    ),
  ]);
  const { result } = timelineOf(t, library, days('2024-05-02'));
  t.deepEqual(result.timeline.map(brief), ['stay 2024-05-02T00:00:00Z 86400<>']);
  t.is(result.timeline[0]?.bridged_seconds, 12 * 3_600);
});

test('a day without any observation inside a bridged stay has the stay', (t) => {
  const library = libraryOf(t, [
    track(
      ...staying(kassel, '2024-05-01T20:00:00Z', '2024-05-01T22:00:00Z'),
      ...staying(kassel, '2024-05-03T04:00:00Z', '2024-05-03T06:00:00Z'),
    ),
  ]);
  const whole = timelineOf(t, library, days('2024-05-01', '2024-05-03')).result;
  t.deepEqual(whole.timeline.map(brief), ['stay 2024-05-01T20:00:00Z 122400']);
  t.is(whole.summary.bridged_seconds, 30 * 3_600);
  t.is(whole.summary.active_days, 2);
  t.deepEqual(rowsOf(whole.days, 'date_utc', 'recorded_observations', 'stop_seconds'), [
    ['2024-05-01', 121, 4 * 3_600],
    ['2024-05-02', 0, 24 * 3_600],
    ['2024-05-03', 121, 6 * 3_600],
  ]);
  const { result } = timelineOf(t, library, days('2024-05-02'));
  t.deepEqual(result.timeline.map(brief), ['stay 2024-05-02T00:00:00Z 86400<>']);
  t.is(result.summary.recorded_observations, 0);
});

test('three weeks at one place are one stay of 21 nights', (t) => {
  const points = staying(kassel, '2024-05-01T12:00:00Z', '2024-05-22T12:00:00Z', 7 * minuteMs);
  const result = made(t, [track(...points)], '2024-05-01', '2024-05-31');
  t.deepEqual(result.timeline.map(brief), ['stay 2024-05-01T12:00:00Z 1814400']);
  t.like(country(result, 'DE'), { nights: 21, recorded_days: 22, visits: 1 });
  t.like(result.summary, { bridged_seconds: 0, silent_seconds: 0, moving_seconds: 0 });
});

test('ten nights in California are ten, though twelve UTC days are touched', (t) => {
  const place = { lat: 37.3382, lon: -121.8863 };
  const points = staying(place, '2024-05-01T18:00:00Z', '2024-05-12T02:00:00Z', 10 * minuteMs);
  const result = made(t, [track(...points)], '2024-04-01', '2024-06-30');
  t.like(country(result, 'US'), { nights: 10, recorded_days: 12 });
});

test('a few minutes about three in the morning are no stay, and yet say where the night was', (t) => {
  const points = staying(kassel, '2024-05-01T01:58:00Z', '2024-05-01T02:02:00Z');
  const result = made(t, [track(...points)], '2024-05-01');
  t.deepEqual(result.timeline.map(brief), ['mark 2024-05-01T01:58:00Z 240']);
  t.like(country(result, 'DE'), { nights: 1, nights_inferred: 0 });
});

test('before 1970 time goes on as after it', (t) => {
  const points = staying(kassel, '1969-12-31T18:00:00Z', '1970-01-01T06:00:00Z');
  const early = staying(prague, '1900-02-28T12:00:00Z', '1900-03-01T12:00:00Z');
  const library = libraryOf(t, [track(...early, ...points)]);
  const epoch = timelineOf(t, library, days('1969-12-31', '1970-01-01')).result;
  t.deepEqual(epoch.timeline.map(brief), ['stay 1969-12-31T18:00:00Z 43200']);
  t.deepEqual(valuesOf(epoch.days, 'date_utc'), ['1969-12-31', '1970-01-01']);
  const old = timelineOf(t, library, days('1900-01-01', '1900-12-31')).result;
  t.deepEqual(old.timeline.map(brief), ['stay 1900-02-28T12:00:00Z 86400']);
  t.is(old.period.days, 365);
});

test('the first and the last day that have four digits of a year can be asked for', (t) => {
  const points = staying(kassel, '9999-12-31T20:00:00Z', '9999-12-31T23:59:00Z');
  const library = libraryOf(t, [track(...points)]);
  const last = timelineOf(t, library, days('9999-12-31')).result;
  t.deepEqual(last.timeline.map(brief), ['stay 9999-12-31T20:00:00Z 14340']);
  const first = timelineOf(t, library, days('0001-01-01')).result;
  t.deepEqual(first.timeline, []);
});

test('7,320 days are one period, of which only days with data are listed', (t) => {
  const points = [
    ...staying(kassel, '2004-01-01T00:00:00Z', '2004-01-01T01:00:00Z'),
    ...staying(prague, '2024-01-15T22:00:00Z', '2024-01-15T23:59:00Z'),
  ];
  const result = made(t, [track(...points)], '2004-01-01', '2024-01-15');
  t.is(result.period.days, 7_320);
  t.is(result.days.length, 2);
  t.is(result.timeline.length, 2);
  t.is(result.summary.active_days, 2);
});

test('future days may be asked for, and have what is recorded there', (t) => {
  const points = staying(kassel, '2999-01-01T00:00:00Z', '2999-01-01T01:00:00Z');
  const library = libraryOf(t, [track(...points)]);
  t.is(timelineOf(t, library, days('2999-01-01')).result.timeline.length, 1);
  t.is(timelineOf(t, library, days('2998-01-01', '2998-12-31')).result.timeline.length, 0);
});

// Little data, or strange data

test('without data everything is zero, empty or null', (t) => {
  const { result } = timelineOf(t, libraryOf(t, []), days('2024-05-01', '2024-05-31'));
  const { first_observation_utc, last_observation_utc, ...counts } = result.summary;
  t.deepEqual([first_observation_utc, last_observation_utc], [null, null]);
  const { unfollowed_sources: unfollowed, ...numbers } = counts;
  t.deepEqual(unfollowed, []);
  t.true(Object.values(numbers).every((count) => count === 0));
  t.deepEqual([result.timeline, result.places, result.days], [[], [], []]);
  t.false(result.timeline_truncated);
  t.not(result.dataset, null);
});

test('one point is one mark, where it is', (t) => {
  const result = made(
    t,
    [track([Date.parse('2024-05-01T12:00:00Z'), kassel.lat, kassel.lon])],
    '2024-05-01',
  );
  t.deepEqual(result.timeline.map(brief), ['mark 2024-05-01T12:00:00Z 0']);
  t.like(result.timeline[0], {
    latitude: 51.3127,
    longitude: 9.4797,
    country_id: 'DE',
    recorded_observations: 1,
    radius_m: 0,
    distance_from_previous_m: 0,
  });
  t.like(country(result, 'DE'), { timeline_index: 0, visits: 1, stop_seconds: 0, nights: 0 });
  t.like(result.summary, { stop_seconds: 0, active_days: 1 });
});

test('four timed waypoints are four marks; places with as many are in the order of their names', (t) => {
  const at = (hour: number, place: Position): Observed => [
    Date.UTC(2024, 4, 1, hour),
    place.lat,
    place.lon,
  ];
  const file = {
    path: 'places.gpx',
    trackPoints: [],
    waypoints: [at(8, kassel), at(12, prague), at(13, kassel), at(14, prague)],
  };
  const result = made(t, [file], '2024-05-01');
  t.deepEqual(rowsOf(result.timeline, 'kind', 'country_id', 'place'), [
    ['mark', 'DE', 0],
    ['mark', 'CZ', 1],
    ['mark', 'DE', 0],
    ['mark', 'CZ', 1],
  ]);
  const countries = result.places.filter(({ level }) => level === 'country');
  t.deepEqual(valuesOf(countries, 'country_id'), ['CZ', 'DE']);
  t.is(country(result, 'DE')?.timeline_index, 2);
  t.is(country(result, 'DE')?.visits, 2);
});

test('a timed waypoint within a stay is no stop of its own', (t) => {
  const points = staying(kassel, '2024-05-01T08:00:00Z', '2024-05-01T10:00:00Z');
  const waypoints: Observed[] = [[Date.parse('2024-05-01T09:00:30Z'), kassel.lat, kassel.lon]];
  const result = made(t, [{ ...track(...points), waypoints }], '2024-05-01');
  t.deepEqual(result.timeline.map(brief), ['stay 2024-05-01T08:00:00Z 7200']);
});

test('the same point ten thousand times is one observation', (t) => {
  const point: Observed = [Date.parse('2024-05-01T12:00:00Z'), kassel.lat, kassel.lon];
  const result = made(t, [track(...Array.from({ length: 10_000 }, () => point))], '2024-05-01');
  t.like(result.summary, { recorded_observations: 1, duplicate_observations: 9_999 });
  t.deepEqual(result.timeline.map(brief), ['mark 2024-05-01T12:00:00Z 0']);
});

test('the radius of a stay holds 90 % of its observations, and no more than it has to', (t) => {
  const away = moved(kassel, 30, 0);
  const radiusWith = (atHome: number): number => {
    const points = Array.from({ length: 100 }, (_, i): Observed => {
      const { lat, lon } = i < atHome ? kassel : away;
      return [Date.UTC(2024, 4, 1) + i * minuteMs, lat, lon];
    });
    return made(t, [track(...points)], '2024-05-01').timeline[0]!.radius_m;
  };
  t.is(radiusWith(90), 0);
  t.true(radiusWith(89) > 20);
});

test('one position all day long is one stay without a radius', (t) => {
  const points = at(kassel, '2024-05-01T00:00Z', '2024-05-01T23:59Z', 1);
  const result = made(t, [track(...points)], '2024-05-01');
  t.like(result.timeline[0], { kind: 'stay', radius_m: 0, latitude: 51.3127, longitude: 9.4797 });
  t.is(result.timeline.length, 1);
  t.is(result.summary.distance_m, 0);
});

test('thousands of positions with one time stamp are one place at most', (t) => {
  const timeMs = Date.parse('2024-05-01T12:00:00Z');
  const points = Array.from({ length: 5_000 }, (_, i): Observed => [
    timeMs,
    40 + (i % 97) / 10,
    (i % 89) / 10,
  ]);
  const result = made(t, [track(...points)], '2024-05-01');
  t.is(result.summary.recorded_observations, 5_000);
  t.true(result.timeline.length <= 1);
  t.is(result.summary.stop_seconds, 0);
  t.is(result.summary.distance_m, 0);
});

test('a file written backwards has the same timeline', (t) => {
  const points = [
    ...staying(kassel, '2024-05-01T08:00:00Z', '2024-05-01T10:00:00Z'),
    ...staying(prague, '2024-05-01T15:00:00Z', '2024-05-01T18:00:00Z'),
  ];
  const forward = made(t, [track(...points)], '2024-05-01');
  const backward = made(t, [track(...points.toReversed())], '2024-05-01');
  t.deepEqual(backward.timeline, forward.timeline);
  t.deepEqual(backward.places, forward.places);
});

test('a spike of 40 km at night changes nothing but the count of outliers', (t) => {
  const points = staying(kassel, '2024-05-01T20:00:00Z', '2024-05-02T08:00:00Z');
  const far = moved(kassel, 30_000, 26_000);
  const spiked = points.map((point, i): Observed =>
    i === 300 ? [point[0], far.lat, far.lon] : i === 420 ? [point[0], 0, 0] : point,
  );
  const result = made(t, [track(...spiked)], '2024-05-01', '2024-05-02');
  t.deepEqual(result.timeline.map(brief), ['stay 2024-05-01T20:00:00Z 43200']);
  t.is(result.summary.outlier_observations, 2);
  t.is(result.summary.distance_m, 0);
  t.deepEqual(
    valuesOf(
      result.places.filter(({ level }) => level === 'country'),
      'country_id',
    ),
    ['DE'],
  );
});

test('an hour of 0°N 0°E in a night is no journey to the sea', (t) => {
  const points = staying(kassel, '2024-05-01T20:00:00Z', '2024-05-02T08:00:00Z');
  const lost = points.map((point, i): Observed => (i >= 120 && i < 180 ? [point[0], 0, 0] : point));
  const result = made(t, [track(...lost)], '2024-05-01', '2024-05-02');
  t.deepEqual(result.timeline.map(brief), ['stay 2024-05-01T20:00:00Z 43200']);
  t.is(result.timeline[0]?.bridged_seconds, 3_660);
  t.is(result.summary.outlier_observations, 60);
  t.is(result.summary.unresolved_observations, 0);
});

test('a recorder that says nothing but 0°N 0°E says nothing', (t) => {
  const points = at({ lat: 0, lon: 0 }, '2024-05-01T08:00Z', '2024-05-01T08:59Z', 1);
  const result = made(t, [track(...points)], '2024-05-01');
  t.deepEqual(result.timeline, []);
  t.like(result.summary, { recorded_observations: 60, outlier_observations: 60, stop_seconds: 0 });
});

test('ten minutes of 0°N 0°E before the first reception are no stay', (t) => {
  const cold = at({ lat: 0, lon: 0 }, '2024-05-01T08:00Z', '2024-05-01T08:09Z', 1);
  const points = staying(kassel, '2024-05-01T08:10:00Z', '2024-05-01T12:00:00Z');
  const result = made(t, [track(...cold, ...points)], '2024-05-01');
  t.deepEqual(result.timeline.map(brief), ['stay 2024-05-01T08:10:00Z 13800']);
  t.is(result.summary.distance_m, 0);
});

test('a waypoint written at home about a place far off does not cut the evening to pieces', (t) => {
  const trackPoints = staying(kassel, '2024-05-01T18:00:00Z', '2024-05-01T22:00:00Z');
  const waypoints: Observed[] = [[Date.parse('2024-05-01T20:00:30Z'), prague.lat, prague.lon]];
  const result = made(t, [{ path: 'a.gpx', trackPoints, waypoints }], '2024-05-01');
  t.deepEqual(stays(result).map(brief), ['stay 2024-05-01T18:00:00Z 14400']);
  t.is(country(result, 'DE')?.stop_seconds, 14_400);
});

// The globe

test('a home on 180° is one place on one side of it', (t) => {
  const home = { lat: -16.87, lon: 179.9999 };
  const points = Array.from({ length: 721 }, (_, i): Observed => {
    const { lat, lon } = moved(home, ((i * 13) % 61) - 30, ((i * 7) % 41) - 20);
    return [Date.UTC(2024, 4, 1, 6) + i * minuteMs, lat, lon];
  });
  t.true(points.some(([, , lon]) => lon > 0) && points.some(([, , lon]) => lon < 0));
  const result = made(t, [track(...points)], '2024-05-01', '2024-05-02');
  t.deepEqual(result.timeline.map(brief), ['stay 2024-05-01T06:00:00Z 43200']);
  const { latitude, longitude, radius_m } = result.timeline[0]!;
  t.true(Math.abs(latitude - home.lat) < 0.0003 && Math.abs(longitude) > 179.999);
  t.true(radius_m > 10 && radius_m < 60);
  // 03:00 solar time is 15:00Z on both sides of 180°.
  t.like(country(result, 'FJ'), { nights: 1, visits: 1 });
});

test('from one side of 180° to the other is a short way', (t) => {
  const [west, east] = [
    { lat: -16.87, lon: 179.98 },
    { lat: -16.87, lon: -179.98 },
  ];
  const points = [
    ...staying(west, '2024-05-01T06:00:00Z', '2024-05-01T07:00:00Z'),
    ...staying(east, '2024-05-01T07:10:00Z', '2024-05-01T08:00:00Z'),
  ];
  const result = made(t, [track(...points)], '2024-05-01');
  t.is(result.timeline.length, 2);
  const { distance_from_previous_m: metres } = result.timeline[1]!;
  t.true(metres > 4_000 && metres < 4_600, `${metres} m`);
  t.not(result.timeline[0]?.place, result.timeline[1]?.place);
});

for (const [name, lat] of Object.entries({ north: 89.9999, south: -90 })) {
  test(`at the ${name} pole every longitude is the same place`, (t) => {
    const points = Array.from({ length: 120 }, (_, i): Observed => [
      Date.UTC(2024, 4, 1, 6) + i * minuteMs,
      lat,
      ((i * 77) % 360) - 180,
    ]);
    const result = made(t, [track(...points)], '2024-05-01');
    t.deepEqual(result.timeline.map(brief), ['stay 2024-05-01T06:00:00Z 7140']);
    t.true(Math.abs(result.timeline[0]!.latitude - lat) < 0.001);
    t.true(result.timeline[0]!.radius_m <= 30);
    t.is(result.summary.outlier_observations, 0);
  });
}

test('a country that is only crossed has one pass, and every row points to a stop', (t) => {
  const [lyon, kasselEnd] = [{ lat: 45.764, lon: 4.8357 }, kassel];
  const way = Array.from({ length: 241 }, (_, i): Observed => {
    const share = i / 240;
    const lat = lyon.lat + (kasselEnd.lat + 1.5 - lyon.lat) * share;
    return [Date.UTC(2024, 4, 1, 9) + i * minuteMs, lat, lyon.lon + 16.2 * share];
  });
  const warsaw = { lat: way.at(-1)![1], lon: way.at(-1)![2] };
  const points = [
    ...staying(lyon, '2024-05-01T06:00:00Z', '2024-05-01T08:59:00Z'),
    ...way,
    ...staying(warsaw, '2024-05-01T13:01:00Z', '2024-05-01T15:00:00Z'),
  ];
  const result = made(t, [track(...points)], '2024-05-01');
  const passes = result.timeline.filter(({ kind }) => kind === 'pass');
  t.true(passes.some(({ country_id }) => country_id === 'DE'));
  t.is(stays(result).length, 2);
  t.true(result.places.every((row) => row.timeline_index >= 0));
  const row = country(result, 'DE')!;
  t.is(result.timeline[row.timeline_index]?.country_id, 'DE');
  t.like(row, { visits: 0, stop_seconds: 0, nights: 0, recorded_days: 1 });
});

// Two devices

test('two devices carried together are one person', (t) => {
  const phone = staying(kassel, '2024-05-01T06:00:00Z', '2024-05-01T18:00:00Z');
  const watch = staying(
    moved(kassel, 12, -9),
    '2024-05-01T07:00:13Z',
    '2024-05-01T17:00:00Z',
    10 * secondMs,
  );
  const files = [
    { path: 'phone.gpx', trackPoints: phone },
    { path: 'watch.gpx', trackPoints: watch },
  ];
  const result = made(t, files, '2024-05-01');
  t.deepEqual(result.timeline.map(brief), ['stay 2024-05-01T06:00:00Z 43200']);
  t.is(result.summary.recorded_observations, phone.length + watch.length);
  t.is(country(result, 'DE')?.source_files, 2);
});

test('each file counts once where it was: at a stay that another one begins, and on the way', (t) => {
  const stay = staying(kassel, '2024-05-01T07:00:00Z', '2024-05-01T12:00:00Z');
  const begin = staying(kassel, '2024-05-01T06:57:00Z', '2024-05-01T06:59:00Z');
  const drive = Array.from({ length: 60 }, (_, i): Observed => {
    const { lat, lon } = moved(kassel, 0, i * 1_000);
    return [Date.parse('2024-05-01T12:01:00Z') + i * minuteMs, lat, lon];
  });
  const one = made(t, [track(...stay, ...drive)], '2024-05-01');
  t.is(country(one, 'DE')?.source_files, 1);
  const files = [track(...stay, ...drive), { path: 'b.gpx', trackPoints: begin }];
  t.is(country(made(t, files, '2024-05-01'), 'DE')?.source_files, 2);
});

// The rules at their limits

/** At one place every minute, away for some minutes 500 m off, and back again. */
function away(minutes: number): Observed[] {
  const from = Date.UTC(2024, 4, 1, 8);
  const other = moved(kassel, 500, 0);
  return Array.from({ length: 121 + minutes }, (_, i): Observed => {
    const { lat, lon } = i > 60 && i <= 60 + minutes ? other : kassel;
    return [from + i * minuteMs, lat, lon];
  });
}

test('five minutes are a stay, a second less is none', (t) => {
  const at = (seconds: number): Observed => [
    Date.UTC(2024, 4, 1, 8) + seconds * secondMs,
    kassel.lat,
    kassel.lon,
  ];
  const few = (last: number): Observed[] => [0, 60, 120, 180, 240, last].map(at);
  t.is(stays(made(t, [track(...few(300))], '2024-05-01')).length, 1);
  t.is(stays(made(t, [track(...few(299))], '2024-05-01')).length, 0);
});

test('who is away for two minutes has not left, who is away for twelve has', (t) => {
  t.deepEqual(stays(made(t, [track(...away(2))], '2024-05-01')).map(brief), [
    'stay 2024-05-01T08:00:00Z 7320',
  ]);
  const apart = stays(made(t, [track(...away(12))], '2024-05-01'));
  t.deepEqual(valuesOf(apart, 'place'), [0, 1, 0]);
});

test('a silence of 36 hours is part of a stay, a minute more is not', (t) => {
  const around = (silenceMs: number): Observed[] => {
    const from = '2024-05-01T08:00:00Z';
    const before = staying(kassel, from, '2024-05-01T09:00:00Z');
    const again = Date.parse('2024-05-01T09:00:00Z') + silenceMs;
    const after = staying(
      kassel,
      new Date(again).toISOString(),
      new Date(again + hourMs).toISOString(),
    );
    return [...before, ...after];
  };
  const bridged = made(t, [track(...around(36 * hourMs))], '2024-05-01', '2024-05-04');
  t.deepEqual(bridged.timeline.map(brief), ['stay 2024-05-01T08:00:00Z 136800']);
  t.is(bridged.timeline[0]?.bridged_seconds, 36 * 3_600);
  t.is(bridged.summary.bridged_seconds, 36 * 3_600);
  const apart = made(t, [track(...around(36 * hourMs + minuteMs))], '2024-05-01', '2024-05-04');
  t.deepEqual(rowsOf(stays(apart), 'duration_seconds', 'bridged_seconds'), [
    [3_600, 0],
    [3_600, 0],
  ]);
  t.is(apart.summary.silent_seconds, 36 * 3_600 + 60);
});

test('a stay whose first fix is the last one before a silence begins with that, not on the way there', (t) => {
  const arrival = Date.parse('2024-05-01T08:00:00Z');
  const way = Array.from({ length: 360 }, (_, at): Observed => {
    const { lat, lon } = moved(kassel, (359 - at) * 80, 0);
    return [arrival - (359 - at) * 10 * secondMs, lat, lon];
  });
  const after = staying(kassel, '2024-05-01T20:00:00Z', '2024-05-01T21:00:00Z');
  const result = made(t, [track(...way, ...after)], '2024-05-01');
  t.deepEqual(stays(result).map(brief), ['stay 2024-05-01T08:00:00Z 46800']);
});

test('a silence whose ends are at two places belongs to neither', (t) => {
  const points = [
    ...staying(kassel, '2024-05-01T06:00:00Z', '2024-05-01T08:00:00Z'),
    ...staying(prague, '2024-05-01T16:00:00Z', '2024-05-01T18:00:00Z'),
  ];
  const result = made(t, [track(...points)], '2024-05-01');
  t.deepEqual(result.timeline.map(brief), [
    'stay 2024-05-01T06:00:00Z 7200',
    'stay 2024-05-01T16:00:00Z 7200',
  ]);
  t.like(result.summary, { silent_seconds: 8 * 3_600, bridged_seconds: 0, moving_seconds: 0 });
  const { silent_distance_m: metres } = result.summary;
  t.true(metres > 370_000 && metres < 380_000, `${metres} m`);
});

test('of a recorder that writes hourly a lone fix is of a stay, unless the ways there, on foot, took long', (t) => {
  const night = staying(kassel, '2024-05-01T00:00:00Z', '2024-05-01T08:00:00Z', hourMs);
  const evening = staying(kassel, '2024-05-01T10:00:00Z', '2024-05-01T20:00:00Z', hourMs);
  const loneAt = (metres: number, time = '09:00', after = evening): string[] => {
    const { lat, lon } = moved(kassel, 0, metres);
    const lone: Observed = [Date.parse(`2024-05-01T${time}:00Z`), lat, lon];
    const { timeline } = made(t, [track(...night, lone, ...after)], '2024-05-01');
    return timeline.map(({ kind }) => kind);
  };
  t.deepEqual(loneAt(1_340), ['stay', 'stay', 'stay']);
  t.deepEqual(loneAt(1_360), ['stay', 'mark', 'stay']);
  // Gaps of at most 90 minutes.
  const late = staying(kassel, '2024-05-01T11:00:00Z', '2024-05-01T20:00:00Z', hourMs);
  t.deepEqual(loneAt(500, '09:30', late), ['stay', 'stay', 'stay']);
  t.deepEqual(loneAt(500, '09:31', late), ['stay', 'mark', 'stay']);
  // 300 m are 200 s on foot, 800 m nine minutes; of what is left each place has half.
  for (const [metres, seconds] of [
    [300, 3_400],
    [800, 3_067],
  ] as const) {
    const { lat, lon } = moved(kassel, metres, 0);
    const shop: Observed = [Date.parse('2024-05-01T09:00:00Z'), lat, lon];
    const [, found] = stays(made(t, [track(...night, shop, ...evening)], '2024-05-01'));
    t.is(found?.duration_seconds, found?.bridged_seconds);
    t.true(Math.abs(found!.duration_seconds - seconds) < 20, String(found?.duration_seconds));
  }

  const hike = Array.from({ length: 8 }, (_, hour): Observed => {
    const place = moved(kassel, hour * 2_500, 0);
    return [Date.parse('2024-05-01T08:00:00Z') + hour * hourMs, place.lat, place.lon];
  });
  t.deepEqual(stays(made(t, [track(...hike)], '2024-05-01')), []);
});

test('coming back is the same place again', (t) => {
  const points = [
    ...staying(kassel, '2024-05-01T06:00:00Z', '2024-05-01T08:00:00Z'),
    ...staying(prague, '2024-05-01T12:00:00Z', '2024-05-01T14:00:00Z'),
    ...staying(moved(kassel, 15, 10), '2024-05-01T18:00:00Z', '2024-05-01T20:00:00Z'),
  ];
  const result = made(t, [track(...points)], '2024-05-01');
  t.deepEqual(valuesOf(result.timeline, 'place'), [0, 1, 0]);
  t.like(country(result, 'DE'), { visits: 2, timeline_index: 2, stop_seconds: 4 * 3_600 });
  t.like(country(result, 'CZ'), { visits: 1, timeline_index: 1 });
});

test('of more stops than one result may have, the latest of every row is kept, and totals stay whole', (t) => {
  const count = 10_300;
  const places = [kassel, moved(kassel, 3_000, 0), moved(kassel, 0, 3_000)];
  const firstMs = Date.UTC(2024, 0, 1);
  const points: Observed[] = [...staying(prague, '2023-12-30T10:00:00Z', '2023-12-30T10:06:00Z')];
  for (let i = 0; i < count; i += 1) {
    const { lat, lon } = places[i % places.length]!;
    // Later ones are longer, but for the last: the short early ones have to go.
    const minutes = i === count - 1 ? 5 : 6 + Math.floor((3 * i) / count);
    for (let minute = 0; minute <= minutes; minute += 1) {
      points.push([firstMs + i * 16 * minuteMs + minute * minuteMs, lat, lon]);
    }
  }
  const result = made(t, [track(...points)], '2023-12-30', '2024-05-31');
  t.true(result.timeline_truncated);
  t.like(result.summary, { stops_found: count + 1, stops_returned: 10_000 });
  t.is(result.timeline.length, 10_000);
  t.deepEqual(
    valuesOf(result.timeline, 'index'),
    Array.from({ length: 10_000 }, (_, i) => i),
  );
  t.true(result.places.every((row) => row.timeline_index >= 0));
  t.is(result.timeline[country(result, 'CZ')!.timeline_index]?.country_id, 'CZ');
  t.is(country(result, 'DE')?.timeline_index, 9_999);
  const daily = result.days.reduce((total, day) => total + day.stop_seconds, 0);
  t.is(daily, result.summary.stop_seconds);
  t.true(result.summary.stop_seconds > sumOf(result.timeline));
});

function sumOf(stops: readonly TimelineStop[]): number {
  return stops.reduce((total, stop) => total + stop.duration_seconds, 0);
}

// The whole way

test('by HTTP: every point is counted as what it is, and no name comes out', async (t) => {
  const daemon = await startTestDaemon(t);
  const { lat, lon } = kassel;
  const points = staying(kassel, '2024-02-29T08:00:00Z', '2024-02-29T09:00:00Z').map(
    ([timeMs, ...at]) => trkpt(at, `<time>${new Date(timeMs).toISOString()}</time>`),
  );
  const others = ['', '<time/>', '<time>yesterday</time>', '<time>2024-02-30T00:00:00Z</time>'];
  points.push(...others.map((time) => trkpt([lat, lon], time)), trkpt([91, lon], ''));
  const name = 'Kestrelwood';
  const waypoint = `<wpt lat="${lat}" lon="${lon}"><time>2024-02-29T08:30:30Z</time><name>${name}</name></wpt>`;
  const text = `<gpx>${waypoint}<trk><name>${name}</name><trkseg>${points.join('')}</trkseg></trk></gpx>`;
  await importTree(daemon, { [`${name}.gpx`]: text });
  const period = { start_date: '2004-02-15', end_date: '2024-02-29' };
  const job = await timelineJob(daemon, period);
  t.is(job.state, 'completed', daemon.logged.join('\n'));
  const result = job.result!;
  t.is(result.period.days, 7_320);
  t.deepEqual(result.timeline.map(brief), ['stay 2024-02-29T08:00:00Z 3600']);
  t.like(result.summary, {
    recorded_observations: 62,
    indexed_valid_times: 62,
    indexed_missing_times: 2,
    indexed_invalid_times: 2,
    invalid_coordinates: 1,
  });
  t.false(JSON.stringify(job).includes(name));
});

function trkpt([lat, lon]: readonly [number, number], time: string): string {
  return `<trkpt lat="${lat}" lon="${lon}">${time}</trkpt>`;
}
