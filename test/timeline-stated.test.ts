/** What a recorder states is told as it says: Google's visits and activities. */
import test, { type ExecutionContext } from 'ava';
import { builtinGeodata } from '../bench/timelines/builtin-geodata.ts';
import { moved, type Position } from '../bench/timelines/geometry.ts';
import { importFiles, parseTimeline, timelineText } from '../bench/timelines/timeline-of.ts';
import type { TimelineResult } from '../model/timeline-result.ts';
import { rowsOf } from './helpers/fields.ts';
import { activity, at, gpxTrack, visit } from './helpers/fixes.ts';
import { days } from './helpers/timeline-library.ts';

const home: Position = { lat: 51.3127, lon: 9.4797 };
const lake = moved(home, 30_000, 0);
const week = days('2024-05-01', '2024-05-09');

function told(t: ExecutionContext, semanticSegments: readonly object[], gpx = ''): TimelineResult {
  const files = [{ name: 'Timeline.json', text: JSON.stringify({ semanticSegments }) }];
  if (gpx !== '') files.push({ name: 'a.gpx', text: gpx });
  const library = importFiles(files);
  t.teardown(() => library.remove());
  return parseTimeline(timelineText(library.path, week, builtinGeodata()));
}

const weekend = [
  visit('2024-05-03T17:00:00Z', '2024-05-06T06:30:00Z', home),
  activity('2024-05-06T06:30:00Z', '2024-05-06T07:15:00Z', 'IN_TRAIN', home, lake),
  visit('2024-05-06T07:20:00Z', '2024-05-06T15:00:00Z', lake),
];

test('a visit is a stay from its begin to its end, an activity the mode of its trip', (t) => {
  const result = told(t, weekend);
  t.deepEqual(
    rowsOf(
      result.timeline,
      'kind',
      'first_observation_utc',
      'last_observation_utc',
      'bridged_seconds',
      'stated',
    ),
    [
      ['stay', '2024-05-03T17:00:00Z', '2024-05-06T06:30:00Z', 0, true],
      ['stay', '2024-05-06T07:20:00Z', '2024-05-06T15:00:00Z', 0, true],
    ],
  );
  t.is(result.trips.length, 1);
  t.like(result.trips[0], { mode: 'train', mode_confidence: 1, stated: true });
  t.deepEqual(rowsOf(result.trips[0]!.legs, 'mode', 'stated'), [['train', true]]);
  const germany = result.places.find(({ level }) => level === 'country');
  t.like(germany, { days: 4, nights: 3, visits: 1 });
  t.like(result.summary, { unknown_days: 0, unknown_nights: 0, recorded_observations: 5 });
});

test('a visit of a month has all its days and nights, also in a period within it', (t) => {
  const result = told(t, [visit('2024-04-10T10:00:00Z', '2024-05-20T10:00:00Z', home)]);
  t.is(result.timeline.length, 1);
  t.like(result.timeline[0], { continues_before: true, continues_after: true, stated: true });
  t.is(result.summary.stop_seconds, 9 * 86_400);
  t.like(result.places[0], { days: 9, nights: 9 });
});

test('legs have the modes of the activities between two visits; what says nothing is guessed', (t) => {
  const station = moved(home, 3_000, 0);
  const result = told(t, [
    visit('2024-05-03T17:00:00Z', '2024-05-04T06:00:00Z', home),
    activity('2024-05-04T06:00:00Z', '2024-05-04T06:20:00Z', 'CYCLING', home, station),
    activity('2024-05-04T06:22:00Z', '2024-05-04T07:00:00Z', 'IN_TRAIN', station, lake),
    visit('2024-05-04T07:00:00Z', '2024-05-04T15:00:00Z', lake),
    activity('2024-05-04T15:00:00Z', '2024-05-04T15:40:00Z', 'UNKNOWN_ACTIVITY_TYPE', lake, home),
    visit('2024-05-04T15:40:00Z', '2024-05-05T15:00:00Z', home),
  ]);
  const [out, back] = result.trips;
  t.deepEqual(rowsOf(out!.legs, 'mode', 'stated'), [
    ['bike', true],
    ['train', true],
  ]);
  t.like(out, { mode: 'train', stated: true });
  t.is(back!.stated, undefined);
  t.is(result.trips.length, 2);
});

test('of visits at one time the first is told, and stays are found between visits', (t) => {
  const cafe = moved(home, 5_000, 0);
  const fixes = [
    ...at(cafe, '2024-05-04T08:00Z', '2024-05-04T08:39Z', 1),
    ...at(cafe, '2024-05-04T10:00Z', '2024-05-04T10:39Z', 1),
  ];
  const result = told(
    t,
    [
      visit('2024-05-04T09:00:00Z', '2024-05-04T12:00:00Z', home),
      visit('2024-05-04T11:00:00Z', '2024-05-04T11:30:00Z', lake),
    ],
    gpxTrack(fixes),
  );
  t.deepEqual(
    result.timeline.map(({ first_observation_utc, last_observation_utc, stated }) => [
      first_observation_utc.slice(11, 16),
      last_observation_utc.slice(11, 16),
      stated,
    ]),
    [
      ['08:00', '08:39', undefined],
      ['09:00', '12:00', true],
    ],
  );
});
