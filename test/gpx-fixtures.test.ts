/** Every file below fixtures/gpx yields what fixtures/expected.ts says, in pieces of any size. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'ava';
import { expected, type Expected, type ExpectedRefusal } from '../fixtures/expected.ts';
import { journeyFiles } from '../fixtures/make-journey.ts';
import { readGpx } from '../formats/gpx/read-gpx.ts';
import { FileRefused } from '../formats/refused.ts';
import { nullSink, type RecordedWaypoint } from '../model/recording.ts';
import { isTaken } from './helpers/effort.ts';
import { expectSame } from './helpers/expect-same.ts';
import { valuesOf } from './helpers/fields.ts';
import { inPieces } from './helpers/fixtures.ts';

const fixtures = path.resolve(import.meta.dirname, '../fixtures');
const folder = path.join(fixtures, 'gpx');

/** Files by their paths below fixtures/gpx, with `/`, as the file system writes them. */
function files(): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .map((file) => file.split(path.sep).join('/'));
}

function read(source: string | Iterable<Uint8Array>) {
  const waypoints: RecordedWaypoint[] = [];
  const trackPoints: number[][] = [];
  const sink = {
    ...nullSink,
    waypoint: (waypoint: RecordedWaypoint) => void waypoints.push(waypoint),
    trackPoint(lat: number, lon: number, ele: number, timeMs: number) {
      if (!Number.isNaN(timeMs)) trackPoints.push([lat, lon, ele, timeMs]);
    },
  };
  try {
    return {
      waypoints,
      trackPoints,
      outcome: readGpx(typeof source === 'string' ? [readFileSync(source)] : source, sink),
    };
  } catch (error) {
    if (!(error instanceof FileRefused)) throw error;
    return { waypoints, trackPoints, outcome: { refused: error.reason, line: error.line } };
  }
}

function wanted(entry: Expected): object {
  const { waypoints, observations, untimedPoints, invalidTimes, unusablePoints } = entry;
  const { first, last } = entry;
  const missingTimes = untimedPoints - invalidTimes;
  const counts = { waypoints, observations, missingTimes, invalidTimes, unusablePoints };
  const msOf = (time: string | undefined) => (time === undefined ? undefined : Date.parse(time));
  return { ...counts, firstMs: msOf(first), lastMs: msOf(last) };
}

function isRefusal(entry: Expected | ExpectedRefusal): entry is ExpectedRefusal {
  return 'refused' in entry;
}

test('every fixture is in the table, and every entry of the table is a file', (t) => {
  const present = files().map((file) => file.normalize('NFC'));
  t.deepEqual(present.toSorted(), [...expected.keys()].toSorted());
});

/** The outcome as fixtures/README.md words it. */
function outcomeText(entry: Expected | ExpectedRefusal): string {
  if (isRefusal(entry)) {
    return `\`${entry.refused}\`${entry.line === undefined ? '' : `, line ${entry.line}`}`;
  }
  const { waypoints, observations, untimedPoints, invalidTimes, unusablePoints } = entry;
  const counts = [
    waypoints > 0 ? `${waypoints} waypoint${waypoints > 1 ? 's' : ''}` : '',
    observations > 0 ? `${observations} observation${observations > 1 ? 's' : ''}` : '',
    untimedPoints > 0 ? `${untimedPoints} untimed` : '',
    invalidTimes > 0 ? `${invalidTimes} of them with an invalid time` : '',
    unusablePoints > 0 ? `${unusablePoints} unusable` : '',
  ];
  return `ok: ${counts.filter((count) => count !== '').join(', ') || 'no points'}`;
}

test('fixtures/README.md tells the outcome of every fixture', (t) => {
  const text = readFileSync(path.join(fixtures, 'README.md'), 'utf8').normalize('NFC');
  const rows = [...text.matchAll(/^\| `([^`]+)` +\|.*\| (\S[^|]*?) +\|$/gm)];
  t.deepEqual(
    Object.fromEntries(rows.map(([, file, outcome]) => [file, outcome])),
    Object.fromEntries([...expected].map(([file, entry]) => [file, outcomeText(entry)])),
  );
});

for (const file of files()) {
  const entry = expected.get(file.normalize('NFC'));
  if (entry === undefined) continue;
  test(`fixture ${file} is ${isRefusal(entry) ? `refused as ${entry.refused}` : 'read'}`, (t) => {
    const { waypoints, trackPoints, outcome } = read(path.join(folder, file));
    if (isRefusal(entry)) {
      t.deepEqual(outcome, { refused: entry.refused, line: entry.line });
      return;
    }
    t.like(outcome, wanted(entry));
    t.deepEqual(valuesOf(waypoints, 'name'), entry.names);
    const timed = waypoints.filter((waypoint) => waypoint.timeMs !== undefined);
    t.is(trackPoints.length + timed.length, entry.observations);
  });
}

test('every fixture yields the same in pieces of 1, 2, 3 and 7 bytes as in one', (t) => {
  for (const [index, file] of files().entries()) {
    const bytes = readFileSync(path.join(folder, file));
    const whole = read([bytes]);
    for (const [at, size] of [1, 2, 3, 7].entries()) {
      if (!isTaken(index) && at !== index % 4) continue;
      const reading = read(inPieces(bytes, size));
      expectSame(t, reading.outcome, whole.outcome, `${file} in pieces of ${size}`);
      // What a refused file yielded before is undone anyway.
      if (reading.outcome instanceof Object && 'refused' in reading.outcome) continue;
      expectSame(t, reading, whole, `${file} in pieces of ${size}`);
    }
  }
});

test('fixtures/journey is what its script writes, small, and read without a fault', (t) => {
  const journey = journeyFiles();
  const present = readdirSync(path.join(fixtures, 'journey'));
  t.deepEqual(present.toSorted(), [...journey.keys()].toSorted());
  let bytes = 0;
  for (const [file, text] of journey) {
    const content = readFileSync(path.join(fixtures, 'journey', file));
    bytes += content.length;
    t.is(content.toString(), text, file);
    const { outcome } = read([content]);
    t.like(outcome, { missingTimes: 0, invalidTimes: 0, unusablePoints: 0 }, file);
  }
  t.true(bytes < 600_000);
  const places = read(path.join(fixtures, 'journey', 'places.gpx')).waypoints;
  t.is(places.length, 48);
  t.true(places.some((place) => place.name === 'Cabo Fisterra (Finisterre)'));
});
