import { accessSync, constants, statSync } from 'node:fs';
import { errorCode } from '../model/error-code.ts';
import type { Paths } from './paths.ts';

const { R_OK, W_OK, X_OK } = constants;

/**
 * What this user may not do with the data directory or a database in it, and what to do about that; undefined when
 * nothing is in the way. To be asked before SQLite is: it gives what it makes beside a database the mode of that, so that
 * one failed try with a read-only database leaves companions that stay read-only when the database is mended.
 */
export function whyOutOfReach(paths: Paths): string | undefined {
  const fault = faultOf(paths.data, R_OK | W_OK | X_OK);
  if (fault !== undefined) return fault;
  for (const path of databaseFiles(paths)) {
    const found = faultOf(path, R_OK | W_OK);
    if (found !== undefined) return found;
  }
  return undefined;
}

function databaseFiles({ waypointsDatabase, libraryDatabase, lockDatabase }: Paths): string[] {
  const companions = [waypointsDatabase, libraryDatabase].flatMap((path) => [
    path,
    `${path}-wal`,
    `${path}-shm`,
  ]);
  return [...companions, lockDatabase];
}

function faultOf(path: string, mode: number): string | undefined {
  try {
    accessSync(path, mode);
    return undefined;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EROFS') return `${path} is on a file system that is mounted for reading only.`;
    return code === 'EACCES' || code === 'EPERM' ? whyForbidden(path) : undefined;
  }
}

function whyForbidden(path: string): string {
  const stats = ownerOf(path);
  if (stats === undefined || process.getuid === undefined) {
    return `${path} may not be opened by this user.`;
  }
  if (stats.uid !== process.getuid()) {
    // Of a service's data somebody else must not be told just to take it.
    return `${path} belongs to another user: run this as that user; if it is yours, as after a run with sudo, have it back: sudo chown "$(id -un)" "${path}"`;
  }
  const wanted = stats.isDirectory() ? 0o700 : 0o600;
  if ((stats.mode & wanted) === wanted) return `${path} may not be opened by this user.`;
  const mode = (stats.mode & 0o7777).toString(8).padStart(4, '0');
  return `${path} may not be read and written by its own user (its mode is ${mode}); to mend that: chmod ${wanted.toString(8)} "${path}"`;
}

function ownerOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // Its directory may not be entered.
  }
}
