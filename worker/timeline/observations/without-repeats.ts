import type { PositionColumns } from '../../../storage/day-blob.ts';
import { Point } from '../detect/point.ts';

/** Positions of one instant that are remembered. */
const keptPositions = 256;

/**
 * Passes each observation on once: the same track is often imported in several files.
 * @param take its point is used again.
 * @returns a function that adds points in order of time, and says how many of them were repeats.
 */
export function withoutRepeats(take: (point: Point) => void) {
  const [lats, lons] = [new Int32Array(keptPositions), new Int32Array(keptPositions)];
  const point = new Point();
  let [positions, positionsMs] = [0, Number.NaN];

  const isNew = ({ timeMs, latE7, lonE7 }: Point): boolean => {
    if (timeMs !== positionsMs) [positions, positionsMs] = [0, timeMs];
    for (let i = 0; i < positions; i += 1) if (lats[i] === latE7 && lons[i] === lonE7) return false;
    if (positions < keptPositions) {
      lats[positions] = latE7;
      lons[positions] = lonE7;
      positions += 1;
    }
    return true;
  };

  return (columns: PositionColumns, from: number, to: number, source: number, kind: number) => {
    let repeats = 0;
    Object.assign(point, { source, kind });
    for (let at = from; at < to; at += 1) {
      point.timeMs = columns.timeMs[at]!;
      point.latE7 = columns.latE7[at]!;
      point.lonE7 = columns.lonE7[at]!;
      if (isNew(point)) take(point);
      else repeats += 1;
    }
    return repeats;
  };
}
