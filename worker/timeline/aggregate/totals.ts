import type { AdminLookup } from '../../../model/admin-place.ts';
import type { Calendar } from '../calendar/calendar.ts';
import { waypointKind, type Point } from '../detect/point.ts';
import type { Stay } from '../detect/stay.ts';
import { fixOf } from '../earth.ts';
import { isInPeriod, secondsWithin, type Period } from '../period.ts';
import { FlightWatch, type Settle } from './presence/flight-watch.ts';
import { Presence } from './presence/presence.ts';
import type { Spot } from './presence/span.ts';
import { MovementSums, type WayTo } from './trips/movement.ts';
import { AdminRows, type AdminUnit, type Recorded } from './admin-rows.ts';
import { DayRows } from './day-rows.ts';
import type { ModeSpan } from '../stated.ts';
import { LongestStops } from './longest-stops.ts';
import { PlaceFinder } from './place-finder.ts';
import type { StayParameters } from '../stay-parameters.ts';
import { atOneMoment, type Stop } from './stop.ts';
import { Way } from './way.ts';

type Found = Omit<Stop, 'ordinal' | 'place' | 'durationSeconds' | 'wayBeforeM' | 'wayTo'>;

/** A mark that may have been in the air; `count` is undefined until that is known. */
interface WaitingMark {
  count: (() => void) | undefined;
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
  readonly rows: AdminRows;
  readonly days: DayRows;
  readonly stops: LongestStops;
  readonly way: Way;
  readonly presence: Presence;
  readonly #finder: PlaceFinder;
  readonly #flights: FlightWatch;
  readonly #movement: MovementSums;
  readonly #period: Period;
  readonly #marks: WaitingMark[] = [];
  #spot: Spot | undefined;
  #sinceLookupM = 0;
  #beforeMs = Number.NaN;

  /** @param lookup undefined where no generation could be opened. */
  constructor(
    period: Period,
    calendar: Calendar,
    lookup: AdminLookup | undefined,
    { silenceSeconds, maxStops }: StayParameters,
    modes: readonly ModeSpan[],
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
    this.#movement = new MovementSums(silenceMs, modes);
  }

