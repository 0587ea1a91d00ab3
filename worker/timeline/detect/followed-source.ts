import { distanceBetween, distanceM, wrapLonE7 } from '../earth.ts';
import { CoMovingDevices } from './co-moving-devices.ts';
import { Point, waypointKind } from './point.ts';

/** A source is followed until it has been silent for so long, ms. */
const followMs = 300_000;
/** How far from the followed source another one may be and still be at the same place, metres. */
const togetherM = 150;
/** …and further from where the followed one is expected, as it may have turned: so many times what it covers meanwhile. */
const turnShare = 0.7;
/** Speed is taken over at least this long where points are denser, ms. */
const speedMs = 10_000;
/** Files end, devices go on: a source that follows one that has ended begins where that was, no faster than so, m/s. */
const handOverSpeed = 40;
/** …or no faster than so many times its speed. */
const handOverShare = 1.5;
/** After so long any source may take over, ms. */
const handOverMs = 900_000;

/**
 * Chooses between sources that disagree (two recorders at different places): one is followed, until it ends, has been
 * silent for five minutes, or is left behind by another one that was with it. So two recorders never make a journey
 * between them, and one that lies at home does not hide where its owner is.
 */
export class FollowedSource {
  /** When each source ends. */
  readonly #endMs: Float64Array;
  /** Time of the last observation of the followed source, believed or not. */
  #seenMs = Number.NEGATIVE_INFINITY;
  /** Its last observation that is believed, and one some seconds before. */
  readonly #last = new Point();
  readonly #before = new Point();
  readonly #coMoving = new CoMovingDevices();
  /** Where a device was left behind. */
  #left: Point | undefined;
  /** Where the device that left it was last, while the one left behind is followed all the same. */
  #carried: Point | undefined;

  /** @param endMs by source: time of its last observation. */
  constructor(endMs: Float64Array) {
    this.#endMs = endMs;
    this.#last.source = Number.NaN;
    this.#last.timeMs = Number.NEGATIVE_INFINITY;
    this.#before.timeMs = Number.NEGATIVE_INFINITY;
  }

  /**
   * Whether an observation belongs to the followed source. If none is followed, its own becomes so, if it may take over;
   * a waypoint never does.
   */
  leads(point: Point): boolean {
    const { timeMs, source, kind } = point;
    if (this.#isAlive(timeMs)) {
      if (kind === waypointKind) return false;
      if (!this.is(source)) return this.#isCarriedOn(point);
      this.#seenMs = timeMs;
      return true;
    }
    if (!this.#canTakeOver(point)) return false;
    if (kind !== waypointKind) this.#takeOver(point);
    return true;
  }

  /** Notes an observation of another source that agrees. */
  noteBeside(point: Point): void {
    if (point.kind !== waypointKind) this.#coMoving.together(point, this.#last);
  }

  /**
   * Notes an observation of another source that disagrees.
   * @returns true if the followed source was left behind: then the other one is followed from here on.
   */
  isLeftBy(point: Point): boolean {
    if (point.kind === waypointKind) return false;
    if (!this.#coMoving.apart(point, this.#last, isAt(this.#left, this.#last))) return false;
    this.#left = new Point().copy(this.#last);
    this.#follow(point);
    return true;
  }

  /** Whether an observation of another source may belong to the way of the followed one. */
  agrees(point: Point): boolean {
    const [last, before] = [this.#last, this.#before];
    if (distanceBetween(last, point) <= togetherM) return true;
    const ms = last.timeMs - before.timeMs;
    if (!(ms > 0) || ms > followMs) return false;
    // Beside the pole or beyond a half turn this is wrong, and the other source is not believed.
    const share = (point.timeMs - last.timeMs) / ms;
    const lat = last.latE7 + (last.latE7 - before.latE7) * share;
    const lon = last.lonE7 + wrapLonE7(last.lonE7 - before.lonE7) * share;
    const fromExpected = distanceM(lat, wrapLonE7(lon), point.latE7, point.lonE7);
    const covered = (this.#speed() * (point.timeMs - last.timeMs)) / 1_000;
    return fromExpected <= togetherM + turnShare * covered;
  }

  is(source: number): boolean {
    return source === this.#last.source;
  }

  /** Notes an observation that is believed. */
  note(point: Point): void {
    if (!this.is(point.source)) return;
    if (point.timeMs - this.#before.timeMs >= speedMs) this.#before.copy(this.#last);
    this.#last.copy(point);
  }

  #isAlive(timeMs: number): boolean {
    return timeMs - this.#last.timeMs <= followMs && !this.#hasEnded();
  }

  #hasEnded(): boolean {
    return this.#seenMs >= this.#endMs[this.#last.source]!;
  }

  #canTakeOver(point: Point): boolean {
    if (this.is(point.source)) return true;
    const ms = point.timeMs - this.#last.timeMs;
    if (ms > handOverMs) return true;
    if (this.#wasLeft(point)) return false;
    if (!this.#hasEnded()) return true;
    const fastest = Math.max(handOverSpeed, handOverShare * this.#speed());
    return distanceBetween(this.#last, point) <= togetherM + (fastest * ms) / 1_000;
  }

  #takeOver(point: Point): void {
    if (this.#wasLeft(point)) this.#carried = new Point().copy(this.#last);
    else if (!this.is(point.source)) this.#carried = undefined;
    this.#follow(point);
  }

  /** Whether an observation is of a device that was left behind. */
  #wasLeft(point: Point): boolean {
    return isAt(this.#left, point) && !isAt(this.#left, this.#last);
  }

  /** Follows the device that was taken along once it is back. @returns whether it is. */
  #isCarriedOn(point: Point): boolean {
    const carried = this.#carried;
    if (carried === undefined) return false;
    const isElsewhere = !isAt(this.#left, this.#last);
    const isBack = point.source === carried.source || isAt(carried, point);
    if (!isElsewhere && !isBack) return false;
    this.#carried = undefined;
    // The device that was left behind has been taken along meanwhile: it is as good as any.
    if (isElsewhere) return false;
    this.#follow(point);
    return true;
  }

  #follow(point: Point): void {
    this.#last.copy(point);
    this.#seenMs = point.timeMs;
    this.#before.timeMs = Number.NEGATIVE_INFINITY;
    this.#coMoving.clear();
  }

  /** Metres per second of late. */
  #speed(): number {
    const ms = this.#last.timeMs - this.#before.timeMs;
    if (!(ms > 0) || ms > followMs) return 0;
    return (distanceBetween(this.#before, this.#last) / ms) * 1_000;
  }
}

function isAt(place: Point | undefined, other: Point): boolean {
  return place !== undefined && distanceBetween(place, other) <= togetherM;
}
