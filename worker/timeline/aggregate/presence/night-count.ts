import { dayMs } from '../../../../storage/day-blob.ts';
import { unitsPerDegree, wrapLonE7 } from '../../earth.ts';

const hourMs = 3_600_000;
const nightHour = 3;
/** Longitudes that the sun passes in an hour, 1e-7 degree. */
export const unitsPerHour = 15 * unitsPerDegree;

/**
 * Numbers the nights of a traveller. A night is an instant of 03:00 solar time: UTC plus one hour for each 15° of
 * longitude, rounded, which needs no table of zones. A traveller round the earth carries the hours along: at the date line no
 * night is lost or doubled, and who flies back over an instant of 03:00 has it once.
 */
export class NightCount {
  /** The number of the last night that has passed. */
  last = Number.NaN;
  #lonE7 = 0;
  /** West or east of 0°, not wrapped. */
  #turnedE7 = Number.NaN;
  #shiftMs = 0;

  /** Goes on to a position. @returns the number of the last night until then. */
  goTo(timeMs: number, lonE7: number): number {
    if (Number.isNaN(this.#turnedE7)) this.#turnedE7 = lonE7;
    else this.#turnedE7 += wrapLonE7(lonE7 - this.#lonE7);
    this.#lonE7 = lonE7;
    this.#shiftMs = (Math.round(this.#turnedE7 / unitsPerHour) - nightHour) * hourMs;
    return Math.floor((timeMs + this.#shiftMs) / dayMs);
  }

  /** When a night is where the traveller is now. */
  instantOf(night: number): number {
    return night * dayMs - this.#shiftMs;
  }
}
