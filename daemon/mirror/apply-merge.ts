import { WaypointError } from '../../model/failure.ts';
import { keyOf, placeOf } from '../../model/identity.ts';
import { limits } from '../../model/limits.ts';
import { normalTag, tagInput } from '../../model/tag.ts';
import { bookmarkChangeSchema, newBookmarkSchema, type Place } from '../../model/waypoint.ts';
import type { WaypointStore } from '../../storage/store.ts';
import { optionalFields } from '../../storage/more-fields.ts';
import type { BookmarkContent } from '../../storage/waypoints/stamped-bookmarks.ts';
import type { MergeStep } from '../../worker/mirror/merge.ts';

/** Bookmarks a merge changed. */
export interface MergeCounts {
  added: number;
  changed: number;
  deleted: number;
  /** Entries that the rules of the API refuse. */
  refused: number;
}

interface DoneStep extends MergeStep {
  /** Row of a deleted bookmark: an undo brings it back with its id. */
  readonly removed?: number | undefined;
}

/** Does the steps of a merge as one change of the store. */
export function applyMerge(store: WaypointStore, steps: readonly MergeStep[]): MergeCounts {
  const counts = { added: 0, changed: 0, deleted: 0, refused: 0 };
  const done: DoneStep[] = [];
  const write = (): void => {
    for (const step of steps) {
      if (step.to !== undefined) continue;
      const removed = step.from && store.removeBookmark(step.from).result;
      if (removed !== undefined) counts.deleted += 1;
      done.push({ ...step, removed: removed?.id });
    }
    let waiting = steps.filter(({ to }) => to !== undefined);
    while (waiting.length > 0) {
      const rest = waiting.filter((step) => !tryPut(store, step, counts, done));
      waiting = rest.length < waiting.length ? rest : freeOne(store, rest, counts);
    }
  };
  store.merge(write, (stamps) => {
    const revision = Number(store.meta.revision());
    for (const { id: uuid, changed, to, removed } of done) {
      const bookmark_id = (to === undefined ? removed : stamps.rowAt(keyOf(to))) ?? null;
      if (to !== undefined && bookmark_id === null) continue;
      stamps.put({ uuid, bookmark_id, changed, revision, is_deleted: Number(to === undefined) });
    }
  });
  return counts;
}

/** @returns false while another bookmark has the name and place of this one. */
function tryPut(
  store: WaypointStore,
  step: MergeStep,
  counts: MergeCounts,
  done: DoneStep[],
): boolean {
  try {
    const to = acceptable(step.to!);
    if (to === undefined) throw new WaypointError('bad_request');
    if (step.from === undefined) store.addBookmark({ ...placeOf(to), ...to.fields }, []);
    else changeFields(store, step.from, to);
    setTags(store, to, to.tags);
    counts[step.from === undefined ? 'added' : 'changed'] += 1;
    done.push({ ...step, to });
    return true;
  } catch (error) {
    if (!(error instanceof WaypointError)) throw error;
    if (error.failure === 'already_bookmarked') return false;
    // Left out: it must not hold up the whole file.
    counts.refused += 1;
    return true;
  }
}

/** Bookmarks that swapped their names wait for each other: one is removed and added again. */
function freeOne(
  store: WaypointStore,
  waiting: readonly MergeStep[],
  counts: MergeCounts,
): MergeStep[] {
  const [first, ...rest] = waiting.toSorted(
    (a, b) => Number(b.from !== undefined) - Number(a.from !== undefined),
  );
  if (first?.from === undefined) {
    counts.refused += waiting.length;
    return [];
  }
  store.removeBookmark(first.from);
  const { from: _from, ...again } = first;
  return [...rest, again];
}

/** The bookmark under the rules of POST /api/bookmarks; tags that these refuse are left out. */
function acceptable({ fields, tags, ...place }: BookmarkContent): BookmarkContent | undefined {
  const parsed = newBookmarkSchema.safeParse({ ...place, ...fields }).data;
  if (parsed === undefined) return undefined;
  const usable = tags.filter((tag) => tagInput.safeParse(tag).success);
  const most = usable.slice(0, limits.tagsPerWaypoint);
  return { ...placeOf(parsed), fields: optionalFields(parsed), tags: most };
}

function changeFields(store: WaypointStore, from: Place, to: BookmarkContent): void {
  const before = store.bookmarks.find(from);
  if (before === undefined) throw new WaypointError('not_a_bookmark');
  const cleared = Object.keys(optionalFields(before)).filter((name) => !(name in to.fields));
  const { name: oldName, lat, lon } = before;
  const change = bookmarkChangeSchema.parse({
    oldName,
    lat,
    lon,
    newName: to.name,
    newLat: to.lat,
    newLon: to.lon,
    ...Object.fromEntries(cleared.map((name) => [name, null])),
    ...to.fields,
  });
  store.changeBookmark(change);
}

/** Makes the tags of a bookmark these, in their spelling. */
function setTags(store: WaypointStore, place: Place, tags: readonly string[]): void {
  const wanted = new Map(tags.map((tag) => [normalTag(tag), tag]));
  for (const { raw, normal } of store.tagsOf(place).tags)
    if (wanted.get(normal) !== raw) store.removeTag(place, raw);
  if (tags.length > 0) store.addTags(place, [...wanted.values()]);
}
