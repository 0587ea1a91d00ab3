import type { Recording } from '../../recording.ts';
import type { Presence } from './presence.ts';
import type { Span, Spot } from './span.ts';

/** Nothing on the ground but a train is as fast, m/s: what is faster may be a flight, from take-off to landing. */
const fastSpeed = 45;
/** No train is as fast on average over a leg, m/s. */
const planeSpeed = 105;
const shortestFlightM = 100_000;
/** Least share of a flight at the speed of a plane; the rest is climbing and descending. */
const planeShare = 0.4;
/** The mean speed of a short flight that is mostly a gap, with the time on the ground at both ends, m/s. */
const gapSpeed = 80;
/** A fast gap of so many metres was no train: few lines are as long. */
const longGapM = 800_000;
/** Longer legs are gaps, ms. */
const gapMs = 900_000;
/** Only planes go so far within the day or two of a gap, m/s and metres. */
const farSpeed = 25;
const farM = 3_000_000;
/** As Recording: a pause that ends a span. */
const pauseMs = 43_200_000;
/** Spans in the air that wait for the landing; a flight of half a day crosses fewer. */
const mostWaiting = 4_096;

/** Finds flights on the way: the places below them were not visited. Hands spans on in order of time. */
export class FlightWatch {
  /** Metres of all flights. */
  flownM = 0;
  readonly #presence: Presence;
  /** The last observation, which the next leg decides about. */
  #spot: Spot | undefined;
  #timeMs = Number.NaN;
  #isAfterFastLeg = false;
  /** Metres and time of the fast legs of the open flight. */
  #fastM = 0;
  #fastMs = 0;
  #planeM = 0;
  #gapM = 0;
  #open: Span | undefined;
  readonly #aloft: Span[] = [];

  constructor(presence: Presence) {
    this.#presence = presence;
  }

  /** Goes on to an observation on the way. @param metres from the one before. */
  goTo(spot: Spot, timeMs: number, metres: number): void {
    this.#leg(timeMs, metres);
    this.#spot = spot;
    this.#timeMs = timeMs;
  }

  /** Goes on to a stay. @param metres of the way there since the last observation. */
  stay(spot: Spot, { stretches }: Recording, metres: number): void {
    this.#leg(stretches[0]!, metres);
    this.#land();
    this.#hand();
    for (let i = 0; i < stretches.length; i += 2) {
      const [fromMs, toMs] = [stretches[i]!, stretches[i + 1]!];
      this.#open = { spot, fromMs, toMs, toLonE7: spot.lonE7, isFlown: false };
      if (i + 2 < stretches.length) this.#hand();
    }
    // The way on begins here.
    this.#spot = spot;
    this.#timeMs = stretches.at(-1)!;
  }

  finish(): void {
    this.#leg(Number.POSITIVE_INFINITY, 0);
    this.#land();
    this.#hand();
  }

  /** The observation before is in the air if the legs to it and from it are fast. */
  #leg(timeMs: number, metres: number): void {
    const spot = this.#spot;
    if (spot === undefined) return;
    const ms = timeMs - this.#timeMs;
    const isFast =
      metres * 1_000 > fastSpeed * ms || (metres > farM && metres * 1_000 > farSpeed * ms);
    if (isFast && this.#isAfterFastLeg) this.#fly(spot);
    else {
      if (this.#isAfterFastLeg) this.#land();
      this.#walk(spot);
    }
    if (isFast) {
      this.#fastM += metres;
      this.#fastMs += ms;
      if (metres * 1_000 > planeSpeed * ms) this.#planeM += metres;
      if (ms > gapMs) this.#gapM += metres;
    }
    this.#isAfterFastLeg = isFast;
  }

  #walk(spot: Spot): void {
    const open = this.#open;
    if (open !== undefined && goesOn(open, spot, this.#timeMs)) extend(open, spot, this.#timeMs);
    else {
      this.#hand();
      this.#open = spanAt(spot, this.#timeMs, false);
    }
  }

  #fly(spot: Spot): void {
    const last = this.#aloft.at(-1);
    if (last !== undefined && goesOn(last, spot, this.#timeMs)) extend(last, spot, this.#timeMs);
    else if (this.#aloft.length < mostWaiting) this.#aloft.push(spanAt(spot, this.#timeMs, true));
  }

  /** Ends the fast legs: now it is known whether they were a flight. */
  #land(): void {
    const isFlight = this.#isFlight();
    if (isFlight) this.flownM += this.#fastM;
    if (this.#aloft.length > 0) this.#hand();
    for (const span of this.#aloft)
      this.#presence.take(isFlight ? span : { ...span, isFlown: false });
    this.#aloft.length = 0;
    this.#fastM = 0;
    this.#fastMs = 0;
    this.#planeM = 0;
    this.#gapM = 0;
    this.#isAfterFastLeg = false;
  }

  #isFlight(): boolean {
    const metres = this.#fastM;
    if (metres < shortestFlightM) return false;
    const isGap =
      this.#gapM * 2 > metres &&
      (this.#gapM >= longGapM || metres * 1_000 >= gapSpeed * this.#fastMs);
    return isGap || this.#planeM >= planeShare * metres;
  }

  #hand(): void {
    if (this.#open !== undefined) this.#presence.take(this.#open);
    this.#open = undefined;
  }
}

function spanAt(spot: Spot, timeMs: number, isFlown: boolean): Span {
  return { spot, fromMs: timeMs, toMs: timeMs, toLonE7: spot.lonE7, isFlown };
}

function goesOn(span: Span, { unit, zone }: Spot, timeMs: number): boolean {
  return span.spot.unit === unit && span.spot.zone === zone && timeMs - span.toMs <= pauseMs;
}

function extend(span: Span, spot: Spot, timeMs: number): void {
  span.toMs = timeMs;
  span.toLonE7 = spot.lonE7;
}
