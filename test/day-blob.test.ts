/** Observations packed by day: storage/day-blob.ts and the collector in front of it. */
import test from 'ava';
import fc from 'fast-check';
import {
  DayBlobCorrupt,
  dayBlobPoints,
  dayMs,
  dayOf,
  decodeDay,
  encodeDay,
  noElevation,
  pointColumns,
  type PointColumns,
} from '../storage/day-blob.ts';
import { DayCollector, type DayPart } from '../storage/library/day-collector.ts';
import { rounds } from './helpers/effort.ts';
import { rowsOf } from './helpers/fields.ts';

type Point = readonly [timeMs: number, latE7: number, lonE7: number, eleDm: number];

const decoded = pointColumns();

function columnsOf(points: readonly Point[]): PointColumns {
  const columns = pointColumns(points.length);
  for (const [index, [timeMs, latE7, lonE7, eleDm]] of points.entries()) {
    columns.timeMs[index] = timeMs;
    columns.latE7[index] = latE7;
    columns.lonE7[index] = lonE7;
    columns.eleDm[index] = eleDm;
  }
  return columns;
}

function pointsOf(blob: Uint8Array): Point[] {
  const count = decodeDay(blob, decoded);
  const { timeMs, latE7, lonE7, eleDm } = decoded;
  return Array.from({ length: count }, (_, i) => [timeMs[i]!, latE7[i]!, lonE7[i]!, eleDm[i]!]);
}

const elevation = fc.oneof(
  fc.constant(noElevation),
  fc.integer({ min: -12_000, max: 90_000 }),
  fc.integer({ min: -2_147_483_647, max: 2_147_483_647 }),
);

/** Points of one day between the years 0 and 9999, in order of time. */
const dayPoints = fc
  .record({
    day: fc.integer({ min: -719_528, max: 2_932_896 }),
    unit: fc.constantFrom(1, 1_000),
    points: fc.array(
      fc.tuple(
        fc.integer({ min: 0, max: 86_399 }),
        fc.integer({ min: -900_000_000, max: 900_000_000 }),
        fc.integer({ min: -1_800_000_000, max: 1_800_000_000 }),
        elevation,
      ),
      { minLength: 1, maxLength: 60 },
    ),
    all: fc.option(elevation),
  })
  .map(({ day, unit, points, all }) =>
    points
      .map(([second, lat, lon, ele]): Point => [
        day * dayMs + second * unit + (unit === 1 ? 86_399_999 - 86_399 : 0),
        lat,
        lon,
        all ?? ele,
      ])
      .toSorted((a, b) => a[0] - b[0]),
  );

test('a day of observations is decoded as it was encoded', (t) => {
  fc.assert(
    fc.property(dayPoints, (points) => {
      t.deepEqual(pointsOf(encodeDay(columnsOf(points), 0, points.length)), points);
    }),
    { numRuns: rounds(300) },
  );
});

test('the largest blob has 65,536 points', (t) => {
  const points = Array.from({ length: dayBlobPoints }, (_, i): Point => [
    i * 1_318,
    i % 2 === 0 ? 900_000_000 : -900_000_000,
    -1_800_000_000,
    2 ** 31 - 1 - i,
  ]);
  const blob = encodeDay(columnsOf(points), 0, points.length);
  t.is(decodeDay(blob, decoded), dayBlobPoints);
  t.deepEqual(pointsOf(blob).at(-1), points.at(-1));
});

test('a damaged blob is refused, or read within its bounds, but never makes the reader run on', (t) => {
  fc.assert(
    fc.property(
      dayPoints,
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 }),
      (points, changes) => {
        const blob = encodeDay(columnsOf(points), 0, points.length);
        for (const [at, byte] of changes) blob[at % blob.length] = byte;
        try {
          const count = decodeDay(blob, decoded);
          t.true(count > 0 && count * 3 <= blob.length);
          for (let i = 0; i < count; i += 1) {
            t.is(dayOf(decoded.timeMs[i]!), dayOf(decoded.timeMs[0]!));
            t.true(Math.abs(decoded.latE7[i]!) <= 900_000_000);
            t.true(Math.abs(decoded.lonE7[i]!) <= 1_800_000_000);
          }
        } catch (error) {
          t.true(error instanceof DayBlobCorrupt);
        }
      },
    ),
    { numRuns: rounds(500) },
  );
});

