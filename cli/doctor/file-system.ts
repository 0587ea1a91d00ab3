import { existsSync, statfsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { realDirectory } from '../../client/waypoints/node/hand-over-file.ts';
import { remoteFileSystem } from '../../daemon/watch/follow.ts';

/** Names that file synchronisers give to their folders, or to files in them. */
const syncMarkers: readonly [entry: string, program: string][] = [
  ['.stfolder', 'Syncthing'],
  ['.dropbox', 'Dropbox'],
  ['.dropbox.cache', 'Dropbox'],
  ['.nextcloudsync.log', 'Nextcloud'],
  ['.owncloudsync.log', 'ownCloud'],
];
const syncNames: readonly [name: RegExp, program: string][] = [
  [/^Dropbox(?: \(.*\))?$/u, 'Dropbox'],
  [/^OneDrive(?: - .*)?$/u, 'OneDrive'],
  [/^(?:Google Drive|My Drive)$/u, 'Google Drive'],
  [/^(?:Mobile Documents|iCloud ?Drive)$/u, 'iCloud'],
  [/^CloudStorage$/u, 'a cloud storage program'],
  [/^(?:Nextcloud|ownCloud)\d*$/u, 'Nextcloud'],
];

/** The nearest directory that is there, upwards. */
function existingParent(path: string): string {
  let at = path;
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
  return at;
}

/** The kind of remote file system of a path; undefined for a local or an unknown one. */
export function remotePlace(path: string): string | undefined {
  const parent = existingParent(path);
  // A drive letter may stand for a share, and `\\?\C:\` for none.
  if (process.platform === 'win32')
    return realDirectory(parent).startsWith('\\\\') ? 'a network share' : undefined;
  return process.platform === 'linux' ? remoteFileSystem(statfsSync(parent)) : undefined;
}

/** The program that copies the folder a path lies in to other machines, as far as that can be seen. */
export function syncProgram(path: string): string | undefined {
  for (let at = path; ; at = dirname(at)) {
    const marker = syncMarkers.find(([entry]) => existsSync(join(at, entry)));
    if (marker !== undefined) return marker[1];
    const named = syncNames.find(([name]) => name.test(basename(at)));
    if (named !== undefined) return named[1];
    if (dirname(at) === at) return undefined;
  }
}

/**
 * Free bytes for an ordinary user where a path is, or will be.
 * @returns `files` is undefined where the file system does not count them.
 */
export function freeSpace(path: string) {
  const { bavail, bsize, files, ffree } = statfsSync(existingParent(path));
  return { bytes: bavail * bsize, files: files > 0 ? ffree : undefined };
}
