import { identityText, keyOf, type IdentityKey } from '../model/identity.ts';
import { worldY } from '../model/mercator.ts';
import type { Place } from '../model/waypoint.ts';
import { foldedText, markWords } from './folded-text.ts';
import { emptySearchIndex, type SearchIndexData } from './library-data.ts';
import { LibraryIndex } from './library-index.ts';
import { TimeSlices } from './time-slices.ts';

interface StoredBookmark extends Place {
  readonly id: number;
}

/** A bookmark as search uses it. */
export interface IndexedBookmark extends Place {
  /** Latitude in the Web Mercator world. */
  readonly y: number;
  readonly folded: string;
  /** The folded name with marked words, between newlines. */
  readonly text: string;
}

/** All waypoints in memory. */
export interface SearchSnapshot {
  readonly library: LibraryIndex;
  /** By rank of the library: 1 for a waypoint that a bookmark covers or that is hidden. Changes with them. */
  readonly suppressed: Uint8Array;
  readonly bookmarks: readonly IndexedBookmark[];
}

/** The ranks that are suppressed in one library. */
interface Layer {
  readonly library: LibraryIndex;
  readonly suppressed: Uint8Array;
  count: number;
}

/**
 * All waypoints in memory for clusters and suggest: the index of the imported ones, replaced whole after an import, and
 * the bookmarks, changed one by one. An imported waypoint is suppressed while a bookmark has its identity or while its
 * identity is hidden.
 */
export class WaypointIndex {
  readonly #bookmarks = new Map<number, IndexedBookmark>();
  #bookmarkList: readonly IndexedBookmark[] | undefined;
  readonly #hidden = new Set<string>();
  /** Identities of bookmarks and hidden waypoints; one may be both. */
  readonly #suppressed = new Map<string, { readonly key: IdentityKey; causes: number }>();
  #layer = newLayer(emptySearchIndex());
  /** The layer of a library that is about to replace the present one. */
  #next: Layer | undefined;

  /** The revision of the library in use; empty before the first {@link replaceLibrary}. */
  get libraryRevision(): string {
    return this.#layer.library.data.revision;
  }

  /** The number of waypoints, each identity once. */
  count(): number {
    return this.#bookmarks.size + this.#layer.library.data.count - this.#layer.count;
  }

  countBookmarks(): number {
    return this.#bookmarks.size;
  }

  snapshot(): SearchSnapshot {
    this.#bookmarkList ??= [...this.#bookmarks.values()];
    const { library, suppressed } = this.#layer;
    return { library, suppressed, bookmarks: this.#bookmarkList };
  }

  /**
   * Uses the index of another revision of the library, once all suppressed identities are found in it, in slices of time.
   * Changes meanwhile go to both; a later call overtakes an earlier one.
   * @returns whether the library is in use now.
   */
  async replaceLibrary(data: SearchIndexData): Promise<boolean> {
    const next = newLayer(data);
    this.#next = next;
    const slices = new TimeSlices();
    // A Map's iterator also visits what is added while it runs, and skips what is removed.
    for (const { key } of this.#suppressed.values()) {
      suppress(next, key, 1);
      if (slices.isOver()) await slices.next();
      if (this.#next !== next) return false;
    }
    this.#layer = next;
    this.#next = undefined;
    return true;
  }

  /** Adds a bookmark, or replaces the one of its id, whose imported duplicate is shown again unless it is hidden. */
  putBookmark({ id, name, lat, lon }: StoredBookmark): void {
    this.removeBookmark(id);
    const folded = foldedText(name);
    const text = `\n${markWords(folded)}\n`;
    // Adding 0 turns −0 into 0.
    this.#bookmarks.set(id, { name, lat: lat + 0, lon: lon + 0, y: worldY(lat), folded, text });
    this.#bookmarkList = undefined;
    this.#addCause(keyOf({ name, lat, lon }));
  }

  removeBookmark(id: number): void {
    const bookmark = this.#bookmarks.get(id);
    if (bookmark === undefined) return;
    this.#bookmarks.delete(id);
    this.#bookmarkList = undefined;
    this.#removeCause(keyOf(bookmark));
  }

  hide(identity: IdentityKey): void {
    const text = identityText(identity);
    if (this.#hidden.has(text)) return;
    this.#hidden.add(text);
    this.#addCause(identity);
  }

  unhide(identity: IdentityKey): void {
    if (this.#hidden.delete(identityText(identity))) this.#removeCause(identity);
  }

  #addCause(key: IdentityKey): void {
    const text = identityText(key);
    const known = this.#suppressed.get(text);
    if (known !== undefined) known.causes += 1;
    else {
      this.#suppressed.set(text, { key, causes: 1 });
      this.#suppress(key, 1);
    }
  }

  #removeCause(key: IdentityKey): void {
    const text = identityText(key);
    const known = this.#suppressed.get(text);
    if (known === undefined) return;
    known.causes -= 1;
    if (known.causes > 0) return;
    this.#suppressed.delete(text);
    this.#suppress(key, 0);
  }

  #suppress(key: IdentityKey, value: 0 | 1): void {
    suppress(this.#layer, key, value);
    if (this.#next !== undefined) suppress(this.#next, key, value);
  }
}

function newLayer(data: SearchIndexData): Layer {
  return { library: new LibraryIndex(data), suppressed: new Uint8Array(data.count), count: 0 };
}

function suppress(layer: Layer, key: IdentityKey, value: 0 | 1): void {
  const rank = layer.library.find(key);
  if (rank === undefined || layer.suppressed[rank] === value) return;
  layer.suppressed[rank] = value;
  layer.count += value === 1 ? 1 : -1;
}
