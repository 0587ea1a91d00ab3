import { latOfWorldY, lonOfWorldX, worldX, worldY } from '../../model/mercator.ts';
import type { ClusterRequest } from '../../search/clusters.ts';
import type { Shown } from './places.ts';

export type ClusterItem =
  | { type: 'waypoint'; name: string; lat: number; lon: number; bookmark: boolean }
  | { type: 'cluster'; lat: number; lon: number; count: number; bbox?: number[] };

/** The clusters by the words of the contract: a Map of cells, sorted at the end. */
export function referenceClusters(
  places: readonly Shown[],
  { zoom, grid, bookmarksOnly, bounds, bbox }: ClusterRequest,
): ClusterItem[] {
  const cells = new Map<string, { column: number; row: number; members: Shown[] }>();
  for (const place of places) {
    if (bookmarksOnly && !place.bookmark) continue;
    if (bbox !== undefined && !isInside(place, bbox)) continue;
    const column = Math.floor((worldX(place.lon) * 256 * 2 ** zoom) / grid);
    const row = Math.floor((worldY(place.lat) * 256 * 2 ** zoom) / grid);
    const key = `${column},${row}`;
    const cell = cells.get(key) ?? { column, row, members: [] };
    cell.members.push(place);
    cells.set(key, cell);
  }
  return [...cells.values()]
    .sort((a, b) => a.row - b.row || a.column - b.column)
    .map(({ members }) => itemOf(members, zoom, bounds));
}

function isInside(
  { lat, lon }: Shown,
  [west, south, east, north]: readonly [number, number, number, number],
): boolean {
  if (lat < south || lat > north) return false;
  const isBetween = (value: number): boolean =>
    west <= east ? value >= west && value <= east : value >= west || value <= east;
  return isBetween(lon) || (Math.abs(lon) === 180 && isBetween(-lon));
}

function itemOf(members: readonly Shown[], zoom: number, bounds: boolean): ClusterItem {
  const [first] = members;
  if (first !== undefined && members.length === 1) {
    const { name, lat, lon, bookmark } = first;
    return { type: 'waypoint', name, lat: lat + 0, lon: lon + 0, bookmark };
  }
  const size = 256 * 2 ** zoom;
  const pixelXs = members.map(({ lon }) => worldX(lon) * size);
  const pixelYs = members.map(({ lat }) => worldY(lat) * size);
  const lats = members.map(({ lat }) => lat);
  const lons = members.map(({ lon }) => lon);
  return {
    type: 'cluster',
    lat: latOfWorldY(middle(pixelYs) / size),
    lon: lonOfWorldX(middle(pixelXs) / size),
    count: members.length,
    ...(bounds && {
      bbox: [Math.min(...lons), Math.min(...lats), Math.max(...lons), Math.max(...lats)].map(
        (value) => value + 0,
      ),
    }),
  };
}

function middle(values: readonly number[]): number {
  return (Math.min(...values) + Math.max(...values)) / 2;
}

/** Takes over the centres of what is expected where they agree to 1e-8 degree: they are rounded, and computed otherwise. */
export function aligned(items: readonly ClusterItem[], expected: readonly ClusterItem[]) {
  return items.map((item, at) => {
    const other = expected[at];
    if (item.type !== 'cluster' || other?.type !== 'cluster') return item;
    const isNear = Math.abs(item.lat - other.lat) + Math.abs(item.lon - other.lon) < 1e-8;
    return isNear ? { ...item, lat: other.lat, lon: other.lon } : item;
  });
}
