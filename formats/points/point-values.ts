import { numberText } from '../../model/position.ts';
import { parseTime } from '../../model/time.ts';

const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?$/;

/** The time of a point without one. */
export const missingTime = Number.NaN;
/** The time of a point whose text is not a time of contract D. */
export const invalidTime = Infinity;

/** Reads a number in the syntax of contract B.7, blanks around it aside; NaN for anything else or not finite. */
export function parseNumber(text = ''): number {
  const trimmed = text.trim();
  const number = numberText.test(trimmed) ? Number(trimmed) : Number.NaN;
  // + 0 makes −0 zero.
  return Number.isFinite(number) ? number + 0 : Number.NaN;
}

/** Reads a coordinate in degrees; NaN for anything else. */
export function parseDegrees(text: string | undefined, limit: 90 | 180): number {
  return asDegrees(parseNumber(text), limit);
}

/** A number from −`limit` to `limit`; NaN for any other. */
export function asDegrees(number: number, limit: 90 | 180): number {
  return Math.abs(number) <= limit ? number : Number.NaN;
}

/** Metres: below the deepest sea, and above where balloons fly. */
const lowest = -12_000;
const highest = 100_000;

/** An elevation in metres. NaN beyond those on Earth: sensors and programs write such values for an unknown one. */
export function asElevation(metres: number): number {
  return metres >= lowest && metres <= highest ? metres : Number.NaN;
}

/**
 * Reads the time of a point (contract D): integer ms UTC, blanks around the text aside; {@link missingTime} for none,
 * {@link invalidTime} for anything else. `parseTime` alone also takes forms that requests may have and files may not
 * (`+0100`, lower case, a comma).
 */
export function parsePointTime(text: string | undefined): number {
  const trimmed = text?.trim() ?? '';
  if (trimmed === '') return missingTime;
  const seconds = trimmed.slice(minuteLength);
  if (trimmed.startsWith(lastMinute) && secondsPattern.test(seconds)) {
    const ms = Number(seconds.slice(3, -1).slice(0, 3).padEnd(3, '0'));
    return lastMinuteMs + Number(seconds.slice(0, 2)) * 1_000 + ms;
  }
  const time = timePattern.test(trimmed) ? parseTime(trimmed) : undefined;
  if (time !== undefined && secondsPattern.test(seconds)) {
    lastMinute = trimmed.slice(0, minuteLength);
    lastMinuteMs = Math.floor(time / minuteMs) * minuteMs;
  }
  return time ?? invalidTime;
}

/** Recordings have many points a minute: what a minute is, is read once. Not a leap second, which is in the next one. */
const minuteMs = 60_000;
const minuteLength = '2024-06-01T12:00:'.length;
const secondsPattern = /^[0-5]\d(?:\.\d+)?Z$/;
let lastMinute = 'none';
let lastMinuteMs = 0;

/** The year 9999, and what is taken for milliseconds: as seconds it is the year 5138, as milliseconds 1973. */
const lastMs = 253_402_300_799_999;
const fewestMs = 100_000_000_000;

/** The time of a point as a number since 1970, in seconds or in milliseconds: integer ms; {@link invalidTime} for none. */
export function parsePointNumber(since1970: number): number {
  const ms = Math.floor(since1970 < fewestMs ? since1970 * 1_000 : since1970);
  return ms >= 0 && ms <= lastMs ? ms : invalidTime;
}

const epochText = /^\d{9,16}(?:\.\d{1,9})?$/;
/** As programs write times that read no standard: `2024/06/01 08:00:00+00`, `2024-06-01 08:00:00 UTC`. */
const looseTime =
  /^(\d{4})([-/])(\d\d)\2(\d\d)[T ]+(\d\d:\d\d:\d\d(?:\.\d+)?) ?(?:Z|UTC|([+-]\d\d):?(\d\d)?)?$/;

/** Either of both, for formats in which programs write what they like. */
export function parseAnyTime(text: string): number {
  const trimmed = text.trim();
  if (epochText.test(trimmed)) return parsePointNumber(Number(trimmed));
  const [, year, , month, day, clock, hours, minutes = '00'] = looseTime.exec(trimmed) ?? [];
  if (year === undefined) return parsePointTime(trimmed);
  const zone = hours === undefined ? 'Z' : `${hours}:${minutes}`;
  return parsePointTime(`${year}-${month}-${day}T${clock}${zone}`);
}
