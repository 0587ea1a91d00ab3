import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { FileRefused } from '../../formats/refused.ts';
import { closing } from '../../model/closing.ts';
import { limits } from '../../model/limits.ts';
import { renameOver, syncDirectory } from '../../storage/atomic-file.ts';
import { createPrivateDirectory } from '../../storage/private-directory.ts';
import type { MirrorMark } from '../../model/recording.ts';
import { newestFirst, stampOf } from '../../model/time.ts';
import { openBookmarkHistory } from '../../storage/waypoints/bookmark-history.ts';
import { readEdited, TooLarge, type EditedWaypoint } from './edited-waypoints.ts';
import { planAdditions, planMerge, type MergePlan } from './plan-merge.ts';
import { resolveTarget } from '../../storage/link-target.ts';
import { readFile, statFile, writeSynced, type Content } from './present-file.ts';
import { packSlices, slicesOf } from './slices.ts';

/**
 * Largest file that is merged: some 300,000 bookmarks, whose waypoints and identity keys take about 200 MB in the
 * worker.
 */
const maxEditBytes = 64 * 1_048_576;

/** Copies kept of each kind, the newest ones. Tracks are nowhere else once the mirror has replaced the file. */
const copiesKept = { edited: 20, tracks: Infinity, unreadable: 20 };
/** One at a time: the data directory is held by one process, and it takes edits one after the other. */
const temporaryName = 'bookmarks-edit.tmp';

/** Why a copy is kept: the mirror has its waypoints but perhaps not all of its text, or nothing of it. */
type CopyKind = keyof typeof copiesKept;

export interface TakeEditRequest {
  readonly path: string;
  readonly backupsDirectory: string;
  /** Ms since 1970: for the name of the copy and the age of the file. */
  readonly now: number;
  /** Whether we have written to this path before: only then an unreadable file may be replaced. */
  readonly wasOurs: boolean;
  /** The SHA-256 of an unreadable content that has stood unchanged long enough. */
  readonly settled: string | undefined;
  readonly waypointsPath: string;
  readonly storeId: string;
  /** Revisions of other stores at which their file was just what our store was at a revision of ours. */
  readonly equals: Readonly<Record<string, EqualRevisions>>;
  /** The SHA-256 of a content whose many deletions were accepted. */
  readonly accepted: string | undefined;
  /** That of one which is not to be merged. */
  readonly discarded: string | undefined;
}

/** The two revisions at which two stores had the same bookmarks and tags. */
export interface EqualRevisions {
  readonly theirs: number;
  readonly ours: number;
}

export type TakeEditResult =
  /** Read; a copy of the file is in the backups directory. */
  | {
      readonly outcome: 'taken';
      readonly content: Content;
      /** Steps, packed, each slice to be done at once. */
      readonly slices: SharedArrayBuffer;
      /** The file's side of what both have changed, packed likewise. */
      readonly conflicts: SharedArrayBuffer;
      /** How many more there are: the journal is not to be filled with them, and the copy has them. */
      readonly conflictsLeft: number;
      /** Of the store, for which the steps were made. */
      readonly revision: number;
      readonly isEqual: boolean;
      readonly mark: MirrorMark | undefined;
      readonly waypoints: number;
      /** Track points, which the mirror does not have: they remain in the copy only. */
      readonly trackPoints: number;
    }
  /** It would delete more bookmarks at once than is done unasked. */
  | { readonly outcome: 'guarded'; readonly content: Content; readonly deletions: number }
  /** Not to be merged: a copy is in the backups directory. */
  | { readonly outcome: 'discarded'; readonly content: Content }
  /** Not readable as GPX for long enough: a copy is in the backups directory. */
  | { readonly outcome: 'kept'; readonly content: Content }
  /** Not readable as GPX; perhaps it is still being written. */
  | { readonly outcome: 'unsettled'; readonly content: Content }
  /** Some other file of the user, or one too large to merge: left alone. */
  | { readonly outcome: 'refused'; readonly reason: 'not_gpx' | 'too_large' }
  /** The file is gone. */
  | { readonly outcome: 'missing' };

/** The file as it was read once, so that no program can change it while it is merged. */
interface Copy {
  readonly path: string;
  readonly content: Content;
  /** Ms since 1970. */
  readonly changedAt: number;
}

/**
 * Reads a bookmarks file that another program changed. What is read is a copy in the backups directory, which stays: a
 * file may hold more than the mirror can, and the mirror is about to replace it.
 */
export function takeEdit(request: TakeEditRequest): TakeEditResult {
  const target = resolveTarget(request.path);
  const size = statFile(target)?.size;
  if (size === undefined) return { outcome: 'missing' };
  if (size > maxEditBytes) return { outcome: 'refused', reason: 'too_large' };
  createPrivateDirectory(request.backupsDirectory);
  const path = join(request.backupsDirectory, temporaryName);
  try {
    const copy = readFile(target, (blocks, { mtimeMs }) => ({
      path,
      content: writeSynced(path, bounded(blocks)),
      changedAt: Number(mtimeMs),
    }));
    return copy === undefined ? { outcome: 'missing' } : takeCopy(copy, request);
  } catch (error) {
    if (error instanceof TooLarge) return { outcome: 'refused', reason: 'too_large' };
    throw error;
  } finally {
    // Unless it was kept, under another name.
    rmSync(path, { force: true });
  }
}

