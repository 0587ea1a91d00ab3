import { readlinkSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { errorCode } from '../model/error-code.ts';

/**
 * Follows links to the file they lead to, which need not exist: renaming over a link would cut it off from the place
 * that the user syncs.
 */
export function resolveTarget(path: string): string {
  const real = unlessMissing(() => realpathSync(path));
  if (real !== undefined) return real;
  const link = unlessMissing(() => readlinkSync(path));
  // Each turn leaves one link behind; a circle is not ENOENT but ELOOP, and rises.
  return link === undefined ? path : resolveTarget(resolve(realpathSync(dirname(path)), link));
}

/** Runs a look at a file; undefined if there is none, or if a link was looked for and it is none. */
export function unlessMissing<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    const code = errorCode(error);
    // EINVAL: readlink of what is no link.
    if (code === 'ENOENT' || code === 'EINVAL') return undefined;
    throw error;
  }
}
