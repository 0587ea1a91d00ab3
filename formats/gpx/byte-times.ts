import { Buffer } from 'node:buffer';
import { colon, letterT, letterZ, minus, point, zero } from '../ascii.ts';
import { dateMs } from '../../model/time.ts';

/** A constant of ours: V8 compiles anew what meets `Number.NaN` for the first time at the end of a block. */
const none = Number.NaN;

/** Bytes of `YYYY-MM-DDT`, and of `YYYY-MM-DDThh:mm:ss`. */
const dateBytes = 11;
const secondsBytes = 19;

/** Reads the usual times of points. Neighbours share their date, so that is worked out only when it changes. */
export class ByteTimes {
  /** With its `T`. */
  readonly #date = Buffer.alloc(dateBytes);
  #dateMs = none;

  /**
   * Reads the bytes `from` to `to` as a time of an ordinary minute in UTC, with `Z`, perhaps with a fraction (cut to
   * milliseconds).
   * @returns integer ms; NaN for other texts and impossible dates.
   */
  timeOf(bytes: Buffer, from: number, to: number): number {
    if (to - from <= secondsBytes || bytes[to - 1] !== letterZ) return none;
    for (let i = 0; i < dateBytes; i += 1)
      if (this.#date[i] !== bytes[from + i]) this.#readDate(bytes, from);
    const hour = twoDigits(bytes, from + 11);
    const minute = twoDigits(bytes, from + 14);
    const second = twoDigits(bytes, from + 17);
    // Characters that are not digits give numbers beyond these.
    if (hour > 23 || minute > 59 || second > 59) return none;
    if (bytes[from + 13] !== colon || bytes[from + 16] !== colon) return none;
    const fraction = fractionMs(bytes, from + secondsBytes, to - 1);
    return this.#dateMs + ((hour * 60 + minute) * 60 + second) * 1000 + fraction;
  }

  #readDate(bytes: Buffer, from: number): void {
    bytes.copy(this.#date, 0, from, from + dateBytes);
    const [century, ofCentury] = [twoDigits(bytes, from), twoDigits(bytes, from + 2)];
    const isDate =
      bytes[from + 4] === minus && bytes[from + 7] === minus && bytes[from + 10] === letterT;
    this.#dateMs = none;
    if (!isDate || century > 99 || ofCentury > 99) return;
    const [month, day] = [twoDigits(bytes, from + 5), twoDigits(bytes, from + 8)];
    this.#dateMs = dateMs(century * 100 + ofCentury, month, day) ?? none;
  }
}

/** Two digits as a number; 100 or more if they are not. */
function twoDigits(bytes: Uint8Array, at: number): number {
  const tens = bytes[at]! - zero;
  const ones = bytes[at + 1]! - zero;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : 100;
}

/** @returns whole milliseconds of nothing, or of a point and digits; NaN for anything else. */
function fractionMs(bytes: Buffer, from: number, to: number): number {
  if (from === to) return 0;
  if (bytes[from] !== point || to === from + 1) return none;
  let ms = 0;
  for (let i = 1; i < Math.max(4, to - from); i += 1) {
    const digit = from + i < to ? bytes[from + i]! - zero : 0;
    if (digit < 0 || digit > 9) return none;
    if (i < 4) ms = ms * 10 + digit;
  }
  return ms;
}
