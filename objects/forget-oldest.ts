/** Keeps a map at its size: a flood of new names must not wipe out all that is known of the others. */
export function forgetOldest(map: Map<string, unknown>, most: number): void {
  if (map.size <= most) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
