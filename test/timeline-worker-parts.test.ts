/** The parts of the timeline worker that no small track reaches: merging, bounded memory, geometry at the edges. */
import test from 'ava';
import { encodeDay, pointColumns } from '../storage/day-blob.ts';
import type { DayRow } from '../storage/library/day-reader.ts';
import { PairSet } from '../worker/timeline/aggregate/pair-set.ts';
import { modeOf } from '../worker/timeline/aggregate/trips/mode.ts';
import { speedEnds } from '../worker/timeline/aggregate/trips/movement.ts';
import { CoMovingDevices } from '../worker/timeline/detect/co-moving-devices.ts';
import { LocalPlane } from '../worker/timeline/detect/local-plane.ts';
import { Point } from '../worker/timeline/detect/point.ts';
import { PointQueue } from '../worker/timeline/detect/point-queue.ts';
import { distanceM, metresPerUnit } from '../worker/timeline/earth.ts';
import { mergeDay } from '../worker/timeline/observations/merge-day.ts';
import { NightCount } from '../worker/timeline/aggregate/presence/night-count.ts';
import { PlaceNumbers } from '../worker/timeline/result/place-numbers.ts';

const hourMs = 3_600_000;
const dayMs = 86_400_000;

// Merging

/** A blob of points at these times; the latitude says which point of which blob it is. */
function blobOf(times: readonly number[], number: number): Buffer {
  const points = pointColumns(times.length);
  for (const [i, time] of times.entries()) {
    points.timeMs[i] = time;
    points.latE7[i] = number * 100_000 + i;
    points.lonE7[i] = -i;
    points.eleDm[i] = 7;
  }
  return encodeDay(points, 0, times.length);
}

interface Part {
  readonly source: number;
  readonly kind: number;
  readonly part: number;
  readonly times: readonly number[];
}

function rowsOf(parts: readonly Part[]): DayRow[] {
  return parts
    .map(({ times, ...part }, id) => ({
      ...part,
      id,
      points: times.length,
      firstMs: times[0]!,
      lastMs: times.at(-1)!,
    }))
    .toSorted((a, b) => a.firstMs - b.firstMs || a.id - b.id);
}

function merged(parts: readonly Part[], most?: number): (readonly number[])[] {
  const found: (readonly number[])[] = [];
  const blobs = parts.map(({ times }, number) => blobOf(times, number));
  mergeDay(
    rowsOf(parts),
    ({ id }) => blobs[id]!,
    ({ timeMs, latE7 }, from, to, source, kind) => {
      for (let i = from; i < to; i += 1) found.push([timeMs[i]!, source, kind, latE7[i]!]);
    },
    most,
  );
  return found;
}

test('more overlapping parts than fit into memory are refused, as many as fit are not', (t) => {
  const parts = [0, 1, 2].map((source) => ({ source, kind: 0, part: 0, times: [0, 1_000] }));
  t.is(merged(parts, 6).length, 6);
  t.throws(() => merged(parts, 5), { message: /Too many/ });
  const apart = parts.map(({ source }) => ({ source, kind: 0, part: 0, times: [source * 5_000] }));
  t.is(merged(apart, 2).length, 3);
});

// Bounded memory

test('in the densest tracks observations of one second share a place in a queue', (t) => {
  const queue = new PointQueue(4);
  const point = new Point();
  for (const timeMs of [0, 10, 20, 30]) queue.push(Object.assign(point, { timeMs }));
  t.true(queue.isFull);
  t.true(queue.fold(Object.assign(point, { timeMs: 1_029 })));
  t.false(queue.fold(Object.assign(point, { timeMs: 1_030 })));
  t.is(queue.read(3, point).weight, 2);
  queue.dropFirst();
  queue.push(Object.assign(new Point(), { timeMs: 1_030 }));
  t.deepEqual([queue.size, queue.firstMs, queue.lastMs], [4, 10, 1_030]);
});

test('a set of pairs takes 2,097,152 of them', (t) => {
  const pairs = new PairSet(2_048);
  let isAdded = true;
  for (let i = 0; i < 2_097_152; i += 1) isAdded &&= pairs.add(i >> 11, i & 2_047);
  t.true(isAdded);
  t.false(pairs.add(2_048, 0));
});

// Geometry

const e7 = 1e7;

test('distances are right near and far, over 180° and at the poles', (t) => {
  const cases: [number, number, number, number, number][] = [
    [0, 0, 0, 0, 0],
    [50, 8, 50.001, 8, 111.195],
    [60, 179.999, 60, -179.999, 111.19],
    [0, 0, 0, 180, 20_015_115],
    [90, 0, 90, 137, 0],
    [89.999, 0, 89.999, 180, 222.39],
    [-89.9999, 90, -89.9999, 0, 15.725],
    [52.5, 13.4, 40.7, -74, 6_383_000],
  ];
  for (const [a, b, c, d, metres] of cases) {
    const found = distanceM(a * e7, b * e7, c * e7, d * e7);
    t.true(Math.abs(found - metres) <= 0.01 + metres * 1e-3, `${a} ${b} ${c} ${d}: ${found}`);
  }
});

