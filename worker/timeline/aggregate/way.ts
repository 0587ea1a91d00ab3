import type { Zone } from '../calendar/zone.ts';
import { distanceM } from '../earth.ts';
import { isInPeriod, secondsWithin, type Period } from '../period.ts';
import type { DayRows } from './day-rows.ts';

/** The way between stops: how long, in metres and in seconds. Legs that end in the period are counted, each to its end's day. */
export class Way {
  /** Metres since the first observation, silences included. */
  metres = 0;
  movingSeconds = 0;
  silentSeconds = 0;
  silentM = 0;
  /** The zone whose days count here. */
  zone: Zone;
  readonly #period: Period;
  readonly #silenceMs: number;
  readonly #days: DayRows;
  #timeMs = Number.NaN;
  #latE7 = 0;
  #lonE7 = 0;

  constructor(period: Period, silenceMs: number, days: DayRows, zone: Zone) {
    this.zone = zone;
    this.#period = period;
    this.#silenceMs = silenceMs;
    this.#days = days;
  }

  /**
   * Goes on to a position.
   * @returns metres of the leg; 0 for the first.
   */
  goTo(timeMs: number, latE7: number, lonE7: number): number {
    const fromMs = this.#timeMs;
    const metres = Number.isNaN(fromMs) ? 0 : distanceM(this.#latE7, this.#lonE7, latE7, lonE7);
    this.#timeMs = timeMs;
    this.#latE7 = latE7;
    this.#lonE7 = lonE7;
    this.metres += metres;
    if (!Number.isNaN(fromMs)) this.#count(fromMs, timeMs, metres);
    return metres;
  }

  /** Stays where it is until later, not counted. */
  rest(untilMs: number): void {
    this.#timeMs = untilMs;
  }

  #count(fromMs: number, toMs: number, metres: number): void {
    if (!isInPeriod(this.#period, toMs)) return;
    const isSilent = toMs - fromMs > this.#silenceMs;
    if (!isSilent) this.#days.travel(toMs, metres, this.zone);
    // From the first to the last observation of the period: what lies beyond them is known only a little way.
    if (fromMs < this.#period.startMs) return;
    const seconds = secondsWithin(this.#period, fromMs, toMs);
    if (isSilent) this.silentSeconds += seconds;
    else this.movingSeconds += seconds;
    if (isSilent) this.silentM += metres;
  }
}
