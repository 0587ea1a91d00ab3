import { keyOf } from '../model/identity.ts';
import type { StoreChange, WaypointStore } from '../storage/store.ts';
import type { WaypointIndex } from '../search/waypoint-index.ts';

/** Fills the index with the bookmarks and hidden waypoints of a store. */
export function indexStore(store: WaypointStore, index: WaypointIndex): void {
  for (const bookmark of store.bookmarks.all()) index.putBookmark(bookmark);
  for (const identity of store.hidden.all()) index.hide(identity);
}

/** Makes the index follow a change of the store. */
export function followChange(
  store: WaypointStore,
  index: WaypointIndex,
  { rows }: StoreChange,
): void {
  for (const { of, before, after } of rows) {
    if (of === 'bookmark') {
      if (after === null) index.removeBookmark(before!.id);
      else index.putBookmark(after);
    } else if (of === 'hidden') {
      const key = keyOf((after ?? before)!);
      if (store.hidden.has(key)) index.hide(key);
      else index.unhide(key);
    }
  }
}
