/** The timeline worker: a whole result by hand, truncation, cancelling, files that change meanwhile, faults. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { nowhere, type AdminLookup, type AdminPlace } from '../model/admin-place.ts';
import { stayParameters } from '../worker/timeline/stay-parameters.ts';
import { timelineResultSchema, type TimelineResult } from '../model/timeline-result.ts';
import { openWriter } from '../storage/database.ts';
import { buildTimeline as runTask } from '../worker/timeline-tasks.ts';
import { buildTimeline } from '../worker/timeline/build.ts';
import { TimelineControl } from '../worker/timeline/control.ts';
import { timelineOptions, type TimelineOptions } from '../worker/timeline/options.ts';
import type { TimelineTask } from '../worker/timeline/task.ts';
import { rowsOf, valuesOf } from './helpers/fields.ts';
import { dayMs, hourMs, minuteMs } from './helpers/fixes.ts';
import { importSite, writeTree } from './helpers/imports.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';
import { days, libraryOf, type LibraryContent, type Observed } from './helpers/timeline-library.ts';

const may = Date.UTC(2024, 4, 1);

const dataset = {
  dataset_version: '1',
  source_version: '2',
  attribution: 'none',
  license: 'CC0-1.0',
};

function admin(country: string, region = '', locality = ''): AdminPlace {
  const [country_id, region_id, locality_id] = [country.slice(0, 2), region, locality];
  return { ...nowhere, country, country_id, region, region_id, locality, locality_id };
}

/** Bands of latitude: Low below 10.02°, Mid up to 10.05°, High above; the south is nowhere. */
const bands: AdminLookup = {
  find(lat) {
    if (lat < 0) return nowhere;
    if (lat < 10.02) return admin('Low', 'L', lat < 10.01 ? 'L1' : '');
    return lat < 10.05 ? admin('Mid') : admin('High', 'H', 'H1');
  },
};

interface Making {
  readonly options?: Partial<TimelineOptions>;
  readonly start?: string;
  readonly end?: string;
  readonly lookup?: AdminLookup;
  readonly control?: TimelineControl;
}

function taskFor(libraryPath: string, { start = '2024-05-01', end = start, control }: Making = {}) {
  const { shared } = control ?? new TimelineControl();
  return { libraryPath, geodataPath: null, dataset: null, ...days(start, end), control: shared };
}

function make(libraryPath: string, making: Making = {}): TimelineResult {
  const { lookup = bands, options = {} } = making;
  const outcome = buildTimeline(taskFor(libraryPath, making), {
    ...timelineOptions,
    geodata: { lookup, dataset },
    ...options,
  });
  if (outcome.state !== 'completed') throw new Error('it was cancelled');
  const text = gunzipSync(outcome.json).toString();
  if (Buffer.byteLength(text) !== outcome.bytes) throw new Error('another size was told');
  return timelineResultSchema.parse(JSON.parse(text));
}

function made(t: ExecutionContext, files: readonly LibraryContent[], making: Making = {}) {
  return make(libraryOf(t, files), making);
}

/** Points every minute at one place, both ends included. */
function at(lat: number, fromMinute: number, toMinute: number, lon = 20): Observed[] {
  const points: Observed[] = [];
  for (let minute = fromMinute; minute <= toMinute; minute += 1) {
    points.push([may + minute * minuteMs, lat, lon]);
  }
  return points;
}

function brief({ timeline }: TimelineResult): string[] {
  return timeline.map(
    (stop) =>
      `${stop.kind} ${stop.first_observation_utc.slice(11, 19)} ${stop.duration_seconds} ${stop.country_id}`,
  );
}

function indexes({ places }: TimelineResult): Record<string, number> {
  return Object.fromEntries(
    places.map((row) => [
      `${row.level} ${row.country_id} ${row[`${row.level}_id`]}`,
      row.timeline_index,
    ]),
  );
}

// A whole result

