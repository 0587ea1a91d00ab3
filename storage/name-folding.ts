import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Which names a file system takes for one: those that differ in case, or in how an `é` is composed, both, or none. That of
 * a mount may be another than the platform's usual one.
 */
export type NameFolding = 'none' | 'case' | 'composition' | 'both';

/** Tries it in a directory; where nothing can be written, the usual of the platform is assumed. */
export function tryNameFolding(directory: string): NameFolding {
  const name = `.\u00e9-${randomBytes(6).toString('hex')}-name.tmp`;
  const isThere = (form: string): boolean => existsSync(join(directory, form));
  try {
    writeFileSync(join(directory, name), '', { mode: 0o600, flag: 'wx' });
  } catch {
    // An import fails for the same reason, and tells it.
    return process.platform === 'darwin' ? 'both' : process.platform === 'win32' ? 'case' : 'none';
  }
  try {
    const isComposed = isThere(name.normalize('NFD'));
    if (isThere(name.replace('name', 'NAME'))) return isComposed ? 'both' : 'case';
    return isComposed ? 'composition' : 'none';
  } finally {
    rmSync(join(directory, name), { force: true });
  }
}

/** The form in which paths are compared. */
export function foldPath(path: string, folding: NameFolding): string {
  const composed = folding === 'composition' || folding === 'both' ? path.normalize('NFC') : path;
  return folding === 'case' || folding === 'both' ? composed.toLowerCase() : composed;
}
