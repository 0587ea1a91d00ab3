import { waypointKind, type Point } from '../detect/point.ts';
import type { Stay } from '../detect/stay.ts';
import { isInPeriod, secondsWithin, type Period } from '../period.ts';
import type { FlightWatch } from './presence/flight-watch.ts';
import type { Presence } from './presence/presence.ts';
import type { Spot } from './presence/span.ts';
import type { MovementSums } from './trips/movement.ts';
import type { AdminRows, AdminUnit, Recorded } from './admin-rows.ts';
import type { DayRows } from './day-rows.ts';
import type { LongestStops } from './longest-stops.ts';
import type { PlaceFinder } from './place-finder.ts';
import type { Recording } from '../recording.ts';
import { Run } from './run.ts';
import type { Stop } from './stop.ts';
import type { Way } from './way.ts';

export interface TotalsParts {
  readonly rows: AdminRows;
  readonly days: DayRows;
  readonly stops: LongestStops;
  readonly finder: PlaceFinder;
  readonly way: Way;
  readonly presence: Presence;
  readonly flights: FlightWatch;
  readonly movement: MovementSums;
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
  #spot: Spot | undefined;
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
    const isWaypoint = point.kind === waypointKind;
    const spot = isWaypoint ? this.#parts.finder.at(latE7, lonE7) : this.#spotAlong(point, speed);
    this.#parts.flights.goTo(spot, timeMs, metres);
    const isAtSea = spot.unit.place.country_id === '';
    this.#parts.movement.goTo(timeMs, latE7, lonE7, point.weight, isAtSea);
    if (isWaypoint) this.#mark(spot, point, true);
    else if (isInPeriod(this.#period, timeMs)) this.#count(spot.unit, point);
  }

  /** Counts a timed waypoint away from the way. */
  markAside(point: Point): void {
    const spot = this.#parts.finder.at(point.latE7, point.lonE7);
    this.#parts.presence.takeAside(spot, point.timeMs);
    this.#mark(spot, point, false);
  }

  #mark(spot: Spot, point: Point, isOnWay: boolean): void {
    const { timeMs, latE7, lonE7, weight } = point;
    if (!isInPeriod(this.#period, timeMs)) return;
    this.#count(spot.unit, point);
    this.#stop(spot, {
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
      movement: isOnWay ? this.#movement() : undefined,
    });
  }

  /** Counts a stay or a mark, cut at the edges of the period. */
  stayed(stay: Stay): void {
    const { latE7, lonE7, fromMs, untilMs } = stay;
    const { startMs, endMs } = this.#period;
    const { way, finder, flights, movement } = this.#parts;
    const metres = way.goTo(fromMs, latE7, lonE7);
    way.rest(untilMs);
    const spot = finder.at(latE7, lonE7);
    way.zone = spot.zone;
    flights.stay(spot, stay.recording, metres);
    movement.rest(stay.firstMs, stay.lastMs, latE7, lonE7);
    this.#beforeMs = untilMs;
    this.#sinceLookupM = 0;
    this.#spot = spot;
    if (untilMs < startMs || fromMs >= endMs) return;
    this.#record(spot.unit, stay.recording);
    this.#stop(spot, {
      kind: stay.kind,
      latE7,
      lonE7,
      radiusM: stay.radiusM(),
      firstMs: Math.max(fromMs, startMs),
      lastMs: Math.min(untilMs, endMs),
      bridgedSeconds: stay.bridgedSeconds,
      observations: stay.recording.observations,
      continuesBefore: fromMs < startMs,
      continuesAfter: untilMs >= endMs,
      movement: this.#movement(),
    });
  }

  /** Counts what was gathered and not yet counted. */
  finish(): void {
    this.#parts.flights.finish();
    this.#endRun();
  }

  #endRun(): void {
    const { unit } = this.#run;
    if (unit !== undefined) this.#settle(unit, this.#run);
    this.#run.unit = undefined;
  }

  #spotAlong({ timeMs, latE7, lonE7 }: Point, speed: number): Spot {
    if (this.#spot !== undefined && this.#sinceLookupM < lookupM) return this.#spot;
    const { finder, rows, way } = this.#parts;
    const spot = finder.near(latE7, lonE7);
    const { unit } = spot;
    this.#spot = spot;
    this.#sinceLookupM = 0;
    way.zone = spot.zone;
    if (isInPeriod(this.#period, timeMs)) {
      rows.pass(unit, { speed, timeMs, latE7, lonE7, wayM: way.metres, place: unit.place });
    }
    return spot;
  }

  #count(unit: AdminUnit, { timeMs, source, weight }: Point): void {
    const run = this.#run;
    if (!run.goesOn(unit, source)) {
      this.#endRun();
      run.begin(unit, timeMs, source);
    }
    run.add(timeMs, weight);
  }

  #record(unit: AdminUnit, recorded: Recorded | Recording): void {
    this.#endRun();
    this.#settle(unit, recorded);
  }

  #movement(): Float64Array {
    return this.#parts.movement.snapshot(this.#parts.flights.flownM);
  }

  #settle(unit: AdminUnit, recorded: Recorded | Recording): void {
    this.#parts.rows.record(unit, recorded);
    if (unit.place.country_id === '') this.unresolved += recorded.observations;
    else this.resolved += recorded.observations;
  }

  #stop(
    { unit, zone }: Spot,
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
    days.stop(firstMs, lastMs, zone);
    rows.stop(unit, stop);
    stops.add(stop);
  }
}
