import { longitudeRanges, type LongitudeRange } from '../model/bbox.ts';
import { worldX, worldY } from '../model/mercator.ts';
import type { Bbox } from '../model/schema.ts';
import type { SearchIndexData } from './index/data.ts';
import { baseBits, baseCell } from './index/z-order.ts';
import { firstTrue } from './library-index.ts';

/** Positions `from`…`to` (exclusive). */
export type PositionRange = readonly [from: number, to: number];

/** Fewer positions than these are not divided further: looking at each costs less. */
const leafLength = 512;

interface Square {
  /** Its first base column and row. */
  readonly column: number;
  readonly row: number;
  /** It is 2^`bits` base cells wide and high. */
  readonly bits: number;
  readonly from: number;
  readonly to: number;
}

/** The base cells of a bounding box; all ends belong to it. */
interface CellBox {
  readonly top: number;
  readonly bottom: number;
  readonly columns: readonly LongitudeRange[];
}

/**
 * Finds the stretches of the Z-order curve that hold all waypoints of a bounding box, ascending; a few others lie in
 * them too. Divides the world into quarters down to the box, by binary search.
 */
export function zRanges(data: SearchIndexData, bbox: Bbox): PositionRange[] {
  const [, south, , north] = bbox;
  const box: CellBox = {
    top: baseCell(worldY(north)),
    bottom: baseCell(worldY(south)),
    columns: longitudeRanges(bbox)
      .filter((range) => range !== undefined)
      .map(([west, east]) => [baseCell(worldX(west)), baseCell(worldX(east))]),
  };
  const ranges: PositionRange[] = [];
  divide({ column: 0, row: 0, bits: baseBits, from: 0, to: data.count });
  return ranges;

  function divide(square: Square): void {
    const { from, to, bits } = square;
    if (from === to || isOutside(box, square)) return;
    if (to - from > leafLength && bits > 0 && !isInside(box, square)) {
      for (const quarter of quarters(data, square)) divide(quarter);
      return;
    }
    const last = ranges.at(-1);
    if (last?.[1] === from) ranges[ranges.length - 1] = [last[0], to];
    else ranges.push([from, to]);
  }
}

/** The four quarters in the order of the curve: upper left, upper right, lower left, lower right. */
function quarters({ lon, y }: SearchIndexData, square: Square): Square[] {
  const { column, row, from, to } = square;
  const bits = square.bits - 1;
  const half = 2 ** bits;
  const rightColumn = column + half;
  const lowerRow = row + half;
  const lower = split(from, to, (at) => baseCell(y[at]!) >= lowerRow);
  const isRight = (at: number): boolean => baseCell(worldX(lon[at]!)) >= rightColumn;
  const upperRight = split(from, lower, isRight);
  const lowerRight = split(lower, to, isRight);
  return [
    { column, row, bits, from, to: upperRight },
    { column: rightColumn, row, bits, from: upperRight, to: lower },
    { column, row: lowerRow, bits, from: lower, to: lowerRight },
    { column: rightColumn, row: lowerRow, bits, from: lowerRight, to },
  ];
}

function split(from: number, to: number, test: (position: number) => boolean): number {
  return from + firstTrue(to - from, (index) => test(from + index));
}

function isOutside({ top, bottom, columns }: CellBox, { column, row, bits }: Square): boolean {
  const side = 2 ** bits;
  if (row > bottom || row + side <= top) return true;
  return columns.every(([west, east]) => column > east || column + side <= west);
}

function isInside({ top, bottom, columns }: CellBox, { column, row, bits }: Square): boolean {
  const side = 2 ** bits;
  if (row < top || row + side - 1 > bottom) return false;
  return columns.some(([west, east]) => column >= west && column + side - 1 <= east);
}
