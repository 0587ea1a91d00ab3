import { Buffer } from 'node:buffer';
import { createHash, type Hash } from 'node:crypto';
import { renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gpxMirrorHead, gpxTail, gpxTombstones, gpxWaypoint } from '../../formats/gpx-text.ts';
import { contentHash } from './bookmark-states.ts';
import { closing } from '../../model/closing.ts';
import { syncDirectory } from '../../storage/atomic-file.ts';
import { resolveTarget } from '../../storage/link-target.ts';
import { openStampedBookmarks } from '../../storage/waypoints/stamped-bookmarks.ts';
import {
  isUntouched,
  readPresentFile,
  statFile,
  writeSynced,
  type Content,
  type PresentFile,
} from './present-file.ts';

/** Text is written in pieces of about this many characters. */
const pieceLength = 65_536;
const permissionBits = 0o777n;

export interface DraftRequest {
  /** The bookmarks file as it is configured; a link is followed. */
  readonly path: string;
  readonly waypointsPath: string;
  /** Id of the store: names the temporary file, so that two stores that mirror to one folder never share it. */
  readonly storeId: string;
  /** Contents that may be overwritten: written by us, or merged. The newest first. */
  readonly known: readonly Content[];
  /** The revision of the store that the newest known content mirrors. */
  readonly mirrored: string | undefined;
  /** SHA-256 of the bookmarks and tombstones in that content. */
  readonly body: string | undefined;
  /** The time the file gets, see MirrorMark. */
  readonly written: number;
}

export type DraftResult =
  /** The file is what it should be. */
  | { readonly outcome: 'current' }
  /** The file has a content that we do not know: it has to be merged first. */
  | { readonly outcome: 'foreign' }
  /** The store's content is the file's content already. */
  | {
      readonly outcome: 'same';
      readonly content: Content;
      readonly body: string;
      readonly revision: string;
    }
  | ({ readonly outcome: 'drafted' } & Draft);

/** The store's content in a synced temporary file beside the target. */
export interface Draft {
  readonly target: string;
  readonly temporary: string;
  readonly content: Content;
  /** SHA-256 of its bookmarks and tombstones. */
  readonly body: string;
  /** The revision of the store that the draft mirrors. */
  readonly revision: string;
  /** Of the request. */
  readonly written: number;
  /** The content it replaces; undefined for no file. */
  readonly present: Content | undefined;
}

/**
 * Looks at the bookmarks file and writes what should replace it into a temporary file beside it. The file itself stays
 * as it is: publishing is another step, after the draft's hash is committed.
 */
export function draftMirror(request: DraftRequest): DraftResult {
  const { known, mirrored } = request;
  const target = resolveTarget(request.path);
  const present = readIfKnown(target, known);
  if (present === 'foreign') return { outcome: 'foreign' };
  using store = closing(openStampedBookmarks(request.waypointsPath));
  const revision = String(store.revision);
  const isNewest = present !== undefined && present.content.sha256 === known[0]?.sha256;
  if (isNewest && revision === mirrored) return { outcome: 'current' };
  const temporary = join(dirname(target), `.${basename(target)}.${request.storeId}.tmp`);
  const hash = createHash('sha256');
  const content = writeSynced(temporary, pieces(request, store, hash), modeOf(present));
  const body = hash.digest('hex');
  if (isNewest && body === request.body) {
    // A rewrite would change nothing but the revision, and wake every program that syncs the file.
    rmSync(temporary);
    return { outcome: 'same', content: present.content, body, revision };
  }
  return {
    outcome: 'drafted',
    target,
    temporary,
    content,
    body,
    revision,
    written: request.written,
    present: present?.content,
  };
}

type Bookmarks = Pick<ReturnType<typeof openStampedBookmarks>, 'live' | 'deleted'>;

/** The document; `body` gets all but its head. */
function* pieces(
  { storeId, written }: DraftRequest,
  { live, deleted }: Bookmarks,
  body: Hash,
): Generator<Uint8Array> {
  yield Buffer.from(gpxMirrorHead({ store: storeId, written }));
  let piece = gpxTombstones(deleted.map(({ id, changed: at }) => ({ id, at })));
  for (const { id, changed, content } of live) {
    const { fields, ...rest } = content;
    piece += gpxWaypoint({
      ...rest,
      ...fields,
      stamp: { id, changed, hash: contentHash(content) },
    });
    if (piece.length < pieceLength) continue;
    body.update(piece);
    yield Buffer.from(piece);
    piece = '';
  }
  body.update(piece);
  yield Buffer.from(piece + gpxTail());
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

function modeOf(present: PresentFile | undefined): number | undefined {
  return present && Number(present.stat.mode & permissionBits);
}

export type PublishRequest = Pick<Draft, 'target' | 'temporary' | 'present'>;

/**
 * Puts a draft in the place of the bookmarks file if that still is what the draft was made to replace. Between the last
 * look and the rename lies one system call: no portable one compares and renames at once.
 * @returns `changed` when the target is not what the draft was to replace; nothing was done.
 */
export function publishMirror({
  target,
  temporary,
  present,
}: PublishRequest): 'published' | 'changed' {
  try {
    const now = readPresentFile(target);
    // A file that went meanwhile took nothing with it that the store does not have.
    const isExpected = now === undefined || now.content.sha256 === present?.sha256;
    if (!isExpected || !isUntouched(now?.stat, statFile(target))) {
      rmSync(temporary, { force: true });
      return 'changed';
    }
    // No second try where another program holds the file (Windows): the caller starts again, and looks again.
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  try {
    syncDirectory(dirname(target));
  } catch {
    // Some network file systems cannot. A power cut may then bring the old file back: whole, known, and rewritten.
  }
  return 'published';
}
