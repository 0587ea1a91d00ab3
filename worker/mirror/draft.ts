import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { closeSync, fchmodSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gpxHead, gpxTail, gpxWaypoint } from '../../formats/gpx-text.ts';
import {
  openBookmarkSnapshot,
  type BookmarkSnapshot,
} from '../../storage/waypoints/bookmark-snapshot.ts';
import type { Content, DraftRequest, DraftResult } from './messages.ts';
import { readPresentFile, resolveTarget, statFile, type PresentFile } from './present-file.ts';

/** Text is written in pieces of about this many characters. */
const pieceLength = 65_536;
/** Of a new file: bookmarks say where somebody was. */
const privateMode = 0o600;
const permissionBits = 0o777n;

/**
 * Looks at the bookmarks file and writes what should replace it into a temporary file beside it. The file itself stays
 * as it is: publishing is another step, after the draft's hash is committed.
 */
export function draftMirror(request: DraftRequest): DraftResult {
  const { known, mirrored } = request;
  const target = resolveTarget(request.path);
  const present = readIfKnown(target, known);
  if (present === 'foreign') return { outcome: 'foreign' };
  const snapshot = openBookmarkSnapshot(request.waypointsPath);
  try {
    const { revision } = snapshot;
    const isNewest = present !== undefined && present.content.sha256 === known[0]?.sha256;
    if (isNewest && revision === mirrored) return { outcome: 'current' };
    const temporary = join(dirname(target), `.${basename(target)}.${request.storeId}.tmp`);
    const content = writeDraft(temporary, snapshot, modeOf(present));
    if (content.sha256 === present?.content.sha256) {
      // A rewrite would change nothing but the time stamp, and wake every program that syncs the file.
      rmSync(temporary);
      return { outcome: 'same', content, revision };
    }
    return { outcome: 'drafted', target, temporary, content, revision, present: present?.content };
  } finally {
    snapshot.close();
  }
}

/** Reads the present file only if its size is a known one: another file may be of any size. */
function readIfKnown(
  target: string,
  known: readonly Content[],
): PresentFile | 'foreign' | undefined {
  const stat = statFile(target);
  if (stat === undefined) return undefined;
  if (!known.some(({ size }) => BigInt(size) === stat.size)) return 'foreign';
  const present = readPresentFile(target);
  if (present === undefined) return undefined;
  return known.some(({ sha256 }) => sha256 === present.content.sha256) ? present : 'foreign';
}

function modeOf(present: PresentFile | undefined): number {
  return present === undefined ? privateMode : Number(present.stat.mode & permissionBits);
}

/** Writes the document, whole and synced; leaves nothing behind when that fails. */
function writeDraft(temporary: string, snapshot: BookmarkSnapshot, mode: number): Content {
  // What a crash left. Its name is this store's own, and drafts are made one at a time.
  rmSync(temporary, { force: true });
  const file = openSync(temporary, 'wx', privateMode);
  try {
    const hash = createHash('sha256');
    let size = 0;
    for (const piece of documentPieces(snapshot)) {
      const bytes = Buffer.from(piece);
      hash.update(bytes);
      size += bytes.length;
      writeFileSync(file, bytes);
    }
    fchmodSync(file, mode);
    fsyncSync(file);
    return { sha256: hash.digest('hex'), size };
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/** The GPX document; without a time stamp, so that the same bookmarks are the same bytes. */
function* documentPieces(snapshot: BookmarkSnapshot): Generator<string> {
  let piece = gpxHead();
  for (const bookmark of snapshot.bookmarks()) {
    piece += gpxWaypoint(bookmark);
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  yield piece + gpxTail();
}
