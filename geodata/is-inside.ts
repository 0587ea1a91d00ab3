import type { Ring } from './ring-blob.ts';

/**
 * Whether an odd number of edges lies east of a point, over all rings, so that holes are outside (Shimrat 1962). Of two
 * polygons with a common edge a point on it belongs to exactly one; the south pole belongs to what reaches down to it.
 */
export function isInside(rings: readonly Ring[], x: number, y: number): boolean {
  let isOdd = false;
  for (const ring of rings) {
    let fromX = ring[ring.length - 2]!;
    let fromY = ring[ring.length - 1]!;
    for (let i = 0; i < ring.length; i += 2) {
      const toX = ring[i]!;
      const toY = ring[i + 1]!;
      if (fromY > y !== toY > y && x < fromX + ((toX - fromX) * (y - fromY)) / (toY - fromY)) {
        isOdd = !isOdd;
      }
      fromX = toX;
      fromY = toY;
    }
  }
  return isOdd;
}
