import { hash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { errorCode } from '../../model/error-code.ts';
import type { WaypointStore } from '../../storage/store.ts';
import type { MirrorState } from './mirror-state.ts';

/** Up to this size a file is hashed in a few milliseconds, sooner than a worker thread starts. */
const quickBytes = 1_048_576;
/** Of a store in which nothing was changed yet. */
const firstRevision = '1';

/**
 * Tells that the bookmarks file is what it should be, as far as that can be told without a worker thread: so that a
 * daemon with nothing to do starts none. False means only that the worker has to look.
 */
export async function isCurrent(
  path: string,
  state: MirrorState | undefined,
  store: WaypointStore,
): Promise<boolean> {
  try {
    const found = await stat(path);
    // A pipe would have us wait for its other end.
    if (!found.isFile() || found.size > quickBytes || state?.path !== path) return false;
    // A file of an older version has no ids.
    if (state.written === undefined) return false;
    const sha256 = hash('sha256', await readFile(path));
    return state.revision === store.meta.revision() && sha256 === state.known[0]?.sha256;
  } catch (error) {
    // Tags are mirrored without a bookmark, too.
    const isNew = state === undefined && store.meta.revision() === firstRevision;
    return errorCode(error) === 'ENOENT' && isNew;
  }
}
