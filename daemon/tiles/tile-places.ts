import { limits } from '../../model/limits.ts';
import { tileBbox, worldX, worldY, type TileAddress } from '../../model/mercator.ts';
import type { ClusterItem } from '../../model/search.ts';
import { clusterJson } from '../../search/clusters.ts';
import { textInSlices, TimeSlices } from '../../search/time-slices.ts';
import type { SearchSnapshot } from '../../search/waypoint-index.ts';
import { waypointsIn, type FoundWaypoint } from '../../search/waypoints-in.ts';
import type { WaypointStore } from '../../storage/store.ts';
import type { TilePlace } from '../../worker/tiles/task.ts';

/** Tiles are 512 pixels wide on the screen, those of clusters 256: eight cells side by side, which end where tiles end. */
const clusterGrid = 64;
/** Tags of a waypoint that a tile tells, in characters. */
const tagsLength = 256;

/** What a tile shows of waypoints: clusters, or from a zoom on each by itself, with its tags. */
export async function tilePlaces(
  store: WaypointStore,
  snapshot: SearchSnapshot,
  tile: TileAddress,
): Promise<TilePlace[]> {
  const bbox = tileBbox(tile);
  const isNear = tile.z >= limits.tileWaypointZoom;
  const found = isNear ? waypointsIn(snapshot, bbox, limits.tileWaypoints) : undefined;
  const items = found ?? (await clustersIn(snapshot, tile));
  const slices = new TimeSlices();
  const places: TilePlace[] = [];
  for (const item of items) {
    // What lies on an edge is in the box of two tiles.
    if (!isOn(tile, item)) continue;
    places.push('count' in item ? item : withTags(store, item));
    if (slices.isOver()) await slices.next();
  }
  return places;
}

async function clustersIn(
  snapshot: SearchSnapshot,
  tile: TileAddress,
): Promise<(FoundWaypoint | Extract<TilePlace, { count: number }>)[]> {
  const request = {
    zoom: tile.z + 1,
    grid: clusterGrid,
    bbox: tileBbox(tile),
    bookmarksOnly: false,
    bounds: false,
  };
  let json = '';
  for await (const text of textInSlices(clusterJson(snapshot, request))) json += text;
  // Sound: it is the answer of GET /api/clusters.
  const items = JSON.parse(json) as ClusterItem[];
  return items.map((item) => {
    if (item.type === 'cluster') return { lat: item.lat, lon: item.lon, count: item.count };
    return { name: item.name, lat: item.lat, lon: item.lon, bookmark: item.bookmark };
  });
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
