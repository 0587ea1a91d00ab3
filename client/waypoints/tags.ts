import type { Tag, TagInput, Waypoint, WaypointInput } from './types.ts';

/** A tag as an object with at least `raw` and `display`. */
function normalizeTag(tag: TagInput): Tag {
  if (typeof tag === 'string') return { raw: tag, display: tag };
  const { raw } = tag;
  const display = 'display' in tag && typeof tag.display === 'string' ? tag.display : raw;
  return { ...tag, raw, display };
}

/** A list of tags from anywhere; what is neither a text nor has a `raw` is left out. */
export function normalizeTags(tags: unknown): Tag[] {
  if (!Array.isArray(tags)) return [];
  return tags.filter(isTagInput).map(normalizeTag);
}

function isTagInput(tag: unknown): tag is TagInput {
  if (typeof tag === 'string') return true;
  return typeof tag === 'object' && tag !== null && 'raw' in tag && typeof tag.raw === 'string';
}

/** The raw text of a tag, which is what requests carry. */
export function rawTag(tag: TagInput): string {
  return typeof tag === 'string' ? tag : tag.raw;
}

/** A waypoint with its tags as objects; the fields it does not have stay left out. */
export function normalizeWaypoint({ tags, ...fields }: WaypointInput): Waypoint {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const shown = tags === undefined ? {} : { tags: normalizeTags(tags) };
  // Sound: only undefined values are gone.
  return { ...Object.fromEntries(given), ...shown } as unknown as Waypoint;
}
