/** What receivers do that looks like a journey, or like a stay: echoes beside silences, repeated fixes, slow queues. */
import test, { type ExecutionContext } from 'ava';
import { moved, type Position } from '../bench/timelines/geometry.ts';
import { noGeodata } from '../bench/timelines/timeline-of.ts';
import type { TimelineStop } from '../model/timeline-result.ts';
import { hourMs, minuteMs, wavering } from './helpers/fixes.ts';
import { days, libraryOf, stays, timelineOf, type Observed } from './helpers/timeline-library.ts';

const second = 1_000;
const day = Date.UTC(2023, 2, 1);
const home: Position = { lat: 52.53, lon: 13.42 };

/** Metres to the north of home at an instant, given as ms of the day. */
type Way = (ms: number) => number;

/** A fix every so many ms; the receiver wavers by some metres, if it does. */
function recorded(north: Way, fromMs: number, toMs: number, everyMs: number, wavers = 1) {
  const where = (timeMs: number) => moved(home, 0, north(timeMs - day));
  return wavering(where, day + fromMs, day + toMs - 1, everyMs, wavers);
}

const still =
  (metres: number): Way =>
  () =>
    metres;

/** From `fromM` at `startMs`, northwards so many metres a second. */
const going =
  (fromM: number, startMs: number, speed: number): Way =>
  (ms) =>
    fromM + ((ms - startMs) / second) * speed;

function staysOf(t: ExecutionContext, ...parts: readonly (readonly Observed[])[]): TimelineStop[] {
  const library = libraryOf(t, [{ path: 'a.gpx', trackPoints: parts.flat() }]);
  const { result } = timelineOf(t, library, days('2023-03-01'), noGeodata);
  return stays(result);
}

function minutes(stays: readonly TimelineStop[]): number[] {
  return stays.map(({ duration_seconds: seconds }) => Math.round(seconds / 60));
}

for (const everyMs of [5 * second, 30 * second]) {
  const morning = recorded(still(0), 6 * hourMs, 8 * hourMs, everyMs);
  const backMs = 11 * hourMs;
  const homeFrom = (ms: number): Observed[] => recorded(still(0), ms, 12 * hourMs, everyMs);
  const rate = `every ${everyMs / second} s`;

  test(`${rate}: an echo after a silence is no coming home, walking home is`, (t) => {
    const thrown = recorded(still(180), backMs, backMs + 2 * minuteMs, everyMs);
    t.deepEqual(minutes(staysOf(t, morning, thrown, homeFrom(backMs + 2 * minuteMs))), [360]);
    const walk = recorded(going(180, backMs, -1.5), backMs, backMs + 2 * minuteMs, everyMs);
    t.is(staysOf(t, morning, walk, homeFrom(backMs + 2 * minuteMs)).length, 2);
  });

  test(`${rate}: who walks off before a silence has left`, (t) => {
    const walk = recorded(going(0, 8 * hourMs, 1.5), 8 * hourMs, 8 * hourMs + 150_000, everyMs);
    t.is(staysOf(t, morning, walk, homeFrom(backMs)).length, 2);
  });
}

test('an echo before a silence is no leaving, unless it may have been a drive there', (t) => {
  const endMs = 8 * hourMs + 90 * second;
  const found = [5 * second, 30 * second].map((everyMs) =>
    minutes(
      staysOf(
        t,
        recorded(still(0), 6 * hourMs, 8 * hourMs, everyMs),
        recorded(still(190), 8 * hourMs, endMs, everyMs),
        recorded(still(0), 11 * hourMs, 12 * hourMs, everyMs),
      ),
    ),
  );
  t.deepEqual(found, [[360], [120, 60]]);
});

test('a queue that moves on is no stay, a counter that one stands at is', (t) => {
  const from = 8 * hourMs;
  const crawled = (speed: number): TimelineStop[] => {
    const endMs = from + 12 * minuteMs;
    const end = going(0, from, speed)(endMs);
    return staysOf(
      t,
      recorded(going(-3_000, from - 300_000, 10), from - 300_000, from, 5 * second),
      recorded(going(0, from, speed), from, endMs, 5 * second),
      recorded(going(end, endMs, 10), endMs, endMs + 300_000, 5 * second),
    );
  };
  t.deepEqual(crawled(0.33), []);
  t.deepEqual(crawled(0.25), []);
  t.deepEqual(minutes(crawled(0)), [12]);
});

// A fix that is repeated to the last digit

/** A drive at 15 m/s, `beforeMs` long, that ends with the first repeated fix. */
function arriving(atMs: number): Observed[] {
  return recorded(going(-9_000, atMs - 600_000, 15), atMs - 600_000, atMs, 5 * second);
}

function leaving(fromM: number, atMs: number): Observed[] {
  return recorded(going(fromM, atMs, 15), atMs, atMs + 600_000, 5 * second);
}