test('a short way between two places, told in full', (t) => {
  const site = importSite(t);
  const points = [
    ...at(10, 0, 10),
    // 0.01° of latitude are 1,112 m.
    ...[10.01, 10.02, 10.03, 10.04, 10.05].map((lat, i): Observed => [
      may + (11 + i) * minuteMs,
      lat,
      20,
    ]),
    ...at(10.06, 16, 30),
  ];
  const trkpts = points.map(
    ([timeMs, lat, lon]) =>
      `<trkpt lat="${lat}" lon="${lon}"><time>${new Date(timeMs).toISOString()}</time></trkpt>`,
  );
  const gpx = (content: string): string => `<gpx><trk><trkseg>${content}</trkseg></trk></gpx>`;
  writeTree(site.source, {
    'a.gpx': gpx(`${trkpts.join('')}<trkpt lat="1" lon="1"/><trkpt lat="99" lon="1"/>`),
    'again.gpx': gpx(trkpts.slice(0, 3).join('')),
  });
  site.result();
  const result = make(site.libraryPath);
  const everywhere = {
    date_utc: '2024-05-01',
    longitude: 20,
    radius_m: 0,
    bridged_seconds: 0,
    continues_before: false,
    continues_after: false,
    near_border: [],
    lon: 20,
  };
  t.deepEqual(result.timeline, [
    {
      ...everywhere,
      index: 0,
      kind: 'stay',
      latitude: 10,
      first_observation_utc: '2024-05-01T00:00:00Z',
      last_observation_utc: '2024-05-01T00:10:00Z',
      duration_seconds: 600,
      recorded_observations: 11,
      distance_from_previous_m: 0,
      travel_seconds: 0,
      place: 0,
      ...admin('Low', 'L', 'L1'),
      lat: 10,
    },
    {
      ...everywhere,
      index: 1,
      kind: 'pass',
      // Equally slow all the way through Mid: the last moment there.
      latitude: 10.04,
      first_observation_utc: '2024-05-01T00:14:00Z',
      last_observation_utc: '2024-05-01T00:14:00Z',
      duration_seconds: 0,
      recorded_observations: 1,
      distance_from_previous_m: 4448,
      travel_seconds: 240,
      place: 1,
      ...admin('Mid'),
      lat: 10.04,
    },
    {
      ...everywhere,
      index: 2,
      kind: 'stay',
      latitude: 10.06,
      first_observation_utc: '2024-05-01T00:16:00Z',
      last_observation_utc: '2024-05-01T00:30:00Z',
      duration_seconds: 840,
      recorded_observations: 15,
      distance_from_previous_m: 2224,
      travel_seconds: 120,
      place: 2,
      ...admin('High', 'H', 'H1'),
      lat: 10.06,
    },
  ]);
  t.deepEqual(result.summary, {
    recorded_observations: 31,
    resolved_observations: 31,
    unresolved_observations: 0,
    invalid_coordinates: 1,
    duplicate_observations: 3,
    outlier_observations: 0,
    indexed_valid_times: 34,
    indexed_missing_times: 1,
    indexed_invalid_times: 0,
    active_days: 1,
    stops_found: 3,
    stops_returned: 3,
    places_dropped: 0,
    stop_seconds: 1440,
    bridged_seconds: 0,
    moving_seconds: 360,
    silent_seconds: 0,
    distance_m: 6672,
    silent_distance_m: 0,
    first_observation_utc: '2024-05-01T00:00:00Z',
    last_observation_utc: '2024-05-01T00:30:00Z',
    unknown_days: 0,
    unknown_nights: 0,
    transit_nights: 0,
    unfollowed_observations: 0,
    unfollowed_sources: [],
  });
  t.deepEqual(result.days, [
    {
      date_utc: '2024-05-01',
      recorded_observations: 31,
      stops: 3,
      stop_seconds: 1440,
      distance_m: 6672,
      countries: ['Hi', 'Lo', 'Mi'],
      date_local: '2024-05-01',
      utc_offset_minutes: 0,
      presence: ['Hi', 'Lo', 'Mi'].map((country_id) => ({ country_id, kind: 'recorded' })),
    },
  ]);
  t.deepEqual(rowsOf(result.places, 'level', 'country', 'recorded_observations', 'visits'), [
    ['country', 'High', 16, 1],
    ['country', 'Low', 12, 1],
    ['country', 'Mid', 3, 0],
    ['region', 'High', 16, 1],
    ['region', 'Low', 12, 1],
    ['locality', 'High', 16, 1],
    ['locality', 'Low', 11, 1],
  ]);
  t.like(result.places[1], {
    ...admin('Low'),
    timeline_index: 0,
    stop_seconds: 600,
    recorded_days: 1,
    nights: 0,
    first_observation_utc: '2024-05-01T00:00:00Z',
    last_observation_utc: '2024-05-01T00:11:00Z',
  });
});

