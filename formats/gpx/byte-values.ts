import type { Buffer } from 'node:buffer';
import { colon, letterT, letterZ, minus, point, zero } from '../ascii.ts';
import { dateMs } from '../../model/time.ts';
import { wordOf, type ByteCursor } from '../xml/byte-cursor.ts';

/** Integers below 10^15 and these powers of ten are exact doubles, so one division rounds once: as `Number(text)` does. */
const exactDigits = 15;
const powersOfTen = Float64Array.from({ length: exactDigits + 1 }, (_, power) => 10 ** power);

/** A constant of ours: V8 compiles anew what meets `Number.NaN` for the first time at the end of a block. */
const none = Number.NaN;

/**
 * Passes a decimal number without exponent or plus sign, of any length.
 * @returns the same number as `Number`, −0 as 0; NaN without a digit.
 */
export function passDecimal(cursor: ByteCursor): number {
  const { bytes, at: start } = cursor;
  if (start >= cursor.end) return none;
  const sign = bytes[start] === minus ? -1 : 1;
  const first = sign < 0 ? start + 1 : start;
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
    const end = decimalsAt + exactDigits - count;
    at = decimalsAt;
    for (
      digit = bytes[at]! - zero;
      digit >= 0 && digit <= 9 && at < end;
      digit = bytes[at]! - zero
    ) {
      digits = digits * 10 + digit;
      at += 1;
    }
    decimals = at - decimalsAt;
    count += decimals;
  }
  cursor.at = at;
  if (count === 0) return none;
  if (count >= exactDigits) return longDecimal(cursor, start, digits, decimals);
  // + 0 makes −0 zero.
  return (sign * digits) / powersOfTen[decimals]! + 0;
}

/**
 * Passes the rest of a number of more digits than a double holds, as receivers that count in binary fractions write them.
 * @param high its first 15 digits, or more if the point is behind them.
 * @returns the quotient of these, and a correction by what that division leaves, which is exact, and by the next 15 digits
 *   (Dekker 1971).
 */
function longDecimal(cursor: ByteCursor, start: number, high: number, decimals: number): number {
  const { bytes, at: from } = cursor;
  let low = 0;
  let at = from;
  for (let digit = bytes[at]! - zero; digit >= 0 && digit <= 9; digit = bytes[at]! - zero) {
    if (at - from < exactDigits) low = low * 10 + digit;
    at += 1;
  }
  cursor.at = at;
  const others = at - from;
  const scale = powersOfTen[decimals]!;
  const quotient = high / scale;
  const rest = low / powersOfTen[Math.min(others, exactDigits)]!;
  const correction = (remainder(high, quotient, scale) + rest) / scale;
  const nearest = quotient + correction;
  // Of that high a number, what is left out behind 30 digits is below 10^-10 of half the step between two doubles, and the
  // rounding here is less: enough, but next to the middle between two.
  const isCertain =
    high >= 1e12 &&
    high < 1e15 &&
    quotient + correction * (1 - 1e-9) === nearest &&
    quotient + correction * (1 + 1e-9) === nearest;
  if (!isCertain) return Number(bytes.toString('latin1', start, at)) + 0;
  return (bytes[start] === minus ? -nearest : nearest) + 0;
}

/** `whole − quotient · scale`, without rounding. */
function remainder(whole: number, quotient: number, scale: number): number {
  const a = highHalf(quotient);
  const b = highHalf(scale);
  const c = quotient - a;
  const d = scale - b;
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
  /** With its `T`. */
  readonly #date = wordOf('0'.repeat(dateBytes));
  #dateMs = Number.NaN;

  /**
   * Passes a time of an ordinary minute in UTC, with `Z`, perhaps with a fraction (cut to milliseconds).
   * @returns integer ms; NaN for other texts and impossible dates.
   */
  pass(cursor: ByteCursor): number {
    const { bytes, at, end } = cursor;
    if (end - at < timeBytes) return Number.NaN;
    if (!cursor.accept(this.#date)) this.#readDate(bytes, at);
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

  #readDate(bytes: Buffer, at: number): void {
    for (let i = 0; i < dateBytes; i += 1) this.#date.setUint8(i, bytes[at + i]!);
    const [century, ofCentury] = [twoDigits(bytes, at), twoDigits(bytes, at + 2)];
    const isDate = bytes[at + 4] === minus && bytes[at + 7] === minus && bytes[at + 10] === letterT;
    this.#dateMs = Number.NaN;
    if (!isDate || century > 99 || ofCentury > 99) return;
    const [month, day] = [twoDigits(bytes, at + 5), twoDigits(bytes, at + 8)];
    this.#dateMs = dateMs(century * 100 + ofCentury, month, day) ?? Number.NaN;
  }
}

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
