import type { RenamedTag } from '../../../model/waypoint.ts';
import { asRecord, operation } from '../operation.ts';
import { normalizeTags, rawTag } from '../tags.ts';
import type { Tag, TagInput, WaypointInput } from '../types.ts';

export function fetchTags(waypoint: WaypointInput) {
  const { name, lat, lon } = waypoint;
  const place = { name, lat, lon };
  return operation<Tag[]>()({
    call: 'GET /api/tags',
    query: { name, lat, lon, emoji: true },
    read: readTags,
    offline: () => normalizeTags(waypoint.tags),
    started: ['tagsFetchStarted', place],
    succeeded: (tags) => [['tagsFetched', name, lat, lon, tags]],
    failed: (message) => ['tagsFetchFailed', place, message],
  });
}

/** Yields all tags the waypoint has then; offline those it is given with, and this one. */
export function addTag(waypoint: WaypointInput, given: TagInput) {
  const { name, lat, lon } = waypoint;
  const tag = rawTag(given);
  return operation<Tag[]>()({
    call: 'POST /api/tags',
    query: { emoji: true },
    body: { name, lat, lon, tags: [tag] },
    read: readTags,
    offline: () => normalizeTags([...otherTags(waypoint, tag), tag]),
    started: ['tagAddStarted', name, lat, lon, tag],
    succeeded: (tags) => [['tagAdded', name, lat, lon, tags, tag]],
    failed: (message) => ['tagAddFailed', name, lat, lon, tag, message],
  });
}

/** Adds several tags as one change; yields all tags the waypoint has then. */
export function addTags(waypoint: WaypointInput, given: readonly TagInput[]) {
  const { name, lat, lon } = waypoint;
  const tags = given.map(rawTag);
  return operation<Tag[]>()({
    call: 'POST /api/tags',
    query: { emoji: true },
    body: { name, lat, lon, tags },
    read: readTags,
    succeeded: (all) => [['tagsAdded', name, lat, lon, all, tags]],
    failed: (message) => ['tagsAddFailed', name, lat, lon, tags, message],
  });
}

/** Yields the tags that remain. */
export function deleteTag(waypoint: WaypointInput, given: TagInput) {
  const { name, lat, lon } = waypoint;
  const tag = rawTag(given);
  return operation<Tag[]>()({
    call: 'DELETE /api/tags',
    query: { name, lat, lon, tag, emoji: true },
    read: readTags,
    offline: () => normalizeTags(otherTags(waypoint, tag)),
    started: ['tagDeleteStarted', name, lat, lon, tag],
    succeeded: (tags) => [['tagDeleted', name, lat, lon, tags, tag]],
    failed: (message) => ['tagDeleteFailed', name, lat, lon, tag, message],
  });
}

/** Renames a tag of all waypoints. */
export function renameTag(tag: string, newTag: string) {
  return operation<RenamedTag>()({
    call: 'PATCH /api/tags',
    body: { tag, newTag },
    read: (value) => ({ renamed: true, waypoints: 0, ...asRecord<RenamedTag>(value) }),
    offline: () => ({ renamed: false, waypoints: 0 }),
    started: ['tagRenameStarted', tag, newTag],
    succeeded: ({ waypoints }) => [['tagRenamed', tag, newTag, waypoints]],
    failed: (message) => ['tagRenameFailed', tag, newTag, message],
  });
}

/** All tags in use; the callback is called when they are there. @param counts also how many waypoints have each */
export function fetchDistinctTags(callback?: (tags: readonly Tag[]) => void, counts = false) {
  return operation<Tag[]>()({
    call: 'GET /api/tags',
    args: [],
    onSuccess: callback,
    query: { distinct: true, emoji: true, counts: counts || undefined },
    read: readTags,
    offline: () => [],
  });
}

function readTags(value: unknown): Tag[] {
  return normalizeTags(asRecord<{ tags: unknown }>(value)?.tags);
}

function otherTags({ tags = [] }: WaypointInput, tag: string): TagInput[] {
  return tags.filter((one) => rawTag(one) !== tag);
}
