import { distanceBetween } from '../earth.ts';
import { FollowedSource } from './followed-source.ts';
import { LeapGuard } from './leap-guard.ts';
import { Point, waypointKind } from './point.ts';

/** Gets the observations that the filter drops. */
export interface RefuseSink {
  reject(point: Point): void;
  /** Called before `reject` for an observation of a device elsewhere than the followed one. */
  unfollowed(point: Point): void;
  /** A waypoint away from the track: no part of the way, but a place all the same. */
  setAside(point: Point): void;
}

/** A smaller movement is no spike, metres. */
const nearM = 150;
/** A spike is a detour of more than so many times the way without it. */
const detour = 4;
/** …which counts as at least this much, metres. */
const leastWayM = 75;
const spikeMs = 300_000;
/** Nothing is as fast, m/s: planes fly at 250. */
const fastestSpeed = 340;
/**
 * A detour beside a silence is a spike where it would have been faster, m/s: it leads to where the user was before, and
 * no motorway ends there.
 */
const silentSpeed = 20;
/** Points at exactly 0°N 0°E come from a recorder without a fix, unless the track leads there. */
const nullIslandM = 100_000;

/**
 * Drops observations that cannot be true: single points far off, 0°N 0°E, another position at the same time, sources that
 * disagree with the followed one. Looks one point ahead where it must.
 */
export class TrackFilter {
  readonly #guard: LeapGuard;
  readonly #refused: RefuseSink;
  readonly #followed: FollowedSource;
  /** From the last observation of the followed source that is believed. */
  readonly #kept = new Point();
  /** A point that the next one decides about. */
  readonly #held = new Point();
  #isHeld = false;

  /** @param sourceEndMs by source: time of its last observation. */
  constructor(sourceEndMs: Float64Array, pass: (point: Point) => void, refused: RefuseSink) {
    this.#kept.timeMs = Number.NEGATIVE_INFINITY;
    this.#followed = new FollowedSource(sourceEndMs);
    this.#guard = new LeapGuard(pass, (point) => this.#refuse(point));
    this.#refused = refused;
  }

  take(point: Point): void {
    if (!this.#followed.leads(point) && !this.#addBeside(point)) return;
    if (this.#isHeld) this.#decide(point);
    const { timeMs, latE7, lonE7 } = point;
    const isFirst = this.#kept.timeMs === Number.NEGATIVE_INFINITY;
    const apart = isFirst ? Infinity : distanceBetween(this.#kept, point);
    const isNullIsland = latE7 === 0 && lonE7 === 0;
    const isFalse = timeMs === this.#kept.timeMs || (isNullIsland && apart > nullIslandM);
    if ((isFirst && !isNullIsland) || apart <= nearM) this.#keep(point);
    else if (isFalse) this.#refuse(point);
    else {
      this.#isHeld = true;
      this.#held.copy(point);
    }
  }

  /** Lets go of what waits for a next point. */
  finish(): void {
    this.#letGo();
    this.#guard.finish();
  }

  #letGo(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#keep(this.#held);
  }

  /**
   * Handles a point of a source that is not followed: it bears out a held point, but never calls it a spike.
   * @returns true if it is not taken, because its source is the followed one by now.
   */
  #addBeside(point: Point): boolean {
    const isBorneOut = this.#isHeld && this.#isBorneOut(point);
    if (isBorneOut) this.#letGo();
    if (this.#isHeld) this.#refuse(point);
    else if (this.#followed.agrees(point)) {
      this.#followed.noteBeside(point);
      this.#guard.observe(point);
    } else if (this.#followed.isLeftBy(point)) return true;
    else {
      if (point.kind !== waypointKind) this.#refused.unfollowed(point);
      this.#refuse(point);
    }
    return false;
  }

  #isBorneOut(point: Point): boolean {
    if (distanceBetween(this.#held, point) <= nearM) return true;
    return this.#followed.agrees(point) && !this.#isSpike(point);
  }

  /** Keeps or drops the held point, now that the next one is known. */
  #decide(next: Point): void {
    this.#isHeld = false;
    if (this.#isSpike(next)) this.#refuse(this.#held);
    else this.#keep(this.#held);
  }

  #isSpike(next: Point): boolean {
    const [kept, held] = [this.#kept, this.#held];
    const back = distanceBetween(held, next);
    if (back <= nearM) return false;
    const out = distanceBetween(kept, held);
    const way = distanceBetween(kept, next);
    const outMs = held.timeMs - kept.timeMs;
    const backMs = next.timeMs - held.timeMs;
    if (isFaster(fastestSpeed, out, outMs) && isFaster(fastestSpeed, back, backMs)) return true;
    const isDetour = out + back > detour * Math.max(way, leastWayM);
    if (outMs + backMs <= spikeMs) return isDetour;
    // The way in a silence is unknown; the leg on its other side decides.
    const [metres, ms] = outMs < backMs ? [out, outMs] : [back, backMs];
    return ms <= spikeMs && isFaster(isDetour ? silentSpeed : fastestSpeed, metres, ms);
  }

  #keep(point: Point): void {
    this.#kept.copy(point);
    this.#followed.note(point);
    this.#guard.observe(point);
  }

  #refuse(point: Point): void {
    const isPlace = point.kind === waypointKind && (point.latE7 !== 0 || point.lonE7 !== 0);
    if (isPlace) this.#refused.setAside(point);
    else this.#refused.reject(point);
  }
}

function isFaster(speed: number, metres: number, ms: number): boolean {
  return metres * 1_000 > speed * ms;
}
