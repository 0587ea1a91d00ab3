import { formatTime } from '../../../model/time.ts';

/** The last instant whose year has four digits. */
const lastWritableMs = 253_402_300_799_999;

/** RFC 3339 with `Z`. The end of the year 9999 is written as the millisecond before. */
export function instantText(timeMs: number): string {
  return formatTime(Math.min(timeMs, lastWritableMs));
}
