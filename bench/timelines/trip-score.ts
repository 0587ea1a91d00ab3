import type { TimelineResult, TimelineTrip } from '../../model/timeline-result.ts';
import { percentile } from '../measure/statistics.ts';
import type { Truth } from './truth.ts';

/** A trip of a timeline, and what it really was. */
export interface ScoredTrip {
  readonly trip: TimelineTrip;
  /** Mode of most of the way. */
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

/** Score of trips; shares are of 1. */
export interface TripShares {
  /** Share of right modes among trips with a mode. */
  readonly right: number;
  /** Share of trips without a mode. */
  readonly unknown: number;
  /** Share of flights that were recognised. */
  readonly flights: number;
  /** The difference of distances that half of the trips are below. */
  readonly distance: number;
}

export function tripSharesOf(trips: readonly ScoredTrip[]): TripShares {
  const named = trips.filter(({ trip }) => trip.mode !== 'unknown');
  const flights = trips.filter(({ mode }) => mode === 'flight');
  const isRight = ({ trip, mode }: ScoredTrip): boolean => trip.mode === mode;
  const errors = trips.map(({ trip, metres }) => Math.abs(trip.distance_m / metres - 1));
  return {
    right: named.filter(isRight).length / Math.max(1, named.length),
    unknown: 1 - named.length / Math.max(1, trips.length),
    flights: flights.filter(isRight).length / Math.max(1, flights.length),
    distance: percentile(errors, 0.5),
  };
}
