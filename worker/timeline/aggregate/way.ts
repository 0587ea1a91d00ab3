import type { Zone } from '../calendar/zone.ts';
import { distanceBetween, fixOf, type Fix } from '../earth.ts';
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
  #last: Fix | undefined;

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
  goTo(fix: Fix): number {
    const last = this.#last;
    this.#last = fixOf(fix);
    if (last === undefined) return 0;
    const metres = distanceBetween(last, fix);
    this.metres += metres;
    this.#count(last.timeMs, fix.timeMs, metres);
    return metres;
  }

  /** Begins again where a rest ends, which is not counted. */
  leave(fix: Fix): void {
    this.#last = fix;
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