  /** Counts an observation on the way; a timed waypoint is a mark as well, unless it was in the air. */
  moved(point: Point): void {
    const { timeMs } = point;
    const metres = this.way.goTo(point);
    const speed = this.#speedTo(timeMs, metres);
    const isFirst = this.#beforeMs < this.#period.startMs;
    this.#beforeMs = timeMs;
    this.#sinceLookupM += metres;
    const isWaypoint = point.kind === waypointKind;
    const spot = isWaypoint ? this.#finder.at(point) : this.#spotAlong(point, speed, isFirst);
    const isAtSea = spot.unit.place.country_id === '';
    this.#movement.goTo(point, point.weight, isAtSea);
    if (isInPeriod(this.#period, timeMs)) this.#count(spot.unit, point);
    const settle = isWaypoint ? this.#waitFor(spot, markAt(point), speed) : undefined;
    this.#flights.goTo(spot, point, metres, settle);
  }

  /** Counts a timed waypoint away from the way. */
  markAside(point: Point): void {
    const spot = this.#finder.at(point);
    this.presence.takeAside(spot, point.timeMs);
    if (!isInPeriod(this.#period, point.timeMs)) return;
    this.#count(spot.unit, point);
    const { metres } = this.way;
    // At once: the caller uses the point again for the next one.
    const found = markAt(point);
    this.#marks.push({ count: () => this.#stop(spot, found, metres, undefined) });
    this.#countMarks();
  }

  /** Counts a stay or a mark. */
  stayed(stay: Stay): void {
    const { latE7, lonE7, fromMs, untilMs, recording } = stay;
    const { startMs, endMs } = this.#period;
    const { way } = this;
    const fix = { latE7, lonE7, timeMs: fromMs };
    const metres = way.goTo(fix);
    const speed = this.#speedTo(fromMs, metres);
    way.leave({ ...fix, timeMs: untilMs });
    const spot = this.#finder.at(fix);
    way.zone = spot.zone;
    this.#movement.rest({ ...fix, timeMs: stay.firstMs }, stay.lastMs);
    this.#beforeMs = untilMs;
    this.#sinceLookupM = 0;
    this.#spot = spot;
    const isInside = untilMs >= startMs && fromMs < endMs;
    if (isInside) this.#record(spot.unit, recording);
    const found: Found = {
      ...atOneMoment(fix),
      kind: stay.kind,
      origin: stay.origin,
      radiusM: stay.radiusM(),
      lastMs: untilMs,
      bridgedSeconds: stay.bridgedSeconds,
      observations: recording.observations,
      continuesBefore: fromMs < startMs,
      continuesAfter: untilMs >= endMs,
    };
    if (stay.kind === 'mark' && fromMs === untilMs) {
      this.#flights.goTo(spot, fix, metres, this.#waitFor(spot, found, speed, true));
    } else {
      this.#flights.stay(spot, stay, recording, metres);
      if (isInside) this.#stop(spot, found, way.metres, this.#movement.snapshot());
      this.#movement.beginTrip();
    }
  }

  /**
   * Has a mark on the way wait until it is known whether it was in the air: then it is none.
   * @param isLone its observations are on the way then, and not counted there yet.
   */
  #waitFor(spot: Spot, found: Found, speed: number, isLone = false): Settle {
    const { firstMs: timeMs, latE7, lonE7, observations } = found;
    const { metres: wayM } = this.way;
    const wayTo = this.#movement.snapshot();
    const mark: WaitingMark = { count: undefined };
    this.#marks.push(mark);
    return (isAloft) => {
      const { place } = spot.unit;
      if (!isInPeriod(this.#period, timeMs)) mark.count = () => undefined;
      else if (!isAloft) mark.count = () => this.#stop(spot, found, wayM, wayTo);
      else
        mark.count = () => this.rows.pass(spot.unit, { speed, timeMs, latE7, lonE7, wayM, place });
      if (isAloft && isLone) this.#movement.addObservations(observations);
      this.#countMarks();
    };
  }

  /** Counts the marks that no earlier one waits before. */
  #countMarks(): void {
    while (this.#marks[0]?.count !== undefined) this.#marks.shift()!.count!();
  }

  #speedTo(timeMs: number, metres: number): number {
    return (metres * 1_000) / Math.max(1, timeMs - this.#beforeMs);
  }

  /** Counts what was gathered and not yet counted. */
  finish(): void {
    this.#flights.finish();
  }

  /** @param isFirst may be the first of the period: then it is passed here, wherever the unit was looked up. */
  #spotAlong(point: Point, speed: number, isFirst: boolean): Spot {
    const known = this.#sinceLookupM < lookupM ? this.#spot : undefined;
    if (known !== undefined && !isFirst) return known;
    const { rows, way } = this;
    const spot = known ?? this.#finder.near(point);
    const { unit } = spot;
    this.#spot = spot;
    if (known === undefined) this.#sinceLookupM = 0;
    way.zone = spot.zone;
    if (isInPeriod(this.#period, point.timeMs)) {
      rows.pass(unit, { ...fixOf(point), speed, wayM: way.metres, place: unit.place });
    }
    return spot;
  }

  #count(unit: AdminUnit, { timeMs, source, weight }: Point): void {
    const sources = [source];
    this.#record(unit, { observations: weight, sources, firstMs: timeMs, lastMs: timeMs });
  }

  #record(unit: AdminUnit, recorded: Recorded): void {
    this.rows.record(unit, recorded);
    if (unit.place.country_id === '') this.unresolved += recorded.observations;
    else this.resolved += recorded.observations;
  }

  /** Counts a stop, cut at the edges of the period. @param wayTo without its flights. */
  #stop({ unit, zone }: Spot, found: Found, wayBeforeM: number, wayTo?: WayTo): void {
    const { startMs, endMs } = this.#period;
    const firstMs = Math.max(found.firstMs, startMs);
    const lastMs = Math.min(found.lastMs, endMs);
    const stop: Stop = {
      ...found,
      firstMs,
      lastMs,
      ordinal: this.stopsFound,
      durationSeconds: secondsWithin(this.#period, firstMs, lastMs),
      wayBeforeM,
      wayTo: wayTo && { ...wayTo, flownM: this.#flights.flownM },
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

function markAt(point: Point): Found {
  return { ...atOneMoment(point), kind: 'mark', observations: point.weight };
}
