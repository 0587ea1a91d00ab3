/** The bytes of a source in pieces of one size; the last may be smaller. */
export async function* partsOf(
  source: AsyncIterable<Uint8Array>,
  step: number,
): AsyncGenerator<Buffer> {
  let [part, filled] = [Buffer.allocUnsafeSlow(step), 0];
  for await (const piece of source) {
    for (let at = 0; at < piece.length;) {
      const taken = piece.subarray(at, at + step - filled);
      part.set(taken, filled);
      at += taken.length;
      filled += taken.length;
      if (filled < step) continue;
      yield part;
      [part, filled] = [Buffer.allocUnsafeSlow(step), 0];
    }
  }
  if (filled > 0) yield part.subarray(0, filled);
}
