import type { Bbox } from './schema.ts';

/**
 * Web Mercator (EPSG:3857) as map tiles use it. A position in the world is `x, y` in 0…1, x eastwards from the
 * antimeridian, y southwards from the top; in pixels the world is 256·2^zoom wide and high. x depends on the longitude
 * alone and y on the latitude alone, and both keep its order.
 */

/** The latitude at which the world is a square, degrees; what lies beyond is drawn on the edge. */
export const maxLatitude = 85.0511287798066;

const tilePx = 256;
const degreesToRadians = Math.PI / 180;

/** Width and height of the world in pixels; `zoom` may be a fraction. */
export function worldSizePx(zoom: number): number {
  return tilePx * 2 ** zoom;
}

/** Eastward position of a longitude in the world: −180 is 0 and 180 is 1. */
export function worldX(lon: number): number {
  return (lon + 180) / 360;
}

/** Southward position of a latitude in the world, 0…1; latitudes beyond {@link maxLatitude} are on the edge. */
export function worldY(lat: number): number {
  const clamped = Math.min(Math.max(lat, -maxLatitude), maxLatitude);
  const sine = Math.sin(clamped * degreesToRadians);
  // As the inverse hyperbolic sine of the tangent, in a third of the time.
  const y = 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
  // Rounding may leave the square by one unit in the last place.
  return Math.min(Math.max(y, 0), 1);
}

/** Longitude of an eastward position in the world; the inverse of {@link worldX}. */
export function lonOfWorldX(x: number): number {
  return x * 360 - 180;
}

/** Latitude of a southward position in the world; the inverse of {@link worldY}. */
export function latOfWorldY(y: number): number {
  return Math.atan(Math.sinh((0.5 - y) * 2 * Math.PI)) / degreesToRadians;
}

/** A tile of the map: column `x` and row `y` of a world that is 2^`z` tiles wide and high. */
export interface TileAddress {
  readonly z: number;
  readonly x: number;
  readonly y: number;
}

/** Area of a tile; the outermost rows reach the poles. */
export function tileBbox({ z, x, y }: TileAddress): Bbox {
  const tiles = 2 ** z;
  return [
    lonOfWorldX(x / tiles),
    y === tiles - 1 ? -90 : latOfWorldY((y + 1) / tiles),
    lonOfWorldX((x + 1) / tiles),
    y === 0 ? 90 : latOfWorldY(y / tiles),
  ];
}

/** Column or row, counted from 0, of a world position on a grid of `grid` pixels over a world of `sizePx` pixels. */
export function cellOf(position: number, sizePx: number, grid: number): number {
  return Math.floor((position * sizePx) / grid);
}
