import { daysInMonth, isLeapYear } from '../../model/calendar-date.ts';
import type { ByteCursor } from './byte-cursor.ts';

const zero = 0x30;
const minus = 0x2d;
const point = 0x2e;
const letterT = 0x54;
const letterZ = 0x5a;
const colon = 0x3a;

/** Integers below 10^15 and these powers of ten are exact doubles, so one division rounds once: as `Number(text)` does. */
const exactDigits = 15;
const powersOfTen = Float64Array.from({ length: exactDigits + 1 }, (_, power) => 10 ** power);

/**
 * Passes a decimal number without exponent or plus sign, of any length.
 * @returns what `Number` makes of it, −0 as 0; NaN if there is none.
 */
export function passDecimal(cursor: ByteCursor): number {
  const { bytes, at: start } = cursor;
  if (start >= cursor.end) return Number.NaN;
  const isNegative = bytes[start] === minus;
  const first = isNegative ? start + 1 : start;
  let at = first;
  let digits = 0;
  let digit = bytes[at]! - zero;
  for (; digit >= 0 && digit <= 9; digit = bytes[at]! - zero) {
    digits = digits * 10 + digit;
    at += 1;
  }
  let count = at - first;
  let decimals = 0;
  if (bytes[at] === point) {
    const decimalsAt = at + 1;
    at = decimalsAt;
    for (digit = bytes[at]! - zero; digit >= 0 && digit <= 9; digit = bytes[at]! - zero) {
      digits = digits * 10 + digit;
      at += 1;
    }
    decimals = at - decimalsAt;
    count += decimals;
  }
  cursor.at = at;
  if (count === 0) return Number.NaN;
  if (count > exactDigits) {
    const long = longDecimal(cursor, first, count - exactDigits, decimals);
    return (long ?? Number(bytes.toString('latin1', first, at))) * (isNegative ? -1 : 1) + 0;
  }
  // + 0 makes −0 zero.
  return (isNegative ? -digits : digits) / powersOfTen[decimals]! + 0;
}

/**
 * Reads a number of more digits than a double holds, as receivers that count in binary fractions write them: the quotient
 * of its first 15 digits, and a correction by what that division leaves, which is exact, and by the others (Dekker 1971).
 * @returns undefined where that may not be what `Number` makes of it.
 */
function longDecimal(
  { bytes, at: end }: ByteCursor,
  start: number,
  others: number,
  decimals: number,
): number | undefined {
  const scale = powersOfTen[decimals - others];
  const rest = powersOfTen[others];
  if (scale === undefined || rest === undefined) return undefined;
  let high = 0;
  let low = 0;
  let left = exactDigits;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at]!;
    if (byte === point) continue;
    if (left > 0) high = high * 10 + byte - zero;
    else low = low * 10 + byte - zero;
    left -= 1;
  }
  const quotient = high / scale;
  const correction = (remainder(high, quotient, scale) + low / rest) / scale;
  const nearest = quotient + correction;
  // The correction is right to 15 digits: enough, but next to the middle between two doubles.
  const isCertain =
    quotient + correction * (1 - 1e-15) === nearest &&
    quotient + correction * (1 + 1e-15) === nearest;
  return isCertain ? nearest : undefined;
}

/** `whole − quotient · scale`, without rounding. */
function remainder(whole: number, quotient: number, scale: number): number {
  const [a, b] = [highHalf(quotient), highHalf(scale)];
  const [c, d] = [quotient - a, scale - b];
  const product = quotient * scale;
  return whole - product - (a * b - product + a * d + c * b + c * d);
}

/** The upper 26 bits of a double. */
function highHalf(value: number): number {
  const large = value * 134_217_729;
  return large - (large - value);
}

/** Bytes of `YYYY-MM-DDT`. */
const dateBytes = 11;
/** Bytes of the shortest time that is passed, `YYYY-MM-DDThh:mm:ssZ`. */
const timeBytes = 20;
/** Passes the usual times of points. Neighbours share their date, so that is worked out only when it changes. */
export class ByteTimes {
  readonly #date = new Uint8Array(dateBytes);
  #dateMs = Number.NaN;

