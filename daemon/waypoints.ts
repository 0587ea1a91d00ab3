import { keyOf } from '../model/identity.ts';
import type { StoreChange } from '../storage/waypoints/journaled-rows.ts';
import type { Clock } from '../model/process.ts';
import { formatTime } from '../model/time.ts';
import type { NewCorrection } from '../model/correction.ts';
import type { Tag } from '../model/tag.ts';
import type { BookmarkChange, NewBookmark, Place } from '../model/waypoint.ts';
import type { Bookmark, Changed, TaggedPlace, WaypointStore } from '../storage/store.ts';
import { optionalFields } from '../storage/more-fields.ts';
import type { CorrectionRow } from '../storage/waypoints/corrections.ts';
import type { RecordedChange } from '../storage/waypoints/journal.ts';
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

/** Result of a request, and the number of its change; undefined if nothing changed. */
export interface Made<T> {
  readonly result: T;
  readonly change: number | undefined;
}

/** Changes of bookmarks and tags: first the store, durably; then the index in memory; then the bookmarks file, later. */
export class Waypoints {
  readonly #options: WaypointsOptions;

  constructor(options: WaypointsOptions) {
    this.#options = options;
    const { store, index } = options;
    for (const bookmark of store.bookmarks.all()) index.putBookmark(bookmark);
    for (const identity of store.hidden.all()) index.hide(identity);
  }

  /** Makes the index follow a change of the store; one merged from the bookmarks file comes here directly. */
  notice({ rows }: StoreChange): void {
    const { store, index } = this.#options;
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

  /** @throws WaypointError already_bookmarked */
  add(fields: NewBookmark): Made<{ bookmark: Bookmark; tags: Tag[] }> {
    const { name, lat, lon, tags = [] } = fields;
    const time = fields.time ?? formatTime(this.#options.clock.now());
    const optional = optionalFields({ ...fields, time });
    return this.#publish(this.#options.store.addBookmark({ name, lat, lon, ...optional }, tags));
  }

  /** @throws WaypointError not_a_bookmark, already_bookmarked */
  change(change: BookmarkChange): Made<{ before: Bookmark; after: Bookmark }> {
    const { store, isLibraryWhole } = this.#options;
    return this.#publish(store.changeBookmark(change, isLibraryWhole()));
  }

  /** @throws WaypointError not_a_bookmark */
  remove(place: Place): Made<Bookmark> {
    const { store, isLibraryWhole } = this.#options;
    return this.#publish(store.removeBookmark(place, isLibraryWhole()));
  }

  /** @throws WaypointError unknown_waypoint */
  addTags(place: Place, raws: readonly string[]): Made<TaggedPlace> {
    return this.#publish(this.#options.store.addTags(place, raws));
  }

  /** @throws WaypointError unknown_waypoint */
  removeTag(place: Place, raw: string): Made<TaggedPlace> {
    return this.#publish(this.#options.store.removeTag(place, raw));
  }

  /** @throws WaypointError unknown_waypoint, is_a_bookmark */
  hide(place: Place): Made<Place> {
    return this.#publish(this.#options.store.hide(place));
  }

  /** @throws WaypointError unknown_waypoint */
  showAgain(place: Place): Made<Place> {
    return this.#publish(this.#options.store.show(place));
  }

  renameTag(tag: string, newTag: string): Made<number> {
    return this.#publish(this.#options.store.renameTag(tag, newTag));
  }

  /** @throws WaypointError too_many_corrections */
  correct(fields: NewCorrection): Made<CorrectionRow> {
    return this.#publish(this.#options.store.addCorrection(fields));
  }

  /** @throws WaypointError unknown_correction */
  removeCorrection(id: number): Made<CorrectionRow> {
    return this.#publish(this.#options.store.removeCorrection(id));
  }

  /** @throws WaypointError unknown_change, already_undone, not_undoable, later_change */
  undo(id: number): Made<RecordedChange> {
    return this.#publish(this.#options.store.undo(id));
  }

  /** Makes the index and the bookmarks file follow a change. */
  #publish<T>({ result, change }: Changed<T>): Made<T> {
    if (change === undefined) return { result, change: undefined };
    this.notice(change);
    this.#options.onChange();
    return { result, change: change.id };
  }
}
