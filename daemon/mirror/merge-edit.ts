import { setImmediate as nextTurn } from 'node:timers/promises';
import type { WaypointStore } from '../../storage/store.ts';
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
  /** Called once when bookmarks or tags were added, also when the merge then failed. */
  readonly onMerged: () => void;
}

/**
 * Merges an edited file slice by slice, one turn of the main thread each. Cut off half-way it is simply repeated:
 * merging what is merged changes nothing.
 * @throws Abandoned; errors of the store.
 */
export async function mergeEdit(options: MergeEditOptions): Promise<MergeCounts> {
  const { store, slices, isClosed, onMerged } = options;
  let counts = nothingMerged;
  try {
    for (const slice of unpackSlices(slices)) {
      if (isClosed()) throw new Abandoned();
      counts = addCounts(counts, mergeSlice(store, slice));
      await nextTurn();
    }
    if (isClosed()) throw new Abandoned();
    return counts;
  } finally {
    const { bookmarks, tags, filled } = counts;
    if (bookmarks + tags + filled > 0 && !isClosed()) onMerged();
  }
}
