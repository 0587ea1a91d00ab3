import { isSameIdentity, keyOf } from '../../model/identity.ts';
import { WaypointError } from '../../model/failure.ts';
import { limits } from '../../model/limits.ts';
import { normalTag, tagInput } from '../../model/tag.ts';
import {
  bookmarkChangeSchema,
  newBookmarkSchema,
  type NewBookmark,
  type Place,
} from '../../model/waypoint.ts';
import type { Bookmark, WaypointStore } from '../../storage/store.ts';
import { optionalFields, type OptionalFields } from '../../storage/more-fields.ts';
import type { StoreChange } from '../../storage/waypoints/journaled-rows.ts';
import type { EditedWaypoint } from '../../worker/mirror/edited-waypoints.ts';
import type { EntryChange, MergeStep } from '../../worker/mirror/plan-merge.ts';
import { othersTurn } from '../in-slices.ts';
import { unpackSlices } from '../../worker/mirror/slices.ts';

/** The mirror was closed while it waited: the store may be closed too. */
export class Abandoned extends Error {
  override readonly name = 'Abandoned';
}

export interface MergeEditOptions {
  readonly store: WaypointStore;
  /** Steps, as packSlices makes them. */
  readonly slices: SharedArrayBuffer;
  /** Steps that are done and at once undone: in the journal, the user can take them. */
  readonly conflicts: SharedArrayBuffer;
  /** Those that an earlier attempt has done, as JSON; this one adds its own. */
  readonly offered: Set<string>;
  /** Of the store, for which the steps were made. */
  readonly revision: number;
  readonly isClosed: () => boolean;
  readonly isLibraryWhole: () => boolean;
  /** Called after each slice that changed something. */
  readonly onMerged: (change: StoreChange) => void;
}

/** What a merge changed, in rows. */
export interface MergeCounts {
  /** Bookmarks that were not there. */
  bookmarks: number;
  /** Tags added to bookmarks that were there. */
  tags: number;
  /** Bookmarks that got an elevation, a time or a note they did not have. */
  filled: number;
  /** Bookmarks, and imported waypoints, that were changed, renamed or moved as in the file. */
  changed: number;
  deleted: number;
  /** What both had changed: the store's side stays. */
  conflicts: number;
}

/**
 * Merges an edited file slice by slice, one turn of the main thread each. Cut off half-way it is simply repeated:
 * what is merged is the same on both sides.
 * @returns undefined when the store was changed meanwhile: then the rest would not fit.
 * @throws Abandoned; errors of the store.
 */
export async function mergeEdit(options: MergeEditOptions): Promise<MergeCounts | undefined> {
  const { store, slices, conflicts, offered, isClosed, isLibraryWhole, onMerged } = options;
  const counts = { bookmarks: 0, tags: 0, filled: 0, changed: 0, deleted: 0, conflicts: 0 };
  let { revision } = options;
  for (const [part, isConflict] of allParts(slices, conflicts)) {
    if (isClosed()) throw new Abandoned();
    if (Number(store.meta.revision()) !== revision) return undefined;
    const noted = isConflict ? { ...counts } : counts;
    const apply = (): void => {
      for (const step of part) applyStep(store, step, isLibraryWhole(), noted);
    };
    if (!isConflict) {
      const { change } = store.transaction('merge', apply);
      if (change !== undefined) onMerged(change);
    } else {
      const conflict = JSON.stringify(part);
      if (!offered.has(conflict) && store.longChanges.offer('merge', apply)) offered.add(conflict);
    }
    revision = Number(store.meta.revision());
    await othersTurn();
  }
  if (isClosed()) throw new Abandoned();
  if (Number(store.meta.revision()) !== revision) return undefined;
  return { ...counts, conflicts: offered.size };
}

/** A conflict is a change of its own, so that each can be taken by itself. */
function* allParts(
  slices: SharedArrayBuffer,
  conflicts: SharedArrayBuffer,
): Generator<readonly [part: readonly MergeStep[], isConflict: boolean]> {
  for (const slice of unpackSlices(slices)) yield [slice, false];
  for (const slice of unpackSlices(conflicts)) for (const step of slice) yield [[step], true];
}

/** One that the store refuses (a name that is taken since, a limit) is left out: it must not hold up the whole file. */
function applyStep(
  store: WaypointStore,
  step: MergeStep,
  isLibraryWhole: boolean,
  counts: MergeCounts,
): void {
  try {
    if (step.do === 'add') addBookmark(store, step.waypoint, counts);
    else if (step.do === 'change') changeEntry(store, step, isLibraryWhole, counts);
    else {
      store.removeBookmark(step.at, isLibraryWhole);
      counts.deleted += 1;
    }
  } catch (error) {
    if (!(error instanceof WaypointError)) throw error;
  }
}

function changeEntry(
  store: WaypointStore,
  { at, to, fields, addTags, removeTags }: EntryChange,
  isLibraryWhole: boolean,
  counts: MergeCounts,
): void {
  const { name: oldName, lat, lon } = at;
  const moved = to && { newName: to.name, newLat: to.lat, newLon: to.lon };
  // Without anything to change it is no valid change, and none is made.
  const change = bookmarkChangeSchema.safeParse({ oldName, lat, lon, ...moved, ...fields }).data;
  if (change !== undefined) store.changeBookmark(change, isLibraryWhole);
  const place = to ?? at;
  const tags = missingTags(
    store,
    place,
    addTags.filter((tag) => tagInput.safeParse(tag).success),
  );
  // Another store may have imported what this one has not: dropped here, its tags would seem to be deleted there.
  if (tags.length > 0) store.addTags(place, tags, true);
  for (const tag of removeTags) store.removeTag(place, tag, true);
  counts.changed += 1;
}

/** Adds a bookmark, or what it lacks; nothing of it is overwritten. */
function addBookmark(store: WaypointStore, waypoint: EditedWaypoint, counts: MergeCounts): void {
  const bookmark = acceptable(waypoint);
  if (bookmark === undefined) return;
  const candidate = { ...bookmark, isCrowded: waypoint.isCrowded };
  const change = changeOf(store, candidate);
  if (change !== undefined) apply(store, candidate, change, counts);
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
function missingTags(store: WaypointStore, existing: Place, tags: readonly string[]): string[] {
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
  return isSameIdentity(keyOf(found), keyOf(candidate)) ? found : undefined;
}

function apply(
  store: WaypointStore,
  { name, lat, lon }: Candidate,
  { existing, fields, tags }: Change,
  counts: MergeCounts,
): void {
  if (existing === undefined) {
    const { bookmark } = store.addBookmark({ name, lat, lon, ...fields }, []).result;
    // An imported waypoint of this identity may have had tags.
    const missing = missingTags(store, bookmark, tags);
    if (missing.length > 0) store.addTags(bookmark, missing);
    counts.bookmarks += 1;
    return;
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
}
