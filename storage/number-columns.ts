/*
 * How the columns of a day blob (day-blob.ts) are read: variable-length integers, seven bits a byte, low first.
 */

/** A blob that is not what {@link encodeDay} wrote. */
export class DayBlobCorrupt extends Error {
  override readonly name = 'DayBlobCorrupt';

  constructor() {
    super('A day of observations cannot be decoded.');
  }
}

export function fail(): never {
  throw new DayBlobCorrupt();
}

/** Signed numbers are written so that small ones stay small: 0, −1, 1, −2… */
export function unzigzag(number: number): number {
  return (number >>> 1) ^ -(number & 1);
}

/** Reads numbers of at most five bytes; beyond the end it fails. */
export class NumberReader {
  readonly blob: Uint8Array;
  at: number;

  constructor(blob: Uint8Array, at: number) {
    this.blob = blob;
    this.at = at;
  }

  next(): number {
    const first = this.blob[this.at]!;
    if (first < 128) {
      this.at += 1;
      return first;
    }
    return this.long(this.at);
  }

  /** Reads a number of more than one byte, which begins at `from`. */
  long(from: number): number {
    this.at = from;
    let number = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.blob[this.at];
      if (byte === undefined) fail();
      this.at += 1;
      number |= (byte & 127) << shift;
      if (byte < 128) return number >>> 0;
    }
    return fail();
  }
}

/** Reads `count` times, the last of which is returned, into the beginning of the column. */
export function readTimes(
  reader: NumberReader,
  timeMs: Float64Array,
  count: number,
  beforeMs: number,
  unitMs: number,
): number {
  const { blob } = reader;
  let { at } = reader;
  let time = beforeMs;
  for (let i = 0; i < count; i += 1) {
    // As NumberReader.next, but without a call for the numbers of one or two bytes that nearly all are.
    let step = blob[at]!;
    if (step < 128) at += 1;
    else if (blob[at + 1]! < 128) {
      step = (step & 127) | (blob[at + 1]! << 7);
      at += 2;
    } else {
      step = reader.long(at);
      at = reader.at;
    }
    time += step * unitMs;
    timeMs[i] = time;
  }
  reader.at = at;
  return time;
}

/** Reads `count` numbers of at most `limit`, the last of which is returned, into the beginning of the column. */
export function readColumn(
  reader: NumberReader,
  column: Int32Array,
  count: number,
  before: number,
  limit: number,
): number {
  const { blob } = reader;
  let { at } = reader;
  let value = before;
  for (let i = 0; i < count; i += 1) {
    // Of one or two bytes without a branch, which would often be guessed wrong, at twice the price.
    const first = blob[at]!;
    const more = first >> 7;
    const second = blob[at + more]!;
    let step = (first & 127) | ((second << 7) & -more);
    if (second < 128) at += 1 + more;
    else {
      step = reader.long(at);
      at = reader.at;
    }
    value = (value + ((step >>> 1) ^ -(step & 1))) | 0;
    if (value > limit || value < -limit) fail();
    column[i] = value;
  }
  reader.at = at;
  return value;
}

/** The least and the greatest of some values. */
export function rangeOf(column: Int32Array, from: number, to: number): [min: number, max: number] {
  let min = column[from]!;
  let max = min;
  for (let i = from + 1; i < to; i += 1) {
    const value = column[i]!;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return [min, max];
}
