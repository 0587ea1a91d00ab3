import type { Period } from '../period.ts';
import { distanceBetween } from '../earth.ts';
import type { DetectionParameters } from './parameters.ts';
import type { Point } from './point.ts';
import { Stay } from './stay.ts';
import { WanderWindow } from './wander-window.ts';

/** Gets the stays and ways that the detector finds, in order of time. */
export interface DetectorSink {
  /** An observation on the way; the object is used again. */
  moved(point: Point): void;
  stayed(stay: Stay): void;
}

/** How often a window is searched for a stay: a search looks at all of its points. */
const searchMs = 5_000;
const hourMs = 3_600_000;
/** The highest speed between two fixes, on roads and most rails, m/s. */
const roadSpeed = 40;

/** The last points in transit, as a window in which a stay may begin. */
export class Transit {
  readonly #period: Period;
  readonly #parameters: DetectionParameters;
  readonly #sink: DetectorSink;
  readonly #window: WanderWindow;
  #searchedMs = Number.NEGATIVE_INFINITY;
  /** A stay would have begun, but of a fix that is repeated. */
  #isHeld = false;
  /** All that came since the last long silence is in the window. */
  #isAlone = true;
  /** How long that silence was. */
  #silentMs = Number.POSITIVE_INFINITY;

  constructor(period: Period, parameters: DetectionParameters, sink: DetectorSink) {
    this.#period = period;
    this.#parameters = parameters;
    this.#sink = sink;
    this.#window = new WanderWindow(parameters);
  }

  /** Goes on to a point. */
  go(point: Point): void {
    const window = this.#window;
    const { points } = window;
    window.place(point);
    while (points.size > 0 && !window.isAround()) this.#passFirst();
    if (points.isFull) {
      if (points.fold(point)) return;
      this.#passFirst();
    }
    if (points.size === 0) window.place(point);
    window.add(point);
  }

  /** A stay of all points since the arrival at one place, if that is long enough ago and the last point is still there. */
  findStay(): Stay | undefined {
    const { minStopMs } = this.#parameters;
    const { points } = this.#window;
    const { lastMs } = points;
    if (lastMs - points.firstMs < minStopMs || lastMs - this.#searchedMs < searchMs) return;
    this.#searchedMs = lastMs;
    const first = this.#window.firstThere();
    if (lastMs - points.at(first).timeMs < minStopMs) return;
    if (!this.#window.isStillThere(first)) return;
    this.#isHeld = this.#window.isRepeated(first) && !points.isFull;
    if (this.#isHeld) return;
    this.#passUntil(first);
    return this.#begin();
  }

  /**
   * A stay at a fix that was repeated over and over, once something else comes. A receiver repeats its last fix when
   * somebody is still, but also when it has lost the sky, in a tunnel or a train: then the next one is further off than
   * anybody could come from there, and there was no stay.
   * @param next undefined at the end.
   */
  findHeld(next?: Point): Stay | undefined {
    if (!this.#isHeld || (next !== undefined && this.#isRepeat(next))) return;
    this.#isHeld = false;
    if (next !== undefined && !this.#isAfterGap(next) && this.#wasMoving(next)) return;
    this.#passUntil(this.#window.firstThere());
    return this.#begin();
  }

  /**
   * A stay that goes on over a gap in recording, of somebody who had come to rest before it and is there or nearby after
   * it. Its points stay in the window until {@link clear}: it may turn out to be none. Before a long silence the last fix is
   * enough: few recorders see much of an arrival.
   */
  findRest(after: Point): Stay | undefined {
    const { points } = this.#window;
    const { maxBridgeMs, wakeUpMs, restMs, longRestMs, minStopMs, nearM } = this.#parameters;
    const gapMs = after.timeMs - points.lastMs;
    if (points.size === 0 || gapMs > maxBridgeMs) return;
    let first = this.#window.firstThere();
    // The longer the silence, the less else it can have been.
    const neededMs = gapMs > hourMs ? longRestMs : restMs;
    if (points.lastMs - points.at(first).timeMs < neededMs) {
      if (gapMs < wakeUpMs || !this.#isFromLast(after) || this.#isPace(gapMs)) return;
      first = points.size - 1;
    }
    if (after.timeMs - points.at(first).timeMs < minStopMs) return;
    const stay = this.#newStay('stay', first);
    if (stay.metresTo(after) > nearM) return;
    this.#passUntil(first);
    return stay;
  }

  /** Whether a point is near the last one, but not there. */
  #isFromLast(after: Point): boolean {
    const { points } = this.#window;
    const { radiusM, nearM } = this.#parameters;
    const metres = distanceBetween(points.last, after);
    return metres > radiusM && metres <= nearM;
  }

  /** Whether a gap after a lone fix is no silence but, like the one before it, the pace of the recorder. */
  #isPace(gapMs: number): boolean {
    const isLone = this.#isAlone && this.#window.points.size === 1;
    return isLone && Math.max(gapMs, this.#silentMs) <= this.#parameters.slowPaceMs;
  }

  /** A stay over a silence that ends where it began; the way there is not part of it. */
  findAcross(after: Point): Stay | undefined {
    const { points } = this.#window;
    const { maxBridgeMs, radiusM, coreM } = this.#parameters;
    if (points.size === 0 || after.timeMs - points.lastMs > maxBridgeMs) return;
    const { last } = points;
    if (distanceBetween(last, after) > radiusM) return;
    let first = 0;
    while (first < points.size - 1 && distanceBetween(points.at(first), last) > coreM) first += 1;
    this.#passUntil(first);
    return this.#begin();
  }

  /** Ends at a silence. */
  end(silentMs: number): void {
    const { points } = this.#window;
    const isLong = silentMs > this.#parameters.loneMs;
    if (this.#isAlone && isLong && points.size > 0) {
      this.#sink.stayed(this.#newStay('mark'));
      this.clear();
    }
    this.#passUntil(points.size);
    this.#isAlone = isLong;
    this.#silentMs = silentMs;
  }

  /** Forgets the points of the window, which are part of a stay. */
  clear(): void {
    this.#window.clear();
    this.#isAlone = false;
    this.#isHeld = false;
  }

  #begin(): Stay {
    const stay = this.#newStay('stay');
    this.clear();
    return stay;
  }

  #isRepeat(next: Point): boolean {
    return !this.#isAfterGap(next) && this.#window.repeats(next);
  }

  #isAfterGap({ timeMs }: Point): boolean {
    return timeMs - this.#window.points.lastMs > this.#parameters.gapMs;
  }

  /** Whether the next fix, right after a repeated one, is too far off for a stay until then. */
  #wasMoving(next: Point): boolean {
    const { points, repeatedMs } = this.#window;
    const { strollSpeed } = this.#parameters;
    const metres = distanceBetween(points.last, next);
    const isJump = metres * 1_000 > roadSpeed * (next.timeMs - points.lastMs);
    return isJump && metres * 1_000 > strollSpeed * (next.timeMs - repeatedMs);
  }

  #newStay(kind: Stay['kind'], from = 0): Stay {
    const { minCentreWeight } = this.#parameters;
    return new Stay(kind, this.#window.points, from, this.#period, minCentreWeight);
  }

  #passUntil(index: number): void {
    for (let i = 0; i < index; i += 1) this.#passFirst();
  }

  #passFirst(): void {
    this.#isAlone = false;
    this.#sink.moved(this.#window.points.at(0));
    this.#window.dropFirst();
  }
}
