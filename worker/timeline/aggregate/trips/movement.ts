import { distanceBetween, fixOf, radiansPerUnit, wrapLonE7, type Fix } from '../../earth.ts';
import type { ModeSpan } from '../../stated.ts';
import { LegCuts, type LegCut } from './leg-cuts.ts';

/** Where the classes of speed end, m/s: the last one has no end. */
export const speedEnds = [0.5, 1.2, 2.2, 3.2, 4.5, 6, 8, 11, 15, 20, 26, 33, 42, 55, 75] as const;
/** Faster than on roads, m/s. */
const fastSpeed = 42;
const classes = speedEnds.length + 1;

/** A way is measured from one position to the next that is this far off: errors of a receiver are no way, metres. */
const stepM = 35;
/** Between two positions roads bend as they do from one step to the next, at most at right angles, radians. */
const mostBend = Math.PI / 2;
const bendShare = 1 / 8;
/** …and in a longer step there are bends that do not show, metres: each doubling hides so much of the way, up to a limit. */
const longStepM = 150;
const hiddenShare = 0.05;
const mostHidden = 0.14;
/** Faster than on streets, m/s: motorways, rails and the air are straight. */
const straightSpeed = 22;

/** A silence that is this long, ms, and slower between its ends, m/s, than a car may hide anything: a walk, a visit, a night. */
const slowSilenceMs = 1_200_000;
const slowSpeed = 7.6;

/** Sums that are asked for together; their differences are those of a trip. */
export interface Movement {
  readonly observations: number;
  readonly silentMs: number;
  readonly silentM: number;
  /** The part of `silentMs` that was too slow for a car, a train or a plane. */
  readonly slowSilentMs: number;
  readonly flownM: number;
  /** As fast as nothing on a road. */
  readonly fastM: number;
  /** Recorded, in no country. */
  readonly seaM: number;
  /** From a stay to the first position, and from the last one to the next stay; none of them a silence. */
  readonly ends: readonly { readonly metres: number; readonly seconds: number }[];
  /** Recorded time and way, by class of speed. */
  readonly ms: readonly number[];
  readonly metres: readonly number[];
}

/** The way from the first observation to a stop. */
export interface WayTo {
  readonly sums: Float64Array;
  /** Since the last stay: where the way of moving changes, then the bounds of stated modes. */
  readonly cuts: readonly LegCut[];
  /** Metres in the air; known once the flight before has landed. */
  readonly flownM: number;
}

const scalars = 9;
const length = scalars + 2 * classes;

/** Sums up a movement from its first observation on. */
export class MovementSums {
  readonly #silenceMs: number;
  /** `Movement`, one number after the other. */
  readonly #sums = new Float64Array(length);
  #last: Fix | undefined;
  /** Where the present step began. */
  #step: Fix = { timeMs: 0, latE7: 0, lonE7: 0 };
  /** Heading of the step before; NaN without one. */
  #heading = Number.NaN;
  /** Where the sums of the present step are that begins or ends at a stay. */
  #endAt: 5 | 7 | undefined;

  readonly #legs = new LegCuts();

  /** When stated modes begin and end. */
  readonly #boundsMs: readonly number[];
  #nextBound = 0;
  #statedCuts: LegCut[] = [];

  /** @param modes stated by recorders, in order of time. */
  constructor(silenceMs: number, modes: readonly ModeSpan[] = []) {
    this.#boundsMs = modes.flatMap(({ startMs, endMs }) => [startMs, endMs]);
    this.#silenceMs = silenceMs;
  }

  /** Goes on to an observation on the way. */
  goTo(fix: Fix, weight: number, isAtSea: boolean): void {
    this.#cutBefore(fix.timeMs);
    this.#sums[0]! += weight;
    this.#move(fixOf(fix), isAtSea);
    this.#cutBefore(fix.timeMs + 1);
  }

