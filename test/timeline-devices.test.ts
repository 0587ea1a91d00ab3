/** Several devices, of one person or left behind: who is followed, and who takes over. */
import test, { type ExecutionContext } from 'ava';
import { metresBetween, moved, type Position } from '../bench/timelines/geometry.ts';
import type { TimelineResult, TimelineStop } from '../model/timeline-result.ts';
import { rowsOf } from './helpers/fields.ts';
import { hourMs, minuteMs, wavering } from './helpers/fixes.ts';
import {
  days,
  libraryOf,
  stays,
  timelineOf,
  type LibraryContent,
  type Observed,
} from './helpers/timeline-library.ts';

const second = 1_000;
const day = Date.UTC(2023, 2, 1);
const home: Position = { lat: 52.53, lon: 13.42 };
const away: Position = moved(home, -20_000, -20_000);

/** A position at an instant, given as ms of the day. */
type Whereabouts = (ms: number) => Position;

function made(
  t: ExecutionContext,
  files: readonly LibraryContent[],
  start = '2023-03-01',
  end = start,
): TimelineResult {
  return timelineOf(t, libraryOf(t, files), days(start, end)).result;
}

/** Records every so many ms; the receiver wavers by some metres. */
function recorded(where: Whereabouts, fromMs: number, toMs: number, everyMs: number): Observed[] {
  return wavering((timeMs) => where(timeMs - day), day + fromMs, day + toMs, everyMs);
}

/** On foot and then by car on a straight way from one place to another; who has come stays. */
function way(from: Position, to: Position, startMs: number): Whereabouts {
  const whole = metresBetween(from, to);
  return (ms) => {
    const seconds = Math.max(0, ms - startMs) / 1_000;
    const metres = Math.min(seconds, 300) * 1.4 + Math.max(0, seconds - 300) * 12;
    const share = Math.min(1, metres / whole);
    return {
      lat: from.lat + (to.lat - from.lat) * share,
      lon: from.lon + (to.lon - from.lon) * share,
    };
  };
}

const goesOut = way(home, away, 8 * hourMs);
const comesHome = way(away, home, 10 * hourMs);
const trip: Whereabouts = (ms) => (ms < 10 * hourMs ? goesOut(ms) : comesHome(ms));
const stillAtHome: Whereabouts = () => home;

function minutesOf(instant: string): number {
  return (Date.parse(instant) - day) / minuteMs;
}

function isAt(stop: TimelineStop | undefined, place: Position): boolean {
  if (stop === undefined) return false;
  return metresBetween({ lat: stop.latitude, lon: stop.longitude }, place) < 150;
}

for (const [what, leaderMs, otherMs, phaseMs] of [
  ['at the same instants', 10 * second, 10 * second, 0],
  ['between the fixes of the other', 10 * second, 10 * second, 5 * second],
  ['more often', 60 * second, 10 * second, 3 * second],
  ['less often', 10 * second, 60 * second, 3 * second],
] as const) {
  test(`a device left at home that records ${what} does not keep the followed one there`, (t) => {
    const leader = recorded(trip, 7 * hourMs, 12 * hourMs, leaderMs);
    const other = recorded(stillAtHome, 7.2 * hourMs + phaseMs, 11.8 * hourMs, otherMs);
    // Which file comes first must not matter; the order of sources is that of their hashes, which differ by name.
    for (const name of ['a', 'b']) {
      const result = made(t, [
        { path: `${name}-leader.gpx`, trackPoints: leader },
        { path: `${name}-other.gpx`, trackPoints: other },
      ]);
      const found = stays(result);
      t.is(found.length, 3);
      t.true(isAt(found[0], home) && isAt(found[1], away) && isAt(found[2], home));
      const left = minutesOf(found[0]!.last_observation_utc);
      t.true(left >= 480 && left <= 484, `left at ${left} min`);
      t.true(minutesOf(found[1]!.last_observation_utc) >= 600);
      t.true(minutesOf(found[2]!.first_observation_utc) < 650);
      const expected = 2 * metresBetween(home, away);
      t.true(Math.abs(result.summary.distance_m - expected) < 0.05 * expected);
    }
  });
}

