import { identityOf, isSameIdentity } from '../../model/identity.ts';
import { limits } from '../../model/limits.ts';
import { normalTag, tagInput } from '../../model/tag.ts';
import { newBookmarkSchema, type NewBookmark } from '../../model/waypoint.ts';
import type { Bookmark, WaypointStore } from '../../storage/store.ts';
import { optionalFields } from '../../storage/waypoints/bookmarks.ts';
import type { EditedWaypoint } from '../../worker/mirror/messages.ts';

/** What a merge changed. */
export interface Merged {
  readonly counts: MergeCounts;
  /** Bookmarks that were not there; the others have kept name and place. */
  readonly added: readonly Bookmark[];
}

/** What a merge changed, in rows. */
export interface MergeCounts {
  /** Bookmarks that were not there. */
  readonly bookmarks: number;
  /** Tags added to bookmarks that were there. */
  readonly tags: number;
  /** Bookmarks that got an elevation, a time or a note they did not have. */
  readonly filled: number;
}

/** No change. */
export const nothingMerged: MergeCounts = { bookmarks: 0, tags: 0, filled: 0 };

/** Sums two merges. */
export function addCounts(a: MergeCounts, b: MergeCounts): MergeCounts {
  return {
    bookmarks: a.bookmarks + b.bookmarks,
    tags: a.tags + b.tags,
    filled: a.filled + b.filled,
  };
}

/**
 * Merges some waypoints of an edited bookmarks file in one transaction. Merging adds and never removes or overwrites, so
 * that it can be repeated at will; nothing new means no transaction and the same revision.
 */
export function mergeSlice(store: WaypointStore, slice: readonly EditedWaypoint[]): Merged {
  const candidates = slice.flatMap((waypoint) => {
    const bookmark = acceptable(waypoint);
    return bookmark === undefined ? [] : [{ bookmark, isCrowded: waypoint.isCrowded }];
  });
  const news = candidates.filter((candidate) => changeOf(store, candidate) !== undefined);
  if (news.length === 0) return { counts: nothingMerged, added: [] };
  return store.transaction(() => {
    let counts = nothingMerged;
    const added: Bookmark[] = [];
    for (const candidate of news) {
      // Asked again: one before it may have brought the same.
      const change = changeOf(store, candidate);
      if (change === undefined) continue;
      const merged = apply(store, candidate, change);
      counts = addCounts(counts, merged.counts);
      added.push(...merged.added);
    }
    return { counts, added };
  });
}

interface Candidate {
  readonly bookmark: NewBookmark;
  readonly isCrowded: boolean;
}

/** What is missing in the bookmark that is there; `existing` undefined for a new one. */
interface Change {
  readonly existing: Bookmark | undefined;
  readonly fields: Pick<Bookmark, 'ele' | 'time' | 'desc'>;
  readonly tags: readonly string[];
}

/** The waypoint under the rules of POST /api/bookmarks; a tag that these refuse is left out. */
function acceptable({
  name,
  lat,
  lon,
  ele,
  time,
  desc,
  tags,
}: EditedWaypoint): NewBookmark | undefined {
  const result = newBookmarkSchema.safeParse({
    name,
    lat,
    lon,
    ...optionalFields({ ele, time, desc }),
    tags: tags.filter((tag) => tagInput.safeParse(tag).success),
  });
  return result.success ? result.data : undefined;
}

function changeOf(store: WaypointStore, { bookmark, isCrowded }: Candidate): Change | undefined {
  const { ele, time, desc, tags = [] } = bookmark;
  const existing = counterpart(store, bookmark, isCrowded);
  if (existing === undefined)
    return { existing, fields: optionalFields({ ele, time, desc }), tags };
  const fields = optionalFields({
    ele: existing.ele === undefined ? ele : undefined,
    time: existing.time === undefined ? time : undefined,
    desc: existing.desc === undefined ? desc : undefined,
  });
  const missing = missingTags(store, existing, tags);
  const isComplete = Object.keys(fields).length === 0 && missing.length === 0;
  return isComplete ? undefined : { existing, fields, tags: missing };
}

/** The tags that a bookmark does not have, as many as it may have: a refusal would hold up the whole file. */
function missingTags(store: WaypointStore, existing: Bookmark, tags: readonly string[]): string[] {
  const present = new Set(store.tagsOf(existing).tags.map(({ normal }) => normal));
  const room = Math.max(0, limits.tagsPerWaypoint - present.size);
  return tags.filter((tag) => !present.has(normalTag(tag))).slice(0, room);
}

/**
 * The bookmark that a waypoint of the file is: of its identity, else the nearest neighbour, since programs round
 * coordinates. Not so where the file itself holds neighbours: these are meant to be several.
 */
function counterpart(
  store: WaypointStore,
  place: NewBookmark,
  isCrowded: boolean,
): Bookmark | undefined {
  const found = store.bookmarks.find(place);
  if (found === undefined || !isCrowded) return found;
  const key = identityOf(place.name, place.lat, place.lon);
  return isSameIdentity(identityOf(found.name, found.lat, found.lon), key) ? found : undefined;
}

function apply(
  store: WaypointStore,
  { bookmark: { name, lat, lon } }: Candidate,
  { existing, fields, tags }: Change,
): Merged {
  if (existing === undefined) {
    const { bookmark } = store.addBookmark({ name, lat, lon, ...fields }, []);
    // An imported waypoint of this identity may have had tags.
    const missing = missingTags(store, bookmark, tags);
    if (missing.length > 0) store.addTags(bookmark, missing);
    return { counts: { bookmarks: 1, tags: 0, filled: 0 }, added: [bookmark] };
  }
  const isFilled = Object.keys(fields).length > 0;
  if (isFilled) {
    // The identity stays, so that no twin is concerned and the library need not be whole.
    const { name: oldName, lat, lon } = existing;
    store.changeBookmark({ oldName, lat, lon, ...fields }, true);
  }
  const added = tags.length === 0 ? 0 : store.addTags(existing, tags).added;
  return { counts: { bookmarks: 0, tags: added, filled: isFilled ? 1 : 0 }, added: [] };
}
