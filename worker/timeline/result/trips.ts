import type { TimelineLeg, TimelineTrip } from '../../../model/timeline-result.ts';
import type { Stop } from '../aggregate/stop.ts';
import { isHidden, modeOf } from '../aggregate/trips/mode.ts';
import { movementBetween, type Movement, type WayTo } from '../aggregate/trips/movement.ts';
import { secondsWithin, type Period } from '../period.ts';
import { instantText } from './instants.ts';

/** A moment of a trip, with the sums of movement until then. */
interface Moment {
  readonly timeMs: number;
  readonly sums: Float64Array;
}

/** A part of a trip. */
interface Leg {
  readonly from: Moment;
  readonly to: Moment;
  readonly mode: TimelineLeg['mode'];
  readonly confidence: number;
  readonly metres: number;
}

/** The ways between stays and marks. @param stops of the result, in order of time. */
export function* tripEntries(stops: readonly Stop[], period: Period): Iterable<TimelineTrip> {
  let index = 0;
  let before: { readonly at: number; readonly lastMs: number; readonly wayTo: WayTo } | undefined;
  for (const [at, stop] of stops.entries()) {
    const { firstMs, lastMs, wayTo } = stop;
    if (wayTo === undefined) continue;
    const from = before;
    before = { at, lastMs, wayTo };
    if (from === undefined) continue;
    const flownM = wayTo.flownM - from.wayTo.flownM;
    const movement = movementBetween(from.wayTo.sums, wayTo.sums, flownM);
    const legs = legsOf(
      [
        { timeMs: from.lastMs, sums: from.wayTo.sums },
        ...wayTo.cuts.filter(({ timeMs }) => timeMs > from.lastMs && timeMs < firstMs),
        { timeMs: firstMs, sums: wayTo.sums },
      ],
      flownM,
    );
    const longest = legs.reduce((a, b) => (b.metres > a.metres ? b : a));
    const isUnknown = legs.length > 1 && isHidden(movement) && longest.mode !== 'flight';
    const seconds = secondsWithin(period, from.lastMs, firstMs);
    yield {
      index,
      from_stop: from.at,
      to_stop: at,
      start_utc: instantText(from.lastMs),
      end_utc: instantText(firstMs),
      distance_m: Math.round(metresOf(movement)),
      duration_seconds: seconds,
      mode: isUnknown ? 'unknown' : longest.mode,
      mode_confidence: isUnknown ? 0 : longest.confidence,
      recorded_observations: movement.observations,
      recorded_seconds: Math.max(0, seconds - Math.round(movement.silentMs / 1_000)),
      legs: legs.map((leg) => ({
        mode: leg.mode,
        mode_confidence: leg.confidence,
        start_utc: instantText(leg.from.timeMs),
        end_utc: instantText(leg.to.timeMs),
        distance_m: Math.round(leg.metres),
      })),
    };
    index += 1;
  }
}

/** Legs between moments; neighbours of one mode are one leg. */
function legsOf(moments: readonly Moment[], flownM: number): Leg[] {
  const legBetween = legMaker(moments, flownM);
  const legs = moments.slice(1).map((to, at) => legBetween(moments[at]!, to));
  for (let at = 1; at < legs.length; at += 1) {
    const [before, leg] = [legs[at - 1]!, legs[at]!];
    if (before.mode !== leg.mode) continue;
    // Together they may be another mode, and so like the one before.
    legs.splice(at - 1, 2, legBetween(before.from, leg.to));
    at = Math.max(0, at - 2);
  }
  return legs;
}

/** Gives each leg its part of the way in the air: the fast one. */
function legMaker(moments: readonly Moment[], flownM: number) {
  const fastIn = (from: Moment, to: Moment): number => movementBetween(from.sums, to.sums, 0).fastM;
  const fastM = fastIn(moments[0]!, moments.at(-1)!);
  return (from: Moment, to: Moment): Leg => {
    const share = fastM > 0 ? fastIn(from, to) / fastM : 0;
    const movement = movementBetween(from.sums, to.sums, share * flownM);
    return { from, to, ...modeOf(movement), metres: metresOf(movement) };
  };
}

function metresOf({ metres, silentM }: Movement): number {
  return metres.reduce((sum, part) => sum + part, silentM);
}
