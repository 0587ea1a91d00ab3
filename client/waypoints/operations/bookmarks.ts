import { normalizeText } from '../../../model/text.ts';
import { fieldNames } from '../../../model/waypoint-fields.ts';
import { asList, asRecord, operation, placeOperation } from '../operation.ts';
import { normalizeWaypoint, rawTag } from '../tags.ts';
import type {
  PlaceInput,
  Waypoint,
  WaypointChanges,
  WaypointFilter,
  WaypointInput,
} from '../types.ts';

/** All waypoints, bookmarks first, or those of a filter. */
export function getWaypoints(filter: WaypointFilter = {}) {
  return operation<Waypoint[]>()({
    call: 'GET /api/waypoints',
    args: Object.keys(filter).length === 0 ? [] : [filter],
    query: { ...filter, emoji: true },
    read: (value) => asList<WaypointInput>(value).map(normalizeWaypoint),
    offline: () => [],
    started: ['waypointsLoadStarted'],
    succeeded: (waypoints) => [['waypointsLoaded', waypoints]],
    failed: (message) => ['waypointsLoadFailed', message],
  });
}

/** Makes a bookmark. */
export function addWaypoint(original: WaypointInput) {
  const { name, lat, lon } = original;
  const fields = Object.fromEntries(fieldNames.map((field) => [field, original[field]]));
  const tags = original.tags?.map(rawTag);
  const wanted = normalizeWaypoint({ ...original, bookmark: true });
  return operation<Waypoint>()({
    call: 'POST /api/bookmarks',
    body: { name, lat, lon, ...fields, tags },
    read: (value) => normalizeWaypoint({ ...wanted, ...asRecord<WaypointInput>(value) }),
    offline: () => wanted,
    started: ['waypointAddStarted', original],
    succeeded: (saved) => [['waypointAdded', saved, original]],
    failed: (message) => ['waypointAddFailed', original, message],
  });
}

/** Deletes a bookmark. */
export function deleteWaypoint(waypoint: PlaceInput) {
  return placeOperation({
    call: 'DELETE /api/bookmarks',
    waypoint,
    signals: ['waypointDeleteStarted', 'waypointDeleted', 'waypointDeleteFailed'],
  });
}

/** A bookmark with the name and position that the answer to a change has. */
function withIdentity(value: unknown, wanted: Waypoint): Waypoint {
  const {
    newName: name = wanted.name,
    lat = wanted.lat,
    lon = wanted.lon,
  } = asRecord<{ newName?: string; lat?: number; lon?: number }>(value) ?? {};
  return { ...wanted, name, lat, lon };
}

/** Renames a bookmark; a blank name or its own fails with `no change`, without a request. */
export function renameWaypoint(original: WaypointInput, newName: string) {
  const { name: oldName, lat, lon } = original;
  const wanted = normalizeText(newName);
  const renamed = normalizeWaypoint({ ...original, name: wanted });
  const isNoChange = wanted === '' || wanted === normalizeText(oldName);
  return operation<Waypoint>()({
    call: 'PATCH /api/bookmarks',
    body: { oldName, lat, lon, newName: wanted },
    read: (value) => withIdentity(value, renamed),
    offline: () => renamed,
    refusal: isNoChange ? 'no change' : undefined,
    started: ['waypointRenameStarted', original, newName],
    succeeded: (updated) => [['waypointRenamed', updated, original]],
    failed: (message) => ['waypointRenameFailed', original, newName, message],
  });
}

/** Changes a bookmark: its name, position, note and what else it has. Its tags stay with it. */
export function editWaypoint(original: WaypointInput, changes: WaypointChanges) {
  const { name: oldName, lat, lon } = original;
  const { name: newName, lat: newLat, lon: newLon, ...fields } = changes;
  const said = Object.entries({ ...original, ...changes }).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  // Sound: of the original at least its place is said.
  const wanted = normalizeWaypoint(Object.fromEntries(said) as unknown as WaypointInput);
  return operation<Waypoint>()({
    call: 'PATCH /api/bookmarks',
    body: { oldName, lat, lon, newName, newLat, newLon, ...fields },
    read: (value) => withIdentity(value, wanted),
    offline: () => wanted,
    refusal: Object.values(changes).every((value) => value === undefined) ? 'no change' : undefined,
    started: ['waypointEditStarted', original, changes],
    succeeded: (updated) => [['waypointEdited', updated, original]],
    failed: (message) => ['waypointEditFailed', original, changes, message],
  });
}
