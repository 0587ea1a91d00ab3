import { formatTime } from '../../../model/time.ts';
import type { TimelineResult, TimelineStop } from '../../../model/timeline-result.ts';
import { Calendar } from '../../../worker/timeline/calendar/calendar.ts';
import { unitsPerDegree } from '../../../worker/timeline/earth.ts';
import { minuteOf } from './wording.ts';

/**
 * Tells an instant as the clock on the wall at a stop shows it, to the minute: `2024-05-04 09:10`. Without a stop it is that
 * of the instant.
 */
export type Clock = (time: string, stop?: TimelineStop) => string;

/** The clock of the zone that a timeline was asked for in, or of the zone of each stop. */
export function clockOf({ period, timeline }: TimelineResult): Clock {
  const calendar = new Calendar(period.time_zone);
  const stopAt = (time: string): TimelineStop | undefined =>
    timeline.findLast((stop) => stop.first_observation_utc <= time) ?? timeline[0];
  return (time, given) => {
    const stop = given ?? (calendar.isLocal ? stopAt(time) : undefined);
    // UTC is the zone of 0°N 0°E.
    const { lat, lon } = stop ?? { lat: 0, lon: 0 };
    const zone = calendar.zoneAt(lat * unitsPerDegree, lon * unitsPerDegree);
    const timeMs = Date.parse(time);
    return minuteOf(formatTime(timeMs + zone.offsetMs(timeMs)));
  };
}
