import { createHash } from 'node:crypto';
import { normalTag } from '../../model/tag.ts';
import type { BookmarkContent, BookmarkState } from '../../storage/waypoints/stamped-bookmarks.ts';

/** Hash of all that a bookmark says, as GPX holds it; 16 hex digits. */
export function contentHash({ name, lat, lon, fields, tags }: BookmarkContent): string {
  // GPX has no longitude of 180.
  const place = [name, lat + 0, lon === 180 ? -180 : lon + 0];
  const sorted = Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify([...place, sorted, tags.toSorted()]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** The stamp of a change made now, later than those before it. */
export function nextStamp(now: number, ...before: readonly number[]): number {
  return Math.max(now, ...before.map((changed) => changed + 1));
}

/** The state that holds: the later one; of equal times a deletion, else the greater hash. */
export function later<State extends BookmarkState>(one: State, other: State): State {
  if (one.changed !== other.changed) return one.changed > other.changed ? one : other;
  if (one.content === undefined || other.content === undefined)
    return one.content === undefined ? one : other;
  return contentHash(one.content) >= contentHash(other.content) ? one : other;
}

export function isSameState(one: BookmarkState, other: BookmarkState): boolean {
  if (one.changed !== other.changed) return false;
  if (one.content === undefined || other.content === undefined)
    return one.content === other.content;
  return contentHash(one.content) === contentHash(other.content);
}

/** Adds tags, unless they are there in some spelling. */
export function joinTags(tags: readonly string[], more: readonly string[]): readonly string[] {
  const present = new Set(tags.map(normalTag));
  return [...tags, ...more.filter((tag) => !present.has(normalTag(tag)))];
}
