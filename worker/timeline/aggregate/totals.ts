import type { AdminLookup } from '../../../model/admin-place.ts';
import type { Calendar } from '../calendar/calendar.ts';
import { waypointKind, type Point } from '../detect/point.ts';
import type { Stay } from '../detect/stay.ts';
import { isInPeriod, secondsWithin, type Period } from '../period.ts';
import { FlightWatch } from './presence/flight-watch.ts';
import { Presence } from './presence/presence.ts';
import type { Spot } from './presence/span.ts';
import { MovementSums } from './trips/movement.ts';
import { AdminRows, type AdminUnit, type Recorded } from './admin-rows.ts';
import { DayRows } from './day-rows.ts';
import { LongestStops } from './longest-stops.ts';
import { PlaceFinder } from './place-finder.ts';
import type { Recording } from '../recording.ts';
import type { StayParameters } from '../stay-parameters.ts';
import type { Stop } from './stop.ts';
import { Way } from './way.ts';

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
  readonly rows: AdminRows;
  readonly days: DayRows;
  readonly stops: LongestStops;
  readonly way: Way;
  readonly presence: Presence;
  readonly #finder: PlaceFinder;
  readonly #flights: FlightWatch;
  readonly #movement: MovementSums;
  readonly #period: Period;
  readonly #run = new Run();
  #spot: Spot | undefined;
  #sinceLookupM = 0;
  #beforeMs = Number.NaN;

  /** @param lookup undefined where no generation could be opened. */
  constructor(
    period: Period,
    calendar: Calendar,
    lookup: AdminLookup | undefined,
    { silenceSeconds, maxStops }: StayParameters,
  ) {
    const silenceMs = silenceSeconds * 1_000;
    this.#period = period;
    this.rows = new AdminRows();
    this.days = new DayRows(period);
    this.stops = new LongestStops(maxStops);
    this.way = new Way(period, silenceMs, this.days, calendar.zoneAt(0, 0));
    this.presence = new Presence(period, this.days);
    this.#finder = new PlaceFinder(lookup, this.rows, calendar);
    this.#flights = new FlightWatch(this.presence);
    this.#movement = new MovementSums(silenceMs);
  }

  /** Counts an observation on the way; a timed waypoint is a mark as well. */
  moved(point: Point): void {
    const { timeMs, latE7, lonE7 } = point;
    const metres = this.way.goTo(timeMs, latE7, lonE7);
    const speed = (metres * 1_000) / Math.max(1, timeMs - this.#beforeMs);
    this.#beforeMs = timeMs;
    this.#sinceLookupM += metres;
    const isWaypoint = point.kind === waypointKind;
    const spot = isWaypoint ? this.#finder.at(latE7, lonE7) : this.#spotAlong(point, speed);
    this.#flights.goTo(spot, timeMs, metres);
    const isAtSea = spot.unit.place.country_id === '';
    this.#movement.goTo(timeMs, latE7, lonE7, point.weight, isAtSea);
    if (isWaypoint) this.#mark(spot, point, true);
    else if (isInPeriod(this.#period, timeMs)) this.#count(spot.unit, point);
  }

  /** Counts a timed waypoint away from the way. */
  markAside(point: Point): void {
    const spot = this.#finder.at(point.latE7, point.lonE7);
    this.presence.takeAside(spot, point.timeMs);
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
      movement: isOnWay ? this.#moved() : undefined,
    });
  }

  /** Counts a stay or a mark, cut at the edges of the period. */
  stayed(stay: Stay): void {
    const { latE7, lonE7, fromMs, untilMs } = stay;
    const { startMs, endMs } = this.#period;
    const { way } = this;
    const metres = way.goTo(fromMs, latE7, lonE7);
    way.rest(untilMs);
    const spot = this.#finder.at(latE7, lonE7);
    way.zone = spot.zone;
    this.#flights.stay(spot, stay.recording, metres);
    this.#movement.rest(stay.firstMs, stay.lastMs, latE7, lonE7);
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
      movement: this.#moved(),
    });
  }

  /** Counts what was gathered and not yet counted. */
  finish(): void {
    this.#flights.finish();
    this.#endRun();
  }

  #endRun(): void {
    const { unit } = this.#run;
    if (unit !== undefined) this.#settle(unit, this.#run);
    this.#run.unit = undefined;
  }

  #spotAlong({ timeMs, latE7, lonE7 }: Point, speed: number): Spot {
    if (this.#spot !== undefined && this.#sinceLookupM < lookupM) return this.#spot;
    const { rows, way } = this;
    const spot = this.#finder.near(latE7, lonE7);
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

  #moved(): Float64Array {
    return this.#movement.snapshot(this.#flights.flownM);
  }

  #settle(unit: AdminUnit, recorded: Recorded | Recording): void {
    this.rows.record(unit, recorded);
    if (unit.place.country_id === '') this.unresolved += recorded.observations;
    else this.resolved += recorded.observations;
  }

  #stop(
    { unit, zone }: Spot,
    found: Omit<Stop, 'ordinal' | 'place' | 'durationSeconds' | 'wayBeforeM'>,
  ): void {
    const { firstMs, lastMs } = found;
    const stop: Stop = {
      ...found,
      ordinal: this.stopsFound,
      durationSeconds: secondsWithin(this.#period, firstMs, lastMs),
      wayBeforeM: this.way.metres,
      place: unit.place,
    };
    this.stopsFound += 1;
    this.stopSeconds += stop.durationSeconds;
    this.bridgedSeconds += stop.bridgedSeconds;
    this.days.stop(firstMs, lastMs, zone);
    this.rows.stop(unit, stop);
    this.stops.add(stop);
  }
}

/** Observations on the way in one unit, of one source: counted together. */
class Run implements Recorded {
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
