import { worldY } from '../../model/mercator.ts';

const blockBits = 5;
/**
 * Positions in a block: enough to make passing over one worthwhile, few enough to lie in one cell of most maps; as many
 * as one integer of {@link Uint32Array} has bits.
 */
export const blockLength = 2 ** blockBits;

/** The numbers kept of each block; `top` and `bottom` are Web Mercator world positions, the rest degrees. */
export const blockFields = {
  west: 0,
  east: 1,
  south: 2,
  north: 3,
  top: 4,
  bottom: 5,
  length: 6,
} as const;

/** Length of the array that holds the blocks of `count` positions; a rest shorter than a block has none. */
export function blocksLength(count: number): number {
  return Math.floor(count / blockLength) * blockFields.length;
}

/** Fills in where the places of each block reach. */
export function fillBlocks(blocks: Float64Array, lat: Float64Array, lon: Float64Array): void {
  for (let at = 0, from = 0; at < blocks.length; at += blockFields.length, from += blockLength) {
    const [south, north] = extremes(lat, from);
    const [west, east] = extremes(lon, from);
    blocks.set([west, east, south, north, worldY(north), worldY(south)], at);
  }
}

/**
 * Where the numbers of the block that begins at `position` are, or −1 if none begins there or it reaches beyond `to`
 * (exclusive).
 */
export function blockAt(position: number, to: number): number {
  if ((position & (blockLength - 1)) !== 0 || position + blockLength > to) return -1;
  return (position >>> blockBits) * blockFields.length;
}

/** The end (exclusive) of the block that a position belongs to. */
export function blockEnd(position: number): number {
  return ((position >>> blockBits) + 1) << blockBits;
}

function extremes(values: Float64Array, from: number): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (let i = from; i < from + blockLength; i += 1) {
    low = Math.min(low, values[i]!);
    high = Math.max(high, values[i]!);
  }
  return [low, high];
}
