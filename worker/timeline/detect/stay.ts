import { Recording } from '../recording.ts';
import { secondsWithin, type Period } from '../period.ts';
import { distanceBetween, type Place } from '../earth.ts';
import type { Origin } from '../stated.ts';
import { LocalPlane } from './local-plane.ts';
import type { Point } from './point.ts';
import type { PointQueue } from './point-queue.ts';

/** Distances beyond are counted as this, metres. */
const farthestM = 255;
const shareWithin = 0.9;

/** A time at one place. Sums instead of points: three weeks need no more memory than five minutes. */
export class Stay {
  kind: 'stay' | 'mark';
  readonly origin: Origin;
  readonly plane = new LocalPlane();
  readonly recording: Recording;
  firstMs = Number.NaN;
  lastMs = Number.NaN;
  /** Silences bridged, as far as they lie within the period. */
  bridgedSeconds = 0;
  #leadMs = 0;
  #tailMs = 0;
  readonly #period: Period;
  readonly #minWeight: number;
  /** Up to so many observations the centre is their mean. */
  readonly #settledCount: number;
  /** How many observations are how many metres from the centre. */
  readonly #distances = new Uint32Array(farthestM + 1);
  #count = 0;
  #sumX = 0;
  #sumY = 0;
  #centreX = 0;
  #centreY = 0;

  /**
   * Begins with the points of a queue, at least one.
   * @param from index of the first of them.
   * @param minWeight see DetectionParameters.minCentreWeight
   */
  constructor(
    kind: Stay['kind'],
    points: PointQueue,
    from: number,
    period: Period,
    minWeight: number,
    origin: Origin = 'found',
  ) {
    this.kind = kind;
    this.origin = origin;
    this.recording = new Recording(period);
    this.#period = period;
    this.#minWeight = minWeight;
    this.#settledCount = 1 / minWeight;
    const { timeMs, latE7, lonE7 } = points.at(from);
    this.firstMs = timeMs;
    this.plane.moveTo(latE7, lonE7);
    this.#centreOn(points, from);
    for (let i = from; i < points.size; i += 1) {
      const point = points.at(i);
      const x = this.plane.x(point.latE7, point.lonE7);
      const y = this.plane.y(point.latE7, point.lonE7);
      this.#count += 1;
      this.#sumX += x;
      this.#sumY += y;
      this.#note(this.#fromCentre(x, y));
      this.#record(point);
    }
  }

  /** Latitude of the mean of all observations, units of 1e-7 degree. */
  get latE7(): number {
    return this.plane.latE7(this.#sumX / this.#count, this.#sumY / this.#count);
  }

  get lonE7(): number {
    return this.plane.lonE7(this.#sumX / this.#count, this.#sumY / this.#count);
  }

  /** With the time spent here before the first and after the last observation. */
  get fromMs(): number {
    return this.firstMs - this.#leadMs;
  }

  get untilMs(): number {
    return this.lastMs + this.#tailMs;
  }

  /** How far apart its observations are on average, ms. */
  get paceMs(): number {
    return (this.lastMs - this.firstMs) / Math.max(1, this.#count - 1);
  }

  /** How far a point is from the running centre, metres. */
  metresTo({ latE7, lonE7 }: Point): number {
    return this.#fromCentre(this.plane.x(latE7, lonE7), this.plane.y(latE7, lonE7));
  }

  /** Adds an observation at the place; the centre follows it. */
  absorb(point: Point): void {
    const x = this.plane.x(point.latE7, point.lonE7);
    const y = this.plane.y(point.latE7, point.lonE7);
    const metres = this.#fromCentre(x, y);
    this.#pull(x, y);
    this.#note(metres);
    this.#record(point);
  }

  /** Sets how long before the first and after the last observation the user was here, too, ms. */
  widen(leadMs: number, tailMs: number): void {
    this.#leadMs = leadMs;
    this.#tailMs = tailMs;
    this.bridge(this.fromMs, this.firstMs);
    this.bridge(this.lastMs, this.untilMs);
  }

  bridge(fromMs: number, toMs: number): void {
    this.bridgedSeconds += secondsWithin(this.#period, fromMs, toMs);
  }

  /**
   * Adds the first points of a queue, which are in the time of the stay; those further from its centre count, but say
   * nothing about the place.
   */
  addFirst(points: PointQueue, count: number, insideM: number): void {
    for (let i = 0; i < count; i += 1) {
      const point = points.at(i);
      if (this.metresTo(point) <= insideM) this.absorb(point);
      else this.recording.add(point.timeMs, point.source, point.weight);
    }
  }

  distanceTo(place: Place): number {
    return distanceBetween(this, place);
  }

  /** Goes on as a later stay at the same place. */
  join(later: Stay): void {
    const lat = later.latE7;
    const lon = later.lonE7;
    this.#sumX += this.plane.x(lat, lon) * later.#count;
    this.#sumY += this.plane.y(lat, lon) * later.#count;
    this.#count += later.#count;
    for (let i = 0; i <= farthestM; i += 1) this.#distances[i]! += later.#distances[i]!;
    this.bridgedSeconds += later.bridgedSeconds;
    this.lastMs = later.lastMs;
    this.recording.addAll(later.recording);
  }

  /** The smallest number of whole metres around the centre within which 90 % of the observations lie. */
  radiusM(): number {
    let left = this.#count * shareWithin;
    for (let metres = 0; ; metres += 1) {
      left -= this.#distances[metres]!;
      if (left <= 0) return metres;
    }
  }

  #fromCentre(x: number, y: number): number {
    const dx = x - this.#centreX;
    const dy = y - this.#centreY;
    return Math.sqrt(dx * dx + dy * dy);
  }

  #record({ timeMs, source, weight }: Point): void {
    this.lastMs = timeMs;
    // Where a found stay goes on up to what the user says nothing was recorded.
    if (weight > 0 || this.origin !== 'found') this.recording.add(timeMs, source, weight);
  }

  /** The centre follows. */
  #pull(x: number, y: number): void {
    this.#count += 1;
    this.#sumX += x;
    this.#sumY += y;
    const pull = this.#count < this.#settledCount ? 1 / this.#count : this.#minWeight;
    this.#centreX += (x - this.#centreX) * pull;
    this.#centreY += (y - this.#centreY) * pull;
  }

  #note(metres: number): void {
    this.#distances[metres < farthestM ? (metres + 0.5) | 0 : farthestM]! += 1;
  }

  /** The points that a stay begins with are measured from their common centre. */
  #centreOn(points: PointQueue, from: number): void {
    for (let i = from; i < points.size; i += 1) {
      const { latE7, lonE7 } = points.at(i);
      this.#centreX += this.plane.x(latE7, lonE7);
      this.#centreY += this.plane.y(latE7, lonE7);
    }
    this.#centreX /= points.size - from;
    this.#centreY /= points.size - from;
  }
}
