import type { AdminPlace } from '../../../model/admin-place.ts';
import type { timelineStopKinds } from '../../../model/timeline-result.ts';
import type { Fix } from '../earth.ts';
import type { Origin } from '../stated.ts';
import type { WayTo } from './trips/movement.ts';

/** A stop, before it is known whether and at which index the result has it. Times are ms since 1970 UTC. */
export interface Stop {
  readonly kind: (typeof timelineStopKinds)[number];
  readonly origin: Origin;
  /** Counts stops in the order they were found. */
  readonly ordinal: number;
  readonly latE7: number;
  readonly lonE7: number;
  readonly radiusM: number;
  /** Within the period. */
  readonly firstMs: number;
  readonly lastMs: number;
  readonly durationSeconds: number;
  readonly bridgedSeconds: number;
  readonly observations: number;
  /** Metres travelled since the first observation, when it began and when it ended. */
  readonly wayBeforeM: number;
  /** Undefined where no trip begins or ends: a pass, a mark away from the way. */
  readonly wayTo: WayTo | undefined;
  readonly continuesBefore: boolean;
  readonly continuesAfter: boolean;
  readonly place: AdminPlace;
}

/** Fields that all stops of one moment share. */
export function atOneMoment({ timeMs, latE7, lonE7 }: Fix) {
  const edges = { continuesBefore: false, continuesAfter: false };
  const times = { firstMs: timeMs, lastMs: timeMs, bridgedSeconds: 0 };
  return { origin: 'found', latE7, lonE7, radiusM: 0, ...times, ...edges } as const;
}

/** By time, then along the way; of equal ones the one found first. */
export function compareStops(a: Stop, b: Stop): number {
  return (
    a.firstMs - b.firstMs ||
    a.lastMs - b.lastMs ||
    a.wayBeforeM - b.wayBeforeM ||
    a.ordinal - b.ordinal
  );
}

/** Order in which a truncated result keeps stops: the longest, then the latest, then the one found first. */
export function compareWorth(a: Stop, b: Stop): number {
  return b.durationSeconds - a.durationSeconds || b.lastMs - a.lastMs || a.ordinal - b.ordinal;
}
