import type { Period } from '../period.ts';
import type { Visit } from '../stated.ts';
import type { Detector } from './detector.ts';
import type { TrackSink } from './leap-guard.ts';
import { Point } from './point.ts';
import { PointQueue } from './point-queue.ts';
import { Stay } from './stay.ts';
import type { DetectorSink } from './transit.ts';

/** Makes a stay of each visit that a recorder states, of whatever was recorded meanwhile; stays are found between them. */
export class StatedStays implements TrackSink {
  readonly #visits: readonly Visit[];
  readonly #period: Period;
  readonly #detector: Detector;
  readonly #sink: DetectorSink;
  readonly #point = new Point();
  readonly #queue = new PointQueue(1);
  /** Index of the next visit. */
  #next = 0;
  #stay: Stay | undefined;

  constructor(
    visits: readonly Visit[],
    period: Period,
    { detector, sink }: { readonly detector: Detector; readonly sink: DetectorSink },
  ) {
    this.#visits = visits;
    this.#period = period;
    this.#detector = detector;
    this.#sink = sink;
  }

  observe(point: Point): void {
    this.#goOn(point.timeMs);
    if (this.#stay === undefined) this.#detector.observe(point);
    else this.#stay.recording.add(point.timeMs, point.source, point.weight);
  }

  finish(): void {
    this.#goOn(Number.POSITIVE_INFINITY);
    this.#detector.finish();
  }

  #goOn(timeMs: number): void {
    for (;;) {
      const last = this.#visits[this.#next - 1];
      if (this.#stay !== undefined && last !== undefined) {
        if (timeMs <= last.endMs) return;
        this.#end(this.#stay, last);
      }
      const visit = this.#visits[this.#next];
      if (visit === undefined || visit.startMs > timeMs) return;
      this.#detector.interrupt(visit.startMs, visit.endMs);
      this.#begin(visit);
      this.#next += 1;
    }
  }

  #begin(visit: Visit): void {
    this.#queue.clear();
    this.#queue.push(this.#at(visit, visit.startMs));
    this.#stay = new Stay('stay', this.#queue, 0, this.#period, 1, true);
  }

  #end(stay: Stay, visit: Visit): void {
    stay.absorb(this.#at(visit, visit.endMs));
    stay.recording.fill();
    this.#sink.stayed(stay);
    this.#stay = undefined;
  }

  /** An end of a visit, which is no observation. */
  #at({ latE7, lonE7, source }: Visit, timeMs: number): Point {
    return Object.assign(this.#point, { timeMs, latE7, lonE7, source, kind: 0, weight: 0 });
  }
}
