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

/**
 * Gives back the memory of arrays that are not read again; each is alone in its buffer. The collector would wait until
 * there is more of it: nearly a fifth of what an import of a million waypoints takes at its peak.
 */
export function release(...arrays: readonly { readonly buffer: ArrayBuffer }[]): void {
  for (const { buffer } of arrays) buffer.transfer(0);
}

/** Moves an array into one with room for at least `length` entries, and for as many again. */
export function grown(array: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  const copy = new Uint32Array(length * 2);
  copy.set(array);
  release(array);
  return copy;
}
