import type { Period } from '../period.ts';
import type { Visit } from '../stated.ts';
import type { Detector } from './detector.ts';
import type { TrackSink } from './leap-guard.ts';
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
export class StatedStays implements TrackSink {
  /** Corrections that had an observation, or need none. */
  readonly applied = new Set<number>();
  readonly #visits: readonly Visit[];
  readonly #period: Period;
  readonly #detector: Detector;
  readonly #sink: StatedSink;
  readonly #point = new Point();
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
    { detector, sink }: { readonly detector: Detector; readonly sink: StatedSink },
  ) {
    this.#visits = visits;
    this.#period = period;
    this.#detector = detector;
    this.#sink = sink;
  }

  observe(point: Point): void {
    this.#goOn(point.timeMs);
    const visit = this.#visit;
    if (visit === undefined) return this.#detector.observe(point);
    this.#applies(visit);
    if (!visit.isStay) this.#sink.moved(point);
    else if (visit.position !== undefined)
      this.#stay!.recording.add(point.timeMs, point.source, point.weight);
    else {
      this.#stay ??= this.#begin(visit, point);
      this.#stay.absorb(point);
    }
  }

  finish(): void {
    this.#goOn(Number.POSITIVE_INFINITY);
    this.#detector.finish();
  }

  #goOn(timeMs: number): void {
    for (;;) {
      if (this.#visit !== undefined) {
        if (timeMs <= this.#visit.endMs) return;
        this.#end(this.#visit);
      }
      const visit = this.#visits[this.#next];
      if (visit === undefined || visit.startMs > timeMs) return;
      this.#detector.interrupt(visit.startMs, visit.endMs);
      this.#next += 1;
      this.#visit = visit;
      if (!visit.isStay) this.#sink.part();
      else if (visit.position !== undefined) {
        this.#stay = this.#begin(visit, visit.position);
        this.#applies(visit);
      }
    }
  }

  #begin(visit: Visit, position: NonNullable<Visit['position']>): Stay {
    this.#queue.clear();
    this.#queue.push(this.#at(visit, position, visit.startMs));
    const origin = visit.correction === undefined ? 'stated' : 'corrected';
    return new Stay('stay', this.#queue, 0, this.#period, 1, origin);
  }

  #end(visit: Visit): void {
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
