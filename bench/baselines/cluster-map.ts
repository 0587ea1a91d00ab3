import {
  cellOf,
  latOfWorldY,
  lonOfWorldX,
  worldSizePx,
  worldX,
  worldY,
} from '../../model/mercator.ts';
import type { Bbox } from '../../model/schema.ts';

/** Waypoints as columns, the way any simple server would keep them. */
export interface PlaceColumns {
  readonly names: readonly string[];
  readonly lat: Float64Array;
  readonly lon: Float64Array;
}

export interface ClusterMapRequest {
  readonly zoom: number;
  readonly grid: number;
  /** `[west, south, east, north]`, not across the antimeridian. */
  readonly bbox?: Bbox | undefined;
}

interface Cell {
  first: number;
  count: number;
  west: number;
  east: number;
  top: number;
  bottom: number;
}

/**
 * Groups waypoints as anybody would at first: project each one, join column and row into a string, look the cell up in
 * a Map. The yardstick for `GET /api/clusters`.
 * @returns the JSON that is sent, and how many items it has.
 */
export function clusterByMap(
  { names, lat, lon }: PlaceColumns,
  { zoom, grid, bbox }: ClusterMapRequest,
): { json: string; items: number } {
  const sizePx = worldSizePx(zoom);
  const cells = new Map<string, Cell>();
  for (let i = 0; i < names.length; i += 1) {
    if (bbox !== undefined && !isInside(bbox, lat[i]!, lon[i]!)) continue;
    const x = worldX(lon[i]!);
    const y = worldY(lat[i]!);
    addTo(cells, `${cellOf(x, sizePx, grid)}:${cellOf(y, sizePx, grid)}`, { i, x, y });
  }
  const items = [...cells.values()].map(({ first, count, west, east, top, bottom }) =>
    count === 1
      ? { type: 'waypoint', name: names[first], lat: lat[first], lon: lon[first], bookmark: false }
      : {
          type: 'cluster',
          lat: latOfWorldY((top + bottom) / 2),
          lon: lonOfWorldX((west + east) / 2),
          count,
        },
  );
  return { json: JSON.stringify(items), items: items.length };
}

function addTo(
  cells: Map<string, Cell>,
  key: string,
  { i, x, y }: { readonly i: number; readonly x: number; readonly y: number },
): void {
  const cell = cells.get(key);
  if (cell === undefined) {
    cells.set(key, { first: i, count: 1, west: x, east: x, top: y, bottom: y });
    return;
  }
  cell.count += 1;
  cell.west = Math.min(cell.west, x);
  cell.east = Math.max(cell.east, x);
  cell.top = Math.min(cell.top, y);
  cell.bottom = Math.max(cell.bottom, y);
}

function isInside([west, south, east, north]: Bbox, lat: number, lon: number): boolean {
  return lat >= south && lat <= north && lon >= west && lon <= east;
}
