import type { StoreMeta } from '../../storage/waypoints/meta.ts';
import type { Content } from '../../worker/mirror/present-file.ts';

/** What `waypoints.sqlite` knows about the bookmarks file. */
export interface MirrorState {
  /** Where it was mirrored to. */
  readonly path: string;
  /** The revision of the store that the newest content mirrors; absent when that content is an edit, merged. */
  readonly revision?: string;
  /**
   * At most two contents that may be overwritten, the newest first: the one that is about to be there, and the one that
   * was. A content that somebody else wrote joins them when it is merged.
   */
  readonly known: readonly Content[];
}

const key = 'mirror';

/** Reads the state; undefined before the first mirror. */
export function readMirrorState(meta: StoreMeta): MirrorState | undefined {
  const text = meta.get(key);
  // Sound: written by saveMirrorState alone.
  return text === undefined ? undefined : (JSON.parse(text) as MirrorState);
}

/** Commits the state, durably, if it differs from what is there. */
export function saveMirrorState(meta: StoreMeta, state: MirrorState): void {
  const text = JSON.stringify(state);
  if (meta.get(key) !== text) meta.set(key, text);
}
