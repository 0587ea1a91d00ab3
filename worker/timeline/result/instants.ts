import { formatTime } from '../../../model/time.ts';
import { dayMs } from '../../../storage/day-blob.ts';

/** The last instant whose year has four digits. */
const lastWritableMs = 253_402_300_799_999;

/** RFC 3339 with `Z`. The end of the year 9999 is written as the millisecond before. */
export function instantText(timeMs: number): string {
  return formatTime(Math.min(timeMs, lastWritableMs));
}

/** `YYYY-MM-DD` of a UTC day since 1970. */
export function dateText(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}
