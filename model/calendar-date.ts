import { formatTime, parseTime } from './time.ts';

const dayMs = 86_400_000;

/**
 * Reads a calendar date written as strict `YYYY-MM-DD`.
 * @returns whole days since 1970-01-01, negative before; undefined for anything else, such as the 30th of February.
 */
export function parseDate(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/u.test(text)) return undefined;
  const timeMs = parseTime(`${text}T00:00:00Z`);
  return timeMs === undefined ? undefined : timeMs / dayMs;
}

/** Writes whole days since 1970-01-01 as `YYYY-MM-DD`. */
export function formatDate(day: number): string {
  return formatTime(day * dayMs).slice(0, 10);
}

/** How many days a month has; none for what is no month. @param month 1…12 */
export function daysInMonth(year: number, month: number): number {
  if (month < 1 || month > 12) return 0;
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Whether a year of the Gregorian calendar has a 29th of February. */
function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** The day of the week, from 0 for Monday: 1970 began with a Thursday. @param day since 1970-01-01. */
export function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}