test('a map is as wide as the earth below it, and knows the way back', (t) => {
  const plane = new LocalPlane();
  const places = [
    [0, 0],
    [51.3, 9.4],
    [-16.9, 179.9999],
    [78.2, -180],
    [89.9995, 17],
    [-90, 0],
    [-89.999, -120],
  ] as const;
  const steps = [
    [0, 0],
    [700, 300],
    [-900, 800],
    [100, -2_000],
  ] as const;
  for (const [lat, lon] of places) {
    plane.moveTo(lat * e7, lon * e7);
    const [x, y] = [plane.x(lat * e7, lon * e7), plane.y(lat * e7, lon * e7)];
    t.deepEqual([Math.abs(x), Math.abs(y)], [0, 0], 'its middle');
    for (const [dx, dy] of steps) {
      const latE7 = plane.latE7(x + dx, y + dy);
      const lonE7 = plane.lonE7(x + dx, y + dy);
      t.true(Math.abs(latE7) <= 90 * e7 && Math.abs(lonE7) <= 180 * e7);
      t.true(Math.hypot(plane.x(latE7, lonE7) - x - dx, plane.y(latE7, lonE7) - y - dy) < 0.02);
      const metres = distanceM(lat * e7, lon * e7, latE7, lonE7);
      t.true(Math.abs(metres - Math.hypot(dx, dy)) < 1.5, `${lat} ${lon}: ${metres}`);
    }
  }
});

test('places are numbered by their first visit, over 180° and at a pole, too', (t) => {
  const cases = [
    [
      [0, 0],
      [0, 0.0008],
      [0, 0.002],
      [0, 0.0012],
    ],
    [
      [10, 179.9998],
      [10, -179.9998],
      [10, 179.995],
      [10, 180],
    ],
    [
      [90, 5],
      [89.9995, -100],
      [89.99, 0],
      [90, 0],
    ],
  ] as const;
  for (const places of cases) {
    const numbers = new PlaceNumbers(100);
    const found = places.map(([lat, lon]) => numbers.numberOf(lat * e7, lon * e7));
    t.deepEqual(found, [0, 0, 1, places === cases[0] ? 1 : 0]);
  }
});

test('a night is 03:00 of solar time, and belongs to the span that ends with it', (t) => {
  const cases: [fromHour: number, toHour: number, lon: number, nights: number][] = [
    [3, 3, 0, 0],
    [2, 3, 0, 1],
    [3, 3.001, 0, 0],
    [0, 24, 0, 1],
    [-48, 0, 0, 2],
    // UTC−8: 11:00 UTC.
    [10, 11, -120, 1],
    [11, 12, -120, 0],
    // UTC+12 and UTC−12.
    [14, 16, 179.9, 1],
    [14, 16, -179.9, 1],
    [2, 4, 7.4, 1],
    [2.5, 4, 7.6, 0],
    [1, 2, 7.6, 1],
    [0, 21 * 24, 0, 21],
  ];
  for (const [from, to, lon, nights] of cases) {
    for (const shift of [0, -20_000 * dayMs]) {
      const count = new NightCount();
      const before = count.goTo(from * hourMs + shift, lon * e7);
      t.is(count.goTo(to * hourMs + shift, lon * e7) - before, nights, `${from} ${to} ${lon}`);
    }
  }
  t.true(metresPerUnit > 0.0111 && metresPerUnit < 0.0112);
});

test('nights go on over the date line, and one that is flown back over is counted once', (t) => {
  const nightsOf = (...legs: [hour: number, lon: number][]): number[] => {
    const count = new NightCount();
    return legs.map(([hour, lon]) => count.goTo(hour * hourMs, lon * e7));
  };
  // Noon in Honolulu, eight hours west to Tokyo: it is afternoon, and no night was between.
  t.deepEqual(nightsOf([22, -158], [30, 140]), [0, 0]);
  // And back, through the night.
  t.deepEqual(nightsOf([9, 140], [16, -158]), [0, 1]);
  // 03:30 in one zone, 03:15 in the one before it, 03:45 there.
  t.deepEqual(nightsOf([3.5, 0], [4.25, -15], [4.75, -15]), [0, 0, 0]);
  t.deepEqual(nightsOf([3.5, 0], [3.75, -15], [4.5, -15]), [0, -1, 0]);
});

test('what two devices did together counts for five minutes', (t) => {
  const at = (timeMs: number, metres: number): Point =>
    Object.assign(new Point(), { timeMs, latE7: Math.round(metres / metresPerUnit) });
  const isLeft = (afterMs: number): boolean => {
    const devices = new CoMovingDevices();
    devices.together(at(0, 0), at(0, 0));
    devices.apart(at(afterMs, 500), at(0, 0), false);
    return devices.apart(at(afterMs + 2_000, 1_000), at(afterMs + 1_000, 0), false);
  };
  t.deepEqual([300_000, 300_001].map(isLeft), [true, false]);
});

test('a way of few positions, 150 s apart, is not judged by its speed alone', (t) => {
  const none = Array.from({ length: speedEnds.length + 1 }, () => 0);
  const still = { silentMs: 0, silentM: 0, flownM: 0, seaM: 0 };
  const ends = [0, 0].map(() => ({ metres: 0, seconds: 0 }));
  // Ten minutes at 4 m/s.
  const sums = { ms: none.with(4, 600_000), metres: none.with(4, 2_400) };
  const modes = [3, 4].map(
    (observations) => modeOf({ ...still, ...sums, observations, ends }).mode,
  );
  t.deepEqual(modes, ['unknown', 'bike']);
});