  /**
   * Passes a time of an ordinary minute in UTC, with `Z`, perhaps with a fraction (cut to milliseconds).
   * @returns integer ms; NaN if there is none, or a date that is none.
   */
  pass(cursor: ByteCursor): number {
    const { bytes, at, end } = cursor;
    if (end - at < timeBytes) return Number.NaN;
    if (!this.#isSameDate(bytes, at)) this.#readDate(bytes, at);
    const hour = twoDigits(bytes, at + 11);
    const minute = twoDigits(bytes, at + 14);
    const second = twoDigits(bytes, at + 17);
    // What is no digit has made them larger.
    if (hour > 23 || minute > 59 || second > 59) return Number.NaN;
    if (bytes[at + 13] !== colon || bytes[at + 16] !== colon) return Number.NaN;
    cursor.at = at + 19;
    const fraction = bytes[at + 19] === point ? passFraction(cursor) : 0;
    if (bytes[cursor.at] !== letterZ) return Number.NaN;
    cursor.at += 1;
    return this.#dateMs + ((hour * 60 + minute) * 60 + second) * 1000 + fraction;
  }

  #isSameDate(bytes: Uint8Array, at: number): boolean {
    const date = this.#date;
    // From the end, where dates differ.
    for (let i = dateBytes - 1; i >= 0; i -= 1) if (bytes[at + i] !== date[i]) return false;
    return true;
  }

  #readDate(bytes: Uint8Array, at: number): void {
    this.#dateMs = readDateMs(bytes, at);
    for (let i = 0; i < dateBytes; i += 1) this.#date[i] = bytes[at + i]!;
  }
}

/** Midnight of a date before a `T`; NaN if it is none, or before the year 100: those are left to others. */
function readDateMs(bytes: Uint8Array, at: number): number {
  const isDate = bytes[at + 4] === minus && bytes[at + 7] === minus && bytes[at + 10] === letterT;
  const century = twoDigits(bytes, at);
  const ofCentury = twoDigits(bytes, at + 2);
  if (!isDate || century < 1 || century > 99 || ofCentury > 99) return Number.NaN;
  const year = century * 100 + ofCentury;
  const month = twoDigits(bytes, at + 5);
  const day = twoDigits(bytes, at + 8);
  if (day < 1 || day > daysInMonth(year, month)) return Number.NaN;
  const leapDay = month > 2 && isLeapYear(year) ? 1 : 0;
  return (daysToYear(year) + daysToMonth[month - 1]! + leapDay + day - 1) * dayMs;
}

const dayMs = 86_400_000;
/** Days of a year before each month, of a year that is no leap year. */
const daysToMonth = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];

/** Days from 1970 to the first day of a year, by the leap years before it. */
function daysToYear(year: number): number {
  const before = year - 1;
  const leapYears = Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400);
  return 365 * (year - 1970) + leapYears - leapYearsTo1970;
}
const leapYearsTo1970 = 477;

/** Two digits as a number; 100 or more if they are not. */
function twoDigits(bytes: Uint8Array, at: number): number {
  const tens = bytes[at]! - zero;
  const ones = bytes[at + 1]! - zero;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : 100;
}

/** @returns whole milliseconds; NaN without any digit. */
function passFraction(cursor: ByteCursor): number {
  const { bytes } = cursor;
  const start = cursor.at + 1;
  let at = start;
  let ms = 0;
  for (let digit = bytes[at]! - zero; digit >= 0 && digit <= 9; digit = bytes[at]! - zero) {
    if (at - start < 3) ms = ms * 10 + digit;
    at += 1;
  }
  cursor.at = at;
  const missing = 3 - (at - start);
  if (missing === 3) return Number.NaN;
  return missing > 0 ? ms * (missing === 2 ? 100 : 10) : ms;
}
