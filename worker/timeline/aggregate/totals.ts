import { waypointKind, type Point } from '../detect/point.ts';
import type { Stay } from '../detect/stay.ts';
import { isInPeriod, secondsWithin, type Period } from '../period.ts';
import type { AdminRows, AdminUnit, Recorded } from './admin-rows.ts';
import type { DayRows } from './day-rows.ts';
import type { LongestStops } from './longest-stops.ts';
import { nightsWithin } from './nights.ts';
import type { PlaceFinder } from './place-finder.ts';
import type { Presence } from '../presence.ts';
import { Run } from './run.ts';
import type { Stop } from './stop.ts';
import type { Way } from './way.ts';

export interface TotalsParts {
  readonly rows: AdminRows;
  readonly days: DayRows;
  readonly stops: LongestStops;
  readonly finder: PlaceFinder;
  readonly way: Way;
}

/** On the way the unit is looked up again after so many metres. */
const lookupM = 500;

/** Counts stays, marks and the way between them, which come in order of time. Only what lies in the period is counted. */
export class Totals {
  stopsFound = 0;
  stopSeconds = 0;
  bridgedSeconds = 0;
  /** In a known country. */
  resolved = 0;
  unresolved = 0;
  readonly #period: Period;
  readonly #parts: TotalsParts;
  readonly #run = new Run();
  #unit: AdminUnit | undefined;
  #sinceLookupM = 0;
  #beforeMs = Number.NaN;

  constructor(period: Period, parts: TotalsParts) {
    this.#period = period;
    this.#parts = parts;
  }

  /** Counts an observation on the way; a timed waypoint is a mark as well. */
  moved(point: Point): void {
    const { timeMs, latE7, lonE7 } = point;
    const metres = this.#parts.way.goTo(timeMs, latE7, lonE7);
    const speed = (metres * 1_000) / Math.max(1, timeMs - this.#beforeMs);
    this.#beforeMs = timeMs;
    this.#sinceLookupM += metres;
    if (!isInPeriod(this.#period, timeMs)) this.#unit = undefined;
    else if (point.kind === waypointKind) this.mark(point);
    else this.#count(this.#unitAlong(point, speed), point);
  }

  /** Counts a timed waypoint, wherever the way is. */
  mark(point: Point): void {
    const { timeMs, latE7, lonE7, weight } = point;
    if (!isInPeriod(this.#period, timeMs)) return;
    const unit = this.#parts.finder.at(latE7, lonE7);
    this.#count(unit, point);
    this.#stop(unit, {
      kind: 'mark',
      latE7,
      lonE7,
      radiusM: 0,
      firstMs: timeMs,
      lastMs: timeMs,
      bridgedSeconds: 0,
      observations: weight,
      continuesBefore: false,
      continuesAfter: false,
    });
  }

  /** Counts a stay or a mark, cut at the edges of the period. */
  stayed(stay: Stay): void {
    const { latE7, lonE7 } = stay;
    const { startMs, endMs } = this.#period;
    const { way, finder } = this.#parts;
    way.goTo(stay.firstMs, latE7, lonE7);
    way.rest(stay.lastMs);
    this.#beforeMs = stay.lastMs;
    this.#sinceLookupM = 0;
    this.#unit = undefined;
    if (stay.lastMs < startMs || stay.firstMs >= endMs) return;
    this.#unit = finder.at(latE7, lonE7);
    this.#record(this.#unit, stay.presence);
    this.#stop(this.#unit, {
      kind: stay.kind,
      latE7,
      lonE7,
      radiusM: stay.radiusM(),
      firstMs: Math.max(stay.firstMs, startMs),
      lastMs: Math.min(stay.lastMs, endMs),
      bridgedSeconds: stay.bridgedSeconds,
      observations: stay.presence.observations,
      continuesBefore: stay.firstMs < startMs,
      continuesAfter: stay.lastMs >= endMs,
    });
  }

  /** Counts what was gathered and not yet counted. */
  finish(): void {
    const { unit } = this.#run;
    if (unit !== undefined) this.#settle(unit, this.#run);
    this.#run.unit = undefined;
  }

  #unitAlong({ timeMs, latE7, lonE7 }: Point, speed: number): AdminUnit {
    if (this.#unit !== undefined && this.#sinceLookupM < lookupM) return this.#unit;
    const { finder, rows, way } = this.#parts;
    const unit = finder.near(latE7, lonE7);
    this.#unit = unit;
    this.#sinceLookupM = 0;
    rows.pass(unit, { speed, timeMs, latE7, lonE7, wayM: way.metres, place: unit.place });
    return unit;
  }

  #count(unit: AdminUnit, { timeMs, source, weight }: Point): void {
    const run = this.#run;
    if (!run.goesOn(unit, timeMs, source)) {
      this.finish();
      run.begin(unit, timeMs, source);
    }
    run.add(timeMs, weight);
  }

  #record(unit: AdminUnit, recorded: Recorded | Presence): void {
    this.finish();
    this.#settle(unit, recorded);
  }

  #settle(unit: AdminUnit, recorded: Recorded | Presence): void {
    this.#parts.rows.record(unit, recorded);
    for (const day of recorded.days) this.#parts.days.country(day, unit.place.country_id);
    if (unit.place.country_id === '') this.unresolved += recorded.observations;
    else this.resolved += recorded.observations;
  }

  #stop(
    unit: AdminUnit,
    found: Omit<Stop, 'ordinal' | 'place' | 'durationSeconds' | 'wayBeforeM'>,
  ): void {
    const { rows, days, stops, way } = this.#parts;
    const { firstMs, lastMs } = found;
    const stop: Stop = {
      ...found,
      ordinal: this.stopsFound,
      durationSeconds: secondsWithin(this.#period, firstMs, lastMs),
      wayBeforeM: way.metres,
      place: unit.place,
    };
    this.stopsFound += 1;
    this.stopSeconds += stop.durationSeconds;
    this.bridgedSeconds += stop.bridgedSeconds;
    days.stop(firstMs, lastMs, unit.place.country_id);
    const nights = found.kind === 'stay' ? nightsWithin(firstMs, lastMs, found.lonE7) : 0;
    rows.stop(unit, stop, nights);
    stops.add(stop);
  }
}
