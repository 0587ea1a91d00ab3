import { createHash } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { syncDirectory } from '../../storage/atomic-file.ts';
import type { Content } from './messages.ts';
import { fileBlocks } from './present-file.ts';

/**
 * Largest file that is merged: some 300,000 bookmarks, whose waypoints and identity keys take about 200 MB in the
 * worker.
 */
export const maxEditBytes = 64 * 1_048_576;

/** Copies kept of each kind, the newest ones. */
const copiesKept = 20;
/** One at a time: the data directory is held by one process, and it takes edits one after the other. */
const temporaryName = 'bookmarks-edit.tmp';

/** Why a copy is kept: the mirror has its waypoints but perhaps not all of its text, or nothing of it. */
export type CopyKind = 'edited' | 'unreadable';

/** A copy of a bookmarks file, read once so that nobody can change it while it is merged. */
export interface EditedCopy {
  readonly path: string;
  readonly content: Content;
  /** Gives it its lasting name. */
  keep(kind: CopyKind, now: number): void;
  discard(): void;
}

/**
 * Copies an open file into the backups directory, synced.
 * @returns undefined for a file of more than maxEditBytes; nothing of it is left.
 */
export function copyEdited(file: number, backupsDirectory: string): EditedCopy | undefined {
  mkdirSync(backupsDirectory, { recursive: true, mode: 0o700 });
  const path = join(backupsDirectory, temporaryName);
  const discard = (): void => rmSync(path, { force: true });
  discard();
  const copy = openSync(path, 'wx', 0o600);
  try {
    const hash = createHash('sha256');
    let size = 0;
    for (const block of fileBlocks(file)) {
      size += block.length;
      if (size > maxEditBytes) {
        discard();
        return undefined;
      }
      hash.update(block);
      writeFileSync(copy, block);
    }
    fsyncSync(copy);
    const content = { sha256: hash.digest('hex'), size };
    return {
      path,
      content,
      discard,
      keep(kind, now) {
        const stamp = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '');
        const name = `bookmarks-${kind}-${stamp}-${content.sha256.slice(0, 16)}.gpx`;
        renameSync(path, join(backupsDirectory, name));
        dropOldCopies(backupsDirectory, kind);
        syncDirectory(backupsDirectory);
      },
    };
  } catch (error) {
    discard();
    throw error;
  } finally {
    closeSync(copy);
  }
}

/** Keeps the newest copies of one kind, each content once: a merge that is repeated after a crash copies again. */
function dropOldCopies(directory: string, kind: CopyKind): void {
  const pattern = new RegExp(`^bookmarks-${kind}-\\d{8}T\\d{6}Z-([0-9a-f]{16})\\.gpx$`);
  // The time stamp comes first in the name: the greatest name is the newest.
  const names = readdirSync(directory)
    .filter((name) => pattern.test(name))
    .toSorted()
    .toReversed();
  const kept = new Set<string>();
  for (const name of names) {
    const content = pattern.exec(name)?.[1] ?? '';
    if (kept.size < copiesKept && !kept.has(content)) kept.add(content);
    else rmSync(join(directory, name));
  }
}
