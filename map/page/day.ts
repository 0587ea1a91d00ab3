import { computed, effect, signal } from '@preact/signals';
import type { TimelineResult, TimelineStop } from '../../model/timeline-result.ts';
import { boxOf, courseOf, linesOf, pointAt, type Course } from './track-points.ts';
import { away, revision, sentenceOf, service } from './service.ts';
import { day, instant, target } from './state.ts';
import { timelineOf, type Loaded } from './timelines.ts';

/** What is known of a day: its timeline and its points. */
export interface DayStory {
  readonly date: string;
  readonly startMs: number;
  /** Exclusive. */
  readonly endMs: number;
  /** Of the clocks at the place, ahead of UTC. */
  readonly offsetMinutes: number;
  readonly result: TimelineResult;
  readonly course: Course;
}

export const dayStory = signal<Loaded<DayStory>>({ state: 'none' });

const story = computed(() => (dayStory.value.state === 'ready' ? dayStory.value.value : undefined));

/** The lines of the day. */
export const dayShape = computed<GeoJSON.FeatureCollection>(() => {
  const { course } = story.value ?? {};
  const lines = course === undefined ? [] : linesOf(course);
  return collection(lines.map((coordinates) => ({ type: 'LineString', coordinates })));
});

/** Where the day's stays were, and where the time slider is. */
export const dayMarks = computed<GeoJSON.FeatureCollection>(() => {
  const known = story.value;
  if (known === undefined) return collection([]);
  const stays = known.result.timeline
    .filter(({ kind }) => kind !== 'pass')
    .map((stop) => mark(stop.lon, stop.lat, 'stay'));
  const now = placeAt(known, instant.value ?? known.startMs);
  return {
    type: 'FeatureCollection',
    features: now === undefined ? stays : [...stays, mark(now[0], now[1], 'now')],
  };
});

/** Where one was at an instant: along the track, or in the stay. */
function placeAt(
  { course, result }: DayStory,
  ms: number,
): readonly [lon: number, lat: number] | undefined {
  const stop = stopAt(result, ms);
  return pointAt(course, ms) ?? (stop && [stop.lon, stop.lat]);
}

export function stopAt({ timeline }: TimelineResult, ms: number): TimelineStop | undefined {
  return timeline.find(
    ({ first_observation_utc: first, last_observation_utc: last }) =>
      Date.parse(first) <= ms && ms <= Date.parse(last),
  );
}

/** Keeps the story true to the chosen day; what is not asked for any more is given up. */
export function followDay(): void {
  let shown: string | undefined;
  effect(() => {
    const date = day.value;
    // Again when something was imported or removed, and when the daemon is back.
    void revision.value;
    if (away.value !== undefined) return;
    const abort = new AbortController();
    if (date === undefined) dayStory.value = { state: 'none' };
    else {
      const isNew = date !== shown;
      shown = date;
      void load(date, isNew, abort.signal);
    }
    return () => abort.abort();
  });
}

async function load(date: string, isNew: boolean, abort: AbortSignal): Promise<void> {
  if (isNew) dayStory.value = { state: 'loading' };
  try {
    const result = await timelineOf(date, date, abort);
    const startMs = Date.parse(result.period.start_utc);
    const endMs = Date.parse(result.period.end_utc_exclusive);
    const course = await courseBetween(startMs, endMs);
    if (abort.aborted) return;
    const offsetMinutes = result.days[0]?.utc_offset_minutes ?? 0;
    if (isNew) {
      instant.value = course.times[0] ?? startMs;
      const bbox = boxOf(course);
      if (bbox !== undefined) target.value = { bbox };
    }
    dayStory.value = {
      state: 'ready',
      value: { date, startMs, endMs, offsetMinutes, result, course },
    };
  } catch (error) {
    if (!abort.aborted) dayStory.value = { state: 'failed', sentence: sentenceOf(error) };
  }
}

async function courseBetween(startMs: number, endMs: number): Promise<Course> {
  const from = new Date(startMs).toISOString();
  const to = new Date(endMs - 1).toISOString();
  return courseOf(await service.getTrackPoints({ from, to }));
}

function collection(geometries: GeoJSON.Geometry[]): GeoJSON.FeatureCollection {
  return {
    type: 'FeatureCollection',
    features: geometries.map((geometry) => ({ type: 'Feature', properties: {}, geometry })),
  };
}

function mark(lon: number, lat: number, kind: string): GeoJSON.Feature {
  return {
    type: 'Feature',
    properties: { kind },
    geometry: { type: 'Point', coordinates: [lon, lat] },
  };
}
