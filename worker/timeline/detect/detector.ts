import type { PositionColumns } from '../../../storage/day-cursor.ts';
import type { Period } from '../period.ts';
import { distanceM } from './earth.ts';
import type { DetectionParameters } from './parameters.ts';
import { PointQueue } from './point-queue.ts';
import { Stay, type SteadyLimits } from './stay.ts';
import { WanderWindow } from './wander-window.ts';

/** Takes what the detector finds, in order of time. */
export interface DetectorSink {
  /** An observation on the way: one place of a queue, valid during the call. */
  moved(points: PointQueue, slot: number): void;
  stayed(stay: Stay): void;
}

/** Observations outside a stay before it has ended. */
const pendingCapacity = 4_096;
const lookMs = 5_000;

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
  readonly #squareCore: number;
  readonly #squareNear: number;
  readonly #gapMs: number;
  #pending = new PointQueue(pendingCapacity);
  #replay = new PointQueue(pendingCapacity);
  #stay: Stay | undefined;
  #lastMs = Number.NEGATIVE_INFINITY;
  /** In a stay: since when all points are outside; NaN if the last one is not. */
  #outsideMs = Number.NaN;
  /** A gap in a stay after which somebody was near it, perhaps just setting off; undefined if there is none. */
  #gap: { readonly fromMs: number; readonly toMs: number } | undefined;
  /** The stay is one only if the gap belongs to it; its points are still in the window. */
  #isProvisional = false;
  /** When the window is looked at again: a look at many points has its price. */
  #lookMs = Number.NEGATIVE_INFINITY;
  /** All that came since the last long silence is in the window. */
  #isAlone = true;

  constructor(period: Period, parameters: DetectionParameters, sink: DetectorSink) {
    this.#period = period;
    this.#parameters = parameters;
    this.#sink = sink;
    this.#window = new WanderWindow(parameters);
    this.#squareInside = parameters.insideM * parameters.insideM;
    this.#squareCore = parameters.coreM * parameters.coreM;
    this.#squareNear = parameters.nearM * parameters.nearM;
    this.#gapMs = parameters.gapMs;
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

  /**
   * Takes as many points as belong to an unbroken stay, fast; the result is the same as if each were observed.
   * @returns the index of the first that was not taken.
   */
  observeSteady(
    columns: PositionColumns,
    from: number,
    to: number,
    source: number,
    steady: SteadyLimits,
  ): number {
    if (this.#stay === undefined || this.#pending.size > 0) return from;
    steady.gapMs = this.#gapMs;
    steady.squareCore = this.#squareCore;
    const end = this.#stay.absorbSteady(columns, from, to, source, steady);
    if (end > from) this.#lastMs = columns.timeMs[end - 1]!;
    return end;
  }

  /** Ends what is open after the last observation. */
  finish(): void {
    if (this.#stay !== undefined) this.#leave(this.#stay, Number.POSITIVE_INFINITY);
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
    const isSilence = silentMs > this.#parameters.silenceMs;
    const isGap = silentMs > this.#parameters.gapMs && this.#canHaveGap(square, silentMs);
    if (isGap && square > this.#squareInside) {
      if (this.#pending.size > 0) this.#comeBack(stay);
      this.#gap = { fromMs: this.#lastMs, toMs: timeMs };
      this.#outsideMs = timeMs;
      this.#pending.push(timeMs, latE7, lonE7, source, kind, 1);
    } else if (isSilence && !isGap) {
      this.#leave(stay, timeMs);
      this.#onTheWay(timeMs, latE7, lonE7, source, kind, silentMs);
    } else if (square <= this.#squareCore || isSilence || this.#isBack(square, timeMs)) {
      if (isSilence) stay.bridge(this.#lastMs, timeMs);
      if (this.#pending.size > 0) this.#comeBack(stay);
      stay.absorb(timeMs, x, y, square, source, 1);
    } else if (this.#isGone(square, timeMs)) {
      this.#leave(stay, this.#outsideMs);
      this.#onTheWay(timeMs, latE7, lonE7, source, kind, silentMs);
    } else {
      this.#pending.push(timeMs, latE7, lonE7, source, kind, 1);
    }
  }

  /** A silence is presence only if both of its ends are at the place, or so near that somebody may just be setting off. */
  #canHaveGap(square: number, silentMs: number): boolean {
    if (silentMs > this.#parameters.maxBridgeMs || !Number.isNaN(this.#outsideMs)) return false;
    return square <= this.#squareNear;
  }

  /** Who is near the edge for long is still there: the centre has to follow. */
  #isBack(square: number, timeMs: number): boolean {
    if (square > this.#squareInside) return false;
    this.#outsideMs = Number.NaN;
    const { size, isFull, timeMs: times, firstSlot } = this.#pending;
    if (size === 0) return false;
    return isFull || timeMs - times[firstSlot]! >= this.#parameters.excursionMs;
  }

  #isGone(square: number, timeMs: number): boolean {
    if (square <= this.#squareInside) return false;
    if (Number.isNaN(this.#outsideMs)) this.#outsideMs = timeMs;
    const isLong = timeMs - this.#outsideMs >= this.#parameters.excursionMs;
    return isLong || this.#pending.isFull;
  }

  #comeBack(stay: Stay): void {
    this.#closeGap(stay);
    stay.takeBack(this.#pending, this.#parameters.insideM);
    this.#pending.clear();
    this.#outsideMs = Number.NaN;
  }

  /** The gap belongs to the stay. */
  #closeGap(stay: Stay): void {
    if (this.#gap === undefined) return;
    const { fromMs, toMs } = this.#gap;
    if (toMs - fromMs > this.#parameters.silenceMs) stay.bridge(fromMs, toMs);
    stay.lastMs = toMs;
    this.#gap = undefined;
    if (this.#isProvisional) this.#window.clear();
    this.#isProvisional = false;
  }

  /**
   * The stay ended at its last point in the core, or a while before somebody was outside; what came since was the way.
   * @param outsideMs when that was.
   */
  #leave(stay: Stay, outsideMs: number): void {
    if (this.#gap !== undefined && this.#isSettingOff()) this.#closeGap(stay);
    const away = this.#pending;
    this.#pending = this.#replay;
    this.#replay = away;
    this.#stay = undefined;
    this.#outsideMs = Number.NaN;
    if (this.#isProvisional) {
      this.#flush(this.#gap!.toMs - this.#gap!.fromMs);
    } else {
      this.#isAlone = false;
      if (this.#gap === undefined) this.#takeEdge(stay, away, outsideMs);
      this.#sink.stayed(stay);
    }
    this.#gap = undefined;
    this.#isProvisional = false;
    // None of these can begin a stay: they lie within less time than a stay lasts.
    for (let i = 0; i < away.size; i += 1) {
      const slot = away.slot(i);
      const { timeMs, latE7, lonE7, source, kind } = away;
      this.#wander(timeMs[slot]!, latE7[slot]!, lonE7[slot]!, source[slot]!, kind[slot]!);
    }
    away.clear();
  }

  #takeEdge(stay: Stay, away: PointQueue, outsideMs: number): void {
    const edge = this.#pending;
    while (away.size > 0 && outsideMs - away.timeMs[away.firstSlot]! > this.#parameters.edgeMs) {
      edge.pushFrom(away, away.firstSlot);
      away.dropFirst();
    }
    stay.takeBack(edge, this.#parameters.insideM);
    edge.clear();
  }

  /** Tells whether somebody who was near a stay after a gap went on from there. */
  #isSettingOff(): boolean {
    const { latE7, lonE7, firstSlot: a, lastSlot: b } = this.#pending;
    return distanceM(latE7[a]!, lonE7[a]!, latE7[b]!, lonE7[b]!) > this.#parameters.radiusM;
  }

  #onTheWay(
    timeMs: number,
    latE7: number,
    lonE7: number,
    source: number,
    kind: number,
    silentMs: number,
  ): void {
    const { silenceMs, gapMs } = this.#parameters;
    if (silentMs > gapMs && this.#restsAcross(timeMs, latE7, lonE7, source, kind, silentMs)) return;
    if (silentMs <= silenceMs) {
      this.#wander(timeMs, latE7, lonE7, source, kind);
      if (this.#hasStopped()) this.#settle();
    } else if (this.#endsAgree(latE7, lonE7, silentMs)) {
      this.#settleAcross(timeMs, latE7, lonE7, source);
    } else {
      this.#flush(silentMs);
      this.#wander(timeMs, latE7, lonE7, source, kind);
    }
  }

  /** Who had come to rest before a gap, and is at or near that place after it, may have been there. */
  #restsAcross(
    timeMs: number,
    latE7: number,
    lonE7: number,
    source: number,
    kind: number,
    silentMs: number,
  ): boolean {
    const window = this.#window;
    const { points } = window;
    const { maxBridgeMs, restMs, minStopMs, period } = {
      ...this.#parameters,
      period: this.#period,
    };
    if (points.size === 0 || silentMs > maxBridgeMs) return false;
    const first = window.firstThere();
    const firstMs = points.timeMs[points.slot(first)]!;
    if (this.#lastMs - firstMs < restMs || timeMs - firstMs < minStopMs) return false;
    for (let i = 0; i < first; i += 1) this.#passFirst();
    const stay = new Stay('stay', points, period, this.#parameters.minCentreWeight);
    const x = stay.plane.x(latE7, lonE7);
    const y = stay.plane.y(latE7, lonE7);
    const square = stay.squareFromCentre(x, y);
    if (square > this.#squareNear) return false;
    this.#stay = stay;
    this.#gap = { fromMs: this.#lastMs, toMs: timeMs };
    this.#isProvisional = true;
    if (square <= this.#squareInside) {
      this.#closeGap(stay);
      stay.absorb(timeMs, x, y, square, source, 1);
    } else {
      this.#outsideMs = timeMs;
      this.#pending.push(timeMs, latE7, lonE7, source, kind, 1);
    }
    return true;
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

  /** Tells whether somebody has been at one place for long enough; then the window begins with that. */
  #hasStopped(): boolean {
    const { minStopMs } = this.#parameters;
    const { points } = this.#window;
    const lastMs = points.timeMs[points.lastSlot]!;
    if (lastMs - points.timeMs[points.firstSlot]! < minStopMs || lastMs < this.#lookMs)
      return false;
    this.#lookMs = lastMs + lookMs;
    const first = this.#window.firstThere();
    if (lastMs - points.timeMs[points.slot(first)]! < minStopMs) return false;
    for (let i = 0; i < first; i += 1) this.#passFirst();
    return true;
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
  #settleAcross(timeMs: number, latE7: number, lonE7: number, source: number): void {
    const { points } = this.#window;
    const last = points.lastSlot;
    const near = (slot: number): boolean =>
      distanceM(
        points.latE7[slot]!,
        points.lonE7[slot]!,
        points.latE7[last]!,
        points.lonE7[last]!,
      ) <= this.#parameters.coreM;
    while (!near(points.firstSlot)) this.#passFirst();
    const lastMs = points.timeMs[last]!;
    const stay = this.#settle();
    const x = stay.plane.x(latE7, lonE7);
    const y = stay.plane.y(latE7, lonE7);
    stay.bridge(lastMs, timeMs);
    stay.absorb(timeMs, x, y, stay.squareFromCentre(x, y), source, 1);
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
