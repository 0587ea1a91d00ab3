import { distanceBetween } from '../earth.ts';
import type { Period } from '../period.ts';
import { Excursion, type Gap } from './excursion.ts';
import { Transit, type DetectorSink } from './transit.ts';
import type { DetectionParameters } from './parameters.ts';
import { Point } from './point.ts';
import type { Stay } from './stay.ts';

/**
 * Finds stays among observations in order of time. Its state is either a way, with a window of the last points in which a
 * stay may begin, or a stay, with the points since the last one in its core. Memory is bounded, whatever
 * comes. docs/timelines.md has the rules in words.
 */
export class Detector {
  readonly #parameters: DetectionParameters;
  readonly #sink: DetectorSink;
  readonly #way: Transit;
  readonly #excursion: Excursion;
  #stay: Stay | undefined;
  /** The stay is one only if the gap in its excursion is part of it. */
  #isProvisional = false;
  #left: Stay | undefined;
  #lastMs = Number.NEGATIVE_INFINITY;
  readonly #last = new Point();

  constructor(period: Period, parameters: DetectionParameters, sink: DetectorSink) {
    this.#parameters = parameters;
    this.#sink = sink;
    this.#way = new Transit(period, parameters, sink);
    this.#excursion = new Excursion(parameters);
  }

