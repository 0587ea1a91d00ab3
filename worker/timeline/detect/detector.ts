import type { Period } from '../period.ts';
import { distanceM } from './earth.ts';
import type { DetectionParameters } from './parameters.ts';
import { PointQueue } from './point-queue.ts';
import { Stay } from './stay.ts';
import { WanderWindow } from './wander-window.ts';

/** Takes what the detector finds, in order of time. */
export interface DetectorSink {
  /** An observation on the way: one place of a queue, valid during the call. */
  moved(points: PointQueue, slot: number): void;
  stayed(stay: Stay): void;
}

/** Observations outside a stay before it has ended. */
const pendingCapacity = 4_096;

/**
 * Finds stays among observations in order of time (notes on timelines, section 5). It is in one of two states: on the way,
 * with a window of the last points, or in a stay, with the points outside it since the last one inside. Memory is bounded,
 * whatever comes.
 */
export class Detector {
  readonly #period: Period;
  readonly #parameters: DetectionParameters;
  readonly #sink: DetectorSink;
  readonly #window: WanderWindow;
  readonly #squareInside: number;
  #pending = new PointQueue(pendingCapacity);
  #replay = new PointQueue(pendingCapacity);
  #stay: Stay | undefined;
  #lastMs = Number.NEGATIVE_INFINITY;
  /** All that came since the last long silence is in the window. */
  #isAlone = true;

  constructor(period: Period, parameters: DetectionParameters, sink: DetectorSink) {
    this.#period = period;
    this.#parameters = parameters;
    this.#sink = sink;
    this.#window = new WanderWindow(parameters);
    this.#squareInside = parameters.insideM * parameters.insideM;
  }

  observe(timeMs: number, latE7: number, lonE7: number, source: number, kind: number): void {
    const silentMs = timeMs - this.#lastMs;
    if (this.#stay !== undefined) {
      this.#whileStaying(this.#stay, timeMs, latE7, lonE7, source, kind, silentMs);
    } else {
      this.#onTheWay(timeMs, latE7, lonE7, source, kind, silentMs);
    }
    this.#lastMs = timeMs;
  }

  /** Ends what is open after the last observation. */
  finish(): void {
    if (this.#stay !== undefined) this.#leave(this.#stay);
    this.#flush(Number.POSITIVE_INFINITY);
  }

  #whileStaying(
    stay: Stay,
    timeMs: number,
    latE7: number,
    lonE7: number,
    source: number,
    kind: number,
    silentMs: number,
  ): void {
    const x = stay.plane.x(latE7, lonE7);
    const y = stay.plane.y(latE7, lonE7);
    const square = stay.squareFromCentre(x, y);
    const isInside = square <= this.#squareInside;
    const pending = this.#pending;
    const isSilence = silentMs > this.#parameters.silenceMs;
    if (isInside && !(isSilence && !this.#canBridge(silentMs))) {
      if (isSilence) stay.bridge(this.#lastMs, timeMs);
      if (pending.size > 0) {
        stay.excuse(pending);
        pending.clear();
      }
      stay.absorb(timeMs, x, y, square, source);
    } else if (!isSilence && !this.#isGone(timeMs)) {
      pending.push(timeMs, latE7, lonE7, source, kind, 1);
    } else {
      this.#leave(stay);
      this.#onTheWay(timeMs, latE7, lonE7, source, kind, silentMs);
    }
  }

  /** A silence is presence only if both of its ends are inside. */
  #canBridge(silentMs: number): boolean {
    return silentMs <= this.#parameters.maxBridgeMs && this.#pending.size === 0;
  }

  #isGone(timeMs: number): boolean {
    const { size, isFull, timeMs: times, firstSlot } = this.#pending;
    if (size === 0) return false;
    return isFull || timeMs - times[firstSlot]! >= this.#parameters.excursionMs;
  }

