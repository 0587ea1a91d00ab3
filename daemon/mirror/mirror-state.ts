import type { MirrorMark } from '../../formats/points/sink.ts';
import type { StoreMeta } from '../../storage/waypoints/meta.ts';
import type { Content } from '../../worker/mirror/present-file.ts';
import type { EqualRevisions } from '../../worker/mirror/take-edit.ts';

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
  /** SHA-256 of the waypoints in the newest content, if we wrote it. */
  readonly body?: string;
  /** Other stores whose files were merged, by id: the newest revision of each. */
  readonly merged?: Readonly<Record<string, number>>;
  /** Those of them whose file was then just what our store was. */
  readonly equals?: Readonly<Record<string, EqualRevisions>>;
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

/** Stores that a file is shared with; of more the one merged longest ago is forgotten, and then only adds. */
const maxPeers = 16;

/** The state after a file was merged, which had this mark. */
export function withPeer(
  { merged = {}, equals = {}, ...state }: MirrorState,
  mark: MirrorMark | undefined,
  ours: { readonly store: string; readonly revision: number; readonly isEqual: boolean },
): MirrorState {
  if (mark === undefined) return { ...state, merged, equals };
  const seen = new Map(Object.entries(merged));
  for (const [store, revision] of [...mark.merged, [mark.store, mark.revision] as const]) {
    if (store === ours.store) continue;
    const newest = Math.max(revision, seen.get(store) ?? 0);
    // The newest goes last.
    seen.delete(store);
    seen.set(store, newest);
  }
  const same = new Map(Object.entries(equals));
  same.delete(mark.store);
  if (ours.isEqual && mark.store !== ours.store)
    same.set(mark.store, { theirs: mark.revision, ours: ours.revision });
  return {
    ...state,
    merged: Object.fromEntries([...seen].slice(-maxPeers)),
    equals: Object.fromEntries([...same].slice(-maxPeers)),
  };
}
