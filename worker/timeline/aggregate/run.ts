import type { AdminUnit, Recorded } from './admin-rows.ts';

/** Observations on the way in one unit, of one source: counted together. */
export class Run implements Recorded {
  unit: AdminUnit | undefined;
  observations = 0;
  readonly sources: number[] = [-1];
  firstMs = Number.NaN;
  lastMs = Number.NaN;

  /** Whether an observation belongs to the run. */
  goesOn(unit: AdminUnit, source: number): boolean {
    return this.unit === unit && source === this.sources[0];
  }

  /** Begins a run of nothing yet. */
  begin(unit: AdminUnit, timeMs: number, source: number): void {
    this.unit = unit;
    this.observations = 0;
    this.sources[0] = source;
    this.firstMs = timeMs;
  }

  add(timeMs: number, weight: number): void {
    this.observations += weight;
    this.lastMs = timeMs;
  }
}
