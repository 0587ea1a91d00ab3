import { normalizeText } from '../../../model/text.ts';
import { asList, asRecord, type Operation } from '../operation.ts';
import { normalizeWaypoint, rawTag } from '../tags.ts';
import type { PlaceInput, Waypoint, WaypointInput } from '../types.ts';

const path = '/api/bookmarks';

/** `getWaypoints()` */
export function loadWaypoints(): Operation<Waypoint[]> {
  return {
    method: 'GET',
    path: '/api/waypoints',
    query: { emoji: true },
    read: (value) => asList<WaypointInput>(value).map(normalizeWaypoint),
    offline: () => [],
    started: ['waypointsLoadStarted'],
    succeeded: (waypoints) => [['waypointsLoaded', waypoints]],
    failed: (message) => ['waypointsLoadFailed', message],
  };
}

/** `addWaypoint(wp)` */
export function addBookmark(original: WaypointInput): Operation<Waypoint> {
  const { name, lat, lon, ele, time, desc, tags } = original;
  const asked = normalizeWaypoint({ ...original, bookmark: true });
  return {
    method: 'POST',
    path,
    body: { name, lat, lon, ele, time, desc, tags: tags?.map(rawTag) },
    read: (value) => normalizeWaypoint({ ...asked, ...asRecord<WaypointInput>(value) }),
    offline: () => asked,
    started: ['waypointAddStarted', original],
    succeeded: (saved) => [['waypointAdded', saved, original]],
    failed: (message) => ['waypointAddFailed', original, message],
  };
}

/** `deleteWaypoint(wp)` */
export function deleteBookmark(waypoint: PlaceInput): Operation<PlaceInput> {
  const { name, lat, lon } = waypoint;
  return {
    method: 'DELETE',
    path,
    query: { name, lat, lon },
    read: () => waypoint,
    offline: () => waypoint,
    started: ['waypointDeleteStarted', waypoint],
    succeeded: () => [['waypointDeleted', waypoint]],
    failed: (message) => ['waypointDeleteFailed', waypoint, message],
  };
}

/** `renameWaypoint(wp, newName)` */
export function renameBookmark(original: WaypointInput, newName: string): Operation<Waypoint> {
  const { name: oldName, lat, lon } = original;
  const wanted = normalizeText(newName);
  const renamed = normalizeWaypoint({ ...original, name: wanted });
  const isNoChange = wanted === '' || wanted === normalizeText(oldName);
  return {
    method: 'PATCH',
    path,
    body: { oldName, lat, lon, newName: wanted },
    read: (value) => ({ ...renamed, ...newIdentity(asRecord<NewIdentity>(value)) }),
    offline: () => renamed,
    refusal: isNoChange ? 'no change' : undefined,
    started: ['waypointRenameStarted', original, newName],
    succeeded: (updated) => [['waypointRenamed', updated, original]],
    failed: (message) => ['waypointRenameFailed', original, newName, message],
  };
}

interface NewIdentity {
  readonly newName: string;
  readonly lat: number;
  readonly lon: number;
}

function newIdentity({ newName, lat, lon }: Partial<NewIdentity> = {}): Partial<PlaceInput> {
  return {
    ...(newName === undefined ? {} : { name: newName }),
    ...(lat === undefined ? {} : { lat }),
    ...(lon === undefined ? {} : { lon }),
  };
}
