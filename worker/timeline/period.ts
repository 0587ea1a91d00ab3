import type { Zone } from './calendar/zone.ts';

/** The whole days that a timeline is about. */
export interface Period {
  /** Calendar days since 1970, of the zone of the request. */
  readonly startDay: number;
  /** The last day. */
  readonly endDay: number;
  /** ms since 1970 UTC. */
  readonly startMs: number;
  /** The end of the last day, which is no longer part of it. */
  readonly endMs: number;
}

/** @param startDay, @param endDay calendar days of the zone since 1970, both inclusive. */
export function periodOf(startDay: number, endDay: number, zone: Zone, endZone = zone): Period {
  return { startDay, endDay, startMs: zone.startOf(startDay), endMs: endZone.startOf(endDay + 1) };
}

export function isInPeriod({ startMs, endMs }: Period, timeMs: number): boolean {
  return timeMs >= startMs && timeMs < endMs;
}

/**
 * Whole seconds between two instants, in whole seconds each, as far as they lie within the period; so the seconds of
 * adjoining spans add up to those of the whole. 0 if `toMs` is before `fromMs`.
 */
export function secondsWithin({ startMs, endMs }: Period, fromMs: number, toMs: number): number {
  const from = Math.floor(Math.min(Math.max(fromMs, startMs), endMs) / 1_000);
  const to = Math.floor(Math.min(Math.max(toMs, startMs), endMs) / 1_000);
  return Math.max(0, to - from);
}
