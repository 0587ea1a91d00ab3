/** Any odd number with well mixed bits; this one is 2^32 by the golden ratio. */
const spread = 0x9e37_79b1;

/**
 * Gives a set of 32 bits with one for each pair of neighbouring bytes of a text. A text that contains another has all of
 * its bits, so most names that do not contain a query are passed over without reading them. None for a single byte.
 */
export function pairSignature(bytes: Uint8Array, from: number, to: number): number {
  let signature = 0;
  for (let i = from + 1; i < to; i += 1) {
    // The five upper bits of the product tell which bit.
    signature |= 1 << (Math.imul((bytes[i - 1]! << 8) | bytes[i]!, spread) >>> 27);
  }
  return signature >>> 0;
}
