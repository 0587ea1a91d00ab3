import { setImmediate as nextTurn } from 'node:timers/promises';
import { identityOf, isSameIdentity } from '../../model/identity.ts';
import { limits } from '../../model/limits.ts';
import { normalTag, tagInput } from '../../model/tag.ts';
import { newBookmarkSchema, type NewBookmark } from '../../model/waypoint.ts';
import type { Bookmark, WaypointStore } from '../../storage/store.ts';
import { optionalFields, type OptionalFields } from '../../storage/more-fields.ts';
import type { EditedWaypoint } from '../../worker/mirror/edited-waypoints.ts';
import { unpackSlices } from '../../worker/mirror/slices.ts';

/** The mirror was closed while it waited: the store may be closed too. */
export class Abandoned extends Error {
  override readonly name = 'Abandoned';
}

export interface MergeEditOptions {
  readonly store: WaypointStore;
  /** As packSlices makes them. */
  readonly slices: SharedArrayBuffer;
  readonly isClosed: () => boolean;
  /** Called after each slice that brought bookmarks; the others have kept name and place. */
  readonly onMerged: (added: readonly Bookmark[]) => void;
}

/** What a merge changed, in rows. */
export interface MergeCounts {
  /** Bookmarks that were not there. */
  bookmarks: number;
  /** Tags added to bookmarks that were there. */
  tags: number;
  /** Bookmarks that got an elevation, a time or a note they did not have. */
  filled: number;
}

/**
 * Merges an edited file slice by slice, one turn of the main thread each. Cut off half-way it is simply repeated:
 * merging what is merged changes nothing.
 * @throws Abandoned; errors of the store.
 */
export async function mergeEdit(options: MergeEditOptions): Promise<MergeCounts> {
  const { store, slices, isClosed, onMerged } = options;
  const counts = { bookmarks: 0, tags: 0, filled: 0 };
  for (const slice of unpackSlices(slices)) {
    if (isClosed()) throw new Abandoned();
    const added = mergeSlice(store, slice, counts);
    if (added.length > 0) onMerged(added);
    await nextTurn();
  }
  if (isClosed()) throw new Abandoned();
  return counts;
}

/**
 * Merges some waypoints of an edited bookmarks file in one transaction. Merging adds and never removes or overwrites, so
 * that it can be repeated at will; nothing new means no transaction and the same revision.
 * @returns the bookmarks that were not there.
 */
function mergeSlice(
  store: WaypointStore,
  slice: readonly EditedWaypoint[],
  counts: MergeCounts,
): Bookmark[] {
  const candidates = slice.flatMap((waypoint) => {
    const bookmark = acceptable(waypoint);
    return bookmark === undefined ? [] : [{ ...bookmark, isCrowded: waypoint.isCrowded }];
  });
  const news = candidates.filter((candidate) => changeOf(store, candidate) !== undefined);
  if (news.length === 0) return [];
  return store.transaction('merge', () =>
    news.flatMap((candidate) => {
      // Asked again: one before it may have brought the same.
      const change = changeOf(store, candidate);
      return change === undefined ? [] : apply(store, candidate, change, counts);
    }),
  ).result;
}

type Candidate = NewBookmark & Pick<EditedWaypoint, 'isCrowded'>;

/** What is missing in the bookmark that is there; `existing` undefined for a new one. */
interface Change {
  readonly existing: Bookmark | undefined;
  readonly fields: OptionalFields;
  readonly tags: readonly string[];
}

/** The waypoint under the rules of POST /api/bookmarks; a tag that these refuse is left out. */
function acceptable(waypoint: EditedWaypoint): NewBookmark | undefined {
  const { name, lat, lon } = waypoint;
  const fields = { name, lat, lon, ...optionalFields(waypoint) };
  const tags = waypoint.tags.filter((tag) => tagInput.safeParse(tag).success);
  return newBookmarkSchema.safeParse({ ...fields, tags }).data;
}

function changeOf(store: WaypointStore, candidate: Candidate): Change | undefined {
  const { tags = [] } = candidate;
  const existing = counterpart(store, candidate);
  const found = optionalFields(candidate);
  if (existing === undefined) return { existing, fields: found, tags };
  const missing = Object.entries(found).filter(([name]) => !(name in existing));
  const fields: OptionalFields = Object.fromEntries(missing);
  const newTags = missingTags(store, existing, tags);
  const isComplete = missing.length === 0 && newTags.length === 0;
  return isComplete ? undefined : { existing, fields, tags: newTags };
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
function counterpart(store: WaypointStore, candidate: Candidate): Bookmark | undefined {
  const found = store.bookmarks.find(candidate);
  if (found === undefined || !candidate.isCrowded) return found;
  const key = identityOf(candidate.name, candidate.lat, candidate.lon);
  return isSameIdentity(identityOf(found.name, found.lat, found.lon), key) ? found : undefined;
}

/** @returns the bookmark, if it was not there. */
function apply(
  store: WaypointStore,
  { name, lat, lon }: Candidate,
  { existing, fields, tags }: Change,
  counts: MergeCounts,
): Bookmark[] {
  if (existing === undefined) {
    const { bookmark } = store.addBookmark({ name, lat, lon, ...fields }, []).result;
    // An imported waypoint of this identity may have had tags.
    const missing = missingTags(store, bookmark, tags);
    if (missing.length > 0) store.addTags(bookmark, missing);
    counts.bookmarks += 1;
    return [bookmark];
  }
  if (Object.keys(fields).length > 0) {
    // The identity stays, so that no twin is concerned and the library need not be whole.
    const place = { oldName: existing.name, lat: existing.lat, lon: existing.lon };
    store.changeBookmark({ ...place, ...fields }, true);
    counts.filled += 1;
  }
  if (tags.length > 0) {
    store.addTags(existing, tags);
    counts.tags += tags.length;
  }
  return [];
}
