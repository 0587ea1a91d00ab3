import {
  identityOf,
  isSameIdentity,
  nearestIdentity,
  type IdentityKey,
} from '../model/identity.ts';
import { WaypointError } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { normalTag, type Tag } from '../model/tag.ts';
import type { BookmarkChange, Place } from '../model/waypoint.ts';
import { openJoinedReader, type Database } from './database.ts';
import { defineIdentityHash } from './library/identity-hash.ts';
import { prepareTagged, type FindTagged } from './tagged-places.ts';
import { prepareWatchedRevision } from './revision.ts';
import { prepareTwins, type TwinLookup } from './twins.ts';
import {
  optionalFields,
  prepareBookmarks,
  type Bookmark,
  type BookmarkFields,
  type BookmarkStore,
} from './waypoints/bookmarks.ts';
import { prepareHidden, type HiddenStore } from './waypoints/hidden.ts';
import { prepareHistory, type HistoryStore } from './waypoints/history.ts';
import { prepareMeta, type StoreMeta } from './waypoints/meta.ts';
import { prepareTags, type TagStore } from './waypoints/tags.ts';

export type { Bookmark, BookmarkFields } from './waypoints/bookmarks.ts';

/** A bookmark before and after a change. */
export interface ChangedBookmark {
  readonly before: Bookmark;
  readonly after: Bookmark;
  /** The imported twin it left, now hidden. */
  readonly hidden: IdentityKey | undefined;
  /** The imported twin it came back to, no longer hidden by anything but the bookmark itself. */
  readonly unhidden: IdentityKey | undefined;
}

/** The tags of the waypoint that a request meant. */
export interface TaggedPlace {
  readonly place: Place;
  readonly tags: Tag[];
}

/**
 * The user's own data: bookmarks, tags, history and hidden twins, joined read-only with the library for questions
 * about imported waypoints. Every method that changes something is one durable transaction.
 */
export class WaypointStore {
  readonly bookmarks: Pick<BookmarkStore, 'all' | 'find' | 'isEmpty'>;
  readonly hidden: Pick<HiddenStore, 'all' | 'of'>;
  readonly history: HistoryStore;
  readonly meta: StoreMeta;
  readonly twins: TwinLookup;
  readonly findTagged: FindTagged;
  /** Names the present content of both databases together: changes with every change a list could show. */
  readonly revision: () => string;
  readonly sqliteVersion: string;
  readonly #bookmarks: BookmarkStore;
  readonly #hidden: HiddenStore;
  readonly #tags: TagStore;
  readonly #db: Database;
  readonly #joined: Database;

