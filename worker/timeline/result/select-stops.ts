import type { AdminRow } from '../aggregate/admin-rows.ts';
import { compareStops, compareWorth, type Stop } from '../aggregate/stop.ts';

/**
 * Chooses the stops of a result, in order of time. Where there are too many: first the latest of each row, rows with most
 * observations first, up to half of all; then the longest.
 * @param stops all that were found, or at least the `most` longest of them.
 * @param rows those with most observations first.
 */
export function selectStops(
  stops: readonly Stop[],
  found: number,
  rows: readonly AdminRow[],
  most: number,
): Stop[] {
  if (found <= most) return stops.toSorted(compareStops);
  const chosen = new Set<Stop>();
  for (const { latest } of rows) {
    if (chosen.size >= Math.floor(most / 2)) break;
    if (latest !== undefined) chosen.add(latest);
  }
  for (const stop of stops.toSorted(compareWorth)) {
    if (chosen.size >= most) break;
    chosen.add(stop);
  }
  return [...chosen].toSorted(compareStops);
}
