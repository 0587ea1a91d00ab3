import type { TimelineLeg, TimelineTrip, TripMode } from '../../../model/timeline-result.ts';
import type { Stop } from '../aggregate/stop.ts';
import { isHidden, modeOf } from '../aggregate/trips/mode.ts';
import { movementBetween, type Movement, type WayTo } from '../aggregate/trips/movement.ts';
import { secondsWithin, type Period } from '../period.ts';
import { overlaps, spanAt, type ModeSpan, type Origin, type StatedSpans } from '../stated.ts';
import { originMark } from './entries.ts';
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
  readonly mode: TripMode;
  readonly confidence: number;
  readonly origin: Origin;
  readonly metres: number;
}

/** A leg that nothing is stated of, and that is shorter, ms and metres, belongs to one beside it. */
const shortestMs = 600_000;
const shortestM = 500;

/** The way between two stops. */
export interface Trip {
  /** Indexes of the stops. */
  readonly from: number;
  readonly to: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly seconds: number;
  readonly metres: number;
  readonly observations: number;
  readonly silentMs: number;
  readonly mode: TripMode;
  readonly confidence: number;
  readonly origin: Origin;
  readonly legs: readonly Leg[];
}

/**
 * The ways between stays and marks.
 * @param stops of the result, in order of time.
 */
export function* tripsBetween(
  stops: readonly Stop[],
  period: Period,
  { modes, visits }: StatedSpans,
): Iterable<Trip> {
  const corrected = visits.filter(({ isStay }) => !isStay);
  let before: { readonly at: number; readonly lastMs: number; readonly wayTo: WayTo } | undefined;
  for (const [at, { firstMs, lastMs, wayTo }] of stops.entries()) {
    if (wayTo === undefined) continue;
    const from = before;
    before = { at, lastMs, wayTo };
    if (from === undefined) continue;
    const flownM = wayTo.flownM - from.wayTo.flownM;
    const movement = movementBetween(from.wayTo.sums, wayTo.sums, flownM);
    const start = { timeMs: from.lastMs, sums: from.wayTo.sums };
    const end = { timeMs: firstMs, sums: wayTo.sums };
    const legs = legsOf(momentsOf(start, wayTo.cuts, end, modes), flownM, modes);
    const seconds = secondsWithin(period, from.lastMs, firstMs);
    const { mode, confidence, origin } = modeOfTrip(legs, movement);
    const hasFalseStay = overlaps(corrected, from.lastMs, firstMs);
    yield {
      from: from.at,
      to: at,
      startMs: from.lastMs,
      endMs: firstMs,
      seconds,
      metres: metresOf(movement),
      observations: movement.observations,
      silentMs: movement.silentMs,
      mode,
      confidence,
      origin: hasFalseStay ? 'corrected' : origin,
      legs,
    };
  }
}

/** @param index of the trip in the result. */
export function tripEntry(trip: Trip, index: number): TimelineTrip {
  const { startMs, endMs, seconds, mode, confidence, origin } = trip;
  return {
    index,
    from_stop: trip.from,
    to_stop: trip.to,
    start_utc: instantText(startMs),
    end_utc: instantText(endMs),
    distance_m: Math.round(trip.metres),
    duration_seconds: seconds,
    mode,
    mode_confidence: confidence,
    recorded_observations: trip.observations,
    recorded_seconds: Math.max(0, seconds - Math.round(trip.silentMs / 1_000)),
    legs: trip.legs.map(legEntry),
    ...originMark(origin),
  };
}

function legEntry({ from, to, mode, confidence, metres, origin }: Leg): TimelineLeg {
  return {
    mode,
    mode_confidence: confidence,
    start_utc: instantText(from.timeMs),
    end_utc: instantText(to.timeMs),
    distance_m: Math.round(metres),
    ...originMark(origin),
  };
}

/** The mode of the longest leg. */
function modeOfTrip(legs: readonly Leg[], movement: Movement): Omit<Leg, 'from' | 'to' | 'metres'> {
  const longest = legs.reduce((a, b) => (b.metres > a.metres ? b : a));
  const isKnown = longest.origin !== 'found' || longest.mode === 'flight' || !isHidden(movement);
  return isKnown ? longest : { mode: 'unknown', confidence: 0, origin: 'found' };
}

/** Both ends of a trip, and where its legs change; not within a time that something is stated of. */
function momentsOf(
  start: Moment,
  cuts: readonly Moment[],
  end: Moment,
  modes: readonly ModeSpan[],
): Moment[] {
  const moments = [start];
  for (const cut of cuts.toSorted((a, b) => a.timeMs - b.timeMs)) {
    const isNew = cut.timeMs > moments.at(-1)!.timeMs && cut.timeMs < end.timeMs;
    if (isNew && spanAt(modes, cut.timeMs) === undefined) moments.push(cut);
  }
  return [...moments, end];
}

/** Legs between moments; neighbours of one mode are one leg. */
function legsOf(moments: readonly Moment[], flownM: number, modes: readonly ModeSpan[]): Leg[] {
  const legBetween = legMaker(moments, flownM, modes);
  const legs = moments.slice(1).map((to, at) => legBetween(moments[at]!, to));
  for (let at = 1; at < legs.length; at += 1) {
    const [before, leg] = [legs[at - 1]!, legs[at]!];
    const host = hostOf(before, leg);
    if (host === undefined) continue;
    const whole = legBetween(before.from, leg.to);
    // Together they may be another mode, and so like the one before.
    legs.splice(
      at - 1,
      2,
      host.origin !== 'found'
        ? { ...host, from: before.from, to: leg.to, metres: whole.metres }
        : whole,
    );
    at = Math.max(0, at - 2);
  }
  return legs;
}

/** The one of two neighbours that both are one leg of. */
function hostOf(before: Leg, leg: Leg): Leg | undefined {
  if ((before.origin === 'found') !== (leg.origin === 'found')) {
    const [host, guest] = before.origin === 'found' ? [leg, before] : [before, leg];
    const isShort = guest.to.timeMs - guest.from.timeMs < shortestMs || guest.metres < shortestM;
    return isShort ? host : undefined;
  }
  return before.mode === leg.mode ? leg : undefined;
}

/** Makes legs with their part of the way in the air, the fast one, and the mode that is stated of them. */
function legMaker(moments: readonly Moment[], flownM: number, modes: readonly ModeSpan[]) {
  const fastIn = (from: Moment, to: Moment): number => movementBetween(from.sums, to.sums, 0).fastM;
  const fastM = fastIn(moments[0]!, moments.at(-1)!);
  return (from: Moment, to: Moment): Leg => {
    const share = fastM > 0 ? fastIn(from, to) / fastM : 0;
    const movement = movementBetween(from.sums, to.sums, share * flownM);
    const stated = spanAt(modes, (from.timeMs + to.timeMs) / 2);
    const guess = stated === undefined ? modeOf(movement) : { mode: stated.mode, confidence: 1 };
    return { from, to, ...guess, origin: originOf(stated), metres: metresOf(movement) };
  };
}

function originOf(stated: ModeSpan | undefined): Origin {
  if (stated === undefined) return 'found';
  return stated.correction === undefined ? 'stated' : 'corrected';
}

function metresOf({ metres, silentM }: Movement): number {
  return metres.reduce((sum, part) => sum + part, silentM);
}
