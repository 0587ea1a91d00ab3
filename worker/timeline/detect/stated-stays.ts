import type { Period } from '../period.ts';
import { distanceBetween } from '../earth.ts';
import type { Visit } from '../stated.ts';
import type { Detector } from './detector.ts';
import type { DetectionParameters } from './parameters.ts';
import { Point } from './point.ts';
import { PointQueue } from './point-queue.ts';
import { Stay } from './stay.ts';
import type { DetectorSink } from './transit.ts';

/** Gets what is on the way and the stays that are stated. */
export interface StatedSink extends DetectorSink {
  /** No stay until now goes on. */
  part(): void;
}

/**
 * Makes a stay of each visit that a recorder or the user states, whatever was recorded meanwhile, and way of each time
 * that the user says is no stay; stays are found between them.
 */
export class StatedStays {
  /** Corrections that had an observation, or need none. */
  readonly applied = new Set<number>();
  readonly #visits: readonly Visit[];
  readonly #period: Period;
  readonly #detector: Detector;
  readonly #sink: StatedSink;
  readonly #parameters: DetectionParameters;
  readonly #point = new Point();
  /** The last observation. */
  readonly #last = new Point();
  readonly #queue = new PointQueue(1);
  /** Index of the next visit. */
  #next = 0;
  /** The visit that is going on. */
  #visit: Visit | undefined;
  /** Its stay, once its position is known. */
  #stay: Stay | undefined;

  constructor(
    visits: readonly Visit[],
    period: Period,
    parameters: DetectionParameters,
    { detector, sink }: { readonly detector: Detector; readonly sink: StatedSink },
  ) {
    this.#parameters = parameters;
    this.#visits = visits;
    this.#period = period;
    this.#detector = detector;
    this.#sink = sink;
  }

  observe(point: Point): void {
    this.#bridgeTo(point);
    this.#goOn(point.timeMs);
    const visit = this.#visit;
    if (visit === undefined) this.#detector.observe(point);
    else this.#observeWithin(visit, point);
    this.#last.copy(point);
  }

  #observeWithin(visit: Visit, point: Point): void {
    this.#applies(visit);
    if (!visit.isStay) this.#sink.moved(point);
    else if (visit.position !== undefined)
      this.#stay!.recording.add(point.timeMs, point.source, point.weight);
    else {
      if (this.#stay === undefined) {
        this.#detector.interrupt(visit.startMs, visit.endMs);
        this.#stay = this.#begin(visit, point);
      }
      this.#stay.absorb(point);
    }
  }

  finish(): void {
    this.#goOn(Number.POSITIVE_INFINITY);
    this.#detector.finish();
  }

  /**
   * Lets a stay go on up to what the user says of a part of a silence, and from its end on; between two such parts nothing
   * was seen.
   */
  #bridgeTo(next: Point): void {
    const last = this.#last;
    let over: Visit | undefined;
    for (;;) {
      const visit = this.#visits[this.#next];
      if (visit === undefined || this.#visit !== undefined || !isPart(visit, last, next)) break;
      if (over === undefined) {
        if (!this.#isSilence(last, next)) return;
        this.#detector.observe(last.unseenAt(visit.startMs));
      }
      this.#goOn(visit.endMs + 1);
      // Another one that touches it is going on.
      if (this.#visit !== undefined) return;
      over = visit;
    }
    const isLast = (this.#visits[this.#next]?.startMs ?? Infinity) > next.timeMs;
    if (over !== undefined && isLast)
      this.#detector.observe(last.copy(next).unseenAt(over.endMs + 1));
  }

  /** Whether a stay may go on from one observation to the next although nothing was seen between. */
  #isSilence(last: Point, next: Point): boolean {
    const { silenceMs, maxBridgeMs, radiusM } = this.#parameters;
    const ms = next.timeMs - last.timeMs;
    return ms > silenceMs && ms <= maxBridgeMs && distanceBetween(last, next) <= radiusM;
  }

  #goOn(timeMs: number): void {
    for (;;) {
      const next = this.#visits[this.#next];
      if (this.#visit !== undefined) {
        // Of two that touch the later one has the moment between.
        const isOver = timeMs > this.#visit.endMs || (next?.startMs ?? Infinity) <= timeMs;
        if (!isOver) return;
        this.#finishVisit(this.#visit);
      }
      if (next === undefined || next.startMs > timeMs) return;
      this.#next += 1;
      this.#enter(next);
    }
  }

  #enter(visit: Visit): void {
    this.#visit = visit;
    const { isStay, position, startMs, endMs } = visit;
    // Where an observation is to tell the position, that begins it.
    if (isStay && position === undefined) return;
    const wasStaying = this.#detector.interrupt(startMs, endMs);
    if (wasStaying || isStay || visit.cuts === true) this.#applies(visit);
    if (position !== undefined && isStay) this.#stay = this.#begin(visit, position);
    else this.#sink.part();
  }

  #begin(visit: Visit, position: NonNullable<Visit['position']>): Stay {
    this.#queue.clear();
    this.#queue.push(this.#at(visit, position, visit.startMs));
    const origin = visit.correction === undefined ? 'stated' : 'corrected';
    return new Stay('stay', this.#queue, 0, this.#period, 1, origin);
  }

  #finishVisit(visit: Visit): void {
    const stay = this.#stay;
    this.#visit = undefined;
    this.#stay = undefined;
    if (stay === undefined) return;
    stay.absorb(this.#at(visit, visit.position ?? stay, visit.endMs));
    stay.recording.fill();
    this.#sink.stayed(stay);
  }

  #applies({ correction }: Visit): void {
    if (correction !== undefined) this.applied.add(correction);
  }

  /** An end of a visit, which is no observation. */
  #at({ source }: Visit, { latE7, lonE7 }: NonNullable<Visit['position']>, timeMs: number): Point {
    return Object.assign(this.#point, { timeMs, latE7, lonE7, source, kind: 0, weight: 0 });
  }
}

/** Tells whether the user says a part of the time between two observations, and where, if it is a stay. */
function isPart({ correction, startMs, endMs, isStay, position }: Visit, last: Point, next: Point) {
  const isSaid = correction !== undefined && (!isStay || position !== undefined);
  return isSaid && startMs > last.timeMs && endMs < next.timeMs;
}
