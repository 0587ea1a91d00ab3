import { randomUUID } from 'node:crypto';
import { identityText, keyOf, keysAround, placeOf, placeText } from '../../model/identity.ts';
import { limits } from '../../model/limits.ts';
import type { MirrorMark, Tombstone } from '../../model/recording.ts';
import type { Place } from '../../model/waypoint.ts';
import { optionalFields } from '../../storage/more-fields.ts';
import { identityUuid } from '../../storage/waypoints/stamps.ts';
import type {
  BookmarkContent,
  BookmarkState,
  StoredState,
} from '../../storage/waypoints/stamped-bookmarks.ts';
import { contentHash, isSameState, joinTags, later, nextStamp } from './bookmark-states.ts';
import type { EditedWaypoint } from './edited-waypoints.ts';

/** The bookmarks file as it was read. */
export interface FileSide {
  readonly waypoints: readonly EditedWaypoint[];
  readonly tombstones: readonly Tombstone[];
  readonly mark: MirrorMark | undefined;
}

/** The store as of one moment. */
export interface StoreSide {
  readonly live: readonly StoredState[];
  readonly deleted: readonly StoredState[];
  /** Tags by identity, those of imported waypoints among them. */
  readonly tags: ReadonlyMap<string, readonly string[]>;
}

export interface MergeContext {
  /** Id of the store. */
  readonly storeId: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The last two files this store wrote, and the revision each shows: only they prove deletions. */
  readonly written: readonly WrittenFile[];
}

export interface WrittenFile {
  /** As {@link MirrorMark}. */
  readonly written: number;
  /** Of the store. */
  readonly revision: number;
}

/** A change that makes a bookmark of the store equal to the merged one. */
export interface MergeStep {
  readonly id: string;
  readonly changed: number;
  /** Where the store has it; absent for a new one. */
  readonly from?: Place;
  /** Absent for a deleted one. */
  readonly to?: BookmarkContent;
}

export interface MergePlan {
  readonly steps: readonly MergeStep[];
  /** Bookmarks that a hand edit deletes. */
  readonly deletions: number;
  /** Whether these are too many to delete unasked. */
  readonly isMassDeletion: boolean;
  /** Whether the file, written by another store, is just what the merge makes of both. */
  readonly isEqual: boolean;
}

/**
 * Merges an edited bookmarks file as a last-writer-wins set with tombstones: per id the later change holds; of two ids of
 * one identity the smaller stays.
 */
export function planMerge(file: FileSide, store: StoreSide, context: MergeContext): MergePlan {
  const stored = new Map<string, StoredState>();
  for (const state of [...store.deleted, ...store.live]) stored.set(state.id, state);
  const { states, isPristine } = readStates(file, stored, store.live, context.now);
  const merged = new Map<string, BookmarkState>(stored);
  for (const state of states.values()) {
    const ours = stored.get(state.id);
    merged.set(state.id, ours === undefined ? state : later(ours, state));
  }
  const inFile = provenIn(file.mark, store.live, context);
  const missing = inFile.filter((state) => merged.get(state.id) === state && !states.has(state.id));
  for (const { id, changed } of missing)
    merged.set(id, { id, changed: nextStamp(context.now, changed) });
  joinTwins(merged);
  keepTags(merged, store, context.now);
  const isForeign = file.mark !== undefined && file.mark.store !== context.storeId;
  const isTooMuch =
    missing.length > limits.mirrorDeletions ||
    (inFile.length >= limits.mirrorDeletionsOfFew && missing.length > inFile.length / 2);
  return {
    steps: stepsTo(merged, stored),
    deletions: missing.length,
    isMassDeletion: isTooMuch,
    isEqual: isForeign && isPristine && isSameSet(merged, states),
  };
}

/** States by id as the file has them, hand edits stamped now; `isPristine` without any hand edit. */
function readStates(
  { waypoints, tombstones }: FileSide,
  stored: ReadonlyMap<string, StoredState>,
  live: readonly StoredState[],
  now: number,
) {
  const states = new Map<string, BookmarkState>();
  const put = (state: BookmarkState): void => {
    const before = states.get(state.id);
    states.set(state.id, before === undefined ? state : later(before, state));
  };
  for (const { id, at } of tombstones) put({ id, changed: at });
  const withoutStamp: EditedWaypoint[] = [];
  const read = new Set<string>();
  let isPristine = true;
  for (const waypoint of waypoints) {
    const { stamp, isImported = false } = waypoint;
    if (isImported) continue;
    if (stamp === undefined || read.has(stamp.id)) {
      withoutStamp.push(waypoint);
      continue;
    }
    const state = stampedState(waypoint, stamp, stored.get(stamp.id), now);
    if (contentHash(contentOf(waypoint)) !== stamp.hash) isPristine = false;
    put(state);
    read.add(stamp.id);
  }
  const byIdentity = newestByIdentity(live, states, stored);
  for (const waypoint of withoutStamp) {
    isPristine = false;
    const state = unstampedState(waypoint, byIdentity, [stored, states], now);
    if (state === undefined) continue;
    states.set(state.id, state);
    byIdentity.set(placeText(state.content!), state);
  }
  return { states, isPristine };
}

/** Bookmarks of both sides by identity, each as it was changed last. */
function newestByIdentity(
  live: readonly StoredState[],
  states: ReadonlyMap<string, BookmarkState>,
  stored: ReadonlyMap<string, StoredState>,
): Map<string, BookmarkState> {
  const found = new Map<string, BookmarkState>();
  for (const state of [...live, ...states.values()]) {
    const [ours, theirs] = [stored.get(state.id), states.get(state.id) ?? state];
    const newest = ours === undefined ? theirs : later(ours, theirs);
    if (newest.content !== undefined) found.set(placeText(newest.content), newest);
  }
  return found;
}

