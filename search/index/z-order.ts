import { cellOf, worldSizePx, worldX } from '../../model/mercator.ts';
import { release } from './memory.ts';
import { finish, keyedOrder, radixSort } from './radix-sort.ts';

/**
 * The curve runs over the cells of the usual grid at the largest zoom. A cell of any smaller whole zoom is four of the
 * next one, so for that grid the members of every cell at every whole zoom lie side by side; for other grids nearly so.
 */
const baseGrid = 60;
const baseSizePx = worldSizePx(24);

/** Bits of a base cell's column or row: 2^32 pixels by 60. */
export const baseBits = 27;

/** Column or row of a world position among the cells of the curve. */
export function baseCell(position: number): number {
  return cellOf(position, baseSizePx, baseGrid);
}

/**
 * Orders places along the Z-order curve: by the bits of row and column in turn, the row's first. Stable.
 * @param lon Degrees, as long as `y`; @param y Web Mercator world positions.
 */
export function zOrder(lon: Float64Array, y: Float64Array): Uint32Array<ArrayBuffer> {
  const count = lon.length;
  const pairs = keyedOrder(count);
  const scratch = keyedOrder(count);
  const { keys, order } = pairs;
  for (let i = 0; i < count; i += 1) {
    keys[i] = interleave(baseCell(worldX(lon[i]!)) & 0xffff, baseCell(y[i]!) & 0xffff);
  }
  finish(radixSort(pairs, scratch, 0, count));
  for (let i = 0; i < count; i += 1) {
    const at = order[i]!;
    keys[i] = interleave(baseCell(worldX(lon[at]!)) >>> 16, baseCell(y[at]!) >>> 16);
  }
  finish(radixSort(pairs, scratch, 0, count));
  release(keys, scratch.keys, scratch.order);
  return order;
}

function interleave(column: number, row: number): number {
  return (spread(column) | (spread(row) << 1)) >>> 0;
}

/** Puts a zero before each of 16 bits (the known sequence of shifts and masks for Morton codes). */
function spread(bits: number): number {
  let spaced = (bits | (bits << 8)) & 0x00ff00ff;
  spaced = (spaced | (spaced << 4)) & 0x0f0f0f0f;
  spaced = (spaced | (spaced << 2)) & 0x33333333;
  return (spaced | (spaced << 1)) & 0x55555555;
}
