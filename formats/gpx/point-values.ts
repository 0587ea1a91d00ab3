import { parseTime } from '../../model/time.ts';

// `\d+\.?\d*` would match the same, in quadratic time where it fails.
const numberPattern = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?$/;
/** What nearly all files have: whole seconds of an ordinary minute in UTC. */
const plainTimePattern = /T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;
const zero = '0'.charCodeAt(0);

/** Stands for the time of a point without one. */
export const missingTime = Number.NaN;
/** Stands for the time of a point whose text is none that contract D knows. */
export const invalidTime = Infinity;

/** Reads a number in the syntax of contract B.7, blanks around it aside; undefined for anything else or not finite. */
export function parseNumber(text: string | undefined): number | undefined {
  const trimmed = text?.trim() ?? '';
  if (!numberPattern.test(trimmed)) return undefined;
  const number = Number(trimmed);
  // + 0 makes −0 zero.
  return Number.isFinite(number) ? number + 0 : undefined;
}

/** Reads a coordinate in degrees from −`limit` to `limit`; undefined for anything else. */
export function parseDegrees(text: string | undefined, limit: 90 | 180): number | undefined {
  const degrees = parseNumber(text);
  return degrees !== undefined && Math.abs(degrees) <= limit ? degrees : undefined;
}

/** Reads the times of points (contract D). Neighbours share their date, so that is worked out only when it changes. */
export class PointTimes {
  #date = '';
  #dateMs = 0;

  /**
   * Yields integer ms UTC, blanks around the text aside; {@link missingTime} for none, {@link invalidTime} for anything
   * else. `parseTime` alone also takes forms that requests may have and files may not (`+0100`, lower case, a comma).
   */
  parse(text: string | undefined): number {
    const trimmed = text?.trim() ?? '';
    if (trimmed === '') return missingTime;
    if (!timePattern.test(trimmed)) return invalidTime;
    if (plainTimePattern.test(trimmed) && this.#setDate(trimmed.slice(0, 10))) {
      const minutes = twoDigits(trimmed, 11) * 60 + twoDigits(trimmed, 14);
      return this.#dateMs + (minutes * 60 + twoDigits(trimmed, 17)) * 1000;
    }
    return parseTime(trimmed) ?? invalidTime;
  }

  #setDate(date: string): boolean {
    if (date === this.#date) return true;
    const dateMs = parseTime(`${date}T00:00:00Z`);
    if (dateMs === undefined) return false;
    this.#date = date;
    this.#dateMs = dateMs;
    return true;
  }
}

function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - zero) * 10 + text.charCodeAt(at + 1) - zero;
}
