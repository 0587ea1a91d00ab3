import { computed, signal } from '@preact/signals';
import type { TimelineResult, TimelineStop } from '../../model/timeline-result.ts';
import type { Waypoint } from '../../client/waypoints/index.ts';
import { bookmarksNear } from '../../model/near-bookmark.ts';
import { momentAt } from '../../model/moment.ts';
import { placeOf } from '../../model/timeline-words.ts';
import { boxOf, courseOf, linesOf, pointAt, type Course } from './track-points.ts';
import { service } from './service.ts';
import { day, draft, instant, selected, sought, target } from './state.ts';
import { keepLoaded, type Fetch, type Loaded } from './loaded.ts';
import { timelineOf } from './timelines.ts';

/** The timeline and the points of a day. */
export interface DayStory {
  readonly date: string;
  readonly startMs: number;
  /** Exclusive. */
  readonly endMs: number;
  /** Offset of local time from UTC. */
  readonly offsetMinutes: number;
  readonly result: TimelineResult;
  /** Its stays and marks. */
  readonly stops: readonly TimelineStop[];
  readonly course: Course;
  /** Its first and last instant. */
  readonly span: Readonly<Record<'from' | 'to', string>>;
  readonly nameAt: ReturnType<typeof bookmarksNear<Waypoint>>;
}

export const dayStory = signal<Loaded<DayStory>>({ state: 'none' });

const story = computed(() => (dayStory.value.state === 'ready' ? dayStory.value.value : undefined));

/** The lines of the day, by mode. */
export const dayLines = computed(() => {
  const { course = [], result } = story.value ?? {};
  return linesOf(course, result?.trips.flatMap(({ legs }) => legs) ?? []);
});

/** Where the day's stays were, where the time slider is, and the place that is looked at. */
export const marks = computed<GeoJSON.FeatureCollection>(() => {
  const known = story.value;
  const now = known && placeAt(known, instant.value ?? known.startMs);
  const place = draft.value ?? selected.value ?? sought.value;
  return {
    type: 'FeatureCollection',
    features: [
      ...(known?.stops ?? []).map(({ lat, lon }) => mark(lon, lat, 'stay')),
      ...(now === undefined ? [] : [mark(now[0], now[1], 'now')]),
      ...(place === undefined ? [] : [mark(place.lon, place.lat, 'place')]),
    ],
  };
});

/** Where one was at an instant: along the track, or in the stay. */
function placeAt(
  { course, result }: DayStory,
  ms: number,
): readonly [lon: number, lat: number] | undefined {
  const moment = momentAt(result, ms);
  return (
    pointAt(course, ms) ??
    (moment.state === 'stop' ? [moment.stop.lon, moment.stop.lat] : undefined)
  );
}

/** By the bookmark that is there, and where that is: `Home, Lübeck`. */
export function nameOf(stop: TimelineStop, { nameAt }: Pick<DayStory, 'nameAt'>): string {
  return placeOf({ ...stop, bookmark: nameAt(stop.lat, stop.lon) }) || 'At sea or unknown';
}

/** Keeps the story true to the chosen day; what is not asked for any more is given up. */
export function followDay(): void {
  const wanted = (): Fetch<DayStory> | undefined => {
    const date = day.value;
    return date === undefined ? undefined : (...loading) => load(date, ...loading);
  };
  keepLoaded(dayStory, wanted, ({ date }) => date !== day.value);
}

async function load(
  date: string,
  ...[abort, tell]: Parameters<Fetch<DayStory>>
): Promise<DayStory> {
  const isNew = dayStory.peek().state !== 'ready';
  if (isNew) sought.value = undefined;
  const result = await timelineOf(date, date, abort, tell);
  const startMs = Date.parse(result.period.start_utc);
  const endMs = Date.parse(result.period.end_utc_exclusive);
  const span = { from: new Date(startMs).toISOString(), to: new Date(endMs - 1).toISOString() };
  const [points, bookmarks] = await Promise.all([
    service.getTrackPoints(span),
    service.getWaypoints({ bookmarksOnly: true }),
  ]);
  const course = courseOf(points);
  abort.throwIfAborted();
  if (isNew) {
    instant.value = course[0]?.ms ?? startMs;
    const bbox = boxOf(course.map(({ lon, lat }) => [lon, lat]));
    if (bbox !== undefined) target.value = { bbox };
  }
  const offsetMinutes = result.days[0]?.utc_offset_minutes ?? 0;
  const stops = result.timeline.filter(({ kind }) => kind !== 'pass');
  const nameAt = bookmarksNear(bookmarks);
  return { date, startMs, endMs, offsetMinutes, result, stops, course, span, nameAt };
}

function mark(lon: number, lat: number, kind: string): GeoJSON.Feature {
  return {
    type: 'Feature',
    properties: { kind },
    geometry: { type: 'Point', coordinates: [lon, lat] },
  };
}