test('a blob cut at any place, or with something behind it, is refused', (t) => {
  const points: Point[] = [
    [5, 470_000_000, 80_000_000, 4_000],
    [1_006, 470_000_010, 80_000_000, noElevation],
    [2_000, 470_000_020, -80_000_000, 4_001],
  ];
  const blob = encodeDay(columnsOf(points), 0, points.length);
  for (let length = 0; length < blob.length; length += 1) {
    t.throws(() => decodeDay(blob.subarray(0, length), decoded), { instanceOf: DayBlobCorrupt });
  }
  t.throws(() => decodeDay(Uint8Array.of(...blob, 0), decoded), { instanceOf: DayBlobCorrupt });
});

test('a header that announces too much is refused', (t) => {
  const many = new Uint8Array(200_005);
  many.set([1, 0, 0x81, 0x80, 0x04]);
  t.throws(() => decodeDay(many, decoded), { instanceOf: DayBlobCorrupt }, '65,537 points');
  const none = Uint8Array.of(1, 0, 0, 0);
  t.throws(() => decodeDay(none, decoded), { instanceOf: DayBlobCorrupt }, 'no points');
  const endless = new Uint8Array(1_000).fill(0xff);
  endless.set([1, 0]);
  t.throws(() => decodeDay(endless, decoded), { instanceOf: DayBlobCorrupt }, 'no end of a number');
  for (const [version, flags] of [
    [2, 0],
    [1, 6],
    [1, 8],
  ]) {
    const blob = Uint8Array.of(version!, flags!, 1, 0, 0, 0, 0, 0);
    t.throws(() => decodeDay(blob, decoded), { instanceOf: DayBlobCorrupt });
  }
});

function collect(
  points: readonly (readonly [timeMs: number, lat: number, lon: number, ele: number])[],
) {
  const parts: DayPart[] = [];
  const collector = new DayCollector((part) => parts.push(part));
  for (const [timeMs, lat, lon, ele] of points) collector.add(lat, lon, ele, timeMs);
  collector.flush();
  return parts;
}

test('observations are split by UTC day, also before 1970, and sorted by time', (t) => {
  const parts = collect([
    [dayMs + 1, 1, 2, 3.04],
    [-1, -10, -180, Number.NaN],
    [0, 10, 180, Number.POSITIVE_INFINITY],
    [-dayMs, 0, 0, 1e12],
    [dayMs - 1, 20, 20, -431.06],
  ]);
  t.deepEqual(
    parts.map(({ blob, ...part }) => ({ ...part, read: pointsOf(blob) })),
    [
      {
        day: -1,
        part: 0,
        points: 2,
        first_ms: -dayMs,
        last_ms: -1,
        south_e7: -100_000_000,
        north_e7: 0,
        west_e7: -1_800_000_000,
        east_e7: 0,
        read: [
          [-dayMs, 0, 0, noElevation],
          [-1, -100_000_000, -1_800_000_000, noElevation],
        ],
      },
      {
        day: 0,
        part: 0,
        points: 2,
        first_ms: 0,
        last_ms: dayMs - 1,
        south_e7: 100_000_000,
        north_e7: 200_000_000,
        west_e7: 200_000_000,
        east_e7: 1_800_000_000,
        read: [
          [0, 100_000_000, 1_800_000_000, noElevation],
          [dayMs - 1, 200_000_000, 200_000_000, -4_311],
        ],
      },
      {
        day: 1,
        part: 0,
        points: 1,
        first_ms: dayMs + 1,
        last_ms: dayMs + 1,
        south_e7: 10_000_000,
        north_e7: 10_000_000,
        west_e7: 20_000_000,
        east_e7: 20_000_000,
        read: [[dayMs + 1, 10_000_000, 20_000_000, 30]],
      },
    ],
  );
});

test('observations of equal time stay in file order', (t) => {
  const parts = collect([
    [2, 1, 0, 0],
    [1, 2, 0, 0],
    [2, 3, 0, 0],
    [1, 4, 0, 0],
    [2, 5, 0, 0],
  ]);
  t.deepEqual(
    pointsOf(parts[0]!.blob).map(([time, lat]) => [time, lat / 1e7]),
    [
      [1, 2],
      [1, 4],
      [2, 1],
      [2, 3],
      [2, 5],
    ],
  );
});

test('more than 65,536 observations go on in a part of a higher number', (t) => {
  const total = dayBlobPoints + 2;
  const points = Array.from({ length: total }, (_, i) => [i, i / total, 0, 0] as const);
  const parts = collect(points);
  t.deepEqual(rowsOf(parts, 'day', 'part', 'points', 'first_ms'), [
    [0, 0, dayBlobPoints, 0],
    [0, 1, 2, dayBlobPoints],
  ]);
});