// How observations lie in files

test('how observations are spread over files changes nothing but the number of files', (t) => {
  // At places, on the way at 8 m/s, and at places again, every four seconds.
  const points = Array.from({ length: 4_000 }, (_, i): Observed => {
    const transit = Math.min(Math.max(i - 1_000, 0), 1_000) + Math.min(Math.max(i - 3_000, 0), 500);
    const wavering = (((i * 37) % 101) - 50) / 1e6;
    return [may + i * 4_000, 10 + transit * 3e-4 + wavering, 20 - wavering];
  });
  const dealt = (files: number): LibraryContent[] =>
    Array.from({ length: files }, (_, file) => ({
      path: `${file}.gpx`,
      trackPoints: points.filter((_, i) => i % files === file),
    }));
  const shown = (files: number): unknown => {
    const result = made(t, dealt(files));
    const places = result.places.map((row) => ({ ...row, source_files: 0 }));
    return { ...result, observation_revision: '', places };
  };
  const whole = shown(1);
  t.is((whole as TimelineResult).timeline.filter(({ kind }) => kind === 'stay').length, 3);
  t.deepEqual(shown(3), whole);
});

// Silences

/** Three minutes at a place, then nothing for two hours, then on the way from some metres off, at 4 m/s. */
function fallingSilent(metres: number, goesOn: boolean): Observed[] {
  const degrees = metres / 111_195;
  const woken = may + 124 * minuteMs;
  return [
    ...at(10, 0, 3),
    ...Array.from({ length: 30 }, (_, i): Observed => {
      const gone = goesOn ? i * 10 * 4 : 0;
      return [woken + i * 10_000, 10 + degrees + gone / 111_195, 20];
    }),
  ];
}

test('a recorder that sleeps while its bearer rests, and wakes as they set off, was there', (t) => {
  const trackPoints = fallingSilent(250, true);
  const result = made(t, [{ path: 'a.gpx', trackPoints }]);
  t.deepEqual(brief(result), ['stay 00:00:00 7440 Lo']);
  t.is(result.summary.bridged_seconds, 121 * 60);
});

test('a receiver that lies some hundred metres off after a silence was there all the time', (t) => {
  const trackPoints = fallingSilent(250, false);
  const result = made(t, [{ path: 'a.gpx', trackPoints }]);
  t.is(result.summary.bridged_seconds, 121 * 60);
  t.is(result.summary.silent_seconds, 0);
});

test('who is far off after a silence was not there, however they move', (t) => {
  const trackPoints = fallingSilent(450, true);
  t.is(made(t, [{ path: 'a.gpx', trackPoints }]).summary.bridged_seconds, 0);
});

test('who is seen coming back after a silence was away in it', (t) => {
  // At home, nothing for ten hours, then on foot from 350 m off to home.
  const walk = Array.from({ length: 30 }, (_, i): Observed => {
    const metres = Math.max(0, 350 - i * 14);
    return [may + 700 * minuteMs + i * 10_000, 10 + metres / 111_195, 20];
  });
  const trackPoints = [...at(10, 0, 60), ...walk, ...at(10, 706, 760)];
  const result = made(t, [{ path: 'a.gpx', trackPoints }]);
  t.is(result.summary.bridged_seconds, 0);
  t.is(brief(result)[0], 'stay 00:00:00 3600 Lo');
  t.is(result.timeline.length, 2);
});

test('before a silence of 20 minutes a short rest is enough, before a shorter one it is not', (t) => {
  const rest = (hours: number): Observed[] => [
    ...Array.from({ length: 5 }, (_, i): Observed => [may + i * 10_000, 10, 20]),
    ...Array.from({ length: 30 }, (_, i): Observed => {
      return [may + hours * hourMs + i * 10_000, 10 + (120 + i * 90) / 111_195, 20];
    }),
  ];
  const bridged = (hours: number): number =>
    made(t, [{ path: 'a.gpx', trackPoints: rest(hours) }]).summary.bridged_seconds;
  t.is(bridged(8), 8 * 3_600 - 40);
  t.is(bridged(0.35), 1_260 - 40);
  t.is(bridged(0.3), 0);
});

