/**
 * Where places reach, four numbers of an array, because they are read and written for each place: degrees, and Web
 * Mercator world positions (the top is the lesser one).
 */
export const extentFields = { west: 0, east: 1, top: 2, bottom: 3, length: 4 } as const;

/** Writes the four numbers. */
export function setExtent(
  extent: Float64Array,
  west: number,
  east: number,
  top: number,
  bottom: number,
): void {
  extent[0] = west;
  extent[1] = east;
  extent[2] = top;
  extent[3] = bottom;
}

/** Makes an extent that of no place. */
export function clearExtent(extent: Float64Array): void {
  setExtent(extent, Infinity, -Infinity, Infinity, -Infinity);
}

/** Widens an extent so that it holds another. */
export function widen(
  extent: Float64Array,
  west: number,
  east: number,
  top: number,
  bottom: number,
): void {
  if (west < extent[0]!) extent[0] = west;
  if (east > extent[1]!) extent[1] = east;
  if (top < extent[2]!) extent[2] = top;
  if (bottom > extent[3]!) extent[3] = bottom;
}

/** Tells whether an extent holds another without touching it. */
export function isInside(
  extent: Float64Array,
  west: number,
  east: number,
  top: number,
  bottom: number,
): boolean {
  return west > extent[0]! && east < extent[1]! && top > extent[2]! && bottom < extent[3]!;
}
