import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { FileRefused } from '../../formats/gpx/read-gpx.ts';
import { copyEdited, maxEditBytes, type EditedCopy } from './edited-copy.ts';
import { readEdited, TooManyWaypoints, type EditedFile } from './edited-waypoints.ts';
import { settleMs, type TakeEditRequest, type TakeEditResult } from './messages.ts';
import { resolveTarget, statFile } from './present-file.ts';
import { packSlices, slicesOf } from './slices.ts';

/**
 * Reads a bookmarks file that somebody changed. What is read is a copy in the backups directory, which stays: a file may
 * hold more than the mirror can, and the mirror is about to replace it.
 */
export function takeEdit(request: TakeEditRequest): TakeEditResult {
  const target = resolveTarget(request.path);
  const stat = statFile(target);
  if (stat === undefined) return { outcome: 'missing' };
  if (stat.size > maxEditBytes) return { outcome: 'refused', reason: 'too_large' };
  const file = openSync(target, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  let copy: EditedCopy | undefined;
  let mtimeMs: number;
  try {
    mtimeMs = fstatSync(file).mtimeMs;
    copy = copyEdited(file, request.backupsDirectory);
  } finally {
    closeSync(file);
  }
  if (copy === undefined) return { outcome: 'refused', reason: 'too_large' };
  return takeCopy(copy, mtimeMs, request);
}

function takeCopy(copy: EditedCopy, mtimeMs: number, request: TakeEditRequest): TakeEditResult {
  let edited: EditedFile;
  try {
    edited = readEdited(copy.path);
  } catch (error) {
    if (error instanceof FileRefused) return giveUp(copy, mtimeMs, request);
    copy.discard();
    if (error instanceof TooManyWaypoints) return { outcome: 'refused', reason: 'too_large' };
    throw error;
  }
  const { waypoints, trackPoints } = edited;
  const slices = packSlices(slicesOf(waypoints));
  copy.keep('edited', request.now);
  return {
    outcome: 'taken',
    content: copy.content,
    slices,
    waypoints: waypoints.length,
    trackPoints,
  };
}

/** Decides about a file that is not GPX. An empty one holds nothing that a copy could save. */
function giveUp(
  copy: EditedCopy,
  mtimeMs: number,
  { now, settled, wasOurs }: TakeEditRequest,
): TakeEditResult {
  const { content } = copy;
  const isEmpty = content.size === 0;
  const isSettled = settled === content.sha256 || now - mtimeMs >= settleMs;
  if (!isSettled || isEmpty || !wasOurs) copy.discard();
  if (!isEmpty && !wasOurs) return { outcome: 'refused', reason: 'not_gpx' };
  if (!isSettled) return { outcome: 'unsettled', content };
  if (!isEmpty) copy.keep('unreadable', now);
  return { outcome: 'kept', content };
}
