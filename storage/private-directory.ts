import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncDirectory } from './atomic-file.ts';
import { attempt } from '../model/attempt.ts';

/**
 * Creates a directory that only its owner may enter, with its parents; one that is there stays as it is. Not with the
 * `recursive` of Node.js: that tries for ever where the system says "no such file" about a place that cannot hold
 * directories at all (/proc, homes that are mounted on demand).
 */
export function createPrivateDirectory(directory: string): void {
  if (isDirectory(directory)) return;
  const parent = dirname(directory);
  if (parent !== directory) createPrivateDirectory(parent);
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    // Another program may have made it meanwhile.
    if (!isDirectory(directory)) throw error;
  }
  // All that is ever written into a directory is lost with its name. A parent may be entered and not read, or be on a
  // network file system: then there is no more that can be done.
  attempt(() => syncDirectory(parent));
}

/** Takes from others what they may do in a directory of this user's. @returns whether they may, or did until now. */
export function closeToOthers(directory: string): boolean {
  const { mode, uid } = statSync(directory);
  // Access lists protect the user's profile on Windows; modes say nothing there.
  if (process.getuid === undefined || (mode & 0o077) === 0) return false;
  // Some file systems keep no permissions.
  if (uid === process.getuid()) attempt(() => chmodSync(directory, mode & 0o700));
  return true;
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
