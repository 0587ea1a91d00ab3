import { longitudeRanges } from '../model/bbox.ts';
import {
  cellOf,
  latOfWorldY,
  lonOfWorldX,
  worldSizePx,
  worldX,
  worldY,
} from '../model/mercator.ts';
import type { Bbox } from '../model/schema.ts';
import type { ClusterItem } from '../model/search.ts';
import type { Place } from '../model/waypoint.ts';
import type { IndexedBookmark, SearchSnapshot } from './waypoint-index.ts';

/** The query of `GET /api/clusters`. */
export interface ClusterRequest {
  /** 0…24, may be a fraction. */
  readonly zoom: number;
  /** Width of a cell, 8…512 pixels, may be a fraction. */
  readonly grid: number;
  readonly bookmarksOnly: boolean;
  /** Whether clusters have the bounding box of their members. */
  readonly bounds: boolean;
  readonly bbox?: Bbox | undefined;
}

/** The items of an answer: counted at once, made one by one. */
export interface Clusters {
  readonly count: number;
  readonly items: Iterable<ClusterItem>;
}

/** A waypoint that is shown. */
export interface FoundWaypoint extends Place {
  readonly bookmark: boolean;
}

/** A rank of the library, or a bookmark. */
type Found = number | IndexedBookmark;

interface Cell {
  readonly first: Found;
  count: number;
  /** Degrees. */
  west: number;
  east: number;
  south: number;
  north: number;
}

/** Cells side by side, up to which a number names each cell of the world exactly. */
const mostNumbered = 2 ** 26;
/** Decimals of a centre: a tenth of a millimetre. */
const unit = 1e9;

/**
 * Groups waypoints into the cells of a grid, by row, then column (contract C). Centres are rounded to 1e-9 degree. A
 * position on an edge belongs to the cell to the right or below: longitude 180 is pixel 256·2^zoom, which is a column of
 * its own where the grid divides the world, and −180 is column 0.
 */
export function findClusters(snapshot: SearchSnapshot, request: ClusterRequest): Clusters {
  const { zoom, grid, bounds } = request;
  const sizePx = worldSizePx(zoom);
  const columns = Math.floor(sizePx / grid) + 1;
  const isNumbered = columns <= mostNumbered;
  const cells = new Map<number | bigint, Cell>();
  visit(snapshot, request, (lat, lon, y, found) => {
    const column = cellOf(worldX(lon), sizePx, grid);
    const row = cellOf(y, sizePx, grid);
    const key = isNumbered
      ? row * columns + column
      : BigInt(row) * BigInt(columns) + BigInt(column);
    const cell = cells.get(key);
    if (cell === undefined) {
      cells.set(key, { first: found, count: 1, west: lon, east: lon, south: lat, north: lat });
      return;
    }
    cell.count += 1;
    if (lon < cell.west) cell.west = lon;
    if (lon > cell.east) cell.east = lon;
    if (lat < cell.south) cell.south = lat;
    if (lat > cell.north) cell.north = lat;
  });
  return { count: cells.size, items: itemsOf() };

  function* itemsOf(): Generator<ClusterItem> {
    // Sound: all keys are of one type.
    const order = isNumbered
      ? Float64Array.from(cells.keys() as Iterable<number>).sort()
      : BigInt64Array.from(cells.keys() as Iterable<bigint>).sort();
    for (const key of order) yield itemOf(snapshot, cells.get(key)!, bounds);
  }
}

/** Gives the waypoints of a bounding box, in no order; undefined if there are more than `atMost`. */
export function waypointsIn(
  snapshot: SearchSnapshot,
  bbox: Bbox,
  atMost: number,
): FoundWaypoint[] | undefined {
  const all: Found[] = [];
  visit(snapshot, { bbox, bookmarksOnly: false }, (_lat, _lon, _y, found) => all.push(found));
  return all.length > atMost ? undefined : all.map((found) => waypointOf(snapshot, found));
}

/** Calls back for each waypoint that is shown in a box. */
function visit(
  { library: { data }, suppressed, bookmarks }: SearchSnapshot,
  { bbox = [-180, -90, 180, 90], bookmarksOnly }: Pick<ClusterRequest, 'bbox' | 'bookmarksOnly'>,
  callback: (lat: number, lon: number, y: number, found: Found) => void,
): void {
  const [, south, , north] = bbox;
  const [[west, east], [west2, east2] = [Infinity, -Infinity]] = longitudeRanges(bbox);
  const isIn = (lat: number, lon: number): boolean =>
    lat >= south &&
    lat <= north &&
    ((lon >= west && lon <= east) || (lon >= west2 && lon <= east2));
  const { count, lat, lon, y } = data;
  for (let rank = 0; rank < count && !bookmarksOnly; rank += 1)
    if (isIn(lat[rank]!, lon[rank]!) && suppressed[rank] === 0)
      callback(lat[rank]!, lon[rank]!, y[rank]!, rank);
  for (const bookmark of bookmarks)
    if (isIn(bookmark.lat, bookmark.lon))
      callback(bookmark.lat, bookmark.lon, bookmark.y, bookmark);
}

function itemOf(snapshot: SearchSnapshot, cell: Cell, bounds: boolean): ClusterItem {
  const { first, count, west, east, south, north } = cell;
  if (count === 1) return { type: 'waypoint', ...waypointOf(snapshot, first) };
  return {
    type: 'cluster',
    // The middle in pixels is the middle in the world at any zoom.
    lat: rounded(latOfWorldY((worldY(south) + worldY(north)) / 2)),
    lon: rounded(lonOfWorldX((worldX(west) + worldX(east)) / 2)),
    count,
    ...(bounds && { bbox: [west, south, east, north] }),
  };
}

function waypointOf({ library }: SearchSnapshot, found: Found): FoundWaypoint {
  if (typeof found === 'number') return { ...library.place(found), bookmark: false };
  const { name, lat, lon } = found;
  return { name, lat, lon, bookmark: true };
}

function rounded(degrees: number): number {
  return Math.round(degrees * unit) / unit;
}
