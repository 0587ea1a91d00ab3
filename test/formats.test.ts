/** Every file of fixtures/<format> yields what fixtures/expected-formats.json says, read alone and imported. */
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'ava';
import { fitFiles } from '../fixtures/make-fit.ts';
import { headBytes } from '../formats/format.ts';
import { Recording } from '../formats/points/recording.ts';
import { FileRefused } from '../formats/refused.ts';
import { findFormat } from '../formats/registry.ts';
import { formatNames } from '../model/recorder-formats.ts';
import { nullSink } from '../model/recording.ts';
import { openReader } from '../storage/database.ts';
import { DayReader } from '../storage/library/day-reader.ts';
import { rowsOf, valuesOf } from './helpers/fields.ts';
import { readFixture, type FixtureReading } from './helpers/fixtures.ts';
import { importSite } from './helpers/imports.ts';

const fixtures = path.resolve(import.meta.dirname, '../fixtures');
const expected = JSON.parse(
  readFileSync(path.join(fixtures, 'expected-formats.json'), 'utf8'),
) as Readonly<Record<string, FixtureReading>>;
/** GPX has a test file of its own. */
const folders = formatNames.filter((name) => name !== 'gpx');
const files = folders.flatMap((folder) =>
  readdirSync(path.join(fixtures, folder)).map((file) => `${folder}/${file}`),
);

test('what is expected is told of every fixture', (t) => {
  t.deepEqual(files.toSorted(), Object.keys(expected).toSorted());
});

for (const file of files) {
  test(`fixture ${file}`, (t) => {
    const whole = readFixture(path.join(fixtures, file));
    t.deepEqual(whole, expected[file]);
    for (const size of [1, 2, 3, 7]) {
      t.deepEqual(readFixture(path.join(fixtures, file), size), whole, `in pieces of ${size}`);
    }
  });
}

test('fixtures/fit is what its script writes', (t) => {
  for (const [name, bytes] of fitFiles())
    t.deepEqual(readFileSync(path.join(fixtures, 'fit', name)), bytes, name);
  t.is(fitFiles().size, files.filter((file) => file.startsWith('fit/')).length);
});

test('all fixtures in one folder are imported, refused or passed over, each with its format and counts', (t) => {
  const site = importSite(t);
  for (const folder of folders) {
    cpSync(path.join(fixtures, folder), path.join(site.source, folder), { recursive: true });
  }
  const result = site.result({ recursive: true });
  const of = (wanted: (reading: FixtureReading) => boolean) =>
    files.filter((file) => wanted(expected[file] ?? {})).toSorted();
  const imported = of(({ counts }) => counts !== undefined);
  t.deepEqual(
    result.unsupported_files,
    of(({ format }) => format === undefined),
  );
  t.deepEqual(
    rowsOf(result.failures, 'file', 'reason', 'line'),
    of(({ refused }) => refused !== undefined).map((file) => {
      const { refused, line } = expected[file] ?? {};
      return [file, refused, line];
    }),
  );
  t.is(result.added + result.duplicates, imported.length);
  const db = openReader(site.libraryPath);
  t.teardown(() => db.close());
  const rows = db
    .prepare<[], Record<string, string | number>>(
      `SELECT path, format, waypoints, observations, missing_times AS missingTimes,
      invalid_times AS invalidTimes, unusable_points AS unusablePoints FROM files`,
    )
    .all();
  t.is(rows.length, result.added);
  for (const { path: file = '', format, ...counts } of rows) {
    const reading = expected[file] ?? {};
    t.is(format, reading.format, String(file));
    for (const [name, count] of Object.entries(counts))
      t.is(count, reading.counts?.[name] ?? 0, `${file} ${name}`);
  }
  const counted = Object.fromEntries(
    folders.map((name) => [name, rows.filter(({ format }) => format === name).length]),
  );
  t.deepEqual(result.formats, counted);
});

