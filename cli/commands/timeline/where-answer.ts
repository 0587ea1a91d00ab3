import type { TimelineResult, TimelineStop } from '../../../model/timeline-result.ts';

/** Where the user was at an instant, as far as the stops around it tell. */
export type WhereAnswer =
  | { readonly state: 'stop'; readonly stop: TimelineStop }
  | { readonly state: 'between'; readonly previous: TimelineStop; readonly next: TimelineStop }
  | {
      readonly state: 'unknown';
      readonly previous?: TimelineStop;
      readonly next?: TimelineStop;
    };

/** Finds the stop that holds an instant (ms since 1970), or the stops before and after it. */
export function whereAt({ timeline }: TimelineResult, timeMs: number): WhereAnswer {
  const at = timeline.findIndex((stop) => Date.parse(stop.last_observation_utc) >= timeMs);
  const next = timeline[at];
  if (next !== undefined && Date.parse(next.first_observation_utc) <= timeMs) {
    return { state: 'stop', stop: next };
  }
  const previous = timeline.at(at === -1 ? -1 : at - 1);
  if (next === undefined)
    return { state: 'unknown', ...(previous === undefined ? {} : { previous }) };
  if (at === 0 || previous === undefined) return { state: 'unknown', next };
  return { state: 'between', previous, next };
}
