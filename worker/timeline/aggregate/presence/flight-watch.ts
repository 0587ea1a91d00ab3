import { distanceBetween, type Fix, type Place } from '../../earth.ts';
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
/** A way fits flying if this speed (700 km/h) and so much time on the ground leave enough time for it, m/s and ms. */
const cruiseSpeed = 194;
const groundMs = 3 * 3_600_000;
/** As Recording: a pause that ends a span. */
const pauseMs = 43_200_000;
/** Spans in the air that wait for the landing; a flight of half a day crosses fewer. */
const mostWaiting = 4_096;
/** No train crosses a country without a stop so far and so fast: a fix in the gaps of such a way is passed, metres. */
const passedM = 300_000;
/** A flight is no further than so many times the way as the crow flies: it lands where it turns back. */
const mostDetour = 2;
/** Fixes of one way that may each be a landing; with more of them the last one is. */
const mostJoints = 256;

/** Decides about a fix that is a stop unless it was in the air. */
export type Settle = (isAloft: boolean) => void;

/** Sums of legs that may have been flown. */
interface Legs {
  metres: number;
  ms: number;
  planeM: number;
  gapM: number;
}

/** Legs from one possible landing to the next. */
interface Part extends Legs {
  /** One leg, in a gap. */
  readonly isGap: boolean;
  /** …that is too slow for a flight unless much of it was spent on the ground. */
  readonly isSlow: boolean;
  readonly from: Place;
  to: Place;
  readonly aloft: Span[];
}

/** A fix between two legs that may have been flown, in the air or on the ground. */
interface Joint extends Fix {
  readonly spot: Spot;
  readonly settle: Settle | undefined;
}

/** Finds flights on the way: the places below them were not visited. Hands spans on in order of time. */
export class FlightWatch {
  /** Metres of all flights. */
  flownM = 0;
  readonly #presence: Presence;
  /** The last observation, which the next leg decides about. */
  #last: Joint | undefined;
  /** The way since the last observation that is surely on the ground: a joint between each two parts. */
  #parts: Part[] = [];
  #joints: Joint[] = [];
  #open: Span | undefined;
  #waiting = 0;

  constructor(presence: Presence) {
    this.#presence = presence;
  }

  /**
   * Goes on to an observation on the way.
   * @param metres from the one before.
   * @param settle called once it is known whether it was in the air, in order of time.
   */
  goTo(spot: Spot, { timeMs, latE7, lonE7 }: Fix, metres: number, settle?: Settle): void {
    const next = { spot, timeMs, latE7, lonE7, settle };
    this.#leg(next, metres);
    this.#last = next;
  }

  /** Goes on to a stay. @param metres of the way there since the last observation. */
  stay(spot: Spot, { latE7, lonE7 }: Place, { stretches }: Recording, metres: number): void {
    const next = { spot, latE7, lonE7, settle: undefined };
    this.#leg({ ...next, timeMs: stretches[0]! }, metres);
    this.#land();
    this.#hand();
    for (let i = 0; i < stretches.length; i += 2) {
      const [fromMs, toMs] = [stretches[i]!, stretches[i + 1]!];
      this.#open = { spot, fromMs, toMs, toLonE7: spot.lonE7, isFlown: false };
      if (i + 2 < stretches.length) this.#hand();
    }
    // The way on begins here.
    this.#last = { ...next, timeMs: stretches.at(-1)! };
  }

  finish(): void {
    this.#land();
    if (this.#last !== undefined) this.#walk(this.#last);
    this.#hand();
  }

  /** The observation before may be in the air if the legs to it and from it may be flown. */
  #leg(next: Joint, metres: number): void {
    const last = this.#last;
    if (last === undefined) return;
    const ms = next.timeMs - last.timeMs;
    const isGap = ms > gapMs;
    const isSlow = !isFast(metres, ms);
    const mayFly = !isSlow || mayFlySlowly(metres, ms);
    const part = this.#parts.at(-1);
    if (part === undefined || !mayFly || this.#joints.length === mostJoints) {
      this.#land();
      this.#walk(last);
      if (mayFly) this.#parts.push(newPart(last, isGap, isSlow));
    } else if (isGap || part.isGap || last.settle !== undefined) {
      this.#joints.push(last);
      this.#parts.push(newPart(last, isGap, isSlow));
    } else this.#fly(part, last);
    const open = this.#parts.at(-1);
    if (open !== undefined) addLeg(open, next, metres, ms);
  }

