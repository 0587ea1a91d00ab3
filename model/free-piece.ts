/** Pieces from this size on have memory of their own. */
const freedBytes = 16_384;

/**
 * Gives the memory of a piece back at once. Left to the garbage collector, which sees little of it, the pieces of a large
 * body make up two thirds of the process and a fifth of the work.
 */
export function freePiece({ buffer, byteLength }: Uint8Array): void {
  if (!(buffer instanceof ArrayBuffer) || byteLength < freedBytes) return;
  // Only memory that is all this piece's: small ones may share theirs.
  if (buffer.byteLength === byteLength) buffer.transfer(0);
}
