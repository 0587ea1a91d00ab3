/** The parts of the timeline worker that no small track reaches: merging, bounded memory, geometry at the edges. */
import test from 'ava';
import { encodeDay, pointColumns } from '../storage/day-blob.ts';
import type { DayRow } from '../storage/library/day-reader.ts';
import { modeOf } from '../worker/timeline/aggregate/trips/mode.ts';
import { speedEnds } from '../worker/timeline/aggregate/trips/movement.ts';
import { CoMovingDevices } from '../worker/timeline/detect/co-moving-devices.ts';
import { Point } from '../worker/timeline/detect/point.ts';
import { PointQueue } from '../worker/timeline/detect/point-queue.ts';
import { metresPerUnit } from '../worker/timeline/earth.ts';
import { mergeDay } from '../worker/timeline/observations/merge-day.ts';
import { NightCount } from '../worker/timeline/aggregate/presence/night-count.ts';
import { hourMs } from './helpers/fixes.ts';

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
    { rows: () => rowsOf(parts), blob: ({ id }) => blobs[id]! },
    0,
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
  t.is(queue.last.weight, 2);
  queue.dropFirst();
  queue.push(Object.assign(new Point(), { timeMs: 1_030 }));
  t.deepEqual([queue.size, queue.firstMs, queue.lastMs], [4, 10, 1_030]);
});

// Geometry

const e7 = 1e7;

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
  const still = { silentMs: 0, silentM: 0, slowSilentMs: 0, flownM: 0, fastM: 0, seaM: 0 };
  const ends = [0, 0].map(() => ({ metres: 0, seconds: 0 }));
  // Ten minutes at 4 m/s.
  const sums = { ms: none.with(4, 600_000), metres: none.with(4, 2_400) };
  const modes = [3, 4].map(
    (observations) => modeOf({ ...still, ...sums, observations, ends }).mode,
  );
  t.deepEqual(modes, ['unknown', 'bike']);
});
