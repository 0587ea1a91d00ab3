import type { AdminRow } from '../admin-rows.ts';
import type { DayRows } from '../day-rows.ts';
import { wrapLonE7 } from '../../earth.ts';
import { isInPeriod, type Period } from '../../period.ts';
import { NightCount, unitsPerHour } from './night-count.ts';
import type { Span, Spot } from './span.ts';

const hourMs = 3_600_000;
/** Observations this near say for themselves where a night was. */
const nightMs = 6 * hourMs;
/** Both sides of a longer silence say nothing about what is in between. */
const inferMs = 72 * hourMs;
/** Between two countries: longer is no journey. */
const transitMs = 36 * hourMs;
/** Observations nearer than that on both sides of the date line have no calendar day between them. */
const shortestDayMs = 22 * hourMs;

/** A moment of 03:00 solar time. */
interface Night {
  readonly atMs: number;
  /** Empty in transit, and where no country is known. */
  readonly country: string;
}

/** The observations before and after a silence, and what both say. */
interface Gap {
  readonly before: Span;
  readonly after: Span;
  /** Units that both are in, country first; none if it is too long. */
  readonly shared: readonly AdminRow[];
  readonly isTransit: boolean;
  /** Whether it lies within the period: days outside of it are not unknown, but not asked for. */
  readonly isWithin: boolean;
}

/**
 * The one rule by which days and nights belong to countries, regions and towns (contract E2, docs/days.md). A day belongs
 * to all units with an observation of that day; one without to the units that the nearest observations share. A night
 * belongs to the units that the observations before and after it share. Spans come in order of time.
 */
export class Presence {
  transitNights = 0;
  unknownNights = 0;
  /** The nights of the period that something is known of, in order of time. */
  readonly nights: Night[] = [];
  readonly #period: Period;
  readonly #days: DayRows;
  readonly #count = new NightCount();
  /** Days of which something is known, and those of silences that say nothing. */
  readonly #known = new Set<number>();
  readonly #silent = new Set<number>();
  #before: Span | undefined;

  constructor(period: Period, days: DayRows) {
    this.#period = period;
    this.#days = days;
  }

  /** A flight west repeats a date that was silent before: that date is known, not unknown. */
  get unknownDays(): number {
    return [...this.#silent].filter((day) => !this.#known.has(day)).length;
  }

  take(span: Span): void {
    const { spot, fromMs, toMs } = span;
    const firstDay = spot.zone.dayOf(fromMs);
    const before = this.#before;
    this.#before = span;
    const until = this.#count.goTo(fromMs, spot.lonE7);
    if (before === undefined) this.#count.last = until;
    else this.#cross(this.#gapBetween(before, span), until, firstDay);
    this.#passNights(this.#count.goTo(toMs, span.toLonE7), (nightAt) =>
      this.#night(nightAt, span.isFlown ? [] : spot.unit.rows, true, span.isFlown),
    );
    const lastDay = spot.zone.dayOf(toMs);
    for (let day = firstDay; day <= lastDay; day += 1) {
      if (spot.zone.has(day)) this.#record(day, spot, span.isFlown);
    }
  }

  /** Counts the day of an observation away from the way; it says nothing about what is before and after. */
  takeAside(spot: Spot, timeMs: number): void {
    this.#record(spot.zone.dayOf(timeMs), spot, false);
  }

  #gapBetween(before: Span, after: Span): Gap {
    const ms = after.fromMs - before.toMs;
    const isKnown = !before.isFlown && !after.isFlown && ms <= inferMs;
    const rows = after.spot.unit.rows;
    const shared = isKnown ? before.spot.unit.rows.filter((row) => rows.includes(row)) : [];
    const { startMs, endMs } = this.#period;
    return {
      before,
      after,
      shared,
      isTransit: shared.length === 0 && ms <= transitMs,
      isWithin: before.toMs >= startMs && after.fromMs < endMs,
    };
  }

  #cross(gap: Gap, untilNight: number, firstDay: number): void {
    const { before, after } = gap;
    this.#passNights(untilNight, (nightAt) => {
      const atMs = Math.min(Math.max(nightAt, before.toMs), after.fromMs);
      const isNear = atMs - before.toMs <= nightMs || after.fromMs - atMs <= nightMs;
      if (gap.isWithin || gap.shared.length > 0 || gap.isTransit) {
        this.#night(atMs, gap.shared, isNear, gap.isTransit);
      }
    });
    const { zone } = before.spot;
    const lastDay = zone.dayOf(before.toMs);
    // Nearly all gaps: the clocks are not asked for their offsets.
    if (firstDay <= lastDay + 1) return;
    if (after.fromMs - before.toMs < shortestDayMs && isOverDateLine(before, after)) return;
    for (let day = lastDay + 1; day < firstDay; day += 1) {
      if (zone.has(day)) this.#gapDay(day, gap);
    }
  }

  #passNights(until: number, count: (nightAt: number) => void): void {
    const nights = this.#count;
    while (nights.last < until) {
      nights.last += 1;
      count(nights.instantOf(nights.last));
    }
  }

  #night(atMs: number, rows: readonly AdminRow[], isRecorded: boolean, isTransit: boolean): void {
    if (!isInPeriod(this.#period, atMs)) return;
    for (const row of rows) {
      row.nights += 1;
      if (!isRecorded) row.nightsInferred += 1;
    }
    const country = rows[0]?.place.country_id ?? '';
    if (rows.length > 0 || isTransit) this.nights.push({ atMs, country });
    if (rows.length > 0) return;
    if (isTransit) this.transitNights += 1;
    else this.unknownNights += 1;
  }

  #gapDay(day: number, { before, shared, isTransit, isWithin }: Gap): void {
    const { startDay, endDay } = this.#period;
    if (day < startDay || day > endDay) return;
    const { zone } = before.spot;
    for (const row of shared) {
      if (!row.recordedDays.has(day)) row.inferredDays.add(day);
      row.inferredFromMs = Math.min(row.inferredFromMs, zone.startOf(day));
      row.inferredToMs = Math.max(row.inferredToMs, zone.startOf(day + 1));
    }
    if (shared.length > 0) this.#days.present(day, shared[0]!.place.country_id, 'inferred', zone);
    else if (isTransit) this.#days.inTransit(day, '', zone);
    else if (isWithin) this.#silent.add(day);
    if (shared.length > 0 || isTransit) this.#known.add(day);
  }

  #record(day: number, { unit, zone }: Spot, isFlown: boolean): void {
    const { startDay, endDay } = this.#period;
    if (day < startDay || day > endDay) return;
    this.#known.add(day);
    if (isFlown) return this.#days.inTransit(day, unit.place.country_id, zone);
    for (const row of unit.rows) {
      row.recordedDays.add(day);
      row.inferredDays.delete(day);
    }
    this.#days.present(day, unit.place.country_id, 'recorded', zone);
  }
}

/** Whether clocks were put forward by a day and not by what the sun rises earlier. */
function isOverDateLine(before: Span, after: Span): boolean {
  const clockMs = after.spot.zone.offsetMs(after.fromMs) - before.spot.zone.offsetMs(before.toMs);
  const sunMs = (wrapLonE7(after.spot.lonE7 - before.toLonE7) / unitsPerHour) * hourMs;
  return clockMs - sunMs > 12 * hourMs;
}