  /** Takes over the writer connection of `waypoints.sqlite`, opened and migrated. */
  constructor(db: Database, libraryPath: string) {
    this.#db = db;
    this.#joined = openJoinedReader(db.name, libraryPath);
    this.#bookmarks = this.bookmarks = prepareBookmarks(db);
    this.#hidden = this.hidden = prepareHidden(db);
    this.#tags = prepareTags(db);
    this.history = prepareHistory(db);
    this.meta = prepareMeta(db);
    defineIdentityHash(this.#joined);
    this.twins = prepareTwins(this.#joined);
    this.findTagged = prepareTagged(this.#joined);
    this.revision = prepareWatchedRevision(this.#joined);
    this.sqliteVersion = db.prepare<[], string>('SELECT sqlite_version()').pluck().get() ?? '';
  }

  /** @throws WaypointError already_bookmarked, too_many_tags */
  addBookmark(
    fields: BookmarkFields,
    tags: readonly string[],
  ): { bookmark: Bookmark; tags: Tag[] } {
    return this.#change(() => {
      const key = identityOf(fields.name, fields.lat, fields.lon);
      if (this.#bookmarks.findExact(key) !== undefined)
        throw new WaypointError('already_bookmarked');
      const bookmark = this.#bookmarks.add(fields);
      this.#addTags(key, tags);
      return { bookmark, tags: this.#tags.list(key) };
    });
  }

  /**
   * Renames, moves or edits a bookmark; its tags go with it. The imported twin it leaves stays hidden.
   * @param isLibraryWhole false while the library is being rebuilt: then a twin may exist that is not there yet.
   * @throws WaypointError not_a_bookmark, already_bookmarked, too_many_tags
   */
  changeBookmark(change: BookmarkChange, isLibraryWhole: boolean): ChangedBookmark {
    return this.#change(() => {
      const before = this.#bookmarks.find({ ...change, name: change.oldName });
      if (before === undefined) throw new WaypointError('not_a_bookmark');
      const from = keyOf(before);
      const fields = changedFields(before, change);
      const to = keyOf(fields);
      if (isSameIdentity(from, to)) {
        const after = this.#bookmarks.update(before.id, fields);
        return { before, after, hidden: undefined, unhidden: undefined };
      }
      if (this.#bookmarks.findExact(to) !== undefined)
        throw new WaypointError('already_bookmarked');
      const atMost = Math.max(limits.tagsPerWaypoint, this.#tags.list(from).length);
      this.#tags.move(from, to);
      // What an imported waypoint at the new place has comes on top.
      if (this.#tags.list(to).length > atMost) throw new WaypointError('too_many_tags');
      const hasTwin = !isLibraryWhole || this.twins.exists(from);
      if (hasTwin) this.#hidden.hide(from, before.id);
      this.#hidden.unhide(to, before.id);
      return {
        before,
        after: this.#bookmarks.update(before.id, fields),
        hidden: hasTwin ? from : undefined,
        unhidden: this.#hidden.has(to) ? undefined : to,
      };
    });
  }

  /**
   * Deletes a bookmark with its tags; an imported waypoint of the same identity shows again and keeps them.
   * @param isLibraryWhole as for changeBookmark: while it is not, tags are kept rather than lost.
   * @throws WaypointError not_a_bookmark
   */
  removeBookmark(
    place: Place,
    isLibraryWhole: boolean,
  ): { bookmark: Bookmark; unhidden: IdentityKey[] } {
    return this.#change(() => {
      const bookmark = this.#bookmarks.find(place);
      if (bookmark === undefined) throw new WaypointError('not_a_bookmark');
      const hidden = this.#hidden.of(bookmark.id);
      const key = keyOf(bookmark);
      this.#bookmarks.remove(bookmark.id);
      if (isLibraryWhole && !this.twins.exists(key)) this.#tags.removeAll(key);
      return { bookmark, unhidden: hidden.filter((twin) => !this.#hidden.has(twin)) };
    });
  }

  /** @throws WaypointError unknown_waypoint, too_many_tags */
  addTags(place: Place, raws: readonly string[]): TaggedPlace & { added: number } {
    const known = this.#require(place);
    const key = keyOf(known);
    // Nothing new is no change: no write to the disk, and no list has to be sent again.
    const present = new Set(this.#tags.list(key).map(({ normal }) => normal));
    const isNew = raws.some((raw) => !present.has(normalTag(raw)));
    const added = isNew ? this.#change(() => this.#addTags(key, raws)) : 0;
    return { place: known, tags: this.#tags.list(key), added };
  }

  /** @throws WaypointError unknown_waypoint */
  removeTag(place: Place, raw: string): TaggedPlace & { removed: boolean } {
    const known = this.#require(place);
    const key = keyOf(known);
    const normal = normalTag(raw);
    const removed = this.#tags.list(key).some((tag) => tag.normal === normal);
    if (removed) this.#change(() => this.#tags.remove(key, raw));
    return { place: known, tags: this.#tags.list(key), removed };
  }

  /** The tags of a waypoint; none for an unknown one. */
  tagsOf(place: Place): TaggedPlace {
    const known = this.find(place);
    if (known === undefined) return { place, tags: [] };
    return { place: known, tags: this.#tags.list(keyOf(known)) };
  }

  /** Every tag in use, see TagStore.vocabulary. */
  vocabulary(): Tag[] {
    return this.#tags.vocabulary();
  }

  /** Finds a waypoint that shows, bookmark or imported: by its exact key, else the nearest neighbouring one. */
  find(place: Place): Place | undefined {
    const key = keyOf(place);
    const bookmark = this.#bookmarks.find(place);
    if (bookmark !== undefined && isSameIdentity(keyOf(bookmark), key)) return bookmark;
    const twin = this.twins.find(place);
    if (twin !== undefined && isSameIdentity(keyOf(twin), key)) return twin;
    return nearer(place, bookmark, twin);
  }

  /** Runs several changes as one transaction. */
  transaction<T>(change: () => T): T {
    return this.#change(change);
  }

  /** Empties the write-ahead log and closes. */
  close(): void {
    this.#joined.close();
    this.#db.pragma('wal_checkpoint(TRUNCATE)');
    this.#db.close();
  }

  /** Within a transaction, which a refusal undoes. */
  #addTags(key: IdentityKey, raws: readonly string[]): number {
    const added = this.#tags.add(key, raws);
    if (added > 0 && this.#tags.list(key).length > limits.tagsPerWaypoint)
      throw new WaypointError('too_many_tags');
    return added;
  }

  #require(place: Place): Place {
    const known = this.find(place);
    if (known === undefined) throw new WaypointError('unknown_waypoint');
    return known;
  }

  #change<T>(change: () => T): T {
    // Inside a running transaction better-sqlite3 makes this a savepoint.
    return this.#db
      .transaction(() => {
        const result = change();
        this.meta.touch();
        return result;
      })
      .immediate();
  }
}

function keyOf({ name, lat, lon }: Place): IdentityKey {
  return identityOf(name, lat, lon);
}

function nearer<A extends Place, B extends Place>(
  place: Place,
  a: A | undefined,
  b: B | undefined,
): A | B | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return nearestIdentity<A | B>(place.lat, place.lon, [a, b]);
}

/** Applies a change: what is absent stays, null (or an empty note) clears. */
function changedFields(before: Bookmark, change: BookmarkChange): BookmarkFields {
  return {
    name: change.newName ?? before.name,
    lat: change.newLat ?? before.lat,
    lon: change.newLon ?? before.lon,
    ...optionalFields({
      ele: change.ele === undefined ? before.ele : change.ele,
      time: change.time === undefined ? before.time : change.time,
      desc: change.desc === undefined ? before.desc : change.desc,
    }),
  };
}
