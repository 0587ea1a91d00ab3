import type { Buffer } from 'node:buffer';
import { minus, point, zero } from '../ascii.ts';

/** Integers below 10^15 and these powers of ten are exact doubles, so one division rounds once: as `Number(text)` does. */
const exactDigits = 15;
const powersOfTen = Float64Array.from({ length: exactDigits + 1 }, (_, power) => 10 ** power);

/** A constant of ours: V8 compiles anew what meets `Number.NaN` for the first time at the end of a block. */
const none = Number.NaN;

/** Reads decimal numbers without exponent or plus sign, of any length. */
export class Decimals {
  /** The last number, as `Number` makes it but −0 as 0; NaN without a digit. A field: returned, each would be an object. */
  value = none;

  /** Passes a number. @returns where it ends. */
  pass(bytes: Buffer, from: number): number {
    const sign = bytes[from] === minus ? -1 : 1;
    const first = sign < 0 ? from + 1 : from;
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
      digit = bytes[at]! - zero;
      for (; digit >= 0 && digit <= 9 && at < end; digit = bytes[at]! - zero) {
        digits = digits * 10 + digit;
        at += 1;
      }
      decimals = at - decimalsAt;
      count += decimals;
    }
    // + 0 makes −0 zero.
    this.value = count === 0 ? none : (sign * digits) / powersOfTen[decimals]! + 0;
    return count < exactDigits ? at : this.#passRest(bytes, from, at, powersOfTen[decimals]!);
  }

  /**
   * Passes the rest of a number of more digits than a double holds, as receivers that count in binary fractions write them.
   * The value is the quotient of the first 15 digits and `scale`, and a correction by what that division leaves, which is
   * exact, and by the next 15 digits (Dekker 1971).
   */
  #passRest(bytes: Buffer, from: number, behind: number, scale: number): number {
    let low = 0;
    let at = behind;
    for (let digit = bytes[at]! - zero; digit >= 0 && digit <= 9; digit = bytes[at]! - zero) {
      if (at - behind < exactDigits) low = low * 10 + digit;
      at += 1;
    }
    const quotient = Math.abs(this.value);
    const high = Math.round(quotient * scale);
    const rest = low / powersOfTen[Math.min(at - behind, exactDigits)]!;
    const correction = (remainder(high, quotient, scale) + rest) / scale;
    const nearest = quotient + correction;
    // In this range, digits behind the 30th and the rounding here change the result by less than 10^-10 of half a step
    // between two doubles. That matters only next to the middle of two, which the last two lines find.
    const isCertain =
      high >= 1e12 &&
      high < 1e15 &&
      quotient + correction * (1 - 1e-9) === nearest &&
      quotient + correction * (1 + 1e-9) === nearest;
    if (isCertain) this.value = bytes[from] === minus ? -nearest : nearest;
    else this.value = Number(bytes.toString('latin1', from, at)) + 0;
    return at;
  }
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