/** An entry with our stamp: as stamped if its content is untouched, else edited by hand now. */
function stampedState(
  waypoint: EditedWaypoint,
  { id, changed, hash }: NonNullable<EditedWaypoint['stamp']>,
  ours: StoredState | undefined,
  now: number,
): BookmarkState {
  const content = contentOf(waypoint);
  if (contentHash(content) === hash) return { id, changed, content };
  const mine = ours?.content;
  // Programs round coordinates.
  const isSamePlace = mine !== undefined && near(waypoint, new Set([placeText(mine)]));
  const edited = isSamePlace ? { ...content, ...placeOf(mine) } : content;
  if (mine !== undefined && contentHash(edited) === contentHash(mine)) return ours!;
  return { id, changed: nextStamp(now, changed, ours?.changed ?? 0), content: edited };
}

/** An entry without our stamp: the fields it has are set on the bookmark of its identity, or it is a new bookmark. */
function unstampedState(
  waypoint: EditedWaypoint,
  byIdentity: ReadonlyMap<string, BookmarkState>,
  sides: readonly ReadonlyMap<string, BookmarkState>[],
  now: number,
): BookmarkState | undefined {
  const key = near(waypoint, byIdentity);
  const known = key === undefined ? undefined : byIdentity.get(key);
  const content = contentOf(waypoint);
  if (known?.content !== undefined) {
    const { content: mine, changed, id } = known;
    const fields = { ...mine.fields, ...content.fields };
    const filled = { ...mine, fields, tags: joinTags(mine.tags, content.tags) };
    if (contentHash(filled) === contentHash(mine)) return known;
    return { id, changed: nextStamp(now, changed), content: filled };
  }
  const id = identityUuid(keyOf(content));
  const before = sides.flatMap((side) => side.get(id) ?? []);
  // Renamed since.
  if (before.some((state) => state.content !== undefined))
    return { id: randomUUID(), changed: now, content };
  // Written by a version that kept no ids, and deleted since.
  if (before.length > 0 && waypoint.isOwnBookmark) return undefined;
  return { id, changed: nextStamp(now, ...before.map(({ changed }) => changed)), content };
}

function contentOf(waypoint: EditedWaypoint): BookmarkContent {
  const { name, lat, lon, tags } = waypoint;
  return { name, lat, lon, fields: optionalFields(waypoint), tags };
}

/** The key of a place, or a neighbouring one that programs round it to, among keys. */
function near(
  place: Place & { readonly isCrowded: boolean },
  keys: { has(key: string): boolean },
): string | undefined {
  const own = placeText(place);
  if (keys.has(own)) return own;
  // Where the file itself holds neighbours, these are meant to be several.
  if (place.isCrowded) return undefined;
  for (const around of keysAround(keyOf(place)))
    if (keys.has(identityText(around))) return identityText(around);
  return undefined;
}

/** Bookmarks that one of the last two files of this store had, if the edited file was made from it. */
function provenIn(
  mark: MirrorMark | undefined,
  live: readonly StoredState[],
  { storeId, written }: MergeContext,
): readonly StoredState[] {
  if (mark?.store !== storeId) return [];
  const made = written.find((one) => one.written === mark.written);
  return made === undefined ? [] : live.filter(({ revision }) => revision <= made.revision);
}

/** Makes one bookmark of those with one identity: it has the smallest id, and the content changed last. */
function joinTwins(merged: Map<string, BookmarkState>): void {
  const groups = Map.groupBy(
    [...merged.values()].filter(({ content }) => content !== undefined),
    ({ content }) => placeText(content!),
  );
  for (const twins of groups.values()) {
    if (twins.length === 1) continue;
    const changed = Math.max(...twins.map((twin) => twin.changed));
    const newest = twins.reduce((one, other) => later(one, other));
    const [kept = '', ...others] = twins.map(({ id }) => id).toSorted();
    merged.set(kept, { id: kept, changed, content: newest.content! });
    for (const id of others) merged.set(id, { id, changed });
  }
}

/** Leaves a bookmark that is new at its identity the tags that an imported waypoint has there. */
function keepTags(
  merged: Map<string, BookmarkState>,
  { live, tags }: StoreSide,
  now: number,
): void {
  const known = new Set(live.map(({ content }) => placeText(content!)));
  for (const { id, changed, content } of merged.values()) {
    if (content === undefined || known.has(placeText(content))) continue;
    const all = joinTags(content.tags, tags.get(placeText(content)) ?? []);
    if (all.length === content.tags.length) continue;
    merged.set(id, { id, changed: nextStamp(now, changed), content: { ...content, tags: all } });
  }
}

function stepsTo(
  merged: ReadonlyMap<string, BookmarkState>,
  stored: ReadonlyMap<string, StoredState>,
): MergeStep[] {
  return [...merged.values()].flatMap(({ id, changed, content }) => {
    const ours = stored.get(id);
    if (ours !== undefined && isSameState(ours, { id, changed, ...(content && { content }) }))
      return [];
    return [
      {
        id,
        changed,
        ...(ours?.content && { from: placeOf(ours.content) }),
        ...(content && { to: content }),
      },
    ];
  });
}

function isSameSet(
  merged: ReadonlyMap<string, BookmarkState>,
  states: ReadonlyMap<string, BookmarkState>,
): boolean {
  return (
    merged.size === states.size &&
    [...merged.values()].every((state) => {
      const theirs = states.get(state.id);
      return theirs !== undefined && isSameState(state, theirs);
    })
  );
}
