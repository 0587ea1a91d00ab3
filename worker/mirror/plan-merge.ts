import { isDeepStrictEqual } from 'node:util';
import { placeOf, placeText } from '../../model/identity.ts';
import { normalTag } from '../../model/tag.ts';
import type { Place } from '../../model/waypoint.ts';
import { optionalFields, type OptionalFields } from '../../storage/more-fields.ts';
import type { TaggedEntries, TaggedEntry } from '../../storage/waypoints/bookmark-history.ts';
import type { EditedWaypoint } from './edited-waypoints.ts';
import { pairUp } from './pair-up.ts';
import { near } from './place-keys.ts';

/** What is to become of a bookmark, or of the tags of an imported waypoint; `at` names it as the store has it. */
export interface EntryChange {
  readonly at: Place;
  /** Its new name and position. */
  readonly to?: Place;
  /** Null clears a field. */
  readonly fields: { readonly [Name in keyof OptionalFields]?: OptionalFields[Name] | null };
  readonly addTags: readonly string[];
  readonly removeTags: readonly string[];
}

/** One step of a merge. */
export type MergeStep =
  /** A bookmark that is not there; one that is there gets what it lacks. */
  | { readonly do: 'add'; readonly waypoint: EditedWaypoint }
  | ({ readonly do: 'change' } & EntryChange)
  | { readonly do: 'remove'; readonly at: Place };

export interface MergePlan {
  readonly steps: readonly MergeStep[];
  /** The file's side of what both have changed: the store keeps its own. */
  readonly conflicts: readonly MergeStep[];
  /** What the steps delete, and what the ancestor has. */
  readonly deleted: Readonly<EntryCounts>;
  readonly ancestors: Readonly<EntryCounts>;
  /** With the steps done, the store has just what the file has. */
  readonly isEqual: boolean;
}

interface EntryCounts {
  bookmarks: number;
  /** Imported waypoints with all their tags. */
  tagged: number;
}

/** Three states of the same bookmarks. */
export interface MergeSides {
  readonly file: readonly EditedWaypoint[];
  /** What the file was made from. */
  readonly ancestor: TaggedEntries;
  readonly store: TaggedEntries;
}

/** Merges three ways (contract C2, `bookmarks.gpx`): what only one side has changed is taken, else the store's side. */
export function planMerge({ file: read, ancestor, store }: MergeSides): MergePlan {
  const file = read.map((waypoint) => asImported(asImported(waypoint, ancestor), store));
  const { pairs, added, missing } = pairUp(file, ancestor);
  const plan = newPlan(ancestor);
  for (const [key, theirs] of pairs) mergeEntry(plan, theirs, ancestor.get(key)!, store.get(key));
  for (const key of missing) mergeAbsence(plan, ancestor.get(key)!, store.get(key));
  for (const waypoint of added) mergeAddition(plan, waypoint, store);
  const known = new Set([...pairs.map(([key]) => key), ...missing, ...added.map(placeText)]);
  for (const key of store.keys()) if (!known.has(key)) plan.isEqual = false;
  return plan;
}

/** Merges a file of which nothing says what it was made from: it only adds, and not what the store has deleted. */
export function planAdditions(
  file: readonly EditedWaypoint[],
  store: TaggedEntries,
  gone: ReadonlySet<string>,
): MergePlan {
  const plan = newPlan(new Map());
  const keys = new Set<string>();
  for (const waypoint of file.map((read) => asImported(read, store))) {
    const key = near(waypoint, store) ?? placeText(waypoint);
    keys.add(key);
    if (near(waypoint, gone) === undefined || store.get(key)?.isImported === false)
      mergeAddition(plan, waypoint, store);
    else plan.isEqual = false;
  }
  for (const key of store.keys()) if (!keys.has(key)) plan.isEqual = false;
  return plan;
}

/** An imported waypoint that has lost its extension is no bookmark. */
function asImported(waypoint: EditedWaypoint, entries: TaggedEntries): EditedWaypoint {
  const isLost = !waypoint.isMarked && entries.get(near(waypoint, entries) ?? '')?.isImported;
  return isLost === true ? { ...waypoint, isImported: true } : waypoint;
}

interface GrowingPlan extends MergePlan {
  readonly steps: MergeStep[];
  readonly conflicts: MergeStep[];
  readonly deleted: EntryCounts;
  isEqual: boolean;
}

function newPlan(ancestor: TaggedEntries): GrowingPlan {
  const tagged = [...ancestor.values()].filter(({ isImported }) => isImported).length;
  const ancestors = { bookmarks: ancestor.size - tagged, tagged };
  const deleted = { bookmarks: 0, tagged: 0 };
  return { steps: [], conflicts: [], deleted, ancestors, isEqual: true };
}

/** An entry that both the file and the ancestor have. */
function mergeEntry(
  plan: GrowingPlan,
  theirs: EditedWaypoint,
  was: TaggedEntry,
  ours: TaggedEntry | undefined,
): void {
  const change = changeOf(theirs, was);
  if (!theirs.isMarked) plan.isEqual = false;
  if (ours === undefined) {
    plan.isEqual = false;
    if (change !== undefined && !was.isImported)
      plan.conflicts.push({ do: 'add', waypoint: theirs });
    return;
  }
  if (!isUnchanged(ours, was)) {
    mergeBoth(plan, theirs, was, ours, change);
    return;
  }
  if (change !== undefined) plan.steps.push({ do: 'change', at: placeOf(ours), ...change });
}

