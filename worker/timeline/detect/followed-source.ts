import type { PositionColumns } from '../../../storage/day-cursor.ts';
import { distanceM, wrapLonE7 } from '../earth.ts';
import { CoMovingDevices, type Sighting } from './co-moving-devices.ts';
import { waypointKind, type Point } from './point.ts';

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
/** After so long anybody may take over, ms. */
const handOverMs = 900_000;
const none = -1;

/** Where a device was; nowhere while the latitude is NaN. */
interface Spot {
  source: number;
  latE7: number;
  lonE7: number;
}

/**
 * Chooses between sources that disagree (two recorders at different places): one is followed, until it ends, has been
 * silent for five minutes, or is left behind by another one that was with it. So two recorders never make a journey
 * between them, and one that lies at home does not hide where its owner is.
 */
export class FollowedSource {
  /** When each source ends. */
  readonly #endMs: Float64Array;
  #source = none;
  /** Of its last observation, believed or not. */
  #seenMs = Number.NEGATIVE_INFINITY;
  /** Of its last observation that is believed. */
  #timeMs = Number.NEGATIVE_INFINITY;
  #latE7 = 0;
  #lonE7 = 0;
  #timeBeforeMs = Number.NEGATIVE_INFINITY;
  #latBeforeE7 = 0;
  #lonBeforeE7 = 0;
  readonly #coMoving = new CoMovingDevices();
  /** Where a device was left behind. */
  readonly #left: Spot = { source: none, latE7: Number.NaN, lonE7: 0 };
  /** Where the device that left it was last, while the one left behind is followed all the same. */
  readonly #carried: Spot = { source: none, latE7: Number.NaN, lonE7: 0 };

  /** @param endMs by source: time of its last observation. */
  constructor(endMs: Float64Array) {
    this.#endMs = endMs;
  }

