import type { Ledger } from './aggregate/ledger.ts';
import type { DetectorSink } from './detect/detector.ts';
import type { DetectionParameters } from './detect/parameters.ts';
import { PointQueue } from './detect/point-queue.ts';
import type { Stay } from './detect/stay.ts';

/** Points after a stay that may still turn out to be part of it. */
const pauseCapacity = 8_192;
/** Waypoints away from the track that wait for their time to come. */
const asideCapacity = 4_096;

/**
 * Puts together what belongs together before it is counted: two stays at one place with a short pause between them are
 * one, and a waypoint away from the track is a mark only where nobody stayed anywhere at that time.
 */
export class Itinerary implements DetectorSink {
  readonly #parameters: DetectionParameters;
  readonly #ledger: Ledger;
  readonly #reject: (timeMs: number) => void;
  /** A stay that may go on, and what came after it. */
  #stay: Stay | undefined;
  readonly #pause = new PointQueue(pauseCapacity);
  readonly #aside = new PointQueue(asideCapacity);

  constructor(parameters: DetectionParameters, ledger: Ledger, reject: (timeMs: number) => void) {
    this.#parameters = parameters;
    this.#ledger = ledger;
    this.#reject = reject;
  }

  moved(points: PointQueue, slot: number): void {
    const timeMs = points.timeMs[slot]!;
    if (this.#stay !== undefined) {
      const isOver = timeMs - this.#stay.lastMs > this.#parameters.mergeMs;
      if (!isOver && !this.#pause.isFull) {
        this.#pause.pushFrom(points, slot);
        return;
      }
      this.#commit();
    }
    this.#pass(points, slot);
  }

  stayed(stay: Stay): void {
    if (this.#stay !== undefined && this.#isOneStay(this.#stay, stay)) {
      this.#stay.takeBack(this.#pause, 0);
      this.#pause.clear();
      this.#stay.join(stay);
      return;
    }
    this.#commit();
    this.#stay = stay;
  }

  /** Takes a waypoint away from the track; times ascend. */
  setAside(timeMs: number, latE7: number, lonE7: number, source: number): void {
    const aside = this.#aside;
    // Only a long stay lets so many wait, and they are in its time.
    if (aside.isFull) this.#rejectFirst();
    aside.push(timeMs, latE7, lonE7, source, 1, 1);
  }

  finish(): void {
    this.#commit();
    this.#markUntil(Number.POSITIVE_INFINITY);
  }

  #isOneStay(stay: Stay, next: Stay): boolean {
    const { mergeMs, radiusM } = this.#parameters;
    if (stay.kind !== 'stay' || next.kind !== 'stay') return false;
    return next.firstMs - stay.lastMs <= mergeMs && stay.distanceM(next) <= radiusM;
  }

  /** Counts the stay and what came after it. */
  #commit(): void {
    const stay = this.#stay;
    if (stay === undefined) return;
    this.#stay = undefined;
    this.#markUntil(stay.firstMs);
    while (this.#aside.size > 0 && this.#nextAsideMs() <= stay.lastMs) this.#rejectFirst();
    this.#ledger.stayed(stay);
    const pause = this.#pause;
    for (let i = 0; i < pause.size; i += 1) this.#pass(pause, pause.slot(i));
    pause.clear();
  }

  #pass(points: PointQueue, slot: number): void {
    if (this.#aside.size > 0) this.#markUntil(points.timeMs[slot]!);
    this.#ledger.moved(points, slot);
  }

  /** Counts the waypoints before an instant. */
  #markUntil(timeMs: number): void {
    const aside = this.#aside;
    while (aside.size > 0 && this.#nextAsideMs() < timeMs) {
      const slot = aside.firstSlot;
      this.#ledger.mark(
        aside.timeMs[slot]!,
        aside.latE7[slot]!,
        aside.lonE7[slot]!,
        aside.source[slot]!,
      );
      aside.dropFirst();
    }
  }

  #nextAsideMs(): number {
    return this.#aside.timeMs[this.#aside.firstSlot]!;
  }

  #rejectFirst(): void {
    this.#reject(this.#nextAsideMs());
    this.#aside.dropFirst();
  }
}
