import type { Totals } from './aggregate/totals.ts';
import type { DetectionParameters } from './detect/parameters.ts';
import type { Point } from './detect/point.ts';
import type { StatedSink } from './detect/stated-stays.ts';
import { PointQueue } from './detect/point-queue.ts';
import type { Stay } from './detect/stay.ts';
import { fixOf, type Fix } from './earth.ts';

/** An observation before or after a stay: one on the way, or the nearest one of another stay. */
interface Neighbour extends Fix {
  readonly isStay: boolean;
}

/** Points after a stay that may still turn out to be part of it. */
const pauseCapacity = 8_192;
/** Waypoints away from the track that wait for their time to come. */
const asideCapacity = 4_096;

/**
 * Puts together what belongs together before it is counted: two stays at one place with a short pause between them are
 * one, and a waypoint away from the track is a mark only where there is no stay at that time.
 */
export class StayMerger implements StatedSink {
  readonly #parameters: DetectionParameters;
  readonly #totals: Totals;
  readonly #reject: (point: Point) => void;
  /** A stay that may go on, and what came after it. */
  #stay: Stay | undefined;
  readonly #pause = new PointQueue(pauseCapacity);
  readonly #aside = new PointQueue(asideCapacity);
  /** The last place that was counted. */
  #before: Neighbour = { timeMs: Number.NaN, latE7: 0, lonE7: 0, isStay: false };

  constructor(parameters: DetectionParameters, totals: Totals, reject: (point: Point) => void) {
    this.#parameters = parameters;
    this.#totals = totals;
    this.#reject = reject;
  }

  moved(point: Point): void {
    if (this.#stay !== undefined) {
      if (!this.#isOver(this.#stay, point) && !this.#pause.isFull) {
        this.#pause.push(point);
        return;
      }
      this.#commit(pointAt(point));
    }
    this.#pass(point);
  }

  stayed(stay: Stay): void {
    if (this.#stay !== undefined && this.#isOneStay(this.#stay, stay)) {
      this.#stay.addFirst(this.#pause, this.#pause.size, 0);
      this.#pause.clear();
      this.#stay.join(stay);
      return;
    }
    this.#commit(stayAt(stay, stay.firstMs));
    this.#stay = stay;
  }

  part(): void {
    this.#commit();
  }

  /** Adds a waypoint away from the track; a held one may come after a later one. */
  setAside(point: Point): void {
    // So many wait only in the time of a long stay, or in lists of places that were never gone to.
    if (this.#aside.isFull) this.#rejectFirst();
    this.#aside.insert(point);
  }

  finish(): void {
    this.#commit();
    this.#markUntil(Number.POSITIVE_INFINITY);
  }

  #isOneStay(stay: Stay, next: Stay): boolean {
    const { mergeMs, radiusM } = this.#parameters;
    if (stay.kind !== 'stay' || next.kind !== 'stay') return false;
    if (stay.origin !== 'found' || next.origin !== 'found') return false;
    const metres = stay.distanceTo(next);
    if (next.firstMs - stay.lastMs <= mergeMs && metres <= radiusM) return true;
    return this.#isScattered(stay, next, metres) && this.#isStray(stay, next);
  }

