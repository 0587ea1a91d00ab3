import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { errorCode } from '../../model/error-code.ts';
import type { WaypointStore } from '../../storage/store.ts';
import type { MirrorState } from './mirror-state.ts';

/** Up to this size a file is hashed in a few milliseconds, sooner than a worker thread starts. */
const quickBytes = 1_048_576;

/**
 * Tells that the bookmarks file is what it should be, as far as that can be told without a worker thread: so that a
 * daemon with nothing to do starts none. False means only that the worker has to look.
 */
export async function isCurrent(
  path: string,
  state: MirrorState | undefined,
  store: WaypointStore,
): Promise<boolean> {
  const bytes = await readSmall(path).catch(() => undefined);
  if (bytes === 'missing') {
    // Without a bookmark there is nothing to mirror yet.
    return state === undefined && store.bookmarks.isEmpty();
  }
  if (bytes === undefined || state?.path !== path) return false;
  if (state.revision !== store.meta.revision()) return false;
  return createHash('sha256').update(bytes).digest('hex') === state.known[0]?.sha256;
}

/** @returns undefined for a file that is not quickly read; a pipe would have us wait for its other end. */
async function readSmall(path: string): Promise<Uint8Array | 'missing' | undefined> {
  try {
    const found = await stat(path);
    return found.isFile() && found.size <= quickBytes ? await readFile(path) : undefined;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return 'missing';
    throw error;
  }
}
