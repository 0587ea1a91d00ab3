import type { TimelineLeg, TimelineResult, TimelineStop, TimelineTrip } from './timeline-result.ts';

/** The stop, or the way between two stops, that a timeline has at one instant. */
export type Moment =
  | { readonly state: 'stop'; readonly stop: TimelineStop }
  | {
      readonly state: 'between';
      readonly previous: TimelineStop;
      readonly next: TimelineStop;
      readonly trip?: TimelineTrip;
    }
  | {
      readonly state: 'unknown';
      readonly previous?: TimelineStop;
      readonly next?: TimelineStop;
    };

/** Finds the stop that holds an instant (ms since 1970), or the stops before and after it and the trip between them. */
export function momentAt({ timeline, trips }: TimelineResult, timeMs: number): Moment {
  const at = timeline.findIndex((stop) => Date.parse(stop.last_observation_utc) >= timeMs);
  const next = timeline[at];
  if (next !== undefined && Date.parse(next.first_observation_utc) <= timeMs) {
    return { state: 'stop', stop: next };
  }
  const previous = timeline.at(at === -1 ? -1 : at - 1);
  if (next === undefined)
    return { state: 'unknown', ...(previous === undefined ? {} : { previous }) };
  if (at === 0 || previous === undefined) return { state: 'unknown', next };
  const trip = partAt(trips, timeMs);
  return { state: 'between', previous, next, ...(trip && { trip }) };
}

/** Finds the trip or leg that goes on at an instant (ms since 1970). */
export function partAt<Part extends Pick<TimelineLeg, 'start_utc' | 'end_utc'>>(
  parts: readonly Part[],
  timeMs: number,
): Part | undefined {
  return parts.find(({ start_utc, end_utc }) => isDuring(timeMs, start_utc, end_utc));
}

/** Whether an instant (ms since 1970) lies between two times, or is one of them. */
export function isDuring(timeMs: number, start: string, end: string): boolean {
  return Date.parse(start) <= timeMs && timeMs <= Date.parse(end);
}
