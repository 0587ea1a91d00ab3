import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Bookmark, WaypointStore } from '../../storage/store.ts';
import type { EditedSlices } from '../../worker/mirror/messages.ts';
import { unpackSlices } from '../../worker/mirror/slices.ts';
import { addCounts, mergeSlice, nothingMerged, type MergeCounts } from './merge-slice.ts';

/** The mirror was closed while it waited: the store may be closed too. */
export class Abandoned extends Error {
  override readonly name = 'Abandoned';
}

export interface MergeEditOptions {
  readonly store: WaypointStore;
  readonly slices: EditedSlices;
  readonly isClosed: () => boolean;
  /** Called after each slice that changed something, with the bookmarks it added. */
  readonly onMerged: (added: readonly Bookmark[]) => void;
}

/**
 * Merges an edited file slice by slice, one turn of the main thread each. Cut off half-way it is simply repeated:
 * merging what is merged changes nothing.
 * @throws Abandoned; errors of the store.
 */
export async function mergeEdit(options: MergeEditOptions): Promise<MergeCounts> {
  const { store, slices, isClosed, onMerged } = options;
  let counts = nothingMerged;
  for (const slice of unpackSlices(slices)) {
    if (isClosed()) throw new Abandoned();
    const merged = mergeSlice(store, slice);
    counts = addCounts(counts, merged.counts);
    if (merged.counts !== nothingMerged) onMerged(merged.added);
    await nextTurn();
  }
  if (isClosed()) throw new Abandoned();
  return counts;
}
