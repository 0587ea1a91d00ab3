import type { Position } from '../../../model/position.ts';
import { localTimeZone } from '../../../model/time-zone.ts';
import { formatTime, parseTime } from '../../../model/time.ts';
import type { TimelineResult, TimelineStop, TimelineTrip } from '../../../model/timeline-result.ts';
import { Calendar } from '../../../worker/timeline/calendar/calendar.ts';
import { unitsPerDegree } from '../../../worker/timeline/earth.ts';
import { dateOf } from '../../terminal/text.ts';
import { minuteOf } from './wording.ts';

/**
 * Tells an instant as the clock on the wall at a stop shows it, to the minute: `2024-05-04 09:10`. Without a stop it is that
 * of the instant.
 */
export type Clock = (time: string, stop?: TimelineStop) => string;

/** The clock of the zone that a timeline was asked for in, or of the zone of each stop. */
export function clockOf(result: TimelineResult): Clock {
  const offsetMs = offsetsOf(result);
  return (time, stop) => minuteOf(formatTime(Date.parse(time) + offsetMs(Date.parse(time), stop)));
}

const places = new Calendar(localTimeZone);

/** The date of an instant by the clock at a position: `2024-05-04`. */
export function dateAt(time: string, { lat, lon }: Position): string {
  const timeMs = Date.parse(time);
  const zone = places.zoneAt(lat * unitsPerDegree, lon * unitsPerDegree);
  return dateOf(formatTime(timeMs + zone.offsetMs(timeMs)));
}

/** How far the clock is ahead of UTC at an instant, ms. */
function offsetsOf({ period, timeline }: TimelineResult) {
  const calendar = new Calendar(period.time_zone);
  const firstMs = timeline.map((stop) => Date.parse(stop.first_observation_utc));
  const stopAt = (timeMs: number): TimelineStop | undefined =>
    timeline[
      Math.max(
        0,
        firstMs.findLastIndex((first) => first <= timeMs),
      )
    ];
  return (timeMs: number, given?: TimelineStop): number => {
    const stop = given ?? (calendar.isLocal ? stopAt(timeMs) : undefined);
    // UTC is the zone of 0°N 0°E.
    const { lat, lon } = stop ?? { lat: 0, lon: 0 };
    return calendar.zoneAt(lat * unitsPerDegree, lon * unitsPerDegree).offsetMs(timeMs);
  };
}

/** The instant at which the clock of a timeline shows a time; both ms since 1970. */
export function instantOf(result: TimelineResult, shownMs: number): number {
  const offsetMs = offsetsOf(result);
  // The place, and with it the clock, is that of the instant: the second look is right but for moves between two zones.
  const near = shownMs - offsetMs(shownMs);
  return shownMs - offsetMs(near);
}

/** Adds the times of stops and trips by the clock of a timeline, with their offset: `2024-05-04T09:10:00+01:00`. */
export function withLocalTimes(result: TimelineResult): TimelineResult {
  const offsetMs = offsetsOf(result);
  const local = (time: string, stop?: TimelineStop): string => {
    const timeMs = parseTime(time) ?? 0;
    return withOffset(timeMs, offsetMs(timeMs, stop));
  };
  const timeline = result.timeline.map((stop) => ({
    ...stop,
    first_observation_local: local(stop.first_observation_utc, stop),
    last_observation_local: local(stop.last_observation_utc, stop),
  }));
  const trips = result.trips.map((trip: TimelineTrip) => ({
    ...trip,
    start_local: local(trip.start_utc, result.timeline[trip.from_stop]),
    end_local: local(trip.end_utc, result.timeline[trip.to_stop]),
    legs: trip.legs.map((leg) => ({
      ...leg,
      start_local: local(leg.start_utc),
      end_local: local(leg.end_utc),
    })),
  }));
  return { ...result, timeline, trips };
}

function withOffset(timeMs: number, offsetMs: number): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const minutes = Math.round(Math.abs(offsetMs) / 60_000);
  const sign = offsetMs < 0 ? '-' : '+';
  const zone = `${sign}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
  return formatTime(timeMs + offsetMs).replace('Z', zone);
}
