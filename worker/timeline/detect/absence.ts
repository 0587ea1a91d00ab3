import { distanceM } from '../earth.ts';
import type { DetectionParameters } from './parameters.ts';
import { Point } from './point.ts';
import { PointQueue } from './point-queue.ts';
import type { Stay } from './stay.ts';

const capacity = 4_096;
/** A single fix far off, and the next one back so soon, ms: the receiver erred, as it does after a pause. */
const errorMs = 60_000;

/** A pause in recording, after which somebody was near a stay. */
export interface Gap {
  readonly fromMs: number;
  readonly toMs: number;
  /** Who comes back from there was away. */
  readonly isFar: boolean;
}

/** What came in a stay since somebody was last in its core: near its edge, or outside. */
export class Absence {
  readonly #parameters: DetectionParameters;
  readonly #points = new PointQueue(capacity);
  readonly #point = new Point();
  /** Since when all points are outside; NaN if the last one is not. */
  #outsideMs = Number.NaN;
  /** At the beginning of the absence; perhaps it is part of the stay. */
  #gap: Gap | undefined;

  constructor(parameters: DetectionParameters) {
    this.#parameters = parameters;
  }

  get isEmpty(): boolean {
    return this.#points.size === 0;
  }

  get isOutside(): boolean {
    return !Number.isNaN(this.#outsideMs);
  }

  get gap(): Gap | undefined {
    return this.#gap;
  }

  /** Takes a point near the edge. @returns false if somebody has been there for so long that the centre has to follow. */
  takeEdge(point: Point): boolean {
    this.#outsideMs = Number.NaN;
    if (this.#points.isFull) return false;
    const isLong = !this.isEmpty && this.#age(point, this.#points.firstMs);
    if (!isLong) this.#points.push(point);
    return !isLong;
  }

  /** Takes a point outside. @returns false if somebody has been there for so long that the stay has ended. */
  takeOutside(point: Point): boolean {
    if (!this.isOutside) this.#outsideMs = point.timeMs;
    if (this.#points.isFull || this.#age(point, this.#outsideMs)) return false;
    this.#points.push(point);
    return true;
  }

  /** Begins with a point after a gap. */
  begin(point: Point, gap: Gap): void {
    this.#gap = gap;
    this.#outsideMs = point.timeMs;
    this.#points.push(point);
  }

  /** Somebody came back: all of it was part of the stay. */
  giveAll(stay: Stay): void {
    stay.takeBack(this.#points, this.#points.size, this.#parameters.insideM);
    this.#clear();
  }

  /** Tells whether somebody who is there again was away over the gap. */
  wasAway({ timeMs }: Point): boolean {
    if (this.#gap?.isFar !== true) return false;
    return this.#points.size > 1 || timeMs - this.#gap.toMs > errorMs;
  }

  /** Tells whether somebody who was near the stay after a gap went away from there. */
  isSettingOff(stay: Stay): boolean {
    const first = this.#points.read(0, this.#point);
    const square = stay.squareTo(first);
    const { latE7, lonE7 } = first;
    const last = this.#points.read(this.#points.size - 1, this.#point);
    const metres = distanceM(latE7, lonE7, last.latE7, last.lonE7);
    return metres > this.#parameters.radiusM && stay.squareTo(last) > square;
  }

  /** Points near the edge, a while before somebody was outside, were part of the stay. @param nextMs the next point. */
  giveEdge(stay: Stay, nextMs: number): void {
    const leftMs = this.isOutside ? this.#outsideMs : nextMs;
    const points = this.#points;
    let edge = 0;
    while (edge < points.size) {
      if (leftMs - points.timeMs[points.slot(edge)]! <= this.#parameters.edgeMs) break;
      edge += 1;
    }
    stay.takeBack(points, edge, this.#parameters.insideM);
    for (let i = 0; i < edge; i += 1) points.dropFirst();
  }

  /** Hands on what is left, which was the way. */
  end(go: (point: Point) => void): void {
    for (let i = 0; i < this.#points.size; i += 1) go(this.#points.read(i, this.#point));
    this.#clear();
  }

  #age({ timeMs }: Point, sinceMs: number): boolean {
    return timeMs - sinceMs >= this.#parameters.excursionMs;
  }

  #clear(): void {
    this.#points.clear();
    this.#outsideMs = Number.NaN;
    this.#gap = undefined;
  }
}