test('of a gap beside a stay, what the way leaves of it was spent there', (t) => {
  const fix = (minute: number, metres: number): Observed => {
    return [may + minute * minuteMs, 10 + metres / 111_195, 20];
  };
  const shown = (...trackPoints: Observed[]): string[] => {
    const result = made(t, [{ path: 'a.gpx', trackPoints }]);
    const stays = brief(result).filter((line) => line.startsWith('stay'));
    return [...stays, `${result.summary.bridged_seconds}`];
  };
  const [here, later] = [fix(10, 0), fix(18, 0)];
  // By bicycle 1,200 m take 5 minutes, on foot 450 m do.
  t.deepEqual(shown(fix(0, 1_200), here, later, fix(28, 450)), ['stay 00:05:00 1080 Lo', '600']);
  t.deepEqual(shown(fix(0, 2_500), here, later, fix(28, 2_500)), ['stay 00:10:00 480 Lo', '0']);
  // Sixteen minutes are a silence, three are no gap.
  t.deepEqual(shown(fix(-6, 1_200), here, later, fix(21, 450)), ['stay 00:10:00 480 Lo', '0']);
  // Two stays share what is left.
  t.deepEqual(shown(here, later, fix(28, 1_200), fix(36, 1_200)), [
    'stay 00:10:00 630 Lo',
    'stay 00:25:30 630 Lo',
    '300',
  ]);
});

test('stops of one instant are in the order of the way', (t) => {
  const way = Array.from({ length: 60 }, (_, i): Observed => [may + i * 10_000, 10 + i * 1e-3, 20]);
  // A waypoint at the very fix that stands for a country that is only passed.
  const files = [
    { path: 'a.gpx', trackPoints: way, waypoints: [[may + 490_000, 10.0491, 20] as const] },
  ];
  const result = made(t, files);
  t.true(result.timeline.length >= 3);
  t.true(result.timeline.every((stop) => stop.distance_from_previous_m >= 0));
});

test('one observation an hour is a mark where it changes place, and a stay where it does not', (t) => {
  const told = (pace: number): string[] => {
    const trackPoints = [10, 10.03, 10.06, 10.06, 10.06, 10.1].map((lat, i): Observed => {
      return [may + i * pace * minuteMs, lat, 20];
    });
    return brief(made(t, [{ path: 'a.gpx', trackPoints }]));
  };
  // What a walk leaves of the hour beside a stay was spent there; more than 90 minutes are a silence.
  t.deepEqual(told(60), [
    'mark 00:00:00 0 Lo',
    'mark 01:00:00 0 Mi',
    'stay 01:48:32 8205 Hi',
    'mark 05:00:00 0 Hi',
  ]);
  t.regex(told(90)[2]!, /^stay 02:/);
  t.is(told(91)[2], 'stay 03:02:00 10920 Hi');
});

// Truncation

/** Stays of 10, 20 … minutes, each in a country of its own, an hour apart; the last country twice. */
const visited = Array.from({ length: 6 }, (_, i) => at(i, i * 120, i * 120 + 10 + i * 10));
const countries: AdminLookup = {
  find: (lat) => admin('ABCDEE'[Math.round(lat)] ?? 'Z'),
};

function truncated(t: ExecutionContext, maxStops: number): TimelineResult {
  return made(t, [{ path: 'a.gpx', trackPoints: visited.flat() }], {
    lookup: countries,
    options: { stays: { ...stayParameters, maxStops } },
  });
}

test('as many stops as are allowed are all there', (t) => {
  const result = truncated(t, 6);
  t.false(result.timeline_truncated);
  t.is(result.parameters.max_stops, 6);
  t.deepEqual(
    Object.values(indexes(result)).toSorted((a, b) => a - b),
    [0, 1, 2, 3, 5],
  );
});

test('of one stop too many, the latest of the rows with most observations and the longest stay', (t) => {
  const result = truncated(t, 5);
  t.true(result.timeline_truncated);
  t.is(result.summary.stops_found, 6);
  t.is(result.summary.stops_returned, 5);
  t.deepEqual(valuesOf(result.timeline, 'country_id'), ['B', 'C', 'D', 'E', 'E']);
  t.is(indexes(result)['country A A'], -1);
  t.is(indexes(result)['country E E'], 4);
  t.is(result.timeline[0]?.distance_from_previous_m, 0);
  // What was left out counts all the same.
  t.is(result.summary.stop_seconds, 210 * 60);
});

