/** One story: the API and `timeline`, `trips`, `days`, `where` and `when` never contradict each other about one scene. */
import test, { type ExecutionContext } from 'ava';
import { moved } from '../bench/timelines/geometry.ts';
import type { TimelineLeg, TimelineResult, TimelineStop } from '../model/timeline-result.ts';
import { testCli } from './helpers/cli.ts';
import { startTestDaemon, tellTimeline } from './helpers/daemon.ts';
import { activity, at, gpxTrack, hourMs, minuteMs, visit, way } from './helpers/fixes.ts';
import { importTree } from './helpers/imported-files.ts';
import type { Observed } from './helpers/timeline-library.ts';

const berlin = { lat: 52.52, lon: 13.405 };
const narita = { lat: 35.76, lon: 140.38 };
const lake = moved(berlin, 0, -20_000);
const noon = Date.UTC(2024, 4, 3, 12);
const night = at(berlin, '2024-05-02T12:00Z', noon, 5);

interface Scene {
  readonly fixes?: readonly Observed[];
  readonly google?: readonly object[];
  /** Moments, and what they are. */
  readonly moments: readonly (readonly [time: string, said: string])[];
  /** Countries by ISO code, with the name that `when` knows: days, nights, visits. */
  readonly countries: Readonly<
    Record<string, readonly [name: string, days: number, nights: number, visits: number]>
  >;
}

const scenes: Readonly<Record<string, Scene>> = {
  'a fix above a country between two flown legs': {
    fixes: [
      ...night,
      [noon + 5.5 * hourMs, 47, 68],
      ...at(narita, noon + 13 * hourMs, noon + 40 * hourMs, 5),
    ],
    moments: [
      ['2024-05-03T10:00Z', 'stay DE'],
      ['2024-05-03T15:00Z', 'flight'],
      ['2024-05-03T17:30Z', 'pass KZ'],
      ['2024-05-03T20:00Z', 'flight'],
      ['2024-05-04T10:00Z', 'stay JP'],
    ],
    countries: {
      DE: ['Germany', 2, 1, 1],
      KZ: ['Kazakhstan', 0, 0, 0],
      JP: ['Japan', 2, 1, 1],
    },
  },
  'a night with a sleeping receiver that errs when it wakes up': {
    fixes: [
      ...night,
      ...at(moved(berlin, 150, 120), noon + 20 * hourMs, noon + 20 * hourMs + 3 * minuteMs, 1),
      ...way(
        moved(berlin, 200, 0),
        lake,
        noon + 20 * hourMs + 4 * minuteMs,
        noon + 20.6 * hourMs,
        1,
      ),
      ...at(lake, noon + 20.7 * hourMs, noon + 23 * hourMs, 5),
    ],
    moments: [
      ['2024-05-04T03:00Z', 'stay DE'],
      ['2024-05-04T07:59Z', 'stay DE'],
      ['2024-05-04T08:20Z', 'car'],
      ['2024-05-04T10:00Z', 'stay DE'],
    ],
    countries: { DE: ['Germany', 3, 2, 1] },
  },
  'a drive, a walk of four hours and the drive back': {
    fixes: [
      ...night,
      ...way(berlin, lake, noon, noon + 40 * minuteMs, 1),
      ...way(lake, moved(lake, 9_000, 0), noon + 40 * minuteMs, noon + 160 * minuteMs, 1),
      ...way(moved(lake, 9_000, 0), lake, noon + 160 * minuteMs, noon + 280 * minuteMs, 1),
      ...way(lake, berlin, noon + 280 * minuteMs, noon + 320 * minuteMs, 1),
      ...at(berlin, noon + 321 * minuteMs, noon + 12 * hourMs, 5),
    ],
    moments: [
      ['2024-05-03T12:20Z', 'car'],
      ['2024-05-03T14:00Z', 'walk'],
      ['2024-05-03T17:00Z', 'car'],
      ['2024-05-03T20:00Z', 'stay DE'],
    ],
    countries: { DE: ['Germany', 2, 1, 1] },
  },
  'a slow silence between two places': {
    fixes: [...night, ...at(lake, noon + 9 * hourMs, noon + 20 * hourMs, 5)],
    moments: [
      ['2024-05-03T18:00Z', 'unknown'],
      ['2024-05-03T22:00Z', 'stay DE'],
    ],
    countries: { DE: ['Germany', 3, 2, 1] },
  },
  'visits and an activity of Google': {
    google: [
      visit('2024-05-02T18:00:00Z', '2024-05-06T06:30:00Z', berlin),
      activity('2024-05-06T06:30:00Z', '2024-05-06T07:15:00Z', 'IN_TRAIN', berlin, lake),
      visit('2024-05-06T07:15:00Z', '2024-05-06T12:00:00Z', lake),
    ],
    moments: [
      ['2024-05-04T12:00Z', 'stay DE'],
      ['2024-05-06T07:00Z', 'train'],
      ['2024-05-06T10:00Z', 'stay DE'],
    ],
    countries: { DE: ['Germany', 5, 4, 1] },
  },
};

