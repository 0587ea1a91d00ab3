import { dayMs, dayOf } from '../../../storage/day-blob.ts';
import { secondsWithin, type Period } from '../period.ts';

/** What was recorded on one UTC day. */
export interface DayRow {
  readonly day: number;
  readonly observations: number;
  readonly stops: number;
  readonly stopSeconds: number;
  readonly distanceM: number;
  /** ISO 3166-1 alpha-2, ascending. */
  readonly countries: readonly string[];
}

/** Counts by the UTC days of the period; what lies outside of it is ignored. */
export class DayRows {
  readonly #period: Period;
  readonly #observations: Float64Array;
  readonly #stops: Float64Array;
  readonly #stopSeconds: Float64Array;
  readonly #distanceM: Float64Array;
  readonly #countries: (Set<string> | undefined)[];

  constructor(period: Period) {
    const days = period.endDay - period.startDay + 1;
    this.#period = period;
    this.#observations = new Float64Array(days);
    this.#stops = new Float64Array(days);
    this.#stopSeconds = new Float64Array(days);
    this.#distanceM = new Float64Array(days);
    this.#countries = Array.from({ length: days });
  }

  record(day: number, observations: number): void {
    this.#add(this.#observations, day, observations);
  }

  travel(day: number, metres: number): void {
    this.#add(this.#distanceM, day, metres);
  }

  country(day: number, code: string): void {
    const index = day - this.#period.startDay;
    if (code === '' || index < 0 || index >= this.#countries.length) return;
    (this.#countries[index] ??= new Set()).add(code);
  }

  /** Counts a stop by the day of its end, its seconds by day. @returns that day. */
  stop(firstMs: number, lastMs: number, country: string): number {
    const last = this.dayOfEnd(lastMs);
    for (let day = dayOf(firstMs); day <= last; day += 1) {
      const from = Math.max(firstMs, day * dayMs);
      const to = Math.min(lastMs, (day + 1) * dayMs);
      this.#add(this.#stopSeconds, day, secondsWithin(this.#period, from, to));
      this.country(day, country);
    }
    this.#add(this.#stops, last, 1);
    return last;
  }

  /** The end of the period belongs to its last day. */
  dayOfEnd(lastMs: number): number {
    return Math.min(dayOf(lastMs), this.#period.endDay);
  }

  /** Days with observations, or with part of a stop. */
  rows(): DayRow[] {
    const rows: DayRow[] = [];
    for (const [index, observations] of this.#observations.entries()) {
      const stopSeconds = this.#stopSeconds[index]!;
      const stops = this.#stops[index]!;
      if (observations === 0 && stopSeconds === 0 && stops === 0) continue;
      rows.push({
        day: this.#period.startDay + index,
        observations,
        stops,
        stopSeconds,
        distanceM: Math.round(this.#distanceM[index]!),
        countries: [...(this.#countries[index] ?? [])].toSorted(),
      });
    }
    return rows;
  }

  #add(column: Float64Array, day: number, amount: number): void {
    const index = day - this.#period.startDay;
    if (index >= 0 && index < column.length) column[index]! += amount;
  }
}
