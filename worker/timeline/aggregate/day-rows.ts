import type { TimelinePresence } from '../../../model/timeline-result.ts';
import type { Zone } from '../calendar/zone.ts';
import { secondsWithin, type Period } from '../period.ts';

/** The facts of one calendar day. */
export interface DayRow {
  readonly day: number;
  /** Zone of the place where the day began, if known. */
  readonly zone: Zone;
  observations: number;
  stops: number;
  stopSeconds: number;
  distanceM: number;
  readonly presence: readonly TimelinePresence[];
}

/** A row while it is counted. */
interface OpenRow extends Omit<DayRow, 'presence'> {
  zone: Zone;
  /** By country; the empty one is the sea. */
  readonly countries: Map<string, TimelinePresence['kind']>;
  isInTransit: boolean;
}

/** Counts by the calendar days of the period; what lies outside of it is ignored. */
export class DayRows {
  readonly #period: Period;
  readonly #rows: (OpenRow | undefined)[];

  constructor(period: Period) {
    this.#period = period;
    this.#rows = Array.from({ length: period.endDay - period.startDay + 1 });
  }

  record(timeMs: number, observations: number, zone: Zone): void {
    this.#rowAt(timeMs, zone).observations += observations;
  }

  travel(timeMs: number, metres: number, zone: Zone): void {
    this.#rowAt(timeMs, zone).distanceM += metres;
  }

  present(day: number, country: string, kind: 'recorded' | 'inferred', zone: Zone): void {
    const row = this.#row(day, zone);
    if (row === undefined || row.countries.get(country) === 'recorded') return;
    row.countries.set(country, kind);
  }

  /** Notes that at least part of a day was between countries, or above one. @param country empty where unknown. */
  inTransit(day: number, country: string, zone: Zone): void {
    const row = this.#row(day, zone);
    if (row === undefined) return;
    row.isInTransit = true;
    if (country !== '' && !row.countries.has(country)) row.countries.set(country, 'transit');
  }

  /** Counts a stop by the day of its end, its seconds by day. */
  stop(firstMs: number, lastMs: number, zone: Zone): void {
    const last = zone.dayOf(lastMs);
    for (let day = zone.dayOf(firstMs); day <= last; day += 1) {
      const from = Math.max(firstMs, zone.startOf(day));
      const to = Math.min(lastMs, zone.startOf(day + 1));
      const row = this.#row(day, zone);
      if (row !== undefined) row.stopSeconds += secondsWithin(this.#period, from, to);
    }
    this.#rowAt(lastMs, zone).stops += 1;
  }

  /** Days with observations, with part of a stop, or in a country or between two. */
  rows(): DayRow[] {
    return this.#rows.flatMap((row) => {
      if (row === undefined) return [];
      const { countries, isInTransit, ...rest } = row;
      const presence: TimelinePresence[] = [...countries]
        .map(([country_id, kind]) => ({ country_id, kind }))
        .toSorted((a, b) => (a.country_id < b.country_id ? -1 : 1));
      if (presence.length === 0 && isInTransit) presence.push({ country_id: '', kind: 'transit' });
      if (row.observations + row.stopSeconds + row.stops + presence.length === 0) return [];
      return [{ ...rest, distanceM: Math.round(row.distanceM), presence }];
    });
  }

  /** The day of an instant within the period. One above the date line may have another date: it counts at the edge. */
  #rowAt(timeMs: number, zone: Zone): OpenRow {
    const { startDay, endDay } = this.#period;
    return this.#row(Math.min(Math.max(zone.dayOf(timeMs), startDay), endDay), zone)!;
  }

  #row(day: number, zone: Zone): OpenRow | undefined {
    const index = day - this.#period.startDay;
    if (index < 0 || index >= this.#rows.length) return undefined;
    const row = this.#rows[index];
    if (row !== undefined) return row;
    const countries = new Map<string, TimelinePresence['kind']>();
    const counts = { observations: 0, stops: 0, stopSeconds: 0, distanceM: 0 };
    return (this.#rows[index] = { day, zone, ...counts, countries, isInTransit: false });
  }
}