function* bounded(blocks: Iterable<Uint8Array>): Generator<Uint8Array> {
  let size = 0;
  for (const block of blocks) {
    size += block.length;
    if (size > maxEditBytes) throw new TooLarge();
    yield block;
  }
}

function takeCopy(copy: Copy, request: TakeEditRequest): TakeEditResult {
  try {
    const { content } = copy;
    const { waypoints, mark, trackPoints } = readEdited(copy.path);
    const { plan, revision } = planOf(waypoints, mark, request);
    const { deleted, conflicts } = plan;
    // What a person has edited is written anew with our mark; what another daemon wrote stays as it is.
    const isEqual = plan.isEqual && mark !== undefined && mark.store !== request.storeId;
    const kind = trackPoints > 0 ? 'tracks' : 'edited';
    if (request.discarded === content.sha256) {
      keep(copy, kind, request);
      return { outcome: 'discarded', content };
    }
    if (isMassDeletion(plan) && request.accepted !== content.sha256)
      return { outcome: 'guarded', content, deletions: deleted.bookmarks + deleted.tagged };
    keep(copy, kind, request);
    return {
      outcome: 'taken',
      content,
      slices: packSlices(slicesOf(plan.steps)),
      conflicts: packSlices(slicesOf(conflicts.slice(0, limits.mirrorConflicts))),
      conflictsLeft: Math.max(0, conflicts.length - limits.mirrorConflicts),
      revision,
      isEqual,
      mark,
      waypoints: waypoints.length,
      trackPoints,
    };
  } catch (error) {
    if (error instanceof FileRefused) return giveUp(copy, request);
    throw error;
  }
}

/** A file in which so much is missing was more likely damaged than edited. */
function isMassDeletion({ deleted, ancestors }: MergePlan): boolean {
  if (deleted.bookmarks + deleted.tagged > limits.mirrorDeletions) return true;
  return (['bookmarks', 'tagged'] as const).some(
    (kind) => ancestors[kind] >= limits.mirrorDeletionsOfFew && deleted[kind] > ancestors[kind] / 2,
  );
}

function planOf(
  file: readonly EditedWaypoint[],
  mark: MirrorMark | undefined,
  { waypointsPath, storeId, equals }: TakeEditRequest,
): { plan: MergePlan; revision: number } {
  using history = closing(openBookmarkHistory(waypointsPath));
  const { revision, now: store } = history;
  const madeFrom = mark && revisionIn(mark, storeId, equals);
  const ancestor = madeFrom === undefined ? undefined : history.at(madeFrom);
  const plan =
    ancestor === undefined
      ? planAdditions(file, store, history.gone())
      : planMerge({ file, ancestor, store });
  return { plan, revision };
}

/** The newest revision of our store that all of the file was made from. */
function revisionIn(
  { store, revision, merged }: MirrorMark,
  storeId: string,
  equals: TakeEditRequest['equals'],
): number | undefined {
  if (store === storeId) return revision;
  const equal = equals[store];
  const equalled = equal && revision >= equal.theirs ? equal.ours : undefined;
  return Math.max(merged.get(storeId) ?? 0, equalled ?? 0) || undefined;
}

/** Decides about a file that is not GPX. An empty one holds nothing that a copy could save. */
function giveUp(copy: Copy, request: TakeEditRequest): TakeEditResult {
  const { content, changedAt } = copy;
  const { now, settled, wasOurs } = request;
  const isEmpty = content.size === 0;
  if (!isEmpty && !wasOurs) return { outcome: 'refused', reason: 'not_gpx' };
  const isSettled = settled === content.sha256 || now - changedAt >= limits.mirrorSettleMs;
  if (!isSettled) return { outcome: 'unsettled', content };
  if (!isEmpty) keep(copy, 'unreadable', request);
  return { outcome: 'kept', content };
}

/** Gives a copy its lasting name. */
function keep({ path, content }: Copy, kind: CopyKind, request: TakeEditRequest): void {
  const { backupsDirectory, now } = request;
  const time = `bookmarks-${kind}-${stampOf(now)}`;
  renameOver(path, join(backupsDirectory, `${time}-${content.sha256.slice(0, 16)}.gpx`));
  // Behind all names of this second.
  dropOldCopies(backupsDirectory, kind, `${time}~`);
  syncDirectory(backupsDirectory);
}

/** Keeps the newest copies of one kind, each content once: a merge that is repeated after a crash copies again. */
function dropOldCopies(directory: string, kind: CopyKind, newest: string): void {
  const pattern = new RegExp(`^bookmarks-${kind}-\\d{8}T\\d{6}Z-([0-9a-f]{16})\\.gpx$`);
  const names = readdirSync(directory).filter((name) => pattern.test(name));
  const kept = new Set<string>();
  for (const name of newestFirst(names, newest)) {
    const content = pattern.exec(name)?.[1] ?? '';
    if (kept.size < copiesKept[kind] && !kept.has(content)) kept.add(content);
    else rmSync(join(directory, name));
  }
}
