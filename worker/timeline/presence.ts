import { dayOf } from '../../storage/day-blob.ts';
import { isInPeriod, type Period } from './period.ts';

const dayMs = 86_400_000;

/** What was recorded within the period over a stretch of time; observations come in order of time. */
export class Presence {
  observations = 0;
  /** UTC days with an observation, ascending. */
  readonly days: number[] = [];
  readonly sources = new Set<number>();
  /** Of the first observation, ms since 1970 UTC; infinite while there is none. */
  firstMs = Number.POSITIVE_INFINITY;
  lastMs = Number.NEGATIVE_INFINITY;
  readonly #period: Period;
  #dayEndMs = Number.NEGATIVE_INFINITY;
  #isInPeriod = false;
  #source = -1;

  constructor(period: Period) {
    this.#period = period;
  }

  /** @param weight of how many observations. */
  add(timeMs: number, source: number, weight: number): void {
    if (timeMs >= this.#dayEndMs) this.#beginDay(timeMs);
    if (!this.#isInPeriod) return;
    this.observations += weight;
    this.lastMs = timeMs;
    if (source === this.#source) return;
    this.#source = source;
    this.sources.add(source);
  }

  /** Adds observations of one source and one day. */
  addDay(firstMs: number, lastMs: number, source: number, observations: number): void {
    this.add(firstMs, source, observations);
    if (this.#isInPeriod) this.lastMs = lastMs;
  }

  /** Adds what was recorded later elsewhere. */
  addAll(later: Presence): void {
    this.observations += later.observations;
    for (const day of later.days) if (day !== this.days.at(-1)) this.days.push(day);
    for (const source of later.sources) this.sources.add(source);
    this.firstMs = Math.min(this.firstMs, later.firstMs);
    this.lastMs = Math.max(this.lastMs, later.lastMs);
    this.#dayEndMs = Math.max(this.#dayEndMs, later.#dayEndMs);
    this.#isInPeriod = later.#isInPeriod;
  }

  /** Periods are made of whole days, so what holds for the first observation of a day holds for all. */
  #beginDay(timeMs: number): void {
    const day = dayOf(timeMs);
    this.#dayEndMs = (day + 1) * dayMs;
    this.#isInPeriod = isInPeriod(this.#period, timeMs);
    if (!this.#isInPeriod) return;
    this.days.push(day);
    if (this.firstMs === Number.POSITIVE_INFINITY) this.firstMs = timeMs;
  }
}
