import type { AdminRow, AdminRows, Pass } from '../aggregate/admin-rows.ts';
import { compareStops, atOneMoment, type Stop } from '../aggregate/stop.ts';

/**
 * Makes a stop for every row that has none: the slowest moment there. From small to large, because the pass through a
 * locality is one through its region and country, too. Sets `latest` of all rows that get one.
 * @param firstOrdinal more than those of all other stops.
 */
export function addPasses(all: AdminRows, rows: readonly AdminRow[], firstOrdinal: number): Stop[] {
  const passes: Stop[] = [];
  for (const level of ['locality', 'region', 'country'] as const) {
    for (const row of rows) {
      if (row.level !== level || row.latest !== undefined || row.pass === undefined) continue;
      const stop = stopOf(row.pass, firstOrdinal + passes.length);
      passes.push(stop);
      for (const each of all.unitOf(stop.place).rows) {
        if (each.latest === undefined || isLater(stop, each.latest)) each.latest = stop;
      }
    }
  }
  return passes;
}

function isLater(stop: Stop, than: Stop): boolean {
  return stop.lastMs > than.lastMs || (stop.lastMs === than.lastMs && compareStops(stop, than) > 0);
}

function stopOf({ wayM: wayBeforeM, place, ...fix }: Pass, ordinal: number): Stop {
  const counts = { durationSeconds: 0, observations: 1, wayBeforeM, wayTo: undefined };
  return { ...atOneMoment(fix), ...counts, kind: 'pass', ordinal, place };
}
