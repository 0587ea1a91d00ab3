/**
 * Stands in for the timeline worker where a real one never would do what a test is about. The first day of a job says
 * what it gets; see `starts`.
 */
import { gzipSync } from 'node:zlib';
import type { TimelineResult, TimelineStop } from '../../model/timeline-result.ts';
import { TimelineControl } from '../../worker/timeline/control.ts';
import type { TimelineOutcome, TimelineTask } from '../../worker/timeline/task.ts';

/** First days of a job, by what its worker does. */
export const starts = {
  empty: '1970-01-01',
  /** 10,000 stops: the longest there is. */
  long: '1970-01-02',
  /** Works until it is told to stop. */
  polite: '1970-01-03',
  /** Never looks at its flag. */
  stuck: '1970-01-04',
  throws: '1970-01-05',
  /** Ends its thread. */
  crash: '1970-01-06',
  /** Ends as if it had been told to stop, although nobody has. */
  quits: '1970-01-07',
} as const;

const doings = Object.keys(starts) as (keyof typeof starts)[];

/** Says how far it is once it runs, so that a test can wait for that. */
export function buildTimeline({ startDay, control: shared }: TimelineTask): TimelineOutcome {
  const control = new TimelineControl(shared);
  control.set('total', 3);
  control.setProcessed(1);
  const doing = doings[startDay];
  if (doing === undefined) throw new Error('a day without a meaning');
  switch (doing) {
    case 'empty':
      return completed(control, []);
    case 'long':
      return completed(control, Array.from({ length: 10_000 }, stop));
    case 'polite':
      while (!control.isCancelled) rest();
      return { state: 'cancelled' };
    case 'stuck':
      for (;;) rest();
    case 'throws':
      throw new Error('broken');
    case 'crash':
      process.exit(3);
    case 'quits':
      return { state: 'cancelled' };
  }
}

const cell = new Int32Array(new SharedArrayBuffer(4));

function rest(): void {
  Atomics.wait(cell, 0, 0, 2);
}

function completed(control: TimelineControl, timeline: TimelineStop[]): TimelineOutcome {
  control.setProcessed(3);
  const text = JSON.stringify(resultOf(timeline));
  return { state: 'completed', json: gzipSync(text), bytes: text.length, observations: 3 };
}

/** What a job of this length completes with. */
export function resultOf(timeline: readonly TimelineStop[]): TimelineResult {
  return {
    schema: 1,
    period: {
      start_utc: '1970-01-01T00:00:00Z',
      end_utc_exclusive: '1970-01-02T00:00:00Z',
      time_zone: 'UTC',
      semantics: 'A test.',
      days: 1,
    },
    parameters: {
      stop_radius_m: 100,
      min_stop_seconds: 300,
      silence_seconds: 900,
      max_bridge_seconds: 129_600,
      merge_seconds: 600,
      excursion_seconds: 180,
      max_stops: 10_000,
    },
    observation_revision: '0'.repeat(64),
    dataset: null,
    summary: {
      recorded_observations: 3,
      resolved_observations: 0,
      unresolved_observations: 3,
      invalid_coordinates: 0,
      duplicate_observations: 0,
      outlier_observations: 0,
      indexed_valid_times: 3,
      indexed_missing_times: 0,
      indexed_invalid_times: 0,
      active_days: 1,
      stops_found: timeline.length,
      stops_returned: timeline.length,
      places_dropped: 0,
      stop_seconds: 0,
      bridged_seconds: 0,
      moving_seconds: 0,
      silent_seconds: 0,
      distance_m: 0,
      silent_distance_m: 0,
      first_observation_utc: null,
      last_observation_utc: null,
      unknown_days: 0,
      unknown_nights: 0,
      transit_nights: 0,
      unfollowed_observations: 0,
      unfollowed_sources: [],
    },
    timeline_stop_separation_meters: 100,
    timeline_truncated: false,
    timeline: [...timeline],
    places: [],
    days: [],
    trips: [],
  };
}

function stop(_: unknown, index: number): TimelineStop {
  const time = new Date(index * 1_000).toISOString().replace('.000Z', 'Z');
  return {
    index,
    kind: 'mark',
    date_utc: '1970-01-01',
    latitude: (index * 7_919) / 1e6,
    longitude: -(index * 104_729) / 1e7,
    radius_m: 0,
    first_observation_utc: time,
    last_observation_utc: time,
    duration_seconds: 0,
    bridged_seconds: 0,
    recorded_observations: 1,
    distance_from_previous_m: index,
    travel_seconds: 1,
    place: index,
    continues_before: false,
    continues_after: false,
    country: 'Österreich',
    country_id: 'AT',
    region: 'Tirol',
    region_id: 'AT.07',
    county: '',
    local_admin: '',
    locality: `Ort ${index}`,
    locality_id: String(index),
    near_border: [],
    lat: (index * 7_919) / 1e6,
    lon: -(index * 104_729) / 1e7,
  };
}
