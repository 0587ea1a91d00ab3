import type { PositionColumns } from '../../../storage/day-cursor.ts';
import { distanceM } from '../earth.ts';
import { waypointKind, type Point } from './point.ts';

/** A source is followed until it has been silent for so long, ms. */
const followMs = 300_000;
/** How far from the followed source another one may be and still be at the same place, metres. */
const togetherM = 150;
/** …and further, as it may have set off since: so many metres a second, up to so many metres. */
const settingOffSpeed = 10;
const settingOffM = 150;
/** …and further, as it was on its way: so many times its speed. */
const speedShare = 1.5;
/** Speed is taken over at least this long where points are denser, ms. */
const speedMs = 10_000;
const none = -1;

/**
 * Chooses between sources that disagree (two recorders at different places): one is followed, until it ends or has been
 * silent for five minutes. So two recorders never make a journey between them.
 */
export class FollowedSource {
  /** When each source ends. */
  readonly #endMs: Float64Array;
  #source = none;
  #timeMs = Number.NEGATIVE_INFINITY;
  #latE7 = 0;
  #lonE7 = 0;
  #timeBeforeMs = Number.NEGATIVE_INFINITY;
  #latBeforeE7 = 0;
  #lonBeforeE7 = 0;

  /** @param endMs by source: time of its last observation. */
  constructor(endMs: Float64Array) {
    this.#endMs = endMs;
  }

  /**
   * Tells whether an observation may belong to the way of the followed source. Where none is followed its own is from here
   * on; a waypoint leads nowhere.
   */
  agrees(point: Point): boolean {
    const { timeMs, latE7, lonE7, source } = point;
    if (source === this.#source) return true;
    if (!this.#isAlive(timeMs)) {
      if (point.kind !== waypointKind) this.#follow(point);
      return true;
    }
    const apart = distanceM(this.#latE7, this.#lonE7, latE7, lonE7);
    const seconds = (timeMs - this.#timeMs) / 1_000;
    const setOff = Math.min(settingOffSpeed * seconds, settingOffM);
    return apart <= togetherM + setOff + speedShare * this.#speed() * seconds;
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
    if (this.#source === none || timeMs - this.#timeMs > followMs) return false;
    return this.#timeMs < this.#endMs[this.#source]!;
  }

  #follow({ timeMs, latE7, lonE7, source }: Point): void {
    this.#source = source;
    this.#timeMs = timeMs;
    this.#latE7 = latE7;
    this.#lonE7 = lonE7;
    this.#timeBeforeMs = Number.NEGATIVE_INFINITY;
  }

  /** Metres per second of late. */
  #speed(): number {
    const ms = this.#timeMs - this.#timeBeforeMs;
    if (!(ms > 0) || ms > followMs) return 0;
    const metres = distanceM(this.#latBeforeE7, this.#lonBeforeE7, this.#latE7, this.#lonE7);
    return (metres / ms) * 1_000;
  }
}
