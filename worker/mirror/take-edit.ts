import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { headBytes } from '../../formats/format.ts';
import { gpxFormat } from '../../formats/gpx/read-gpx.ts';
import { FileRefused } from '../../formats/refused.ts';
import { closing } from '../../model/closing.ts';
import { limits } from '../../model/limits.ts';
import { renameOver, syncDirectory } from '../../storage/atomic-file.ts';
import { createPrivateDirectory } from '../../storage/private-directory.ts';
import { newestFirst, stampOf } from '../../model/time.ts';
import { openStampedBookmarks } from '../../storage/waypoints/stamped-bookmarks.ts';
import { readEdited, TooLarge } from './edited-waypoints.ts';
import { planMerge, type MergeStep, type WrittenFile } from './merge.ts';
import { resolveTarget } from '../../storage/link-target.ts';
import { firstBytes } from '../../storage/open-file.ts';
import { maxEditBytes, readFile, statFile, writeSynced, type Content } from './present-file.ts';

/** Copies kept of each kind, the newest ones. Tracks are nowhere else once the mirror has replaced the file. */
const copiesKept = { edited: 20, tracks: Infinity, unreadable: 20 };
/** One at a time: the data directory is held by one process, and it takes edits one after the other. */
const temporaryName = 'bookmarks-edit.tmp';

/** Kinds of copies: merged, merged with tracks that only the copy keeps, not readable. */
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
  /** The last two files that this store wrote. */
  readonly written: readonly WrittenFile[];
  /** SHA-256 of a content whose many deletions the user accepted. */
  readonly accepted: string | undefined;
  /** SHA-256 of a content that the user discarded. */
  readonly discarded: string | undefined;
}

export type TakeEditResult =
  /** Read and compared with the store; a copy of the file is in the backups directory. */
  | {
      readonly outcome: 'taken';
      readonly content: Content;
      readonly steps: readonly MergeStep[];
      /** Of the store, for which the steps were made. */
      readonly revision: number;
      /** Whether the file stays as it is: with the steps done it is what the store has. */
      readonly isEqual: boolean;
      readonly waypoints: number;
      /** Track points, which bookmarks do not have: they remain in the copy only. */
      readonly trackPoints: number;
      /** Name of the copy. */
      readonly copy: string;
    }
  /** Held back: it would delete more bookmarks at once than is done unasked. */
  | { readonly outcome: 'guarded'; readonly content: Content; readonly deletions: number }
  /** Discarded by the user: a copy is in the backups directory. */
  | { readonly outcome: 'discarded'; readonly content: Content }
  /** Not readable as GPX for long enough: a copy is in the backups directory. */
  | { readonly outcome: 'kept'; readonly content: Content }
  /** Not readable as GPX; perhaps it is still being written. */
  | { readonly outcome: 'unsettled'; readonly content: Content }
  /** Another file of the user, or one too large to merge: left alone. */
  | { readonly outcome: 'refused'; readonly reason: 'not_gpx' | 'too_large' }
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
    const { waypoints, trackPoints, ...rest } = readEdited(copy.path);
    using store = closing(openStampedBookmarks(request.waypointsPath));
    const { deletions, isMassDeletion, ...plan } = planMerge(
      { waypoints, ...rest },
      store,
      request,
    );
    const kind = trackPoints > 0 ? 'tracks' : 'edited';
    if (request.discarded === content.sha256) {
      keep(copy, kind, request);
      return { outcome: 'discarded', content };
    }
    if (isMassDeletion && request.accepted !== content.sha256)
      return { outcome: 'guarded', content, deletions };
    const { revision } = store;
    const counts = { waypoints: waypoints.length, trackPoints };
    return {
      outcome: 'taken',
      content,
      ...plan,
      revision,
      ...counts,
      copy: keep(copy, kind, request),
    };
  } catch (error) {
    if (error instanceof FileRefused) return giveUp(copy, request);
    throw error;
  }
}

/** Decides about a file that is not GPX. An empty one holds nothing that a copy could save. */
function giveUp(copy: Copy, request: TakeEditRequest): TakeEditResult {
  const { content, changedAt } = copy;
  const { now, settled, wasOurs } = request;
  const isEmpty = content.size === 0;
  if (!isEmpty && !(wasOurs && mayReplace(copy, request)))
    return { outcome: 'refused', reason: 'not_gpx' };
  const isSettled = settled === content.sha256 || now - changedAt >= limits.mirrorSettleMs;
  if (!isSettled) return { outcome: 'unsettled', content };
  if (!isEmpty) keep(copy, 'unreadable', request);
  return { outcome: 'kept', content };
}

/** Whether a file may be replaced that cannot be read: a link may lead to the file of another program, which never is. */
function mayReplace(copy: Copy, { path }: TakeEditRequest): boolean {
  return (
    !lstatSync(path).isSymbolicLink() || gpxFormat.recognises(firstBytes(copy.path, headBytes))
  );
}

/** Gives a copy its lasting name. @returns it */
function keep({ path, content }: Copy, kind: CopyKind, request: TakeEditRequest): string {
  const { backupsDirectory, now } = request;
  const time = `bookmarks-${kind}-${stampOf(now)}`;
  const copy = `${time}-${content.sha256.slice(0, 16)}.gpx`;
  renameOver(path, join(backupsDirectory, copy));
  // Behind all names of this second.
  dropOldCopies(backupsDirectory, kind, `${time}~`);
  syncDirectory(backupsDirectory);
  return copy;
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
