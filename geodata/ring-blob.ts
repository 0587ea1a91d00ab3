/**
 * Rings of a polygon as bytes: how many rings; for each how many corners, then x and y of each corner as the difference
 * from the corner before (the first one of the blob from 0, 0). Numbers are LEB128, differences zigzag-coded. A ring
 * closes itself: its first corner is not repeated.
 */

/** Corners x0, y0, x1, y1, … in units (see format.ts). */
export type Ring = Int32Array;

export function encodeRings(rings: readonly Ring[]): Uint8Array {
  const bytes: number[] = [];
  let x = 0;
  let y = 0;
  pushNumber(bytes, rings.length);
  for (const ring of rings) {
    pushNumber(bytes, ring.length / 2);
    for (let i = 0; i < ring.length; i += 2) {
      pushNumber(bytes, zigzag(ring[i]! - x));
      pushNumber(bytes, zigzag(ring[i + 1]! - y));
      x = ring[i]!;
      y = ring[i + 1]!;
    }
  }
  return Uint8Array.from(bytes);
}

/** @throws RangeError when the bytes are not rings. */
export function decodeRings(bytes: Uint8Array): Ring[] {
  const numbers = new NumberReader(bytes);
  const rings: Ring[] = [];
  let x = 0;
  let y = 0;
  for (let left = numbers.count(); left > 0; left -= 1) {
    const ring = new Int32Array(numbers.count() * 2);
    for (let i = 0; i < ring.length; i += 2) {
      ring[i] = x += numbers.difference();
      ring[i + 1] = y += numbers.difference();
    }
    rings.push(ring);
  }
  return rings;
}

function zigzag(difference: number): number {
  return difference < 0 ? -2 * difference - 1 : 2 * difference;
}

/** 0…2^32−1. */
function pushNumber(bytes: number[], number: number): void {
  let rest = number;
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  bytes.push(rest);
}

class NumberReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  next(): number {
    let number = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) break;
      this.#at += 1;
      number += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return number;
    }
    throw new RangeError('The rings of a border are cut off.');
  }

  /** A number of things of at least a byte each: no more of them than there are bytes left. */
  count(): number {
    const count = this.next();
    if (count > this.#bytes.length - this.#at)
      throw new RangeError('The rings of a border are cut off.');
    return count;
  }

  difference(): number {
    const coded = this.next();
    return coded % 2 === 0 ? coded / 2 : -(coded + 1) / 2;
  }
}
