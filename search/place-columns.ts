import { blockAt, blockFields, blockLength } from './index/blocks.ts';
import { longitudeRanges } from '../model/bbox.ts';
import type { Bbox } from '../model/schema.ts';
import { isSuppressed } from './suppressed-positions.ts';

/** Waypoints by column, as the library and the bookmarks both have them. */
export interface PlaceColumns {
  readonly lat: Float64Array;
  readonly lon: Float64Array;
  /** Web Mercator world positions of the latitudes. */
  readonly y: Float64Array;
  /** Where each block of places reaches, if they lie in an order that makes this useful. */
  readonly blocks?: Float64Array;
  /** Bits of the places to leave out; none are without it. */
  readonly suppressed?: Uint32Array;
}

/** Limits inside which a place counts: both ends belong to it, and it has one or two ranges of longitudes. */
export interface Area {
  readonly south: number;
  readonly north: number;
  readonly west: number;
  readonly east: number;
  readonly west2: number;
  readonly east2: number;
}

/** Gives the limits of a bounding box, or of the world. */
export function areaOf(bbox: Bbox = [-180, -90, 180, 90]): Area {
  const [, south, , north] = bbox;
  const [[west, east], [west2, east2] = [Infinity, -Infinity]] = longitudeRanges(bbox);
  return { south, north, west, east, west2, east2 };
}

/**
 * Finds the first of the places `from`…`to` (exclusive) that is in the area and not suppressed, or with `counts` false the
 * first that does not count; else gives `to`.
 */
export function seek(
  places: PlaceColumns,
  area: Area,
  from: number,
  to: number,
  counts: boolean,
): number {
  const { lat, lon, suppressed, blocks } = places;
  for (let i = from; i < to; i += 1) {
    const block = blocks === undefined ? -1 : blockAt(i, to);
    if (block >= 0 && (counts ? isOut(places, area, block) : isIn(places, area, block, i))) {
      i += blockLength - 1;
      continue;
    }
    const isShown =
      isInArea(area, lat[i]!, lon[i]!) && !(suppressed && isSuppressed(suppressed, i));
    if (isShown === counts) return i;
  }
  return to;
}

function isInArea(area: Area, lat: number, lon: number): boolean {
  if (lat < area.south || lat > area.north) return false;
  return (lon >= area.west && lon <= area.east) || (lon >= area.west2 && lon <= area.east2);
}

/** Tells whether all places of a block are outside. */
function isOut({ blocks }: PlaceColumns, area: Area, block: number): boolean {
  const [west, east] = [blocks![block]!, blocks![block + blockFields.east]!];
  return (
    blocks![block + blockFields.north]! < area.south ||
    blocks![block + blockFields.south]! > area.north ||
    ((east < area.west || west > area.east) && (east < area.west2 || west > area.east2))
  );
}

/** Tells whether all places of a block are inside and none is suppressed. */
function isIn(
  { blocks, suppressed }: PlaceColumns,
  area: Area,
  block: number,
  at: number,
): boolean {
  // A block has one integer of bits.
  if (suppressed !== undefined && suppressed[at >>> 5] !== 0) return false;
  const [west, east] = [blocks![block]!, blocks![block + blockFields.east]!];
  return (
    blocks![block + blockFields.south]! >= area.south &&
    blocks![block + blockFields.north]! <= area.north &&
    ((west >= area.west && east <= area.east) || (west >= area.west2 && east <= area.east2))
  );
}

/** Finds the least and the greatest latitude of the places `from`…`to` (exclusive). */
export function latitudes(
  { lat, blocks }: PlaceColumns,
  from: number,
  to: number,
): [south: number, north: number] {
  let south = Infinity;
  let north = -Infinity;
  for (let i = from; i < to; i += 1) {
    const block = blocks === undefined ? -1 : blockAt(i, to);
    if (block < 0) {
      south = Math.min(south, lat[i]!);
      north = Math.max(north, lat[i]!);
      continue;
    }
    south = Math.min(south, blocks![block + blockFields.south]!);
    north = Math.max(north, blocks![block + blockFields.north]!);
    i += blockLength - 1;
  }
  return [south, north];
}
