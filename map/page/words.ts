import { formatDate } from '../../model/calendar-date.ts';
import { kilometres } from '../../model/timeline-words.ts';

/** Times, distances and dates in words. Clock times are those of the place: an offset from UTC in minutes goes with them. */

const dateForm = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeZone: 'UTC' });
const shortForm = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
const clockForm = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
  timeZone: 'UTC',
});

const dayMs = 86_400_000;

export function longDate(date: string): string {
  return dateForm.format(Date.parse(date));
}

export function shortDate(date: string): string {
  return shortForm.format(Date.parse(date));
}

export function clock(ms: number, offsetMinutes: number): string {
  return clockForm.format(ms + offsetMinutes * 60_000);
}

/** `1 file`, `3,000 files`. */
export { counted as several } from '../../model/text.ts';

export function distance(metres: number): string {
  return `${kilometres(metres)} km`;
}

export function position(lat: number, lon: number): string {
  const ns = lat < 0 ? 'S' : 'N';
  const ew = lon < 0 ? 'W' : 'E';
  return `${Math.abs(lat).toFixed(5)}° ${ns}, ${Math.abs(lon).toFixed(5)}° ${ew}`;
}

/** The day that lies some days later, or earlier. */
export function addDays(date: string, days: number): string {
  return formatDate(dayNumber(date) + days);
}

/** Days since 1970 of a date. */
export function dayNumber(date: string): number {
  return Math.round(Date.parse(date) / dayMs);
}