/** Both sides have an entry, and the store has changed it: field by field, tag by tag. */
function mergeBoth(
  plan: GrowingPlan,
  theirs: EditedWaypoint,
  was: TaggedEntry,
  ours: TaggedEntry,
  change: Omit<EntryChange, 'at'> = { fields: {}, addTags: [], removeTags: [] },
): void {
  const mine: Readonly<Record<string, unknown>> = entryChange(ours, was).fields;
  const fields = Object.entries(change.fields);
  const agreed = fields.filter(([name]) => !(name in mine));
  const refused = fields.filter(
    ([name, value]) => name in mine && !isDeepStrictEqual(value, mine[name]),
  );
  const at = placeOf(ours);
  const taken = { ...change, fields: Object.fromEntries(agreed) };
  if (change.to !== undefined || !isNothing(taken)) plan.steps.push({ do: 'change', at, ...taken });
  if (refused.length > 0) {
    const rest = { fields: Object.fromEntries(refused), addTags: [], removeTags: [] };
    plan.conflicts.push({ do: 'change', at: change.to ?? at, ...rest });
  }
  // What the store has changed beside that is not in the file.
  if (!isUnchanged({ ...ours, fields: optionalFields(theirs), tags: theirs.tags }, ours))
    plan.isEqual = false;
}

/** An entry that the file has no more. */
function mergeAbsence(plan: GrowingPlan, was: TaggedEntry, ours: TaggedEntry | undefined): void {
  if (ours === undefined) return;
  if (!isUnchanged(ours, was)) {
    plan.isEqual = false;
    if (!ours.isImported) plan.conflicts.push({ do: 'remove', at: placeOf(ours) });
  } else if (ours.isImported) {
    const none = { fields: {}, addTags: [] };
    plan.steps.push({ do: 'change', at: placeOf(ours), ...none, removeTags: ours.tags });
    plan.deleted.tagged += 1;
  } else {
    plan.steps.push({ do: 'remove', at: placeOf(ours) });
    plan.deleted.bookmarks += 1;
  }
}

/** A waypoint that the ancestor does not have. */
function mergeAddition(plan: GrowingPlan, waypoint: EditedWaypoint, store: TaggedEntries): void {
  const ours = store.get(near(waypoint, store) ?? '');
  if (waypoint.isImported === true) {
    const add = missingTags(waypoint.tags, ours?.tags ?? []);
    const none = { fields: {}, removeTags: [] };
    if (add.length > 0)
      plan.steps.push({ do: 'change', at: placeOf(waypoint), ...none, addTags: add });
    if (ours !== undefined && missingTags(ours.tags, waypoint.tags).length > 0)
      plan.isEqual = false;
    return;
  }
  if (ours !== undefined && !ours.isImported && isUnchanged(entryOf(waypoint), ours)) return;
  plan.steps.push({ do: 'add', waypoint });
  // Filled in, it may still differ from the file.
  if (ours !== undefined) plan.isEqual = false;
}

function entryOf(waypoint: EditedWaypoint): TaggedEntry {
  const { tags, isImported = false } = waypoint;
  return { ...placeOf(waypoint), fields: optionalFields(waypoint), tags, isImported };
}

/** What the file has changed of an entry. */
function changeOf(theirs: EditedWaypoint, was: TaggedEntry): Omit<EntryChange, 'at'> | undefined {
  const found = entryChange(entryOf(theirs), was);
  const change = theirs.isMarked ? found : { ...found, removeTags: [] };
  const isMoved = near(theirs, new Set([placeText(was)])) === undefined;
  const isSame = isNothing(change) && !isMoved;
  return isSame ? undefined : { ...change, ...(isMoved ? { to: placeOf(theirs) } : {}) };
}

type Difference = Pick<EntryChange, 'fields' | 'addTags' | 'removeTags'>;

function entryChange(now: TaggedEntry, was: TaggedEntry): Difference {
  const names = new Set([...Object.keys(now.fields), ...Object.keys(was.fields)]);
  const fields: Record<string, unknown> = {};
  for (const name of names as Set<keyof OptionalFields>) {
    if (now.isImported || isDeepStrictEqual(now.fields[name], was.fields[name])) continue;
    fields[name] = now.fields[name] ?? null;
  }
  return {
    fields,
    addTags: missingTags(now.tags, was.tags),
    removeTags: missingTags(was.tags, now.tags),
  };
}

function isNothing({ fields, addTags, removeTags }: Difference): boolean {
  return Object.keys(fields).length + addTags.length + removeTags.length === 0;
}

function isUnchanged(now: TaggedEntry, was: TaggedEntry): boolean {
  return isNothing(entryChange(now, was));
}

/** The tags that are in the first list only, by their normal form. */
function missingTags(tags: readonly string[], others: readonly string[]): string[] {
  const present = new Set(others.map(normalTag));
  return tags.filter((tag) => !present.has(normalTag(tag)));
}