  /** The stay ended at its last point inside; what came since was the way. */
  #leave(stay: Stay): void {
    const away = this.#pending;
    this.#pending = this.#replay;
    this.#replay = away;
    this.#stay = undefined;
    this.#isAlone = false;
    this.#sink.stayed(stay);
    // None of these can begin a stay: they lie within less time than a stay lasts.
    for (let i = 0; i < away.size; i += 1) {
      const slot = away.slot(i);
      const { timeMs, latE7, lonE7, source, kind } = away;
      this.#wander(timeMs[slot]!, latE7[slot]!, lonE7[slot]!, source[slot]!, kind[slot]!);
    }
    away.clear();
  }

  #onTheWay(
    timeMs: number,
    latE7: number,
    lonE7: number,
    source: number,
    kind: number,
    silentMs: number,
  ): void {
    if (silentMs <= this.#parameters.silenceMs) {
      this.#wander(timeMs, latE7, lonE7, source, kind);
      if (this.#hasStopped()) this.#settle();
    } else if (this.#endsAgree(latE7, lonE7, silentMs)) {
      this.#settleAcross(timeMs, latE7, lonE7, source, kind);
    } else {
      this.#flush(silentMs);
      this.#wander(timeMs, latE7, lonE7, source, kind);
    }
  }

  /** Moves the window on to a point. */
  #wander(timeMs: number, latE7: number, lonE7: number, source: number, kind: number): void {
    const window = this.#window;
    const { points } = window;
    window.place(latE7, lonE7);
    while (points.size > 0 && !window.isAround()) this.#passFirst();
    if (points.isFull) {
      if (points.fold(timeMs, 1)) return;
      this.#passFirst();
    }
    if (points.size === 0) window.place(latE7, lonE7);
    window.add(timeMs, latE7, lonE7, source, kind);
  }

  #passFirst(): void {
    const { points } = this.#window;
    this.#isAlone = false;
    this.#sink.moved(points, points.firstSlot);
    this.#window.dropFirst();
  }

  #hasStopped(): boolean {
    const { timeMs, firstSlot, lastSlot } = this.#window.points;
    if (timeMs[lastSlot]! - timeMs[firstSlot]! < this.#parameters.minStopMs) return false;
    if (!this.#window.isCrawl()) return true;
    this.#passFirst();
    return false;
  }

  /** The window is the beginning of a stay. */
  #settle(): Stay {
    const { points } = this.#window;
    const stay = new Stay('stay', points, this.#period, this.#parameters.minCentreWeight);
    this.#window.clear();
    this.#isAlone = false;
    this.#stay = stay;
    return stay;
  }

  /** Tells whether a silence ends where it began. */
  #endsAgree(latE7: number, lonE7: number, silentMs: number): boolean {
    const { points } = this.#window;
    if (points.size === 0 || silentMs > this.#parameters.maxBridgeMs) return false;
    const last = points.lastSlot;
    const apart = distanceM(points.latE7[last]!, points.lonE7[last]!, latE7, lonE7);
    return apart <= this.#parameters.radiusM;
  }

  /** Who is at one place before and after a silence was there; the way there is not part of it. */
  #settleAcross(timeMs: number, latE7: number, lonE7: number, source: number, kind: number): void {
    const { points } = this.#window;
    const last = points.lastSlot;
    const near = (slot: number): boolean =>
      distanceM(
        points.latE7[slot]!,
        points.lonE7[slot]!,
        points.latE7[last]!,
        points.lonE7[last]!,
      ) <= this.#parameters.crawlM;
    while (!near(points.firstSlot)) this.#passFirst();
    const lastMs = points.timeMs[last]!;
    const stay = this.#settle();
    const x = stay.plane.x(latE7, lonE7);
    const y = stay.plane.y(latE7, lonE7);
    stay.bridge(lastMs, timeMs);
    stay.absorb(timeMs, x, y, stay.squareFromCentre(x, y), source);
    void kind;
  }

  /** Ends the window at a silence. */
  #flush(silentMs: number): void {
    const { points } = this.#window;
    const { loneMs, minCentreWeight } = this.#parameters;
    if (this.#isAlone && silentMs > loneMs && points.size > 0) {
      this.#sink.stayed(new Stay('mark', points, this.#period, minCentreWeight));
      this.#window.clear();
    }
    while (points.size > 0) this.#passFirst();
    this.#isAlone = silentMs > loneMs;
  }
}
