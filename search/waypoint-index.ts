import { identityText, keyOf, type IdentityKey } from '../model/identity.ts';
import type { Place } from '../model/waypoint.ts';
import { emptySearchIndex, type SearchIndexData } from './index/data.ts';
import { BookmarkTable, type BookmarkColumns, type SearchBookmark } from './bookmark-table.ts';
import { SuppressedPositions } from './suppressed-positions.ts';
import { LibraryIndex } from './library-index.ts';

/** All waypoints as they were at one moment; later changes do not touch it. */
export interface SearchSnapshot {
  readonly library: LibraryIndex;
  /** One bit for each position of the library: set if the waypoint is suppressed. */
  readonly suppressed: Uint32Array;
  readonly bookmarks: BookmarkColumns;
}

/**
 * All waypoints in memory for clusters and suggest: the index of the imported ones, replaced whole after an import, and
 * the bookmarks, changed one by one. An imported waypoint is suppressed while a bookmark has its identity or while its
 * identity is hidden.
 */
export class WaypointIndex {
  readonly #bookmarks = new BookmarkTable();
  readonly #hidden = new Map<string, IdentityKey>();
  readonly #suppressed = new SuppressedPositions(new LibraryIndex(emptySearchIndex()));

  /** The revision of the library in use; empty before the first {@link replaceLibrary}. */
  get libraryRevision(): string {
    return this.#suppressed.library.data.revision;
  }

  /** The number of waypoints, each identity once. */
  count(): number {
    return this.#bookmarks.count + this.#suppressed.library.data.count - this.#suppressed.count;
  }

  countBookmarks(): number {
    return this.#bookmarks.count;
  }

  snapshot(): SearchSnapshot {
    return {
      library: this.#suppressed.library,
      suppressed: this.#suppressed.bits(),
      bookmarks: this.#bookmarks.columns(),
    };
  }

  /**
   * Uses the index of another state of the library. It is in use when the promise resolves to true; false means that a
   * later call has overtaken this one.
   */
  replaceLibrary(data: SearchIndexData): Promise<boolean> {
    return this.#suppressed.replaceLibrary(new LibraryIndex(data));
  }

  /** Replaces all bookmarks; costs little for those that are the same as before. */
  setBookmarks(bookmarks: Iterable<SearchBookmark>): void {
    const gone = new Set(this.#bookmarks.ids());
    for (const bookmark of bookmarks) {
      gone.delete(bookmark.id);
      if (!isSamePlace(bookmark, this.#bookmarks.get(bookmark.id))) this.putBookmark(bookmark);
    }
    for (const id of gone) this.removeBookmark(id);
  }

  /** Adds a bookmark, or replaces the one of its id, whose imported duplicate is shown again unless it is hidden. */
  putBookmark(bookmark: SearchBookmark): void {
    this.removeBookmark(bookmark.id);
    this.#bookmarks.put(bookmark);
    this.#suppressed.add(keyOf(bookmark));
  }

  removeBookmark(id: number): void {
    const place = this.#bookmarks.get(id);
    if (place === undefined) return;
    this.#bookmarks.remove(id);
    this.#suppressed.remove(keyOf(place));
  }

  /** Replaces all hidden identities. */
  setHidden(identities: Iterable<IdentityKey>): void {
    const gone = new Map(this.#hidden);
    for (const identity of identities) {
      gone.delete(identityText(identity));
      this.hide(identity);
    }
    for (const identity of gone.values()) this.unhide(identity);
  }

  hide(identity: IdentityKey): void {
    const text = identityText(identity);
    if (this.#hidden.has(text)) return;
    this.#hidden.set(text, identity);
    this.#suppressed.add(identity);
  }

  unhide(identity: IdentityKey): void {
    if (this.#hidden.delete(identityText(identity))) this.#suppressed.remove(identity);
  }
}

function isSamePlace(a: Place, b: Place | undefined): boolean {
  return a.name === b?.name && a.lat === b.lat && a.lon === b.lon;
}
