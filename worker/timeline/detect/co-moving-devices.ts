import { distanceM } from '../earth.ts';
import type { Point } from './point.ts';

/** Sources that are known beside the followed one: a person has no more devices. */
const mostDevices = 16;
/** A device has not moved while it is no further from its place, metres; further than receivers err. */
const stillM = 100;
/** What was recorded so long ago says nothing about now, ms. */
const lastsMs = 300_000;

/** A source beside the followed one. */
interface CoMovingDevice {
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
export class CoMovingDevices {
  readonly #bySource = new Map<number, CoMovingDevice>();

  /** Takes an observation of another source, at the place of the followed one. */
  together({ source, timeMs }: Point, leader: Sighting): void {
    this.#meet(source, timeMs, leader);
  }

  /**
   * Takes an observation of another source somewhere else.
   * @param isKnown the followed one lies where it was left behind before: then no other one needs to have been with it.
   * @returns true if the followed one was left behind.
   */
  apart(point: Point, leader: Sighting, isKnown: boolean): boolean {
    const { source, timeMs, latE7, lonE7 } = point;
    let device = this.#bySource.get(source);
    if (device !== undefined && timeMs - device.seenMs > lastsMs) {
      this.#bySource.delete(source);
      device = undefined;
    }
    if (device === undefined && isKnown) device = this.#meet(source, timeMs, leader);
    if (device === undefined) return false;
    device.seenMs = timeMs;
    if (Number.isNaN(device.leftMs)) {
      device.leftMs = timeMs;
      device.leftLatE7 = latE7;
      device.leftLonE7 = lonE7;
      return false;
    }
    return hasGone(device, point) && isStill(device, leader);
  }

  /** Forgets the devices near the last followed source: they may be elsewhere by now. */
  clear(): void {
    this.#bySource.clear();
  }

  #meet(source: number, timeMs: number, leader: Sighting): CoMovingDevice {
    this.#bySource.delete(source);
    if (this.#bySource.size === mostDevices) this.#forgetFirst();
    const device: CoMovingDevice = {
      leaderLatE7: leader.latE7,
      leaderLonE7: leader.lonE7,
      seenMs: timeMs,
      leftMs: Number.NaN,
      leftLatE7: 0,
      leftLonE7: 0,
    };
    this.#bySource.set(source, device);
    return device;
  }

  #forgetFirst(): void {
    for (const source of this.#bySource.keys()) {
      this.#bySource.delete(source);
      return;
    }
  }
}

function hasGone({ leftLatE7, leftLonE7 }: CoMovingDevice, { latE7, lonE7 }: Point): boolean {
  return distanceM(leftLatE7, leftLonE7, latE7, lonE7) > stillM;
}

/** Tells whether the followed device was seen since the other one left, at the same place. */
function isStill({ leftMs, leaderLatE7, leaderLonE7 }: CoMovingDevice, leader: Sighting): boolean {
  if (leader.timeMs <= leftMs) return false;
  return distanceM(leaderLatE7, leaderLonE7, leader.latE7, leader.lonE7) <= stillM;
}
