import { distanceBetween, type Place } from '../earth.ts';
import { LocalPlane } from './local-plane.ts';
import type { DetectionParameters } from './parameters.ts';
import type { Point } from './point.ts';
import { PointQueue } from './point-queue.ts';
import type { Stay } from './stay.ts';

const capacity = 4_096;
/** A single fix far off, and the next one back so soon, ms: the receiver erred, as it does after a pause. */
const errorMs = 60_000;
/** Errors of a receiver change slowly: a device at rest seems to move this far, metres, and so fast besides, m/s. */
const stillM = 30;
const driftSpeed = 0.25;
/** A walk is not faster, m/s: a faster step from or to a place without movement is an error. */
const walkSpeed = 2;
/** From rest to rest over a few hundred metres a street allows no more than this, m/s. */
const startSpeed = 10;

/** A pause in recording that ends near a stay. */
export interface Gap {
  readonly fromMs: number;
  readonly toMs: number;
  /** It ends so far off that a return from there proves an excursion. */
  readonly isFar: boolean;
}

/** The points of a stay since the last one in its core: near its edge, or outside. */
export class Excursion {
  readonly #parameters: DetectionParameters;
  readonly #points = new PointQueue(capacity);
  readonly #plane = new LocalPlane();
  /** Since when all points are outside; NaN if the last one is not. */
  #outsideMs = Number.NaN;
  /** Index of the first of them. */
  #outside = 0;
  /** Time of the point before it. */
  #insideMs = Number.NaN;
  /** Since when all points are inside again, after a gap that ended far off; NaN if the last one is not. */
  #passingMs = Number.NaN;
  /** At the beginning of the excursion; perhaps it is part of the stay. */
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

