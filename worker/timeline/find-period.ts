import type { DayReader } from '../../storage/library/day-reader.ts';
import { mergeDay } from './observations/merge-day.ts';
import { periodOf, type Period } from './period.ts';
import type { Calendar } from './calendar/calendar.ts';
import type { Zone } from './calendar/zone.ts';

type Days = Pick<Period, 'startDay' | 'endDay'>;

/**
 * Finds when the days of a request begin and end. Where positions have zones of their own, it is midnight where the
 * traveller was first seen in the period, and where last.
 * @throws as DayReader.rows
 */
export function findPeriod(
  reader: DayReader,
  calendar: Calendar,
  { startDay, endDay }: Days,
): Period {
  const anywhere = calendar.zoneAt(0, 0);
  if (!calendar.isLocal) return periodOf(startDay, endDay, anywhere);
  let first: Zone | undefined;
  let last: Zone | undefined;
  const visit = (utcDay: number): void =>
    mergeDay(reader, utcDay, ({ timeMs, latE7, lonE7 }, from, to) => {
      for (let i = from; i < to; i += 1) {
        const zone = calendar.zoneAt(latE7[i]!, lonE7[i]!);
        const day = zone.dayOf(timeMs[i]!);
        if (day >= startDay) first ??= zone;
        if (day <= endDay) last = zone;
      }
    });
  // A calendar day has something of the UTC days beside it, too.
  for (const day of daysWithin(reader, startDay - 1, endDay + 1)) {
    visit(day);
    if (first !== undefined) break;
  }
  for (const day of daysWithin(reader, endDay - 1, endDay + 1)) visit(day);
  return periodOf(startDay, endDay, first ?? anywhere, last ?? first ?? anywhere);
}

/** The UTC days that have observations, both ends included. */
export function* daysWithin(reader: DayReader, from: number, to: number): Iterable<number> {
  let day = reader.nextDay(from);
  for (; day !== undefined && day <= to; day = reader.nextDay(day + 1)) yield day;
}