  /**
   * Tells whether an observation belongs to the followed source. Where none is followed its own is from here on, if it can
   * take over; a waypoint leads nowhere.
   */
  leads(point: Point): boolean {
    const { timeMs, source, kind } = point;
    if (this.#isAlive(timeMs)) {
      if (kind === waypointKind) return false;
      if (source !== this.#source) return this.#isCarriedOn(point);
      this.#seenMs = timeMs;
      return true;
    }
    if (!this.#canTakeOver(point)) return false;
    if (kind !== waypointKind) this.#takeOver(point);
    return true;
  }

  /** To be told of observations of other sources that agree. */
  noteBeside(point: Point): void {
    if (point.kind !== waypointKind) this.#coMoving.together(point, this.#sighting());
  }

  /**
   * To be told of observations of other sources that disagree.
   * @returns true if the followed source was left behind: then the other one is followed from here on.
   */
  isLeftBy(point: Point): boolean {
    if (point.kind === waypointKind) return false;
    const here = this.#sighting();
    if (!this.#coMoving.apart(point, here, isAt(this.#left, here))) return false;
    this.#left.latE7 = this.#latE7;
    this.#left.lonE7 = this.#lonE7;
    this.#follow(point);
    return true;
  }

  /** Tells whether an observation of another source may belong to the way of the followed one. */
  agrees({ timeMs, latE7, lonE7 }: Point): boolean {
    const apart = distanceM(this.#latE7, this.#lonE7, latE7, lonE7);
    if (apart <= togetherM) return true;
    const ms = this.#timeMs - this.#timeBeforeMs;
    if (!(ms > 0) || ms > followMs) return false;
    // Beside the pole or beyond a half turn this is wrong, and the other source is not believed.
    const share = (timeMs - this.#timeMs) / ms;
    const lat = this.#latE7 + (this.#latE7 - this.#latBeforeE7) * share;
    const lon = this.#lonE7 + wrapLonE7(this.#lonE7 - this.#lonBeforeE7) * share;
    const fromExpected = distanceM(lat, wrapLonE7(lon), latE7, lonE7);
    const covered = (this.#speed() * (timeMs - this.#timeMs)) / 1_000;
    return fromExpected <= togetherM + turnShare * covered;
  }

  is(source: number): boolean {
    return source === this.#source;
  }

  /** To be told of every observation that is believed. */
  note({ timeMs, latE7, lonE7, source }: Point): void {
    if (source === this.#source) this.#move(timeMs, latE7, lonE7);
  }

  /** To be told of believed observations of the followed source. */
  noteAll({ timeMs, latE7, lonE7 }: PositionColumns, from: number, to: number): void {
    for (let i = from; i < to; i += 1) this.#move(timeMs[i]!, latE7[i]!, lonE7[i]!);
    this.#seenMs = timeMs[to - 1]!;
  }

  #move(timeMs: number, latE7: number, lonE7: number): void {
    if (timeMs - this.#timeBeforeMs >= speedMs) {
      this.#timeBeforeMs = this.#timeMs;
      this.#latBeforeE7 = this.#latE7;
      this.#lonBeforeE7 = this.#lonE7;
    }
    this.#timeMs = timeMs;
    this.#latE7 = latE7;
    this.#lonE7 = lonE7;
  }

  #isAlive(timeMs: number): boolean {
    return this.#source !== none && timeMs - this.#timeMs <= followMs && !this.#hasEnded();
  }

  #hasEnded(): boolean {
    return this.#seenMs >= this.#endMs[this.#source]!;
  }

  #canTakeOver(point: Point): boolean {
    const { timeMs, latE7, lonE7, source } = point;
    if (this.#source === none || source === this.#source) return true;
    const ms = timeMs - this.#timeMs;
    if (ms > handOverMs) return true;
    if (this.#wasLeft(point)) return false;
    if (!this.#hasEnded()) return true;
    const apart = distanceM(this.#latE7, this.#lonE7, latE7, lonE7);
    const fastest = Math.max(handOverSpeed, handOverShare * this.#speed());
    return apart <= togetherM + (fastest * ms) / 1_000;
  }

  #takeOver(point: Point): void {
    if (this.#wasLeft(point)) {
      this.#carried.source = this.#source;
      this.#carried.latE7 = this.#latE7;
      this.#carried.lonE7 = this.#lonE7;
    } else if (point.source !== this.#source) this.#carried.latE7 = Number.NaN;
    this.#follow(point);
  }

  /** Tells whether an observation is of a device that was left behind. */
  #wasLeft(point: Point): boolean {
    return isAt(this.#left, point) && !isAt(this.#left, this.#sighting());
  }

  /** Tells whether the device that was taken along is back, and follows it. */
  #isCarriedOn(point: Point): boolean {
    const carried = this.#carried;
    if (Number.isNaN(carried.latE7)) return false;
    const isElsewhere = !isAt(this.#left, this.#sighting());
    const isBack = point.source === carried.source || isAt(carried, point);
    if (!isElsewhere && !isBack) return false;
    carried.latE7 = Number.NaN;
    // The device that was left behind has been taken along meanwhile: it is as good as any.
    if (isElsewhere) return false;
    this.#follow(point);
    return true;
  }

  #sighting(): Sighting {
    return { timeMs: this.#timeMs, latE7: this.#latE7, lonE7: this.#lonE7 };
  }

  #follow({ timeMs, latE7, lonE7, source }: Point): void {
    this.#source = source;
    this.#seenMs = timeMs;
    this.#timeMs = timeMs;
    this.#latE7 = latE7;
    this.#lonE7 = lonE7;
    this.#timeBeforeMs = Number.NEGATIVE_INFINITY;
    this.#coMoving.clear();
  }

  /** Metres per second of late. */
  #speed(): number {
    const ms = this.#timeMs - this.#timeBeforeMs;
    if (!(ms > 0) || ms > followMs) return 0;
    const metres = distanceM(this.#latBeforeE7, this.#lonBeforeE7, this.#latE7, this.#lonE7);
    return (metres / ms) * 1_000;
  }
}

function isAt(spot: Spot, { latE7, lonE7 }: Pick<Point, 'latE7' | 'lonE7'>): boolean {
  if (Number.isNaN(spot.latE7)) return false;
  return distanceM(spot.latE7, spot.lonE7, latE7, lonE7) <= togetherM;
}