/** Home until eight, away until ten, and home again; `found` are the stays. */
function isTrip(t: ExecutionContext, result: TimelineResult): void {
  const found = stays(result);
  t.is(found.length, 3);
  t.true(isAt(found[0], home) && isAt(found[1], away) && isAt(found[2], home));
  const [left, ended] = found.map((stop) => minutesOf(stop.last_observation_utc));
  t.true(left! >= 480 && left! <= 485 && ended! >= 600 && ended! <= 606, `${left}, ${ended}`);
}

const tablet = recorded(stillAtHome, 5 * hourMs, 13 * hourMs, minuteMs);

test('a device left at home does not hide the trip of one that begins later', (t) => {
  const watch = recorded(trip, 7 * hourMs, 12 * hourMs, 10 * second);
  const result = made(t, [
    { path: 'tablet.gpx', trackPoints: tablet },
    { path: 'watch.gpx', trackPoints: watch },
  ]);
  isTrip(t, result);
  const expected = 2 * metresBetween(home, away);
  t.true(Math.abs(result.summary.distance_m - expected) < 0.05 * expected);
});

test('a device left at home does not take over in a short silence, and gives back after a long one', (t) => {
  const without = (fromMin: number, toMin: number): Observed[] =>
    recorded(trip, 7 * hourMs, 12 * hourMs, 10 * second).filter(
      ([timeMs]) => timeMs < day + fromMin * minuteMs || timeMs > day + toMin * minuteMs,
    );
  const files = (watch: readonly Observed[], splitMs: number): LibraryContent[] => [
    { path: 'tablet.gpx', trackPoints: tablet },
    { path: 'one.gpx', trackPoints: watch.filter(([timeMs]) => timeMs < day + splitMs) },
    { path: 'two.gpx', trackPoints: watch.filter(([timeMs]) => timeMs >= day + splitMs) },
  ];
  isTrip(t, made(t, files(without(560, 572), 13 * hourMs)));
  // A new file after the silence as well: it goes on where the last one ended.
  for (const splitMs of [13 * hourMs, 9.4 * hourMs]) {
    // It is back where it was at a speed that nobody goes at: the tablet was not with the person.
    isTrip(t, made(t, files(without(550, 580), splitMs)));
    const found = stays(made(t, files(without(530, 592), splitMs)));
    t.deepEqual(
      found.map((stop) => [isAt(stop, home), isAt(stop, away)]),
      [
        [true, false],
        [false, true],
        [true, false],
        [false, true],
        [true, false],
      ],
    );
  }
});

test('of two devices that were never together the first one is followed', (t) => {
  const other = recorded((ms) => moved(goesOut(ms), 0, 5_000), 7 * hourMs, 12 * hourMs, minuteMs);
  const found = stays(
    made(t, [
      { path: 'tablet.gpx', trackPoints: tablet },
      { path: 'other.gpx', trackPoints: other },
    ]),
  );
  t.is(found.length, 1);
  t.true(isAt(found[0], home));
});

test('two devices on one fast train are one person, and few of their fixes are not believed', (t) => {
  const lyon = moved(home, 0, -300_000);
  const train: Whereabouts = (ms) => {
    const share = Math.min(1, Math.max(0, ms - 8 * hourMs) / hourMs);
    return { lat: home.lat + (lyon.lat - home.lat) * share, lon: home.lon };
  };
  const phone = recorded(train, 7 * hourMs, 10 * hourMs, 10 * second);
  const watch = recorded(train, 7 * hourMs + 3 * second, 10 * hourMs, 7 * second);
  const result = made(t, [
    { path: 'phone.gpx', trackPoints: phone },
    { path: 'watch.gpx', trackPoints: watch },
  ]);
  t.is(stays(result).length, 2);
  t.true(Math.abs(result.summary.distance_m - 300_000) < 3_000, `${result.summary.distance_m} m`);
  t.true(result.summary.outlier_observations < 0.01 * (phone.length + watch.length));
});

