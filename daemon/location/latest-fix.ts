import { limits } from '../../model/limits.ts';
import type { Clock, LocationFix } from '../../model/process.ts';

/** Gives the newest known fix from memory, without ever waiting for a provider. */
export type LatestFix = () => LocationFix | undefined;

/** Gives a fix only while it is fresh: at most limits.locationMaxAgeMs old by its own time stamp. */
export function freshFix(latest: LatestFix, clock: Clock): LocationFix | undefined {
  const fix = latest();
  if (fix === undefined) return undefined;
  return clock.now() - Date.parse(fix.timestamp) <= limits.locationMaxAgeMs ? fix : undefined;
}

/** Until providers exist (gpsd, GeoClue, a command) nobody knows where the machine is. */
export const noFix: LatestFix = () => undefined;