  #walk({ spot, timeMs, settle }: Joint): void {
    const open = this.#open;
    if (open !== undefined && goesOn(open, spot, timeMs)) extend(open, spot, timeMs);
    else {
      this.#hand();
      this.#open = spanAt(spot, timeMs, false);
    }
    settle?.(false);
  }

  #fly({ aloft }: Part, { spot, timeMs }: Joint): void {
    const last = aloft.at(-1);
    if (last !== undefined && goesOn(last, spot, timeMs)) extend(last, spot, timeMs);
    else if (this.#waiting < mostWaiting) {
      aloft.push(spanAt(spot, timeMs, true));
      this.#waiting += 1;
    }
  }

  /** Ends the legs that may be flown: now it is known whether they were a flight. */
  #land(): void {
    const [parts, joints] = [this.#parts, this.#joints];
    if (parts.length === 0) return;
    this.#parts = [];
    this.#joints = [];
    this.#waiting = 0;
    this.#settle(parts, joints);
  }

  /** Takes legs for one flight, or the fix between them that had most time on the ground for a landing. */
  #settle(parts: readonly Part[], joints: readonly Joint[]): void {
    const all = sumOf(parts);
    const isOnePart = joints.length === 0;
    const mayBe = isOnePart ? !parts[0]!.isSlow : fitsFlying(all) && isOneWay(parts, all);
    const isFlight = mayBe && isFlown(all);
    if (isFlight) this.flownM += all.metres;
    if (isOnePart || isFlight || (mayBe && isPassed(all))) {
      return this.#pass(parts, joints, isFlight || !isOnePart);
    }
    const idle = joints.map((_, at) => idleMs(parts[at]!) + idleMs(parts[at + 1]!));
    const at = idle.indexOf(Math.max(...idle));
    this.#settle(parts.slice(0, at + 1), joints.slice(0, at));
    this.#walk(joints[at]!);
    this.#settle(parts.slice(at + 1), joints.slice(at + 1));
  }

  #pass(parts: readonly Part[], joints: readonly Joint[], isFlown: boolean): void {
    for (const [at, { aloft }] of parts.entries()) {
      if (aloft.length > 0) this.#hand();
      for (const span of aloft) this.#presence.take({ ...span, isFlown });
      const joint = joints[at];
      if (joint === undefined) continue;
      this.#hand();
      this.#presence.take(spanAt(joint.spot, joint.timeMs, isFlown));
      joint.settle?.(isFlown);
    }
  }

  #hand(): void {
    if (this.#open !== undefined) this.#presence.take(this.#open);
    this.#open = undefined;
  }
}

function isFast(metres: number, ms: number): boolean {
  return metres * 1_000 > fastSpeed * ms || (metres > farM && metres * 1_000 > farSpeed * ms);
}

/** Whether a slow leg may be a flight and hours on the ground: more of them than a whole way may have, whose rest is faster. */
function mayFlySlowly(metres: number, ms: number): boolean {
  return ms > gapMs && metres >= shortestFlightM && idleMs({ metres, ms }) <= 2 * groundMs;
}

/** Whether legs are a flight, by their speed. */
function isFlown({ metres, ms, planeM, gapM }: Legs): boolean {
  if (metres < shortestFlightM) return false;
  if (planeM >= planeShare * metres) return true;
  const isFastOverall = metres * 1_000 >= gapSpeed * ms;
  return gapM * 2 > metres && (gapM >= longGapM || isFastOverall || planeM >= shortestFlightM);
}

/** Whether legs are mostly gaps in which a country was only passed, by train or by plane. */
function isPassed({ metres, ms, gapM }: Legs): boolean {
  return metres >= passedM && gapM * 2 > metres && metres * 1_000 > fastSpeed * ms;
}

function fitsFlying(way: Pick<Legs, 'metres' | 'ms'>): boolean {
  return idleMs(way) <= groundMs;
}

/** The time that flying leaves of a way. */
function idleMs({ metres, ms }: Pick<Legs, 'metres' | 'ms'>): number {
  return ms - (metres * 1_000) / cruiseSpeed;
}

function isOneWay(parts: readonly Part[], { metres }: Legs): boolean {
  return metres <= mostDetour * distanceBetween(parts[0]!.from, parts.at(-1)!.to);
}

function newPart(from: Place, isGap: boolean, isSlow: boolean): Part {
  return { isGap, isSlow, from, to: from, aloft: [], metres: 0, ms: 0, planeM: 0, gapM: 0 };
}

function addLeg(part: Part, to: Place, metres: number, ms: number): void {
  part.to = to;
  part.metres += metres;
  part.ms += ms;
  if (metres * 1_000 > planeSpeed * ms) part.planeM += metres;
  if (part.isGap) part.gapM += metres;
}

function sumOf(parts: readonly Part[]): Legs {
  const sum = { metres: 0, ms: 0, planeM: 0, gapM: 0 };
  for (const { metres, ms, planeM, gapM } of parts) {
    sum.metres += metres;
    sum.ms += ms;
    sum.planeM += planeM;
    sum.gapM += gapM;
  }
  return sum;
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