test('a spike of the followed device is one, whatever another device says meanwhile', (t) => {
  const leader = recorded(stillAtHome, 6 * hourMs, 12 * hourMs, minuteMs).map(
    ([timeMs, lat, lon], i): Observed =>
      i % 60 === 30 ? [timeMs, lat + 0.2, lon] : [timeMs, lat, lon],
  );
  const other = recorded(stillAtHome, 6 * hourMs + 7 * second, 12 * hourMs, 30 * second);
  const result = made(t, [
    { path: 'leader.gpx', trackPoints: leader },
    { path: 'other.gpx', trackPoints: other },
  ]);
  t.is(result.timeline.length, 1);
  t.is(result.summary.distance_m, 0);
  // With each spike go the two fixes of the other device before the next one of the followed device.
  t.is(result.summary.outlier_observations, 6 * 3);
});

test('daily files of two devices at two places are no journeys at midnight', (t) => {
  const files = [0, 1, 2, 3].flatMap((dayIndex): LibraryContent[] =>
    [home, away].map((place, device) => ({
      path: `${device}-${dayIndex}.gpx`,
      trackPoints: recorded(
        () => place,
        dayIndex * 24 * hourMs,
        (dayIndex + 1) * 24 * hourMs - minuteMs,
        minuteMs,
      ),
    })),
  );
  const result = made(t, files, '2023-03-01', '2023-03-04');
  t.is(result.timeline.length, 1);
  t.is(result.timeline[0]?.duration_seconds, 4 * 86_400 - 60);
  t.is(result.summary.distance_m + result.summary.silent_distance_m, 0);
});

test('whoever is far off takes over after a quarter of an hour, who may have come from there at once', (t) => {
  const first = recorded(stillAtHome, 6 * hourMs, 8 * hourMs, minuteMs);
  const takingOver = (place: Position, later: readonly Observed[] = []): string | undefined => {
    const next = recorded(() => place, 8 * hourMs + minuteMs, 10 * hourMs, minuteMs);
    const result = made(t, [
      { path: 'first.gpx', trackPoints: [...first, ...later] },
      { path: 'next.gpx', trackPoints: next },
    ]);
    return stays(result)[1]?.first_observation_utc;
  };
  t.is(takingOver(moved(home, 2_000, 0)), '2023-03-01T08:01:00Z');
  const far = moved(home, 200_000, 0);
  t.is(takingOver(far), '2023-03-01T08:16:00Z');
  const later = recorded(stillAtHome, 11 * hourMs, 12 * hourMs, minuteMs);
  t.is(takingOver(far, later), '2023-03-01T08:06:00Z', 'the first one is only silent');
});

test('who was with a device whose file has ended need not have been with the next one there', (t) => {
  const driving: Whereabouts = (ms) => moved(home, 50_000 + ms / 100, 0);
  const other = [
    ...recorded(stillAtHome, 6.1 * hourMs, 8 * hourMs - 40 * second, minuteMs),
    ...recorded(driving, 8 * hourMs + 2 * minuteMs, 9 * hourMs, minuteMs),
  ];
  const result = made(t, [
    { path: 'first.gpx', trackPoints: recorded(stillAtHome, 6 * hourMs, 8 * hourMs, minuteMs) },
    { path: 'other.gpx', trackPoints: other },
    {
      path: 'next.gpx',
      trackPoints: recorded(stillAtHome, 8 * hourMs + 30 * second, 12 * hourMs, minuteMs),
    },
  ]);
  t.deepEqual(
    stays(result).map((stop) => isAt(stop, home) && stop.duration_seconds > 5.9 * 3_600),
    [true],
  );
});

test('a file whose last point is a spike hands over to the next one', (t) => {
  const first = recorded(stillAtHome, 6 * hourMs, 8 * hourMs, minuteMs);
  const [lastMs, lat, lon] = first.at(-1)!;
  const files = [
    { path: 'first.gpx', trackPoints: [...first.slice(0, -1), [lastMs, lat + 0.3, lon] as const] },
    {
      path: 'next.gpx',
      trackPoints: recorded(stillAtHome, 8 * hourMs + minuteMs, 10 * hourMs, minuteMs),
    },
  ];
  const result = made(t, files);
  t.deepEqual(rowsOf(result.timeline, 'kind', 'duration_seconds'), [['stay', 4 * 3_600]]);
  t.is(result.summary.outlier_observations, 1);
});

