import { formatDate, parseDate } from '../../../model/calendar-date.ts';
import { usageError } from '../../../model/exit-error.ts';
import { forTerminal } from '../../terminal/text.ts';

/** At most `most` days of any `days` in a row. */
export interface DayWindow {
  readonly most: number;
  readonly days: number;
}

export type WindowReport = ReturnType<typeof reportWindow>;

/** @throws ExitError 64 */
export function parseWindow(text: string): DayWindow {
  const [, most, days] = /^(\d{1,4})\/(\d{1,4})$/u.exec(text) ?? [];
  const window = { most: Number(most), days: Number(days) };
  if (window.most >= 1 && window.days >= window.most) return window;
  throw usageError(
    `${forTerminal(text)} is no window. Write the most days and of how many: 90/180.`,
  );
}

/**
 * Counts days in a window that ends on each day of a period.
 * @param dates `YYYY-MM-DD`, of the period and of the window before it. @param first, @param last of the period.
 */
export function reportWindow(
  { most, days }: DayWindow,
  dates: Iterable<string>,
  first: string,
  last: string,
) {
  const present = new Set([...dates].map((date) => parseDate(date) ?? Number.NaN));
  const [start, end] = [parseDate(first) ?? 0, parseDate(last) ?? 0];
  const usedOn = (day: number): number => {
    let count = 0;
    for (let at = day - days + 1; at <= day; at += 1) if (present.has(at)) count += 1;
    return count;
  };
  let [greatest, greatestOn] = [-1, start];
  let exceededOn: number | undefined;
  for (let day = start; day <= end; day += 1) {
    const used = usedOn(day);
    if (used > greatest) [greatest, greatestOn] = [used, day];
    if (used > most) exceededOn ??= day;
  }
  const used = usedOn(end);
  let reached = end;
  while (usedOn(reached) < most) {
    reached += 1;
    present.add(reached);
  }
  return {
    most,
    days,
    /** The last day of the period, and the days in the window that ends with it. */
    on: last,
    used,
    left: Math.max(0, most - used),
    /** The greatest number in any window that ends in the period, and the first day it was reached. */
    greatest,
    greatest_on: formatDate(greatestOn),
    /** The first day of the period on which there were more than allowed. */
    ...(exceededOn === undefined ? {} : { exceeded_on: formatDate(exceededOn) }),
    /** Staying on without a break after the period, the last day allowed. */
    limit_reached_on: formatDate(reached),
  };
}
