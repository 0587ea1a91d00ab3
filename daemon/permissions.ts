import { chmodSync, lstatSync, readFileSync, realpathSync, statSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt } from '../model/attempt.ts';
import type { Log } from '../model/process.ts';
import { entriesOf, ownerFault, type Fault } from './faults.ts';
import type { Paths } from './paths.ts';

/** File systems with one owner and mode for everything; `fuseblk`: NTFS and exFAT through FUSE. */
const withoutModes = /^(?:exfat|vfat|msdos|ntfs3?|fuseblk|cifs|smb3|smbfs|vboxsf)$/u;

/** The file system of an existing path, if it is known to keep no permissions. */
export function fileSystemWithoutModes(path: string): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const { dev } = statSync(path, { bigint: true });
  const major = (dev >> 8n) & 0xfffn;
  const minor = (dev & 0xffn) | ((dev >> 12n) & 0xfff00n);
  // Some containers hide it.
  const mounts = attempt(() => readFileSync('/proc/self/mountinfo', 'utf8')) ?? '';
  const found = new RegExp(`^\\d+ \\d+ ${major}:${minor} .* - (\\S+)`, 'mu').exec(mounts)?.[1];
  return found !== undefined && withoutModes.test(found) ? found : undefined;
}

/**
 * Makes our directories and files private, and logs that, or that it is in vain. The folder of a bookmarks file that the
 * settings name is not ours.
 * @returns the fault of a data directory, or a database in it, that others own or may replace.
 */
export function tightenData(paths: Paths, log: Log): Fault | undefined {
  // Access lists protect the user's profile on Windows; modes say nothing there.
  if (process.getuid === undefined) return undefined;
  const fault = foreignFault(paths);
  if (fault !== undefined) return fault;
  const { imports, replaced, geodata, backups } = paths;
  // Only the links that the user has named are followed.
  const [data, cache] = [realpathSync(paths.data), realpathSync(paths.cache)];
  const directories = [data, cache, imports, replaced, geodata, backups].map((path) =>
    tighten(path, 0o700),
  );
  const files = [...ownFiles(paths), ...entriesOf(backups)].map((path) => tighten(path, 0o600));
  const changed = { directories: count(directories), files: count(files) };
  if (changed.directories + changed.files > 0) log.warn('data.tightened', changed);
  if ([...directories, ...files].includes('in vain') || isOpenForGood(data)) {
    log.warn('data.permissions_do_not_stick');
  }
  return undefined;
}

function count(all: readonly Tightened[]): number {
  return all.filter((one) => one === 'tightened').length;
}

/** Tells whether others may use a directory because its file system keeps no permissions. */
export function isOpenForGood(path: string): boolean {
  return isOpen(statSync(path)) && fileSystemWithoutModes(path) !== undefined;
}

/** The fault of data that others own or may replace; none where the file system makes the owners up. */
function foreignFault(paths: Paths): Fault | undefined {
  const { data, waypointsDatabase, libraryDatabase, lockDatabase } = paths;
  if (fileSystemWithoutModes(data) !== undefined) return undefined;
  for (const path of [realpathSync(data), waypointsDatabase, libraryDatabase, lockDatabase]) {
    const stats = statOf(path);
    const found = stats && ownerFault(path, stats, 0);
    if (found !== undefined) return { ...found, exitCode: 78 };
  }
  return replaceableFault(data);
}

/** An owner that this user namespace does not know: that of `/` in some containers. */
const unknownOwner = 65_534;

/** The fault of a parent in which others may rename, and so replace, a directory on the way. */
export function replaceableFault(data: string): Fault | undefined {
  const uid = process.getuid?.();
  if (uid === undefined || fileSystemWithoutModes(data) !== undefined) return undefined;
  for (let at = dirname(realpathSync(data)); ; at = dirname(at)) {
    const stats = statOf(at);
    if (stats !== undefined && ![uid, 0, unknownOwner].includes(stats.uid)) {
      const text = `${data} lies in ${at}, whose owner may replace it`;
      const remedy = `Keep it in a directory of yours, with --data-dir; or if that one is yours, have it back: sudo chown "$(id -un)" "${at}"`;
      return { exitCode: 78, text, remedy };
    }
    if (stats !== undefined && mayOthersReplace(stats, uid)) {
      const text = `${data} lies in ${at}, in which others may replace it`;
      const command = stats.uid === uid ? `chmod go-w "${at}"` : `sudo chmod +t "${at}"`;
      return { exitCode: 78, text, command };
    }
    if (dirname(at) === at) return undefined;
  }
}

/** Trusts the user's own group, and what root lets a group do. */
function mayOthersReplace({ mode, gid, ...stats }: Stats, uid: number): boolean {
  if ((mode & 0o1000) !== 0) return false;
  const isForeignGroup = stats.uid === uid && gid !== process.getgid?.();
  return (mode & (isForeignGroup ? 0o022 : 0o002)) !== 0;
}

/** The databases and what SQLite keeps beside them; the bookmarks file where no setting names another. */
export function ownFiles({ data, geocodeDatabase, bookmarksFile, ...paths }: Paths): string[] {
  const databases = [paths.waypointsDatabase, paths.libraryDatabase, paths.lockDatabase];
  const own = [...databases, geocodeDatabase].flatMap((path) =>
    ['', '-wal', '-shm', '-journal'].map((ending) => path + ending),
  );
  return bookmarksFile === join(data, 'bookmarks.gpx') ? [...own, bookmarksFile] : own;
}

type Tightened = 'tightened' | 'in vain' | undefined;

/** @returns undefined for what is private, not there, a link or another user's. */
function tighten(path: string, allowed: 0o700 | 0o600): Tightened {
  const stats = statOf(path);
  if (stats === undefined || stats.uid !== process.getuid?.() || !isOpen(stats)) return undefined;
  if (allowed === 0o700 ? !stats.isDirectory() : !stats.isFile()) return undefined;
  // Some file systems say that they keep no permissions, others do not.
  attempt(() => chmodSync(path, stats.mode & allowed));
  return isOpen(statOf(path)) ? 'in vain' : 'tightened';
}

function isOpen(stats: Stats | undefined): boolean {
  return stats !== undefined && (stats.mode & 0o077) !== 0;
}

/** Does not follow a link; undefined for a path that is missing, or in a directory that may not be entered. */
function statOf(path: string): Stats | undefined {
  return attempt(() => lstatSync(path, { throwIfNoEntry: false }));
}
