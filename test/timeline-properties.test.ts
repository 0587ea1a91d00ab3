/** What holds for every timeline, whatever was recorded: over many seeds, against plain slow code (reference/timeline.ts). */
import { gunzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { builtinGeodata } from '../bench/timelines/builtin-geodata.ts';
import { plantedName } from '../bench/timelines/gpx-files.ts';
import { moved, type Position } from '../bench/timelines/geometry.ts';
import { profileNamed } from '../bench/timelines/profile.ts';
import { makeScene } from '../bench/timelines/scene.ts';
import {
  importFiles,
  noGeodata,
  parseTimeline,
  timelineText,
} from '../bench/timelines/timeline-of.ts';
import { Random } from '../bench/random.ts';
import { tripModes, type TimelineResult, type TimelineStop } from '../model/timeline-result.ts';
import { openReader } from '../storage/database.ts';
import { decodeDay, pointColumns } from '../storage/day-blob.ts';
import { buildTimeline } from '../worker/timeline/build.ts';
import { TimelineControl } from '../worker/timeline/control.ts';
import { timelineOptions } from '../worker/timeline/options.ts';
import type { Correction } from '../worker/timeline/stated.ts';
import type { TimelineTask } from '../worker/timeline/task.ts';
import { readWhole } from '../worker/timeline/whole/read-whole.ts';
import { summaryOf } from '../worker/timeline/whole/summary.ts';
import { seeds } from './helpers/effort.ts';
import {
  days,
  libraryOf,
  timelineOf,
  type LibraryContent,
  type Observed,
} from './helpers/timeline-library.ts';
import { faultsOf, type RawObservation } from './reference/timeline.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const minuteMs = 60_000;

/** Where longitudes, latitudes and countries have their edges, and some plain towns, two of them in one country. */
const sites: readonly Position[] = [
  { lat: 51.3127, lon: 9.4797 },
  { lat: 52.52, lon: 13.405 },
  { lat: -16.87, lon: 179.9996 },
  { lat: 89.9999, lon: 20 },
  { lat: -90, lon: 0 },
  { lat: 0.0004, lon: 0.0003 },
  { lat: 30, lon: -180 },
  { lat: 51.4425, lon: 4.9299 },
];

/** Days around a boundary of a leap year. */
const firstDay = Date.UTC(2024, 1, 28) / dayMs;

/** Anything a recorder might ever do, likely or not: up to three days at few places, in several files. */
function wildFiles(seed: number): LibraryContent[] {
  const random = new Random(seed);
  const here = Array.from({ length: 1 + random.below(4) }, () => random.pick(sites));
  const files = Array.from({ length: 1 + random.below(4) }, () => wildTrack(random, here));
  const all = files.flat();
  // What two files both hold, and what one holds twice.
  files.push(all.filter(() => random.oneIn(9)));
  return files.map((trackPoints, index) => ({
    path: `${plantedName}/${seed}-${index}.gpx`,
    trackPoints: trackPoints.toSorted((a, b) => a[0] - b[0]),
    waypoints: all.filter(() => random.oneIn(60)).map((point) => shaken(random, point)),
    missingTimes: random.below(3),
    invalidTimes: random.below(3),
    unusablePoints: random.below(3),
  }));
}

function wildTrack(random: Random, here: readonly Position[]): Observed[] {
  const points: Observed[] = [];
  let timeMs = firstDay * dayMs + random.below(2 * 24) * hourMs;
  const count = random.below(400);
  while (points.length < count) {
    const site = random.pick(here);
    const stepMs = random.pick([1_000, 7_000, 30_000, 61_500, 10 * minuteMs, 70 * minuteMs]);
    const spreadM = random.pick([0, 3, 20, 80, 300, 20_000]);
    const leaveMs = timeMs + random.between(0, 14) * hourMs;
    for (let i = random.below(120); i > 0 && timeMs < leaveMs; i -= 1) {
      points.push([timeMs, ...near(random, site, spreadM)]);
      timeMs += random.oneIn(25) ? 0 : stepMs;
    }
    timeMs += random.pick([0, minuteMs, 20 * minuteMs, random.below(9) * hourMs]);
    // To the very boundary of a day.
    if (random.oneIn(4)) timeMs = Math.ceil(timeMs / dayMs) * dayMs;
  }
  return points;
}

function near(random: Random, site: Position, spreadM: number): [lat: number, lon: number] {
  if (Math.abs(site.lat) > 89) return [site.lat, random.between(-180, 180)];
  const { lat, lon } = moved(site, random.bell() * spreadM, random.bell() * spreadM);
  return [lat, lon];
}

function shaken(random: Random, [timeMs, lat, lon]: Observed): Observed {
  return [timeMs + random.below(2) * random.below(40) * minuteMs, lat, lon];
}

function rawOf(files: readonly LibraryContent[]): RawObservation[] {
  return files.flatMap(({ trackPoints, waypoints = [] }) =>
    [...trackPoints, ...waypoints].map(
      ([timeMs, lat, lon]) => [timeMs, Math.round(lat * 1e7), Math.round(lon * 1e7)] as const,
    ),
  );
}

/** A period that cuts some of what was recorded off, often. */
function periodIn(random: Random): { startDay: number; endDay: number } {
  const startDay = firstDay - 1 + random.below(4);
  return { startDay, endDay: startDay + random.below(4) };
}

function checkText(t: ExecutionContext, text: string): void {
  t.false(text.includes(plantedName), 'a name of a file, track or waypoint');
  t.false(/\.gpx|\.sqlite|imports\//i.test(text), 'a path');
}

/** The period begins within a town, less than 500 m from where its name was looked up. */
const beginsInTown = 894_034_129;

test('whatever was recorded, a timeline agrees with itself and with the observations', (t) => {
  for (const seed of [beginsInTown, ...seeds(20)]) {
    const files = wildFiles(seed);
    const library = libraryOf(t, files);
    const { text, result } = timelineOf(t, library, periodIn(new Random(seed)));
    t.deepEqual(faultsOf(result, rawOf(files)), [], `seed ${seed}`);
    checkText(t, text);
    t.like(result.summary, {
      indexed_valid_times: rawOf(files).length,
      indexed_missing_times: totalOf(files, 'missingTimes'),
      indexed_invalid_times: totalOf(files, 'invalidTimes'),
      invalid_coordinates: totalOf(files, 'unusablePoints'),
    });
  }
});

function totalOf(
  files: readonly LibraryContent[],
  field: 'missingTimes' | 'invalidTimes' | 'unusablePoints',
): number {
  return files.reduce((total, file) => total + (file[field] ?? 0), 0);
}

/** The ids of imports are their order: of sources that were not followed only the number is the same. */
function withoutImportIds(text: string): string {
  return text.replace(
    /"unfollowed_sources":\[([\d,]*)\]/u,
    (_, ids: string) => `"unfollowed_sources":${ids.split(',').length}`,
  );
}

test('the same files and period give the same bytes, in whatever order they were imported', (t) => {
  for (const seed of seeds(4)) {
    const files = wildFiles(seed);
    const period = periodIn(new Random(seed));
    const library = libraryOf(t, files);
    const { text } = timelineOf(t, library, period);
    t.is(timelineOf(t, library, period).text, text, `seed ${seed}, again`);
    const others = [files.toReversed(), [...files.slice(1), files[0]!]];
    for (const order of others) {
      const other = timelineOf(t, libraryOf(t, order), period).text;
      t.is(withoutImportIds(other), withoutImportIds(text), `seed ${seed}`);
    }
  }
});

test('a file imported a second time under another name changes nothing but how many files there are', (t) => {
  const files = wildFiles(7);
  const period = { startDay: firstDay - 1, endDay: firstDay + 5 };
  const { result } = timelineOf(t, libraryOf(t, files), period);
  const twice = [...files, ...files.map((file) => ({ ...file, path: `again/${file.path}` }))];
  const again = timelineOf(t, libraryOf(t, twice), period).result;
  t.deepEqual(again.timeline.map(withoutCounts), result.timeline.map(withoutCounts));
  t.is(again.summary.recorded_observations, result.summary.recorded_observations);
  t.is(again.summary.stop_seconds, result.summary.stop_seconds);
  t.is(again.summary.distance_m, result.summary.distance_m);
});

/** What the reader made of the files, which tests of its own are for. */
function storedObservations(libraryPath: string): RawObservation[] {
  const db = openReader(libraryPath);
  try {
    const points = pointColumns();
    const blobs = db.prepare<[], Uint8Array>('SELECT blob FROM days').pluck().all();
    return blobs.flatMap((blob) =>
      Array.from({ length: decodeDay(blob, points) }, (_, i): RawObservation => [
        points.timeMs[i]!,
        points.latE7[i]!,
        points.lonE7[i]!,
      ]),
    );
  } finally {
    db.close();
  }
}

function withoutCounts<T extends object>(stop: T): T {
  return { ...stop, recorded_observations: 0 };
}

test('a day asked for alone says what it says within a longer period', (t) => {
  for (const seed of seeds(6)) {
    const library = libraryOf(t, wildFiles(seed));
    const period = { startDay: firstDay - 1, endDay: firstDay + 5 };
    const { result } = timelineOf(t, library, period, noGeodata);
    for (const day of result.days) {
      const alone = timelineOf(t, library, days(day.date_utc), noGeodata).result;
      // A stop that goes on is of the day alone, but of a later day of the whole.
      t.deepEqual(
        alone.days.map((row) => ({ ...row, stops: day.stops })),
        [day],
        `seed ${seed}`,
      );
    }
  }
});

/** Marks far away are noted within a stay that goes on around them, while one in the air waits. */
const markInStay = 889_295_364;

test('a timeline that is cut short keeps its totals, and no index is of an older stop', (t) => {
  for (const seed of [markInStay, ...seeds(8)]) {
    const files = wildFiles(seed);
    const library = libraryOf(t, files);
    const period = { startDay: firstDay - 1, endDay: firstDay + 5 };
    const { result: whole } = timelineOf(t, library, period);
    const cut = built(library, period, 1 + (seed % 7));
    t.deepEqual(faultsOf(cut, rawOf(files)), [], `seed ${seed}`);
    const counts = { stops_returned: cut.timeline.length };
    t.deepEqual(cut.summary, { ...whole.summary, ...counts }, `seed ${seed}`);
    t.deepEqual(cut.days, whole.days, `seed ${seed}`);
    const kept = new Set(cut.timeline.map(nameOf));
    t.true([...kept].every((name) => whole.timeline.some((stop) => nameOf(stop) === name)));
    for (const [at, row] of cut.places.entries()) {
      const { timeline_index: index, ...rest } = row;
      const { timeline_index: wholeIndex, ...wholeRest } = whole.places[at]!;
      t.deepEqual(rest, wholeRest, `seed ${seed}`);
      const latest = nameOf(whole.timeline[wholeIndex]!);
      const pointed = cut.timeline[index];
      t.is(pointed && nameOf(pointed), kept.has(latest) ? latest : undefined, `seed ${seed}`);
    }
  }
});

/** Two stays that the user says within one silence of a stay, and a way on a day of which nothing else is known. */
const saidInSilence = [1_759_061_941, 949_830_459];

test('whatever is corrected, a timeline agrees with itself and with the observations', (t) => {
  for (const seed of [...saidInSilence, ...seeds(12)]) {
    const files = wildFiles(seed);
    const random = new Random(seed);
    const corrections = Array.from({ length: 1 + random.below(6) }, (_, id) =>
      correctionIn(random, id + 1),
    );
    const period = { ...periodIn(random), corrections };
    const result = built(libraryOf(t, files), period, timelineOptions.stays.maxStops);
    t.deepEqual(faultsOf(result, rawOf(files)), [], `seed ${seed} ${JSON.stringify(corrections)}`);
  }
});

test('whatever was recorded and corrected, a summary of all of it says what the timeline says', (t) => {
  for (const seed of seeds(8)) {
    const random = new Random(seed);
    const corrections = Array.from({ length: random.below(4) }, (_, id) =>
      correctionIn(random, id),
    );
    const libraryPath = libraryOf(t, wildFiles(seed));
    const period = {
      startDay: firstDay - 3,
      endDay: firstDay + 10,
      timeZone: 'local',
      corrections,
    };
    const { places, trips } = built(libraryPath, period, timelineOptions.stays.maxStops);
    const control = new TimelineControl().shared;
    const task = { libraryPath, control, ...builtinGeodata(), corrections, today: firstDay + 30 };
    const outcome = readWhole(task);
    if (outcome.state !== 'completed') throw new Error('nobody cancelled it');
    const always = { fromDay: -Infinity, toDay: Infinity };
    const { countries, distance_m } = summaryOf(outcome.whole, always, task.today);
    t.deepEqual(
      countries.map(({ id, days, nights }) => `${id} ${days} ${nights}`).toSorted(),
      places
        .filter(({ level, country_id: id }) => level === 'country' && id !== '')
        .filter(({ days, nights }) => days + nights > 0)
        .map(({ country_id, days, nights }) => `${country_id} ${days} ${nights}`)
        .toSorted(),
      `seed ${seed}`,
    );
    const known = trips.filter(
      ({ mode, recorded_observations: seen }) => mode !== 'unknown' || seen > 0,
    );
    const legs = known.flatMap((trip) => trip.legs);
    const metres = legs.reduce((sum, leg) => sum + leg.distance_m, 0);
    t.true(Math.abs(metres - distance_m) <= legs.length, `seed ${seed}: ${metres} ${distance_m}`);
  }
});

/** A correction of up to twelve hours, at times of recordings or beside them. */
function correctionIn(random: Random, id: number): Correction {
  const startMs = Math.round((firstDay - 0.2 + random.between(0, 4)) * dayMs);
  const endMs = startMs + 1_000 + Math.round(random.between(0, 12) * hourMs);
  const kind = random.pick(['mode', 'not_a_stay', 'stay'] as const);
  const { lat, lon } = random.pick(sites);
  const isPlaced = kind === 'stay' && random.oneIn(2);
  const place = isPlaced ? { latE7: Math.round(lat * 1e7), lonE7: Math.round(lon * 1e7) } : {};
  const mode = kind === 'mode' ? { mode: random.pick(tripModes) } : {};
  return { id, kind, startMs, endMs, ...place, ...mode };
}

/** As timelineOf, with few stops, or corrected. */
function built(
  libraryPath: string,
  period: Pick<TimelineTask, 'startDay' | 'endDay' | 'corrections' | 'timeZone'>,
  maxStops: number,
): TimelineResult {
  const control = new TimelineControl().shared;
  const stays = { ...timelineOptions.stays, maxStops };
  const task = { libraryPath, control, ...period, ...builtinGeodata() };
  const outcome = buildTimeline(task, { ...timelineOptions, stays });
  if (outcome.state !== 'completed') throw new Error('nobody cancelled it');
  return parseTimeline(gunzipSync(outcome.json).toString());
}

/** What tells a stop from all others of a timeline: kind and time. */
function nameOf({ kind, first_observation_utc, last_observation_utc }: TimelineStop): string {
  return `${kind} ${first_observation_utc} ${last_observation_utc}`;
}

test('without a generation there are stops and totals, but no places and no names', (t) => {
  for (const seed of seeds(2)) {
    const files = wildFiles(seed);
    const library = libraryOf(t, files);
    const period = { startDay: firstDay - 1, endDay: firstDay + 5 };
    const { result } = timelineOf(t, library, period, noGeodata);
    t.deepEqual(faultsOf(result, rawOf(files)), [], `seed ${seed}`);
    t.is(result.dataset, null);
    const named = timelineOf(t, library, period).result;
    const spans = ({ timeline }: typeof result): object[] =>
      timeline
        .filter(({ kind }) => kind !== 'pass')
        .map(({ kind, latitude, longitude, first_observation_utc, last_observation_utc }) => ({
          kind,
          latitude,
          longitude,
          first_observation_utc,
          last_observation_utc,
        }));
    t.deepEqual(spans(result), spans(named), `seed ${seed}`);
  }
});

test('journeys of the quality tests agree with themselves, too, and name nothing that was planted', (t) => {
  for (const name of ['5-15 min', 'two devices']) {
    for (const seed of seeds(1)) {
      const scene = makeScene(profileNamed(name), seed, 2);
      const library = importFiles(scene.files);
      t.teardown(() => library.remove());
      const { text, result } = timelineOf(t, library.path, scene);
      t.deepEqual(faultsOf(result, storedObservations(library.path)), [], `${name} ${seed}`);
      checkText(t, text);
      const reversed = importFiles(scene.files.toReversed());
      t.teardown(() => reversed.remove());
      t.is(timelineText(reversed.path, scene, builtinGeodata()), text);
    }
  }
});
