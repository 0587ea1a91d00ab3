import { limits } from '../../model/limits.ts';
import { tileBbox, worldX, worldY, type TileAddress } from '../../model/mercator.ts';
import { findClusters, waypointsIn, type FoundWaypoint } from '../../search/clusters.ts';
import { TimeSlices } from '../../search/time-slices.ts';
import type { SearchSnapshot } from '../../search/waypoint-index.ts';
import type { WaypointStore } from '../../storage/store.ts';
import type { TilePlace } from '../../worker/tiles/task.ts';

/** Tiles are 512 pixels wide on the screen, those of clusters 256: eight cells side by side, which end where tiles end. */
const clusterGrid = 64;
/** Most characters of tags of a waypoint in a tile. */
const tagsLength = 256;

/** Finds the waypoints of a tile: clusters, or from a zoom on each by itself, with its tags. */
export async function tilePlaces(
  store: WaypointStore,
  snapshot: SearchSnapshot,
  tile: TileAddress,
): Promise<TilePlace[]> {
  const bbox = tileBbox(tile);
  const isNear = tile.z >= limits.tileWaypointZoom;
  const found = isNear ? waypointsIn(snapshot, bbox, limits.tileWaypoints) : undefined;
  const items = found ?? clustersIn(snapshot, tile);
  const slices = new TimeSlices();
  const places: TilePlace[] = [];
  for (const item of items) {
    // A waypoint on an edge is in the boxes of two tiles.
    if (!isOn(tile, item)) continue;
    places.push('count' in item ? item : withTags(store, item));
    if (slices.isOver()) await slices.next();
  }
  return places;
}

function clustersIn(
  snapshot: SearchSnapshot,
  tile: TileAddress,
): Iterable<FoundWaypoint | Extract<TilePlace, { count: number }>> {
  const request = {
    zoom: tile.z + 1,
    grid: clusterGrid,
    bbox: tileBbox(tile),
    bookmarksOnly: false,
    bounds: false,
  };
  return findClusters(snapshot, request).items;
}

/** Its right and lower edges belong to the next tiles, unless it is the last one. */
function isOn({ z, x, y }: TileAddress, { lat, lon }: { lat: number; lon: number }): boolean {
  const tiles = 2 ** z;
  const last = tiles - 1;
  const column = Math.min(Math.floor(worldX(lon) * tiles), last);
  return column === x && Math.min(Math.floor(worldY(lat) * tiles), last) === y;
}

function withTags(store: WaypointStore, waypoint: FoundWaypoint): TilePlace {
  let tags = '';
  for (const { raw } of store.tagsOf(waypoint).tags) {
    const longer = tags === '' ? raw : `${tags}, ${raw}`;
    if (longer.length > tagsLength) break;
    tags = longer;
  }
  const { name, lat, lon, bookmark } = waypoint;
  return { name, lat, lon, tags, bookmark };
}
