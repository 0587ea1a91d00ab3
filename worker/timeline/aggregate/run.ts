import { dayMs, dayOf } from '../../../storage/day-blob.ts';
import type { AdminUnit, Recorded } from './admin-rows.ts';

/** Observations on the way in one unit, on one day, of one source: counted together. */
export class Run implements Recorded {
  unit: AdminUnit | undefined;
  observations = 0;
  readonly days: number[] = [Number.NaN];
  readonly sources: number[] = [-1];
  firstMs = 0;
  lastMs = 0;
  #dayEndMs = 0;

  /** Tells whether an observation belongs to the run. */
  goesOn(unit: AdminUnit, timeMs: number, source: number): boolean {
    return this.unit === unit && timeMs < this.#dayEndMs && source === this.sources[0];
  }

  /** Begins a run of nothing yet. */
  begin(unit: AdminUnit, timeMs: number, source: number): void {
    const day = dayOf(timeMs);
    this.unit = unit;
    this.observations = 0;
    this.days[0] = day;
    this.sources[0] = source;
    this.firstMs = timeMs;
    this.#dayEndMs = (day + 1) * dayMs;
  }

  add(timeMs: number, weight: number): void {
    this.observations += weight;
    this.lastMs = timeMs;
  }
}