test('a stop says which other countries are near', (t) => {
  const trackPoints = [...at(0, 0, 30), ...at(1, 60, 120)];
  const result = made(t, [{ path: 'a.gpx', trackPoints }], {
    lookup: { find: () => admin('A'), nearBorder: (lat) => (lat < 0.5 ? ['B', 'C'] : []) },
  });
  t.deepEqual(valuesOf(result.timeline, 'near_border'), [['B', 'C'], []]);
});

test('of too many rows those with most observations are there', (t) => {
  const files = [{ path: 'a.gpx', trackPoints: visited.flat() }];
  const full = made(t, files, { lookup: countries, options: { maxPlaceRows: 5 } });
  t.is(full.summary.places_dropped, 0);
  const result = made(t, files, { lookup: countries, options: { maxPlaceRows: 2 } });
  t.is(result.summary.places_dropped, 3);
  t.deepEqual(rowsOf(result.places, 'country_id', 'recorded_observations'), [
    ['E', 112],
    ['D', 41],
  ]);
  t.false(result.timeline_truncated);
});

// Cancelling and progress

/** A library with a stay on each of some days. */
function daily(t: ExecutionContext, count: number): string {
  const trackPoints = Array.from({ length: count }, (_, day) =>
    at(10, day * 1_440, day * 1_440 + 30),
  ).flat();
  return libraryOf(t, [{ path: 'a.gpx', trackPoints }]);
}

test('a cancelled job ends at the next day of observations and says nothing', (t) => {
  const control = new TimelineControl();
  const seen: number[] = [];
  const task = taskFor(daily(t, 5), { end: '2024-05-05', control });
  const onDay = (day: number): void => {
    seen.push(day - may / dayMs);
    if (seen.length === 2) control.cancel();
  };
  t.deepEqual(buildTimeline(task, { ...timelineOptions, onDay }), { state: 'cancelled' });
  t.deepEqual(seen, [0, 1]);
  t.deepEqual(control.read(), { processed: 93, total: 155 });
});

test('a job that was cancelled before it began does not look at the library', (t) => {
  const control = new TimelineControl();
  control.cancel();
  const task = taskFor(join(temporaryDirectory(t), 'none.sqlite'), { control });
  t.deepEqual(buildTimeline(task), { state: 'cancelled' });
  t.is(control.read().total, undefined);
});

test('progress counts the observations of the period, not those looked at beside it', (t) => {
  const control = new TimelineControl();
  make(daily(t, 5), { start: '2024-05-02', end: '2024-05-03', control });
  t.deepEqual(control.read(), { processed: 62, total: 62 });
});

// Files that change meanwhile

function replace(libraryPath: string, from: string, to: LibraryContent, t: ExecutionContext): void {
  // A library of its own has the rows as an import would write them.
  const other = libraryOf(t, [to]);
  const db = openWriter(libraryPath, 'normal');
  try {
    db.prepare('ATTACH ? AS other').run(other);
    db.transaction(() => {
      db.prepare('DELETE FROM files WHERE path = ?').run(from);
      const columnsOf = (table: string, ...but: string[]): string =>
        db
          .prepare<[string], string>('SELECT name FROM pragma_table_info(?)')
          .pluck()
          .all(table)
          .filter((name) => !but.includes(name))
          .join();
      const columns = columnsOf('files', 'id');
      const id = db
        .prepare(`INSERT INTO files (${columns}) SELECT ${columns} FROM other.files`)
        .run().lastInsertRowid;
      const dayColumns = columnsOf('days', 'id', 'file_id', 'day');
      db.prepare(
        `INSERT INTO days (file_id, day, ${dayColumns}) SELECT ?, day, ${dayColumns} FROM other.days`,
      ).run(id);
      db.exec(
        "UPDATE meta SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT) WHERE key = 'revision'",
      );
    }).immediate();
  } finally {
    db.close();
  }
}

const before: LibraryContent = {
  path: 'a.gpx',
  trackPoints: [...at(10, 0, 30), ...at(10, 1_500, 1_530)],
};
const after: LibraryContent = {
  path: 'a.gpx',
  trackPoints: [...at(11, 0, 40), ...at(11, 1_500, 1_540)],
};
const twoDays = { end: '2024-05-02' };

