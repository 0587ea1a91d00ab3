import type { Totals } from './aggregate/totals.ts';
import type { DetectorSink } from './detect/transit.ts';
import type { DetectionParameters } from './detect/parameters.ts';
import { Point } from './detect/point.ts';
import { PointQueue } from './detect/point-queue.ts';
import type { Stay } from './detect/stay.ts';

/** Points after a stay that may still turn out to be part of it. */
const pauseCapacity = 8_192;
/** Waypoints away from the track that wait for their time to come. */
const asideCapacity = 4_096;

/**
 * Puts together what belongs together before it is counted: two stays at one place with a short pause between them are
 * one, and a waypoint away from the track is a mark only where there is no stay at that time.
 */
export class StayMerger implements DetectorSink {
  readonly #parameters: DetectionParameters;
  readonly #totals: Totals;
  readonly #reject: (point: Point) => void;
  /** A stay that may go on, and what came after it. */
  #stay: Stay | undefined;
  readonly #pause = new PointQueue(pauseCapacity);
  readonly #aside = new PointQueue(asideCapacity);
  readonly #point = new Point();
  readonly #waypoint = new Point();

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
      this.#commit();
    }
    this.#pass(point);
  }

  stayed(stay: Stay): void {
    if (this.#stay !== undefined && this.#isOneStay(this.#stay, stay)) {
      this.#stay.takeBack(this.#pause, this.#pause.size, 0);
      this.#pause.clear();
      this.#stay.join(stay);
      return;
    }
    this.#commit();
    this.#stay = stay;
  }

  /** Takes a waypoint away from the track; one that was looked at longer may come after a later one. */
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
    const metres = stay.distanceM(next);
    if (next.firstMs - stay.lastMs <= mergeMs && metres <= radiusM) return true;
    return this.#isScattered(stay, next, metres) && this.#isStray(stay, next);
  }

  /** Tells whether two stays may be one place that the receiver only sees in pieces. */
  #isScattered(stay: Stay, next: Stay, metres: number): boolean {
    const { scatteredM, scatteredJoinM } = this.#parameters;
    return metres <= scatteredJoinM && Math.max(stay.radiusM(), next.radiusM()) > scatteredM;
  }

  /** Tells whether what was recorded between two stays is near, all of it, and without a silence. */
  #isStray(stay: Stay, next: Stay): boolean {
    const { strayMs, strayM, silenceMs } = this.#parameters;
    if (next.firstMs - stay.lastMs > strayMs) return false;
    let beforeMs = stay.lastMs;
    for (let i = 0; i <= this.#pause.size; i += 1) {
      const point = i < this.#pause.size ? this.#pause.read(i, this.#point) : undefined;
      const timeMs = point?.timeMs ?? next.firstMs;
      if (timeMs - beforeMs > silenceMs) return false;
      if (point !== undefined && stay.squareTo(point) > strayM * strayM) return false;
      beforeMs = timeMs;
    }
    return true;
  }

  /** Tells whether a stay cannot go on after a point. */
  #isOver(stay: Stay, point: Point): boolean {
    const { mergeMs, strayMs, strayM } = this.#parameters;
    const sinceMs = point.timeMs - stay.lastMs;
    if (sinceMs <= mergeMs) return false;
    return sinceMs > strayMs || stay.squareTo(point) > strayM * strayM;
  }

  /** Counts the stay and what came after it. */
  #commit(): void {
    const stay = this.#stay;
    if (stay === undefined) return;
    this.#stay = undefined;
    this.#markUntil(stay.firstMs);
    while (this.#aside.size > 0 && this.#aside.firstMs <= stay.lastMs) this.#rejectFirst();
    this.#totals.stayed(stay);
    const pause = this.#pause;
    for (let i = 0; i < pause.size; i += 1) this.#pass(pause.read(i, this.#point));
    pause.clear();
  }

  #pass(point: Point): void {
    if (this.#aside.size > 0) this.#markUntil(point.timeMs);
    this.#totals.moved(point);
  }

  /** Counts the waypoints before an instant. */
  #markUntil(timeMs: number): void {
    const aside = this.#aside;
    while (aside.size > 0 && aside.firstMs < timeMs) {
      this.#totals.markAside(aside.read(0, this.#waypoint));
      aside.dropFirst();
    }
  }

  #rejectFirst(): void {
    this.#reject(this.#aside.read(0, this.#waypoint));
    this.#aside.dropFirst();
  }
}
