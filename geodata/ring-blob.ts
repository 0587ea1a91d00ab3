import { fail, NumberReader, NumberWriter } from '../storage/number-columns.ts';

/** Corners x0, y0, x1, y1, … in units (see format.ts). */
export type Ring = Int32Array;

/**
 * Encodes the rings of a polygon: how many rings; for each how many corners, then x and y of each corner as the difference
 * from the corner before (the first one of the blob from 0, 0). A ring closes itself: its first corner is not repeated.
 */
export function encodeRings(rings: readonly Ring[]): Uint8Array {
  const numbers = new NumberWriter();
  let [x, y] = [0, 0];
  numbers.add(rings.length);
  for (const ring of rings) {
    numbers.add(ring.length / 2);
    for (let i = 0; i < ring.length; i += 2) {
      numbers.addSigned(ring[i]! - x);
      numbers.addSigned(ring[i + 1]! - y);
      [x, y] = [ring[i]!, ring[i + 1]!];
    }
  }
  return numbers.take();
}

/** @throws RangeError when the bytes are not rings. */
export function decodeRings(bytes: Uint8Array): Ring[] {
  try {
    return readRings(new NumberReader(bytes));
  } catch (cause) {
    // Not the codec's own error, which would call the library damaged.
    throw new RangeError('The rings of a border are cut off.', { cause });
  }
}

function readRings(numbers: NumberReader): Ring[] {
  // Each takes at least a byte, so a count above the bytes that are left is false.
  const count = (): number => {
    const said = numbers.next();
    return said > numbers.blob.length - numbers.at ? fail() : said;
  };
  let [x, y] = [0, 0];
  return Array.from({ length: count() }, () => {
    const ring = new Int32Array(count() * 2);
    for (let i = 0; i < ring.length; i += 2) {
      ring[i] = x += numbers.nextSigned();
      ring[i + 1] = y += numbers.nextSigned();
    }
    return ring;
  });
}