test('a file that is replaced while it is read makes the job begin again', (t) => {
  const libraryPath = libraryOf(t, [before]);
  let isReplaced = false;
  const result = make(libraryPath, {
    ...twoDays,
    options: {
      restartMs: 0,
      onDay() {
        if (!isReplaced) replace(libraryPath, 'a.gpx', after, t);
        isReplaced = true;
      },
    },
  });
  t.true(isReplaced);
  t.deepEqual(result, made(t, [after], twoDays));
});

test('a file that is imported meanwhile is not part of the timeline', (t) => {
  const libraryPath = libraryOf(t, [before]);
  let isAdded = false;
  const onDay = (): void => {
    const added = { path: 'b.gpx', trackPoints: at(12, 1_500, 1_600) };
    if (!isAdded) replace(libraryPath, 'none.gpx', added, t);
    isAdded = true;
  };
  t.deepEqual(make(libraryPath, { ...twoDays, options: { onDay } }), made(t, [before], twoDays));
});

/** Replaces the file at each day that is read. @param onReplaced gets how often. */
function replacing(t: ExecutionContext, libraryPath: string, onReplaced: (times: number) => void) {
  let replaced = 0;
  return (): void => {
    replaced += 1;
    const trackPoints = [...after.trackPoints, ...at(11, 2_000, 2_000 + replaced)];
    replace(libraryPath, 'a.gpx', { path: 'a.gpx', trackPoints }, t);
    onReplaced(replaced);
  };
}

test('a job whose files never stop changing begins again three times, then reads those of one moment', (t) => {
  const libraryPath = libraryOf(t, [before]);
  let replaced = 0;
  const onDay = replacing(t, libraryPath, (times) => (replaced = times));
  const result = make(libraryPath, { ...twoDays, options: { restartMs: 0, onDay } });
  // Each time after its first day, but for the last time after both.
  t.is(replaced, 5);
  const trackPoints = [...after.trackPoints, ...at(11, 2_000, 2_003)];
  t.deepEqual(result, made(t, [{ path: 'a.gpx', trackPoints }], twoDays));
});

test('a job that waits for its files is cancelled, and its progress does not go back', (t) => {
  const libraryPath = libraryOf(t, [before]);
  const control = new TimelineControl();
  const onDay = replacing(t, libraryPath, () => control.cancel());
  const task = taskFor(libraryPath, { ...twoDays, control });
  const outcome = buildTimeline(task, { ...timelineOptions, restartMs: 100, onDay });
  t.deepEqual(outcome, { state: 'cancelled' });
  t.is(control.read().processed, 31);
});

// Faults

test('a damaged day fails the job, says nothing about it, and has the library made anew', (t) => {
  const libraryPath = libraryOf(t, [before]);
  const db = openWriter(libraryPath, 'normal');
  db.prepare("UPDATE days SET blob = x'0101'").run();
  db.close();
  const error = t.throws(() => runTask(taskFor(libraryPath)));
  t.is(error?.message, 'The timeline worker failed: DayBlobCorrupt.');
  t.false(`${error?.stack}`.includes(libraryPath));
  t.true(existsSync(`${libraryPath}.damaged`));
});

test('an error names no file of the user', (t) => {
  const libraryPath = join(temporaryDirectory(t), 'none.sqlite');
  const error = t.throws(() => runTask(taskFor(libraryPath)));
  t.is(error?.message, 'The timeline worker failed: SQLITE_CANTOPEN.');
  t.false(existsSync(`${libraryPath}.damaged`));
});

test('without a generation that can be read there are no names, but there are stops', (t) => {
  const geodataPath = join(temporaryDirectory(t), 'garbage.sqlite');
  writeFileSync(geodataPath, 'garbage');
  const libraryPath = libraryOf(t, [{ path: 'a.gpx', trackPoints: at(10, 0, 30) }]);
  const task: TimelineTask = { ...taskFor(libraryPath), geodataPath, dataset };
  const outcome = runTask(task);
  t.is(outcome.state, 'completed');
  if (outcome.state !== 'completed') return;
  const result = timelineResultSchema.parse(JSON.parse(gunzipSync(outcome.json).toString()));
  t.is(result.dataset, null);
  t.deepEqual(result.places, []);
  t.deepEqual(brief(result), ['stay 00:00:00 1800 ']);
  t.is(result.summary.unresolved_observations, 31);
});
