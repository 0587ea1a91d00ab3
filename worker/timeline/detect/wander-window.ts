import { LocalPlane } from './local-plane.ts';
import type { DetectionParameters } from './parameters.ts';
import type { Point } from './point.ts';
import { PointQueue } from './point-queue.ts';

const capacity = 4_096;
/** How far from its middle the map of the window is used, metres. */
const planeReachM = 5_000;

/**
 * The last points on the way, as long as they lie within a radius of their common centre: they may turn out to be a stay. Sums up to each point make every look at a centre cost the same, however many points there are.
 */
export class WanderWindow {
  readonly points = new PointQueue(capacity);
  readonly #plane = new LocalPlane();
  readonly #parameters: DetectionParameters;
  /** By slot: place on the plane, and the sum of the places before it. */
  readonly #x = new Float64Array(capacity);
  readonly #y = new Float64Array(capacity);
  readonly #beforeX = new Float64Array(capacity);
  readonly #beforeY = new Float64Array(capacity);
  #totalX = 0;
  #totalY = 0;
  #repeatedMs = Number.NaN;
  /** Index of the first point of the second half of time. */
  #middle = 0;
  /** Where the placed point is. */
  #newX = 0;
  #newY = 0;

  constructor(parameters: DetectionParameters) {
    this.#parameters = parameters;
  }

  /** Since when all points are at the very same position. */
  get repeatedMs(): number {
    return this.#repeatedMs;
  }

  /** Places a point before it is compared with the others or added to them. */
  place({ latE7, lonE7 }: Point): void {
    if (this.points.size === 0 || !this.#project(latE7, lonE7)) {
      this.#moveTo(latE7, lonE7);
      this.#project(latE7, lonE7);
    }
  }

  /** Whether the placed point lies within the radius of the centre of the others. */
  isAround(): boolean {
    const { size } = this.points;
    const first = this.points.slot(0);
    const dx = this.#newX - (this.#totalX - this.#beforeX[first]!) / size;
    const dy = this.#newY - (this.#totalY - this.#beforeY[first]!) / size;
    const { radiusM } = this.#parameters;
    return dx * dx + dy * dy <= radiusM * radiusM;
  }

  /** Whether a point is at the very same position as the last one. */
  repeats({ latE7, lonE7 }: Point): boolean {
    const { points } = this;
    return points.size > 0 && points.last.latE7 === latE7 && points.last.lonE7 === lonE7;
  }

  add(point: Point): void {
    if (!this.repeats(point)) this.#repeatedMs = point.timeMs;
    const slot = this.points.push(point);
    this.#x[slot] = this.#newX;
    this.#y[slot] = this.#newY;
    this.#sum(slot);
  }

  dropFirst(): void {
    this.points.dropFirst();
    if (this.#middle > 0) this.#middle -= 1;
    if (this.points.size === 0) this.clear();
  }

  clear(): void {
    this.points.clear();
    this.#middle = 0;
    this.#totalX = 0;
    this.#totalY = 0;
  }

  /**
   * Index of the first point near the place of the second half of the time: those before are the way there.
   * Where points are sparse all of them are near enough. There must be a point.
   */
  firstThere(): number {
    if (this.#isSparse()) return 0;
    const { points } = this;
    const { size, firstMs, lastMs } = points;
    const half = (firstMs + lastMs) / 2;
    while (points.at(this.#middle).timeMs < half) this.#middle += 1;
    const middle = points.slot(this.#middle);
    const late = size - this.#middle;
    const x = (this.#totalX - this.#beforeX[middle]!) / late;
    const y = (this.#totalY - this.#beforeY[middle]!) / late;
    for (let i = 0; i < this.#middle; i += 1) {
      if (this.#isInCore(points.slot(i), x, y)) return i;
    }
    return this.#middle;
  }

  /**
   * Whether the last point is near the place of the first half of the time since a point: otherwise the user is leaving,
   * or passes by slowly. Where points are sparse all of them are near enough.
   * @param first index of a point before the last.
   */
  isStillThere(first: number): boolean {
    if (this.#isSparse()) return true;
    const { points } = this;
    const begin = points.slot(first);
    const half = (points.at(first).timeMs + points.lastMs) / 2;
    let middle = first + 1;
    while (points.at(middle).timeMs < half) middle += 1;
    const end = points.slot(middle);
    const x = (this.#beforeX[end]! - this.#beforeX[begin]!) / (middle - first);
    const y = (this.#beforeY[end]! - this.#beforeY[begin]!) / (middle - first);
    return this.#isInCore(points.slot(points.size - 1), x, y);
  }

  /** Whether most of the time since a point is one and the same fix. @param first index of the point. */
  isRepeated(first: number): boolean {
    const { points } = this;
    const half = (points.at(first).timeMs + points.lastMs) / 2;
    return this.#repeatedMs < half;
  }

  #isSparse(): boolean {
    const { size, firstMs, lastMs } = this.points;
    return lastMs - firstMs > this.#parameters.sparseMs * (size - 1);
  }

  #isInCore(slot: number, x: number, y: number): boolean {
    const dx = this.#x[slot]! - x;
    const dy = this.#y[slot]! - y;
    const { coreM } = this.#parameters;
    return dx * dx + dy * dy <= coreM * coreM;
  }

  /** @returns false if the map does not reach as far. */
  #project(latE7: number, lonE7: number): boolean {
    this.#newX = this.#plane.x(latE7, lonE7);
    this.#newY = this.#plane.y(latE7, lonE7);
    return Math.abs(this.#newX) < planeReachM && Math.abs(this.#newY) < planeReachM;
  }

  #sum(slot: number): void {
    this.#beforeX[slot] = this.#totalX;
    this.#beforeY[slot] = this.#totalY;
    this.#totalX += this.#x[slot]!;
    this.#totalY += this.#y[slot]!;
  }

  #moveTo(latE7: number, lonE7: number): void {
    const { points } = this;
    this.#plane.moveTo(latE7, lonE7);
    this.#totalX = 0;
    this.#totalY = 0;
    for (let i = 0; i < points.size; i += 1) {
      const slot = points.slot(i);
      const { latE7: lat, lonE7: lon } = points.at(i);
      this.#x[slot] = this.#plane.x(lat, lon);
      this.#y[slot] = this.#plane.y(lat, lon);
      this.#sum(slot);
    }
  }
}
