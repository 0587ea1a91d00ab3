import type { Clock } from '../model/process.ts';
import { formatTime } from '../model/time.ts';
import type { Tag } from '../model/tag.ts';
import type { BookmarkChange, NewBookmark, Place } from '../model/waypoint.ts';
import type { Bookmark, ChangedBookmark, TaggedPlace, WaypointStore } from '../storage/store.ts';
import { optionalFields } from '../storage/waypoints/bookmarks.ts';
import type { WaypointIndex } from '../search/waypoint-index.ts';

export interface WaypointsOptions {
  readonly store: WaypointStore;
  readonly index: WaypointIndex;
  readonly clock: Clock;
  /** Called after every change that the bookmarks file must follow. */
  readonly onChange: () => void;
  /** False while the library is being rebuilt from the imports. */
  readonly isLibraryWhole: () => boolean;
}

/** Changes of bookmarks and tags: first the store, durably; then the index in memory; then the mirror is told. */
export class Waypoints {
  readonly #options: WaypointsOptions;

  constructor(options: WaypointsOptions) {
    this.#options = options;
    const { store, index } = options;
    index.setBookmarks(store.bookmarks.all());
    index.setHidden(store.hidden.all());
  }

  /** Takes bookmarks into the index that came into the store from the bookmarks file. */
  notice(added: readonly Bookmark[]): void {
    for (const bookmark of added) this.#options.index.putBookmark(bookmark);
  }

  /** @throws WaypointError already_bookmarked */
  add(fields: NewBookmark): { bookmark: Bookmark; tags: Tag[] } {
    const { store, index, clock, onChange } = this.#options;
    const { name, lat, lon, tags = [] } = fields;
    const time = fields.time ?? formatTime(clock.now());
    const added = store.addBookmark(
      { name, lat, lon, ...optionalFields({ ele: fields.ele, desc: fields.desc, time }) },
      tags,
    );
    index.putBookmark(added.bookmark);
    onChange();
    return added;
  }

  /** @throws WaypointError not_a_bookmark, already_bookmarked */
  change(change: BookmarkChange): ChangedBookmark {
    const { store, index, onChange, isLibraryWhole } = this.#options;
    const changed = store.changeBookmark(change, isLibraryWhole());
    index.putBookmark(changed.after);
    if (changed.hidden !== undefined) index.hide(changed.hidden);
    if (changed.unhidden !== undefined) index.unhide(changed.unhidden);
    onChange();
    return changed;
  }

  /** @throws WaypointError not_a_bookmark */
  remove(place: Place): Bookmark {
    const { store, index, onChange, isLibraryWhole } = this.#options;
    const { bookmark, unhidden } = store.removeBookmark(place, isLibraryWhole());
    index.removeBookmark(bookmark.id);
    for (const key of unhidden) index.unhide(key);
    onChange();
    return bookmark;
  }

  /** @throws WaypointError unknown_waypoint */
  addTags(place: Place, raws: readonly string[]): TaggedPlace & { added: number } {
    const tagged = this.#options.store.addTags(place, raws);
    if (tagged.added > 0) this.#options.onChange();
    return tagged;
  }

  /** @throws WaypointError unknown_waypoint */
  removeTag(place: Place, raw: string): TaggedPlace {
    const tagged = this.#options.store.removeTag(place, raw);
    if (tagged.removed) this.#options.onChange();
    return tagged;
  }
}