test('waypoints away from the track are in order, whichever of them was looked at longer', (t) => {
  const track = recorded(goesOut, 8 * hourMs, 9 * hourMs, 10 * second);
  const far = (east: number, ms: number): Observed => {
    const { lat, lon } = moved(home, east, 36_000);
    return [day + ms, lat, lon];
  };
  const noted = 8 * hourMs + 12 * minuteMs + 5 * second;
  const result = made(t, [
    { path: 'track.gpx', trackPoints: track, waypoints: [far(9_000, noted)] },
    { path: 'other.gpx', trackPoints: [], waypoints: [far(9_300, noted + second)] },
  ]);
  const marks = result.timeline.filter(({ kind }) => kind === 'mark');
  t.deepEqual(
    marks.map(({ first_observation_utc: at }) => Date.parse(at) - day - noted),
    [0, second],
  );
  for (const row of result.places) {
    const within = result.timeline.filter(
      (stop) => stop[`${row.level}_id`] === row[`${row.level}_id`],
    );
    t.is(within.at(-1)?.index, row.timeline_index);
  }
});

test('a silence over the edge between two periods counts only in one that holds both', (t) => {
  const before = recorded(stillAtHome, 0, hourMs, minuteMs);
  const after = recorded(() => away, 25 * hourMs, 26 * hourMs, minuteMs);
  const files = [{ path: 'a.gpx', trackPoints: [...before, ...after] }];
  const silence = (start: string, end: string): readonly [number, number] => {
    const { summary } = made(t, files, start, end);
    return [summary.silent_seconds, summary.silent_distance_m];
  };
  t.deepEqual(silence('2023-03-01', '2023-03-01'), [0, 0]);
  t.deepEqual(silence('2023-03-02', '2023-03-02'), [0, 0]);
  const [seconds, metres] = silence('2023-03-01', '2023-03-02');
  t.is(seconds, 24 * 3_600);
  t.true(Math.abs(metres - metresBetween(home, away)) < 20);
});

test('a single fix far off after a pause is an error of the receiver, coming home from there is not', (t) => {
  const pauseOf = (path: readonly number[]): number => {
    const back = recorded(
      (ms) => moved(home, 0, path[(ms - 10 * hourMs) / (30 * second)] ?? 0),
      10 * hourMs,
      12 * hourMs,
      30 * second,
    );
    const trackPoints = [...recorded(stillAtHome, 6 * hourMs, 8 * hourMs, 30 * second), ...back];
    return made(t, [{ path: 'a.gpx', trackPoints }]).summary.bridged_seconds;
  };
  t.is(pauseOf([300]), 7_200);
  t.is(pauseOf([300, 258]), 0);
  t.is(pauseOf([300, 258, 216, 174, 132, 90, 48]), 0);
});

test('a trip in the FIT file of a watch, in the GPX made of it and in the log of a phone counts once', (t) => {
  const exact = recorded(trip, 7 * hourMs, 13 * hourMs, 5 * second);
  const semicircle = 180 / 2 ** 31;
  const asFit = exact.map(([timeMs, lat, lon]): Observed => [
    timeMs,
    Math.round(lat / semicircle) * semicircle,
    Math.round(lon / semicircle) * semicircle,
  ]);
  const asGpx = exact.map(([timeMs, lat, lon]): Observed => [
    timeMs,
    Number(lat.toFixed(5)),
    Number(lon.toFixed(5)),
  ]);
  const ofPhone = recorded(trip, 7 * hourMs + 2 * second, 13 * hourMs, minuteMs);
  const alone = made(t, [{ path: 'watch.fit', trackPoints: asFit }]);
  const together = made(t, [
    { path: 'watch.fit', trackPoints: asFit },
    { path: 'watch.gpx', trackPoints: asGpx },
    { path: 'phone.rec', trackPoints: ofPhone },
  ]);
  t.is(together.summary.stops_found, alone.summary.stops_found);
  const differences = [
    Math.abs(together.summary.distance_m / alone.summary.distance_m - 1),
    Math.abs(together.summary.stop_seconds / alone.summary.stop_seconds - 1),
  ];
  for (const difference of differences) t.true(difference < 0.02, String(differences));
});