test('a receiver that repeats its last fix in a tunnel was not there', (t) => {
  const [inMs, outMs] = [8 * hourMs, 8 * hourMs + 8 * minuteMs];
  const repeated = recorded(still(0), inMs, outMs, 5 * second, 0);
  t.deepEqual(staysOf(t, arriving(inMs), repeated, leaving(7_200, outMs)), []);
});

test('a receiver that repeats its fix where somebody is was there', (t) => {
  const [inMs, outMs] = [8 * hourMs, 8 * hourMs + 8 * minuteMs];
  const repeated = recorded(still(0), inMs, outMs, 5 * second, 0);
  // Who drives on from there, who is not seen any more, and who is seen again after a silence.
  t.deepEqual(minutes(staysOf(t, arriving(inMs), repeated, leaving(75, outMs))), [8]);
  t.deepEqual(minutes(staysOf(t, arriving(inMs), repeated)), [8]);
  const later = leaving(30_000, outMs + 20 * minuteMs);
  t.deepEqual(minutes(staysOf(t, arriving(inMs), repeated, later)), [8]);
  // A whole night with one fix a minute, of an app that wakes up late.
  const night = recorded(still(0), 0, 7 * hourMs, minuteMs, 0);
  t.deepEqual(minutes(staysOf(t, night, leaving(4_000, 7 * hourMs))), [419]);
});

// Waking up

/** Fixes at these distances to the north of home, every 10 s, then a walk further north. */
function wakingUp(atMs: number, metres: readonly number[]): Observed[] {
  const wobble = metres.flatMap((north, i) =>
    recorded(still(north), atMs + i * 10_000, atMs + i * 10_000 + 1, second),
  );
  const leftMs = atMs + metres.length * 10_000;
  const north = metres.at(-1)!;
  return [...wobble, ...recorded(going(north, leftMs, 1.4), leftMs, leftMs + 900_000, 10_000)];
}

const wobbles = [197, 187, 206, 191, 187, 203, 195, 206, 188, 199, 187, 206, 197, 190, 201, 187];

test('a night with a sleeping receiver is a night at home, however it errs when it wakes up', (t) => {
  const slept = 14 * hourMs;
  const evening = recorded(going(-3_000, 8 * hourMs, 2), 8 * hourMs, 8.4 * hourMs, 10_000);
  const arrivedMs = 8.4 * hourMs;
  for (const seenS of [10, 60, 150, 290, 900]) {
    const seenMs = seenS * second;
    const seen = recorded(still(-100), arrivedMs, arrivedMs + seenMs, 10_000);
    const wokenMs = arrivedMs + seenMs + slept;
    const stays = staysOf(t, evening, seen, wakingUp(wokenMs, wobbles));
    t.is(minutes(stays).filter((length) => length >= slept / minuteMs - 1).length, 1, `${seenS} s`);
    t.true(stays[0]!.bridged_seconds >= (slept - minuteMs) / second, `${seenS} s`);
  }
});

test('who wakes up 250 m off was there if they only pass by, and not if they stay', (t) => {
  const seen = recorded(still(0), 6 * hourMs, 7 * hourMs, 10_000);
  const wokenMs = 17 * hourMs;
  const walk = (toMs: number) => recorded(going(250, wokenMs, -1.4), wokenMs, toMs, 10_000);
  t.deepEqual(minutes(staysOf(t, seen, walk(wokenMs + 900_000))), [660]);
  const homeMs = wokenMs + 180_000;
  // The next day, as a receiver errs that wakes up.
  const later = recorded(still(150), 41 * hourMs, 42 * hourMs, 10_000);
  for (const [seenMs, then] of [
    [minuteMs, later],
    [minuteMs, []],
    [hourMs, later],
  ] as const) {
    const home = recorded(still(0), homeMs, homeMs + seenMs, 10_000);
    t.is(minutes(staysOf(t, seen, walk(homeMs), home, then))[0], 60, `${seenMs}`);
  }
  // A night between two single fixes, which were preceded by one across the street.
  const single = (hour: number, north: number) =>
    recorded(still(north), hour * hourMs, hour * hourMs + 1, second);
  const drive = recorded(going(2_000, 20.6 * hourMs, 15), 20.6 * hourMs, 21 * hourMs, 10_000);
  const night = staysOf(t, single(6, 0), single(9, 160), single(20, 100), drive);
  t.true(minutes(night).includes(660));
});

test('who has just left home, and comes back there after a silence, was on an outing', (t) => {
  const morning = recorded(still(0), 6 * hourMs, 7 * hourMs, 10_000);
  const leaving = recorded(going(0, 7 * hourMs, 8), 7 * hourMs, 7.05 * hourMs, 10_000);
  const backMs = 10 * hourMs;
  const back = recorded(going(1_600, backMs, -8), backMs, backMs + 200_000, 10_000);
  const evening = recorded(still(0), backMs + 200_000, 11 * hourMs, 10_000);
  t.deepEqual(minutes(staysOf(t, morning, leaving, back, evening)), [60, 57]);
});
