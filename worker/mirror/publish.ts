import { renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncDirectory } from '../../storage/atomic-file.ts';
import type { PublishRequest, PublishResult } from './messages.ts';
import { isUntouched, readPresentFile, statFile } from './present-file.ts';

/**
 * Puts a draft in the place of the bookmarks file if that still is what the draft was made to replace. Between the last
 * look and the rename lies one system call: no portable one compares and renames at once.
 */
export function publishMirror({ target, temporary, present }: PublishRequest): PublishResult {
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
