import type { TimelineResult, TimelineTrip } from '../../model/timeline-result.ts';
import type { Truth } from './truth.ts';

/** A trip of a timeline, and what it really was. */
export interface ScoredTrip {
  readonly trip: TimelineTrip;
  /** What carried most of the way. */
  readonly mode: string;
  readonly metres: number;
}

/** Shorter ways are as often an error of the receiver. */
const leastM = 300;
const toleranceMs = 300_000;

/** The trips that a true way, or several, lie in wholly, with nothing else: others are errors of the stays. */
export function tripsOf({ trips }: TimelineResult, { ways }: Truth): ScoredTrip[] {
  return trips.flatMap((trip) => {
    const [from, to] = [Date.parse(trip.start_utc), Date.parse(trip.end_utc)];
    const inside = ways.filter(({ startMs, endMs }) => endMs > from && startMs < to);
    const isWhole = inside.every(
      ({ startMs, endMs }) => startMs > from - toleranceMs && endMs < to + toleranceMs,
    );
    const metres = inside.reduce((sum, way) => sum + way.metres, 0);
    if (!isWhole || metres < leastM) return [];
    const longest = inside.reduce((a, b) => (b.metres > a.metres ? b : a));
    return [{ trip, mode: longest.mode, metres }];
  });
}
