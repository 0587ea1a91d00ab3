/** Makes an array of numbers 0…2^32−1 in memory that threads share. */
export function sharedIntegers(length: number): Uint32Array {
  return new Uint32Array(new SharedArrayBuffer(length * 4));
}

/** Makes an array of doubles in memory that threads share. */
export function sharedDoubles(length: number): Float64Array {
  return new Float64Array(new SharedArrayBuffer(length * 8));
}

/** Makes room for bytes in memory that threads share. */
export function sharedBytes(length: number): Uint8Array {
  return new Uint8Array(new SharedArrayBuffer(length));
}