test('a fix that may be more than 200 m off is kept, and is not what timelines read', (t) => {
  const site = importSite(t);
  const rows = [200, 200.1, 3_000].map(
    (accuracy, at) => `2024-06-01T08:0${at}:00Z,47,8,${accuracy}`,
  );
  writeFileSync(path.join(site.source, 'a.csv'), ['time,lat,lon,accuracy', ...rows].join('\n'));
  t.like(site.result(), { added: 1, observations: 3 });
  const reader = new DayReader(site.libraryPath);
  t.teardown(() => reader.close());
  const day = Date.UTC(2024, 5, 1) / 86_400_000;
  t.is(reader.count(day, day), 1);
  t.deepEqual(valuesOf(reader.rows(day), 'points'), [1]);
  const db = openReader(site.libraryPath);
  t.teardown(() => db.close());
  t.is(db.prepare('SELECT sum(points) FROM days').pluck().get(), 3);
});

test('in a CSV of another program each line is a row, whatever its quotes and its columns of kinds say', (t) => {
  const site = importSite(t);
  const rows = [1, 2, 3, 4].map(
    (at) => `2024-06-01T08:0${at}:00Z,47,8,${at % 2 === 0 ? '"' : ''}waypoint`,
  );
  writeFileSync(path.join(site.source, 'a.csv'), ['time,lat,lon,kind', ...rows].join('\n'));
  t.like(site.result(), { added: 1, track_points: 4, observations: 4 });
});

/** Reads a text as one file. @returns why it is refused; undefined where it is read. */
function refusalOf(name: string, content: string): string | undefined {
  const bytes = Buffer.from(content);
  try {
    findFormat(bytes.subarray(0, headBytes), name)!.read([bytes], nullSink, {});
    return undefined;
  } catch (error) {
    if (error instanceof FileRefused) return error.reason;
    throw error;
  }
}

test('an element of JSON may cost 4,000,000 units of memory: positions five, numbers one, members eight', (t) => {
  const feature = (numbers: number): string =>
    `{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"a":[1${',1'.repeat(numbers)}]}}]}`;
  // All but the numbers: four names and a text, two objects and an array, four members, and a comma.
  const rest = 3 * (4 + 1 + 3) + 5 * 4 - 3 - 5 + 1;
  t.is(refusalOf('a.geojson', feature(4_000_000 - rest)), undefined);
  t.is(refusalOf('a.geojson', feature(4_000_001 - rest)), 'too_large');
});

test('a line of 256 KiB is read, a longer one refused', (t) => {
  const csv = (bytes: number): string =>
    `time,lat,lon\n${'2024-06-01T08:00:00Z,47,8,'.padEnd(bytes, 'x')}\n2024-06-01T08:00:00Z,47,8\n`;
  t.is(refusalOf('a.csv', csv(262_144)), undefined);
  t.is(refusalOf('a.csv', csv(262_145)), 'too_large');
});

test('elevations from 12,000 m below to 100,000 m above the sea are kept, others left out; a bookmark keeps its own', (t) => {
  const seen: (number | undefined)[] = [];
  const recording = new Recording({
    ...nullSink,
    trackPoint: (_lat, _lon, ele) => void seen.push(ele),
    routePoint: (_lat, _lon, ele) => void seen.push(ele),
    waypoint: ({ ele }) => void seen.push(ele),
  });
  const inside = [-12_000, 0, 100_000];
  const outside = [-12_001, 100_001, 1e308, Number.NaN];
  for (const ele of [...inside, ...outside]) {
    recording.trackPoint(1, 2, ele, 0);
    recording.routePoint(1, 2, ele);
    recording.waypoint(1, 2, ele, 0, {});
  }
  t.deepEqual(seen, [
    ...inside.flatMap((ele) => [ele, ele, ele]),
    ...outside.flatMap(() => [Number.NaN, Number.NaN, undefined]),
  ]);
  seen.length = 0;
  recording.waypoint(1, 2, 1e308, 0, { isOwnBookmark: true });
  t.deepEqual(seen, [1e308]);
});