  get isPassing(): boolean {
    return !Number.isNaN(this.#passingMs);
  }

  get gap(): Gap | undefined {
    return this.#gap;
  }

  /** Adds a point near the edge, without an excursion. @returns false if the edge has lasted so long that the centre has to follow. */
  addEdge(point: Point): boolean {
    this.#outsideMs = Number.NaN;
    if (this.#gap !== undefined) this.#gap = { ...this.#gap, isFar: false };
    if (this.#points.isFull) return false;
    const isLong = !this.isEmpty && this.#age(point, this.#points.firstMs);
    if (!isLong) this.#points.push(point);
    return !isLong;
  }

  /**
   * Adds a point outside.
   * @param beforeMs time of the point before.
   * @returns false if the excursion has lasted so long that the stay has ended.
   */
  addOutside(point: Point, beforeMs: number): boolean {
    if (!this.isOutside) this.#beginOutside(point, beforeMs);
    if (this.#points.isFull || this.#age(point, this.#outsideMs)) return false;
    this.#points.push(point);
    return true;
  }

  /** Begins with a point after a gap. */
  begin(point: Point, gap: Gap): void {
    this.#gap = gap;
    this.#beginOutside(point, gap.fromMs);
    this.#points.push(point);
  }

  /** After a return all of it was part of the stay. */
  returnAll(stay: Stay): void {
    stay.addFirst(this.#points, this.#points.size, this.#parameters.insideM);
    this.#clear();
  }

  /** Whether a return proves that the gap was an excursion. */
  wasAway(point: Point): boolean {
    if (this.#gap?.isFar !== true) return false;
    const isBackAtOnce = this.#points.size === 1 && point.timeMs - this.#gap.toMs <= errorMs;
    return !isBackAtOnce && !this.endsAsEcho(point);
  }

  /**
   * Whether fixes outside, recorded before a silence, may all the same be of a stay that has not ended: they are
   * not far, or a house across the street throws them aside, all at once and all as far.
   */
  mayBeThere(stay: Stay): boolean {
    if (!this.isOutside) return true;
    const { insideM, nearM, farM } = this.#parameters;
    if (stay.metresTo(this.#points.last) <= farM) return true;
    const first = this.#points.at(this.#outside);
    const metres = stay.metresTo(first);
    const seconds = (first.timeMs - this.#insideMs) / 1_000;
    return metres <= nearM && metres - insideM > startSpeed * seconds && this.#isStill();
  }

  /** Whether the points after a gap lead away from the stay. */
  isSettingOff(stay: Stay): boolean {
    const [first, { last }] = [this.#points.at(0), this.#points];
    const isMoving = distanceBetween(first, last) > this.#parameters.radiusM;
    return isMoving && stay.metresTo(last) > stay.metresTo(first);
  }

  /** Whether the points after a gap lead back to the stay. */
  isComingBack(stay: Stay): boolean {
    const [first, { last }] = [this.#points.at(0), this.#points];
    return stay.metresTo(first) - stay.metresTo(last) > this.#parameters.coreM;
  }

  /** Whether the points after a gap lead to a place, or are there. @param last of them, or after them. */
  leadsTo(place: Place, last: Point): boolean {
    const { insideM, coreM } = this.#parameters;
    const metres = distanceBetween(last, place);
    return metres <= insideM || distanceBetween(this.#points.at(0), place) - metres > coreM;
  }

  /** Whether fixes outside, several of them, show no movement: the receiver errs. */
  isWobble(): boolean {
    return this.#points.size > this.#outside + 1 && this.#isStill();
  }

  /**
   * Adds a point inside after a gap that ended far off: a return from an excursion, or a departure that passes by.
   * @returns false if it has stayed so long that it is a return.
   */
  addPassing(point: Point): boolean {
    if (!this.isPassing) this.#passingMs = point.timeMs;
    this.#outsideMs = Number.NaN;
    if (this.#points.isFull || this.#age(point, this.#passingMs)) return false;
    this.#points.push(point);
    return true;
  }

  /** Gives back the points near the edge, a while before those outside: they were part of the stay. @param nextMs the next point. */
  returnEdge(stay: Stay, nextMs: number): void {
    const leftMs = this.isOutside ? this.#outsideMs : nextMs;
    const points = this.#points;
    const { edgeMs, insideM } = this.#parameters;
    let edge = 0;
    while (edge < points.size && leftMs - points.at(edge).timeMs > edgeMs) edge += 1;
    stay.addFirst(points, edge, insideM);
    for (let i = 0; i < edge; i += 1) points.dropFirst();
  }

  /** Hands on what is left, which was the way. */
  end(go: (point: Point) => void): void {
    for (let i = 0; i < this.#points.size; i += 1) go(this.#points.at(i));
    this.#clear();
  }

  /** A way home comes nearer step by step; an echo stays where it is and ends in one leap. */
  endsAsEcho(point: Point): boolean {
    const points = this.#points;
    const leapM = distanceBetween(points.last, point);
    const seconds = (point.timeMs - points.lastMs) / 1_000;
    return leapM > this.#parameters.coreM && leapM > walkSpeed * seconds && this.#isStill();
  }

  /** Whether the points outside show no movement: the middles of their halves are near each other. */
  #isStill(): boolean {
    const [points, from] = [this.#points, this.#outside];
    const half = (from + points.size) >> 1;
    const first = points.at(from);
    this.#plane.moveTo(first.latE7, first.lonE7);
    let [x, y] = [0, 0];
    for (let i = from; i < points.size; i += 1) {
      const { latE7, lonE7 } = points.at(i);
      const share = i < half ? -1 / (half - from) : 1 / (points.size - half);
      x += this.#plane.x(latE7, lonE7) * share;
      y += this.#plane.y(latE7, lonE7) * share;
    }
    const seconds = (points.lastMs - points.at(from).timeMs) / 1_000;
    return Math.hypot(x, y) <= stillM + (driftSpeed * seconds) / 2;
  }

  #beginOutside({ timeMs }: Point, beforeMs: number): void {
    this.#passingMs = Number.NaN;
    this.#outsideMs = timeMs;
    this.#outside = this.#points.size;
    this.#insideMs = beforeMs;
  }

  #age({ timeMs }: Point, sinceMs: number): boolean {
    return timeMs - sinceMs >= this.#parameters.excursionMs;
  }

  #clear(): void {
    this.#points.clear();
    this.#outsideMs = Number.NaN;
    this.#passingMs = Number.NaN;
    this.#gap = undefined;
  }
}
