/** An array that is alone in its memory, as those made with `new` and of a length are. */
interface Releasable {
  readonly buffer: ArrayBuffer;
}

/**
 * Gives the memory of arrays back that nobody reads again. The collector would wait until there is more of it: nearly a
 * fifth of what an import of a million waypoints takes at its peak.
 */
export function release(...arrays: readonly Releasable[]): void {
  for (const { buffer } of arrays) buffer.transfer(0);
}
