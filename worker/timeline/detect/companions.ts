import { distanceM } from '../earth.ts';
import type { Point } from './point.ts';

/** Sources that are known beside the followed one: more devices nobody has. */
const mostCompanions = 16;
/** Who is no further from where they were has not moved, metres; further than receivers err. */
const stillM = 100;
/** What was recorded so long ago says nothing about now, ms. */
const lastsMs = 300_000;

/** A source beside the followed one. */
interface Companion {
  /** Where the followed source was when they were last at one place. */
  readonly leaderLatE7: number;
  readonly leaderLonE7: number;
  /** Its last observation. */
  seenMs: number;
  /** Its first observation elsewhere since then; NaN if there is none. */
  leftMs: number;
  leftLatE7: number;
  leftLonE7: number;
}

/** A position and its time. */
export type Sighting = Pick<Point, 'timeMs' | 'latE7' | 'lonE7'>;

/**
 * Tells when the followed device was left behind: another one was with it, and has gone away while it lies still. Somebody
 * with two devices is with the one that moves. Two that were never together say nothing about each other.
 */
export class Companions {
  readonly #bySource = new Map<number, Companion>();

  /** Takes an observation of another source, at the place of the followed one. */
  together({ source, timeMs }: Point, leader: Sighting): void {
    this.#meet(source, timeMs, leader);
  }

  /**
   * Takes an observation of another source somewhere else.
   * @param isKnown the followed one lies where it was left behind before: then nobody needs to have been with it.
   * @returns true if the followed one was left behind.
   */
  apart(point: Point, leader: Sighting, isKnown: boolean): boolean {
    const { source, timeMs, latE7, lonE7 } = point;
    let companion = this.#bySource.get(source);
    if (companion !== undefined && timeMs - companion.seenMs > lastsMs) {
      this.#bySource.delete(source);
      companion = undefined;
    }
    if (companion === undefined && isKnown) companion = this.#meet(source, timeMs, leader);
    if (companion === undefined) return false;
    companion.seenMs = timeMs;
    if (Number.isNaN(companion.leftMs)) {
      companion.leftMs = timeMs;
      companion.leftLatE7 = latE7;
      companion.leftLonE7 = lonE7;
      return false;
    }
    return hasGone(companion, point) && isStill(companion, leader);
  }

  /** Who was with the last followed source may be elsewhere by now. */
  clear(): void {
    this.#bySource.clear();
  }

  #meet(source: number, timeMs: number, leader: Sighting): Companion {
    this.#bySource.delete(source);
    if (this.#bySource.size === mostCompanions) this.#forgetFirst();
    const companion: Companion = {
      leaderLatE7: leader.latE7,
      leaderLonE7: leader.lonE7,
      seenMs: timeMs,
      leftMs: Number.NaN,
      leftLatE7: 0,
      leftLonE7: 0,
    };
    this.#bySource.set(source, companion);
    return companion;
  }

  #forgetFirst(): void {
    for (const source of this.#bySource.keys()) {
      this.#bySource.delete(source);
      return;
    }
  }
}

function hasGone({ leftLatE7, leftLonE7 }: Companion, { latE7, lonE7 }: Point): boolean {
  return distanceM(leftLatE7, leftLonE7, latE7, lonE7) > stillM;
}

/** Tells whether the followed device was seen since the other one left, at the same place. */
function isStill({ leftMs, leaderLatE7, leaderLonE7 }: Companion, leader: Sighting): boolean {
  if (leader.timeMs <= leftMs) return false;
  return distanceM(leaderLatE7, leaderLonE7, leader.latE7, leader.lonE7) <= stillM;
}
