import { isInPeriod, type Period } from './period.ts';

/** A longer pause may hide a whole day, or a night that is far from every observation, ms. */
const pauseMs = 43_200_000;

/** The observations over a stretch of time, in order of time. Only those within the period count. */
export class Recording {
  observations = 0;
  readonly sources = new Set<number>();
  /** Time of the first observation, ms since 1970 UTC; infinite while there is none. */
  firstMs = Number.POSITIVE_INFINITY;
  lastMs = Number.NEGATIVE_INFINITY;
  /** Begin and end of each stretch without a pause of half a day, in turn; outside of the period, too. */
  readonly stretches: number[] = [];
  readonly #period: Period;
  #source = -1;

  constructor(period: Period) {
    this.#period = period;
  }

  /** @param source below 0 for what no file says. @param weight of how many observations. */
  add(timeMs: number, source: number, weight: number): void {
    this.#stretch(timeMs, timeMs);
    if (!isInPeriod(this.#period, timeMs)) return;
    if (this.firstMs === Number.POSITIVE_INFINITY) this.firstMs = timeMs;
    this.observations += weight;
    this.lastMs = timeMs;
    if (source === this.#source || source < 0) return;
    this.#source = source;
    this.sources.add(source);
  }

  /** Adds what was recorded later elsewhere. */
  addAll(later: Recording): void {
    this.observations += later.observations;
    for (const source of later.sources) this.sources.add(source);
    this.firstMs = Math.min(this.firstMs, later.firstMs);
    this.lastMs = Math.max(this.lastMs, later.lastMs);
    for (let i = 0; i < later.stretches.length; i += 2) {
      this.#stretch(later.stretches[i]!, later.stretches[i + 1]!);
    }
  }

  /** Leaves no pause between the first and the last observation. */
  fill(): void {
    this.stretches.splice(1, this.stretches.length - 2);
  }

  #stretch(firstMs: number, lastMs: number): void {
    const { stretches } = this;
    const { length } = stretches;
    if (length > 0 && firstMs - stretches[length - 1]! <= pauseMs) stretches[length - 1] = lastMs;
    else stretches.push(firstMs, lastMs);
  }
}
