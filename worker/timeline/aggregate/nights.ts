import { dayMs } from '../../../storage/day-blob.ts';
import { unitsPerDegree } from '../earth.ts';

const hourMs = 3_600_000;
const nightHour = 3;
const degreesPerHour = 15;

/**
 * Counts the moments of 03:00 solar time within a span, its end excluded. Solar time is UTC plus one hour for each 15° of
 * longitude, rounded: no zone table is needed, and no night falls on another day.
 */
export function nightsWithin(firstMs: number, lastMs: number, lonE7: number): number {
  const hours = Math.round(lonE7 / unitsPerDegree / degreesPerHour);
  const shift = (hours - nightHour) * hourMs;
  return Math.ceil((lastMs + shift) / dayMs) - Math.ceil((firstMs + shift) / dayMs);
}