  /** Whether two stays may be one place that the receiver only sees in pieces. */
  #isScattered(stay: Stay, next: Stay, metres: number): boolean {
    const { scatteredM, scatteredJoinM } = this.#parameters;
    return metres <= scatteredJoinM && Math.max(stay.radiusM(), next.radiusM()) > scatteredM;
  }

  /** Whether all observations between two stays are near, and without a silence. */
  #isStray(stay: Stay, next: Stay): boolean {
    const { strayMs, strayM, silenceMs } = this.#parameters;
    if (next.firstMs - stay.lastMs > strayMs) return false;
    let beforeMs = stay.lastMs;
    for (let i = 0; i <= this.#pause.size; i += 1) {
      const point = i < this.#pause.size ? this.#pause.at(i) : undefined;
      const timeMs = point?.timeMs ?? next.firstMs;
      if (timeMs - beforeMs > silenceMs) return false;
      if (point !== undefined && stay.metresTo(point) > strayM) return false;
      beforeMs = timeMs;
    }
    return true;
  }

  /** Whether a stay cannot go on after a point. */
  #isOver(stay: Stay, point: Point): boolean {
    const { mergeMs, strayMs, strayM } = this.#parameters;
    const sinceMs = point.timeMs - stay.lastMs;
    if (sinceMs <= mergeMs) return false;
    return sinceMs > strayMs || stay.metresTo(point) > strayM;
  }

  /** Counts the stay and what came after it. @param next what comes after all of that. */
  #commit(next?: Neighbour): void {
    const stay = this.#stay;
    if (stay === undefined) return;
    this.#stay = undefined;
    const pause = this.#pause;
    const before = this.#before;
    const after = pause.size > 0 ? pointAt(pause.at(0)) : next;
    if (after !== undefined && this.#isRest(stay, before, after)) stay.kind = 'stay';
    stay.widen(
      this.#timeThere(stay, before, stay.firstMs - before.timeMs),
      after === undefined ? 0 : this.#timeThere(stay, after, after.timeMs - stay.lastMs),
    );
    this.#markUntil(stay.fromMs);
    while (this.#aside.size > 0 && this.#aside.firstMs <= stay.untilMs) this.#rejectFirst();
    this.#totals.stayed(stay);
    this.#before = stayAt(stay, stay.lastMs);
    for (let i = 0; i < pause.size; i += 1) this.#pass(pause.at(i));
    pause.clear();
  }

  #pass(point: Point): void {
    this.#markUntil(point.timeMs);
    this.#totals.moved(point);
    this.#before = pointAt(point);
  }

  /** Whether a lone fix of a slow recorder is of a stay: even on foot, the ways to and from it left most of the time. */
  #isRest(mark: Stay, before: Neighbour, after: Neighbour): boolean {
    const { slowPaceMs, footSpeed, restShare } = this.#parameters;
    if (mark.kind !== 'mark' || mark.origin !== 'found' || mark.paceMs > 0) return false;
    const [leadMs, tailMs] = [mark.firstMs - before.timeMs, after.timeMs - mark.lastMs];
    if (!(Math.max(leadMs, tailMs) <= slowPaceMs)) return false;
    const metres = mark.distanceTo(before) + mark.distanceTo(after);
    return (metres * 1_000) / footSpeed <= (leadMs + tailMs) * (1 - restShare);
  }

  /**
   * The part of a gap beside a stay that was spent there: what the way to its other end leaves of it. Of a gap between two
   * stays each has half of that.
   */
  #timeThere(stay: Stay, end: Neighbour, ms: number): number {
    const { gapMs, silenceMs, slowPaceMs, footSpeed, rideSpeed } = this.#parameters;
    if (stay.kind !== 'stay' || stay.origin !== 'found') return 0;
    const paceMs = stay.paceMs === 0 ? slowPaceMs : stay.paceMs * 1.5;
    const isSlow = stay.paceMs <= slowPaceMs && ms <= Math.min(slowPaceMs, paceMs);
    if (!(ms > gapMs && (ms <= silenceMs || isSlow))) return 0;
    const metres = stay.distanceTo(end);
    const onFootMs = (metres * 1_000) / footSpeed;
    const wayMs = onFootMs <= ms ? onFootMs : (metres * 1_000) / rideSpeed;
    const seconds = (ms - wayMs) / (end.isStay ? 2_000 : 1_000);
    return Math.max(0, Math.round(seconds)) * 1_000;
  }

  /** Counts the waypoints before an instant. */
  #markUntil(timeMs: number): void {
    const aside = this.#aside;
    while (aside.size > 0 && aside.firstMs < timeMs) {
      this.#totals.markAside(aside.at(0));
      aside.dropFirst();
    }
  }

  #rejectFirst(): void {
    this.#reject(this.#aside.at(0));
    this.#aside.dropFirst();
  }
}

function pointAt(point: Point): Neighbour {
  return { ...fixOf(point), isStay: false };
}

function stayAt({ latE7, lonE7 }: Stay, timeMs: number): Neighbour {
  return { timeMs, latE7, lonE7, isStay: true };
}
