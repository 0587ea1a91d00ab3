import { readdirSync, rmSync, type Dirent } from 'node:fs';
import { basename, join } from 'node:path';
import { errorCode } from '../../model/error-code.ts';

/** What the file system says when this user may not do something there. */
const forbidden = new Set(['EACCES', 'EPERM']);

export function isForbidden(error: unknown): boolean {
  return forbidden.has(errorCode(error) ?? '');
}

/** Tidies up where that is allowed: what stays costs nothing but room. */
export function asFarAsAllowed(step: () => void): void {
  try {
    step();
  } catch (error) {
    if (!isForbidden(error)) throw error;
  }
}

/** @returns undefined for a directory that cannot be read; one that is not there is empty. */
export function readEntries(directory: string): Dirent[] | undefined {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? [] : undefined;
  }
}

export function entriesOf(directory: string): Dirent[] {
  return readEntries(directory) ?? [];
}

/** Deletes temporary files, which no running import owns; returns the other entries. */
export function sweep(directory: string, entries: readonly Dirent[]): Dirent[] {
  return entries.filter((entry) => {
    if (!entry.isFile() || !entry.name.endsWith('.tmp')) return true;
    asFarAsAllowed(() => rmSync(join(directory, basename(entry.name)), { force: true }));
    return false;
  });
}