  observe(point: Point): void {
    const silentMs = point.timeMs - this.#lastMs;
    this.#stay ??= this.#way.findHeld(point);
    const isBack = this.#excursion.isPassing && silentMs > this.#parameters.gapMs;
    if (this.#stay === undefined) this.#goOn(point, silentMs);
    else if (isBack) this.#comeBack(this.#stay, point, silentMs);
    else this.#staying(this.#stay, point, silentMs);
    this.#lastMs = point.timeMs;
    this.#last.copy(point);
  }

  /** Ends what is open after the last observation. */
  finish(): void {
    this.interrupt(Number.POSITIVE_INFINITY);
  }

  /**
   * Ends what is open: another stay is known to begin then.
   * @param untilMs when it ends.
   * @returns whether a stay was open.
   */
  interrupt(timeMs: number, untilMs = timeMs): boolean {
    this.#stay ??= this.#way.findHeld();
    const isStaying = this.#stay !== undefined;
    if (this.#stay !== undefined) this.#leave(this.#stay, timeMs);
    this.#way.end(timeMs - this.#lastMs);
    this.#lastMs = untilMs;
    return isStaying;
  }

  #staying(stay: Stay, point: Point, silentMs: number): void {
    const { gapMs, insideM, silenceMs } = this.#parameters;
    const metres = stay.metresTo(point);
    const isGap = silentMs > gapMs && this.#canBridge(stay, point, metres, silentMs);
    if (isGap && metres > insideM) {
      this.#endExcursion(stay);
      this.#excursion.begin(point, this.#gapBefore(point, metres));
    } else if (metres <= insideM && this.#wasAway(stay, point)) {
      const isPassing = silentMs <= gapMs && this.#excursion.addPassing(point);
      if (!isPassing) this.#comeBack(stay, point, silentMs);
    } else if (isGap || this.#isHere(point, metres, silentMs)) {
      if (silentMs > silenceMs) stay.bridge(this.#lastMs, point.timeMs);
      this.#endExcursion(stay);
      stay.absorb(point);
    } else if (this.#isGone(point, metres, silentMs)) {
      this.#leave(stay, point.timeMs);
      this.#goOn(point, silentMs);
    }
  }

  /** Ends a stay before a gap: the user was away meanwhile, and is there again. */
  #comeBack(stay: Stay, point: Point, silentMs: number): void {
    this.#leave(stay, point.timeMs, true);
    this.#goOn(point, silentMs);
  }

  /** A silence is presence only if both of its ends are there, or so near that it may end in a departure. */
  #canBridge(stay: Stay, point: Point, metres: number, silentMs: number): boolean {
    const { maxBridgeMs, wakeUpMs, nearM, insideM } = this.#parameters;
    if (silentMs > maxBridgeMs) return false;
    const isWaking = silentMs >= wakeUpMs;
    const isNear = metres <= nearM || (isWaking && distanceBetween(this.#last, point) <= nearM);
    if (!this.#excursion.isOutside) return isNear;
    if (!this.#excursion.mayBeThere(stay)) return false;
    return metres <= insideM || (isNear && isWaking && this.#excursion.isWobble());
  }

  #isHere(point: Point, metres: number, silentMs: number): boolean {
    const { silenceMs, coreM, insideM } = this.#parameters;
    if (silentMs > silenceMs) return false;
    return metres <= coreM || (metres <= insideM && !this.#excursion.addEdge(point));
  }

  #isGone(point: Point, metres: number, silentMs: number): boolean {
    if (silentMs > this.#parameters.silenceMs) return true;
    return metres > this.#parameters.insideM && !this.#excursion.addOutside(point, this.#lastMs);
  }

  #endExcursion(stay: Stay): void {
    if (this.#excursion.isEmpty) return;
    this.#closeGap(stay);
    this.#excursion.returnAll(stay);
  }

  /** The gap in the excursion, if there is one, is part of the stay. */
  #closeGap(stay: Stay): void {
    const { gap } = this.#excursion;
    if (gap === undefined) return;
    if (gap.toMs - gap.fromMs > this.#parameters.silenceMs) stay.bridge(gap.fromMs, gap.toMs);
    stay.lastMs = gap.toMs;
    if (this.#isProvisional) this.#way.clear();
    this.#isProvisional = false;
  }

  /**
   * @param nextMs when the next point comes, which is not part of the stay.
   * @param isBack it is there again after having been away.
   */
  #leave(stay: Stay, nextMs: number, isBack = false): void {
    const excursion = this.#excursion;
    const { gap } = excursion;
    const wasThere = gap !== undefined && !isBack && this.#wasThere(stay, gap);
    if (gap === undefined) excursion.returnEdge(stay, nextMs);
    else if (wasThere) this.#closeGap(stay);
    const isStay = gap === undefined || !this.#isProvisional;
    if (isStay) this.#sink.stayed(stay);
    if (isStay) this.#left = stay;
    if (gap !== undefined && !wasThere) this.#way.end(gap.toMs - gap.fromMs);
    this.#stay = undefined;
    this.#isProvisional = false;
    // None of these begins a stay: they lie within less time than a stay lasts.
    excursion.end((point) => this.#way.go(point));
  }

  #wasAway(stay: Stay, point: Point): boolean {
    const excursion = this.#excursion;
    if (excursion.wasAway(point)) return true;
    return this.#isOuting(stay, point) && !(excursion.isWobble() && excursion.endsAsEcho(point));
  }

  /** Whether the points after a gap are those of a departure just then, or of a receiver that errs when it wakes up. */
  #wasThere(stay: Stay, { fromMs, toMs }: Gap): boolean {
    const excursion = this.#excursion;
    if (this.#isOuting(stay, this.#last)) return false;
    if (excursion.isSettingOff(stay)) return true;
    return toMs - fromMs >= this.#parameters.wakeUpMs && !excursion.isComingBack(stay);
  }

  /** Whether the user has just left another stay, and comes back to it after the gap: it was half of an outing. */
  #isOuting(stay: Stay, last: Point): boolean {
    const { outingMs, restMs } = this.#parameters;
    const [left, { gap }] = [this.#left, this.#excursion];
    if (!this.#isProvisional || left === undefined || gap === undefined) return false;
    if (stay.lastMs - stay.firstMs >= restMs || gap.fromMs - left.lastMs > outingMs) return false;
    return this.#excursion.leadsTo(left, last);
  }

  #goOn(point: Point, silentMs: number): void {
    const { gapMs, silenceMs } = this.#parameters;
    if (silentMs > gapMs && this.#restAcross(point)) return;
    if (silentMs <= silenceMs) {
      this.#way.go(point);
      this.#stay = this.#way.findStay();
    } else {
      const stay = this.#way.findAcross(point);
      this.#stay = stay;
      if (stay === undefined) {
        this.#way.end(silentMs);
        this.#way.go(point);
      } else {
        stay.bridge(this.#lastMs, point.timeMs);
        stay.absorb(point);
      }
    }
  }

  #gapBefore({ timeMs }: Point, metres: number): Gap {
    return { fromMs: this.#lastMs, toMs: timeMs, isFar: metres > this.#parameters.farM };
  }

  /** Begins a stay with a rest before a gap; only the next points tell if it is one. */
  #restAcross(point: Point): boolean {
    const stay = this.#way.findRest(point);
    if (stay === undefined) return false;
    this.#stay = stay;
    this.#isProvisional = true;
    const metres = stay.metresTo(point);
    this.#excursion.begin(point, this.#gapBefore(point, metres));
    if (metres <= this.#parameters.insideM) this.#endExcursion(stay);
    return true;
  }
}