  /** Cuts the way at the bounds of stated modes before an instant. */
  #cutBefore(timeMs: number): void {
    for (; this.#boundsMs[this.#nextBound]! < timeMs; this.#nextBound += 1) {
      const boundMs = this.#boundsMs[this.#nextBound]!;
      this.#statedCuts.push({ timeMs: boundMs, sums: this.#sums.slice() });
    }
  }

  /** Goes on to a stay, and waits there for its end. */
  rest(from: Fix, untilMs: number): void {
    this.#endAt ??= 7;
    this.#cutBefore(from.timeMs);
    this.#move(from, false);
    this.#endStep(from, false);
    this.#begin({ ...from, timeMs: untilMs });
    this.#endAt = 5;
  }

  /** Has the next cuts begin here. */
  beginTrip(): void {
    this.#legs.clear();
    this.#statedCuts = [];
  }

  /** Adds observations on the way at a place that was gone to already. */
  addObservations(count: number): void {
    this.#sums[0]! += count;
  }

  /** The way until now. */
  snapshot(): WayTo {
    return {
      sums: this.#sums.slice(),
      cuts: [...this.#legs.cuts(), ...this.#statedCuts],
      flownM: 0,
    };
  }

  #move(fix: Fix, isAtSea: boolean): void {
    const last = this.#last;
    if (last === undefined) return this.#begin(fix);
    const silentMs = fix.timeMs - last.timeMs;
    if (silentMs > this.#silenceMs) {
      this.#endStep(last, isAtSea);
      this.#legs.end(this.#sums);
      this.#sums[1]! += silentMs;
      const metres = distanceBetween(last, fix);
      this.#sums[2]! += metres;
      if (silentMs >= slowSilenceMs && metres * 1_000 < slowSpeed * silentMs) {
        this.#sums[3]! += silentMs;
      }
      this.#legs.silence(fix.timeMs, silentMs, metres, this.#sums);
      return this.#begin(fix);
    }
    this.#last = fix;
    if (distanceBetween(this.#step, fix) >= stepM) this.#endStep(fix, isAtSea);
  }

  #begin(fix: Fix): void {
    this.#last = fix;
    this.#step = fix;
    this.#heading = Number.NaN;
    this.#endAt = undefined;
  }

  #endStep(fix: Fix, isAtSea: boolean): void {
    const chordM = distanceBetween(this.#step, fix);
    const share = chordM < longStepM ? bendShare : 2 * bendShare;
    const ms = fix.timeMs - this.#step.timeMs;
    const isStreet = !isAtSea && chordM > longStepM && chordM * 1_000 < straightSpeed * ms;
    const hidden = isStreet ? Math.min(mostHidden, hiddenShare * Math.log2(chordM / longStepM)) : 0;
    const seenM = chordM * (1 + share * this.#squareBendTo(fix));
    const metres = seenM + hidden * chordM;
    if (this.#endAt !== undefined) {
      this.#sums[this.#endAt]! += metres;
      this.#sums[this.#endAt + 1]! += ms / 1_000;
    }
    this.#endAt = undefined;
    this.#step = fix;
    // A stay may reach to an observation beside it: the way between is one all the same.
    const speed = ms > 0 ? (seenM * 1_000) / ms : 0;
    let at = 0;
    while (at < speedEnds.length && speed >= speedEnds[at]!) at += 1;
    this.#sums[scalars + at]! += ms;
    this.#sums[scalars + classes + at]! += metres;
    if (isAtSea) this.#sums[4]! += metres;
    if (ms > 0) this.#legs.step(fix.timeMs, ms, metres, this.#sums);
  }

  /** Square of the angle to the step before, radians; so much is a bent way longer than a straight one. */
  #squareBendTo({ latE7, lonE7 }: Fix): number {
    const east = wrapLonE7(lonE7 - this.#step.lonE7) * Math.cos(latE7 * radiansPerUnit);
    const heading = Math.atan2(latE7 - this.#step.latE7, east);
    const turned = Math.abs(heading - this.#heading);
    this.#heading = heading;
    if (Number.isNaN(turned)) return 0;
    const bend = Math.min(mostBend, turned > Math.PI ? 2 * Math.PI - turned : turned);
    return bend * bend;
  }
}

/** The movement between two moments. @param flownM metres of it in the air. */
export function movementBetween(from: Float64Array, to: Float64Array, flownM: number): Movement {
  const at = (index: number): number => to[index]! - from[index]!;
  const list = (first: number): number[] =>
    Array.from({ length: classes }, (_, i) => at(first + i));
  const isFast = at(2) * 1_000 > fastSpeed * at(1);
  const metres = list(scalars + classes);
  const fastM = metres.slice(speedEnds.indexOf(fastSpeed) + 1).reduce((sum, part) => sum + part, 0);
  return {
    observations: at(0),
    silentMs: at(1),
    silentM: at(2),
    slowSilentMs: at(3),
    flownM,
    fastM: fastM + (isFast ? at(2) : 0),
    seaM: at(4),
    ends: [5, 7].map((first) => ({ metres: at(first), seconds: at(first + 1) })),
    ms: list(scalars),
    metres,
  };
}