interface Where {
  readonly state: 'stop' | 'between' | 'unknown';
  readonly stop?: TimelineStop;
  readonly leg?: TimelineLeg;
}

const period = { start_date: '2024-05-01', end_date: '2024-05-08' };

async function told(t: ExecutionContext, { fixes, google }: Scene) {
  const cli = testCli(t);
  const daemon = await startTestDaemon(t, {
    root: cli.root,
    settings: { geocoder: 'offline' },
    options: { handOver: true },
  });
  const files = {
    ...(fixes && { 'a.gpx': gpxTrack(fixes) }),
    ...(google && { 'Timeline.json': JSON.stringify({ semanticSegments: google }) }),
  };
  t.is((await importTree(daemon, files)).status, 200);
  const json = <T>(...words: string[]): Promise<T> => cli.json(words);
  return { json, result: await tellTimeline(daemon, period) };
}

for (const [title, scene] of Object.entries(scenes)) {
  test(`the API and all commands tell one story: ${title}`, async (t) => {
    const { json, result } = await told(t, scene);
    const { places, timeline, trips } = result;
    t.like(await json('timeline', '2024-05-01', '2024-05-08', '--zone', 'UTC'), {
      places: places.map(({ days: count, nights }) => ({ days: count, nights })),
    });
    const listed = await json<TimelineResult>('trips', '2024-05-01', '2024-05-08', '--zone', 'UTC');
    t.deepEqual(
      listed.trips.map(({ mode, legs }) => [mode, legs.length]),
      trips.map(({ mode, legs }) => [mode, legs.length]),
    );
    const report = await json<{
      countries: TimelineResult['places'];
      days: TimelineResult['days'];
    }>('days', '2024-05-01', '2024-05-08', '--zone', 'UTC');
    for (const [id, [name, count, nights, visits]] of Object.entries(scene.countries)) {
      const row = places.find((place) => place.level === 'country' && place.country_id === id);
      t.like(row, { days: count, nights, visits }, id);
      const counted = report.countries.find((place) => place.country_id === id);
      t.is(counted?.days ?? 0, count, `days ${id}`);
      t.is(counted?.nights ?? 0, nights, `days ${id}`);
      const dated = report.days.filter(({ countries }) => countries.includes(id));
      t.is(dated.length, count, `days ${id}`);
      const when = await json<{ visits: TimelineStop[] }>('when', name, '--zone', 'UTC');
      const stops = timeline.filter(({ kind, country_id }) => kind !== 'pass' && country_id === id);
      t.deepEqual(
        when.visits.map(({ first_observation_utc: first }) => first),
        stops.map(({ first_observation_utc: first }) => first),
        `when ${id}`,
      );
      t.is(stops.length > 0, count > 0, `a stop and a day of ${id}`);
    }
    for (const [time, said] of scene.moments) {
      const { stop, leg } = await json<Where>('where', time, '--zone', 'UTC');
      t.is(stop === undefined ? leg?.mode : `${stop.kind} ${stop.country_id}`, said, time);
      const ms = Date.parse(time.replace('Z', ':00Z'));
      const covers = (from: string, to: string): boolean =>
        Date.parse(from) <= ms && ms <= Date.parse(to);
      const held = timeline.find((one) =>
        covers(one.first_observation_utc, one.last_observation_utc),
      );
      t.is(held?.kind, stop?.kind, time);
      const onTrip = trips.find(({ start_utc, end_utc }) => covers(start_utc, end_utc));
      t.is(onTrip !== undefined, stop?.kind !== 'stay', `a trip at ${time}`);
    }
  });
}
