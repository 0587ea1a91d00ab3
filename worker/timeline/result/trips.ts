import type { TimelineTrip } from '../../../model/timeline-result.ts';
import type { Stop } from '../aggregate/stop.ts';
import { modeOf } from '../aggregate/trips/mode.ts';
import { movementBetween } from '../aggregate/trips/movement.ts';
import { secondsWithin, type Period } from '../period.ts';
import { instantText } from './instants.ts';

/** The ways between stays and marks. @param stops of the result, in order of time. */
export function* tripEntries(stops: readonly Stop[], period: Period): Iterable<TimelineTrip> {
  let index = 0;
  let from: { readonly at: number; readonly stop: Stop } | undefined;
  for (const [at, stop] of stops.entries()) {
    if (stop.movement === undefined) continue;
    const before = from;
    from = { at, stop };
    if (before?.stop.movement === undefined) continue;
    const movement = movementBetween(before.stop.movement, stop.movement);
    const { mode, confidence } = modeOf(movement);
    const metres = movement.metres.reduce((sum, part) => sum + part, movement.silentM);
    yield {
      index,
      from_stop: before.at,
      to_stop: at,
      start_utc: instantText(before.stop.lastMs),
      end_utc: instantText(stop.firstMs),
      distance_m: Math.round(metres),
      duration_seconds: secondsWithin(period, before.stop.lastMs, stop.firstMs),
      mode,
      mode_confidence: confidence,
      recorded_observations: movement.observations,
    };
    index += 1;
  }
}
