import { distanceBetween } from '../earth.ts';
import { Point } from './point.ts';

/** Sources that are known beside the followed one: a person has no more devices. */
const mostDevices = 16;
/** A device has not moved while it is no further from its place, metres; further than receivers err. */
const stillM = 100;
/** Older observations say nothing about now, ms. */
const lastsMs = 300_000;

interface CoMovingDevice {
  /** Where the followed source was when they were last at one place. */
  readonly leader: Point;
  /** Its last observation. */
  seenMs: number;
  /** Its first observation elsewhere since then. */
  left: Point | undefined;
}

/**
 * Finds out when the followed device was left behind: another one was with it, and has gone away while it lies still. The
 * user is with the device that moves. Two that were never together say nothing about each other.
 */
export class CoMovingDevices {
  readonly #bySource = new Map<number, CoMovingDevice>();

  /** Notes an observation of another source at the place of the followed one. */
  together({ source, timeMs }: Point, leader: Point): CoMovingDevice {
    const devices = this.#bySource;
    devices.delete(source);
    if (devices.size === mostDevices) devices.delete(devices.keys().next().value!);
    const device = { leader: new Point().copy(leader), seenMs: timeMs, left: undefined };
    devices.set(source, device);
    return device;
  }

  /**
   * Notes an observation of another source somewhere else.
   * @param isKnown the followed one lies where it was left behind before: then no other one needs to have been with it.
   * @returns true if the followed one was left behind.
   */
  apart(point: Point, leader: Point, isKnown: boolean): boolean {
    const { source, timeMs } = point;
    let device = this.#bySource.get(source);
    if (device !== undefined && timeMs - device.seenMs > lastsMs) {
      this.#bySource.delete(source);
      device = undefined;
    }
    if (device === undefined && isKnown) device = this.together(point, leader);
    if (device === undefined) return false;
    device.seenMs = timeMs;
    if (device.left === undefined) {
      device.left = new Point().copy(point);
      return false;
    }
    const hasGone = distanceBetween(device.left, point) > stillM;
    // Seen since the other one left.
    const isThere = leader.timeMs > device.left.timeMs;
    return hasGone && isThere && distanceBetween(device.leader, leader) <= stillM;
  }

  /** Forgets the devices near the last followed source: they may be elsewhere by now. */
  clear(): void {
    this.#bySource.clear();
  }
}
