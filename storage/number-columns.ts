import { Buffer } from 'node:buffer';

/*
 * The one codec of blobs in `library.sqlite`: unsigned integers below 2^32 in variable length (seven bits a byte, low
 * first), signed ones as zigzag (0, −1, 1, −2…), columns as differences to the value before. Differences wrap around at 32
 * bits, in both directions alike, so that every difference of two coordinates fits.
 */

/** A blob that {@link NumberWriter} did not write. */
export class DayBlobCorrupt extends Error {
  override readonly name = 'DayBlobCorrupt';

  constructor() {
    super('A day of observations cannot be decoded.');
  }
}

export function fail(): never {
  throw new DayBlobCorrupt();
}

const mostBytes = 5;

/** Writes numbers into a buffer that is used again after each {@link take}. */
export class NumberWriter {
  #out = Buffer.allocUnsafe(4_096);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(number: number): void {
    this.#reserve(mostBytes);
    let rest = number;
    for (; rest > 127; rest >>>= 7) this.#put((rest & 127) | 128);
    this.#put(rest);
  }

  addSigned(value: number): void {
    this.add(zigzag(value | 0));
  }

  /** Adds values `from`…`to` (exclusive), but for those that are `leftOut`. */
  addColumn(column: Int32Array, from: number, to: number, leftOut?: number): void {
    let before = 0;
    for (let i = from; i < to; i += 1) {
      const value = column[i]!;
      if (value === leftOut) continue;
      this.addSigned(value - before);
      before = value;
    }
  }

  /** Adds ascending times `from`…`to` (exclusive), multiples of a unit. */
  addTimes(timeMs: Float64Array, from: number, to: number, startMs: number, unitMs: number): void {
    let before = startMs;
    for (let i = from; i < to; i += 1) {
      this.add((timeMs[i]! - before) / unitMs);
      before = timeMs[i]!;
    }
  }

  /** Adds a bit for each value `from`…`to` (exclusive): 1 unless it is `leftOut`. */
  addPresence(column: Int32Array, from: number, to: number, leftOut: number): void {
    const bytes = Math.ceil((to - from) / 8);
    this.#reserve(bytes);
    this.#out.fill(0, this.#length, this.#length + bytes);
    for (let i = 0; i < to - from; i += 1)
      if (column[from + i] !== leftOut) this.#out[this.#length + (i >> 3)]! |= 1 << (i & 7);
    this.#length += bytes;
  }

  /** Gives a copy of all that was written, and begins anew. */
  take(): Buffer {
    const taken = Buffer.from(this.#out.subarray(0, this.#length));
    this.#length = 0;
    return taken;
  }

  #put(byte: number): void {
    this.#out[this.#length] = byte;
    this.#length += 1;
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed > this.#out.length) this.#out = Buffer.concat([this.#out], needed * 2);
  }
}

export function zigzag(value: number): number {
  return ((value << 1) ^ (value >> 31)) >>> 0;
}

function unzigzag(number: number): number {
  return (number >>> 1) ^ -(number & 1);
}

/** Reads numbers; fails beyond the end. */
export class NumberReader {
  readonly blob: Uint8Array;
  at: number;

  constructor(blob: Uint8Array, at = 0) {
    this.blob = blob;
    this.at = at;
  }

  get isOver(): boolean {
    return this.at >= this.blob.length;
  }

  next(): number {
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

  nextSigned(): number {
    return unzigzag(this.next());
  }

  /** Reads `count` times, the last of which is returned, into the beginning of a column. */
  times(timeMs: Float64Array, count: number, beforeMs: number, unitMs: number): number {
    let time = beforeMs;
    for (let i = 0; i < count; i += 1) {
      time += this.next() * unitMs;
      timeMs[i] = time;
    }
    return time;
  }

  /** Reads `count` numbers of at most `limit` into the beginning of a column. */
  column(column: Int32Array, count: number, limit: number): void {
    const { blob } = this;
    let { at } = this;
    let value = 0;
    for (let i = 0; i < count; i += 1) {
      // One or two bytes without a branch, which would often be guessed wrong, at twice the price.
      const first = blob[at]!;
      const more = first >> 7;
      const second = blob[at + more]!;
      let step = (first & 127) | ((second << 7) & -more);
      if (second < 128) at += 1 + more;
      else {
        this.at = at;
        step = this.next();
        at = this.at;
      }
      value = (value + unzigzag(step)) | 0;
      if (value > limit || value < -limit) fail();
      column[i] = value;
    }
    this.at = at;
  }
}

/** Finds the least and the greatest of some values. */
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
