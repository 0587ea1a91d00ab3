import { isSameIdentity, keyOf, nearestIdentity, type IdentityKey } from '../model/identity.ts';
import { isDiskFull, WaypointError } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { normalTag, type Tag } from '../model/tag.ts';
import type { NewCorrection } from '../model/correction.ts';
import type { BookmarkChange, Place } from '../model/waypoint.ts';
import { optionalFields } from './more-fields.ts';
import { openJoinedReader, type Database } from './database.ts';
import { prepareTotals, type LibraryTotals } from './library/totals.ts';
import { prepareLibraryFiles, type LibraryFiles } from './library/library-files.ts';
import { prepareTagged, type FindTagged } from './tagged-places.ts';
import { prepareJoinedRevision } from './revision.ts';
import { prepareTwins, type TwinLookup } from './twins.ts';
import { type Bookmark, type BookmarkFields, type BookmarkStore } from './waypoints/bookmarks.ts';
import type { HiddenStore } from './waypoints/hidden.ts';
import type { CorrectionRow, CorrectionStore } from './waypoints/corrections.ts';
import { hideWaypoint, release } from './waypoints/hide-waypoint.ts';
import { prepareHistory, type HistoryStore } from './waypoints/history.ts';
import { ImportList } from './waypoints/imports.ts';
import type { StoreMeta } from './waypoints/meta.ts';
import type { Journal, RecordedChange, RowChange } from './waypoints/journal.ts';
import { JournaledRows, type Changed, type StoreChange } from './waypoints/journaled-rows.ts';
import { isSameRow } from './waypoints/row-change.ts';
import { stampOldBookmarks, stampRestored, type Stamps } from './waypoints/stamps.ts';
import { renameTag } from './waypoints/rename-tag.ts';
import { isAsLeft, takeBack } from './waypoints/take-back.ts';
import type { TagStore } from './waypoints/tags.ts';

export type { Bookmark, BookmarkFields } from './waypoints/bookmarks.ts';
export type { Changed, StoreChange } from './waypoints/journaled-rows.ts';

/** The tags of the waypoint that a request meant. */
export interface TaggedPlace {
  readonly place: Place;
  readonly tags: Tag[];
}

/** Rows of one change that a list of changes compares. */
const lookedAtRows = 3;

/**
 * The user's own data: bookmarks, tags, history and hidden twins, joined read-only with the library for questions
 * about imported waypoints. Every method that changes something is one durable transaction.
 */
export class WaypointStore {
  readonly bookmarks: Pick<BookmarkStore, 'all' | 'find'>;
  readonly corrections: Pick<CorrectionStore, 'all' | 'revision'>;
  readonly hidden: Pick<HiddenStore, 'all' | 'byUser' | 'has'>;
  readonly changes: Pick<Journal, 'get' | 'list'>;
  readonly history: HistoryStore;
  readonly imports: ImportList;
  readonly libraryFiles: LibraryFiles;
  readonly meta: StoreMeta;
  readonly twins: TwinLookup;
  readonly findTagged: FindTagged;
  readonly libraryTotals: () => LibraryTotals;
  /** Names the present content of both databases together: changes with every change a list could show. */
  readonly revision: () => string;
  readonly sqliteVersion: string;
  /** Called after each change of rows, when it is on the disk. */
  onChange: (change: StoreChange) => void = () => {};
  /** False while the library is being rebuilt: a twin may exist that is not there yet, and tags are kept rather than lost. */
  isLibraryWhole: () => boolean = () => true;
  readonly #bookmarks: BookmarkStore;
  readonly #hidden: HiddenStore;
  readonly #tags: TagStore;
  readonly #rows: JournaledRows;
  readonly #db: Database;
  readonly #joined: Database;

  /** Takes over the writer connection of `waypoints.sqlite`, opened and migrated. */
  constructor(db: Database, libraryPath: string, now: () => number = Date.now) {
    this.#db = db;
    this.#joined = openJoinedReader(db.name, libraryPath);
    this.#rows = new JournaledRows(db, now, (change) => this.onChange(change));
    ({ bookmarks: this.#bookmarks, hidden: this.#hidden, tags: this.#tags } = this.#rows);
    this.bookmarks = this.#bookmarks;
    this.corrections = this.#rows.corrections;
    this.hidden = this.#hidden;
    this.changes = this.#rows.journal;
    this.meta = this.#rows.meta;
    stampOldBookmarks(db, this.meta, this.changes);
    stampRestored(db, this.meta);
    this.history = prepareHistory(db);
    this.imports = new ImportList(db, this.#rows);
    this.libraryFiles = prepareLibraryFiles(this.#joined);
    this.twins = prepareTwins(this.#joined);
    this.libraryTotals = prepareTotals(this.#joined);
    this.findTagged = prepareTagged(this.#joined);
    this.revision = prepareJoinedRevision(this.#joined);
    this.sqliteVersion = db.prepare<[], string>('SELECT sqlite_version()').pluck().get() ?? '';
  }

  /** @throws WaypointError already_bookmarked, too_many_tags */
  addBookmark(
    fields: BookmarkFields,
    tags: readonly string[],
  ): Changed<{ bookmark: Bookmark; tags: Tag[] }> {
    return this.#rows.transaction('bookmark_add', () => {
      const key = keyOf(fields);
      if (this.#bookmarks.findExact(key) !== undefined)
        throw new WaypointError('already_bookmarked');
      const bookmark = this.#bookmarks.add(fields);
      this.#rows.noteTags(key);
      this.#addTags(key, tags);
      return { bookmark, tags: this.#tags.list(key) };
    });
  }

  /**
   * Renames, moves or edits a bookmark; its tags go with it. The imported twin it leaves stays hidden, and has these tags,
   * too, once it shows again.
   * @throws WaypointError not_a_bookmark, already_bookmarked, too_many_tags
   */
  changeBookmark(change: BookmarkChange): Changed<{ before: Bookmark; after: Bookmark }> {
    const before = this.#bookmarks.find({ ...change, name: change.oldName });
    if (before === undefined) throw new WaypointError('not_a_bookmark');
    const after = { id: before.id, ...changedFields(before, change) };
    const [from, to] = [keyOf(before), keyOf(after)];
    const isSame = isSameIdentity(from, to);
    return this.#rows.transaction(isSame ? 'bookmark_edit' : 'bookmark_rename', () => {
      if (!isSame) {
        if (this.#bookmarks.findExact(to) !== undefined)
          throw new WaypointError('already_bookmarked');
        const tags = this.#tags.list(from);
        this.#rows.noteTags(to);
        this.#tags.move(from, to);
        // What an imported waypoint at the new place has comes on top.
        const atMost = Math.max(limits.tagsPerWaypoint, tags.length);
        if (this.#tags.list(to).length > atMost) throw new WaypointError('too_many_tags');
        if (!this.isLibraryWhole() || this.twins.exists(from)) {
          const { name, lat, lon } = before;
          const raws = tags.map(({ raw }) => raw);
          this.#hidden.add({ name, lat, lon, bookmarkId: before.id, tags: raws });
        }
        // The bookmark is back over its twin, with the tags that both have now.
        for (const row of this.#hidden.at(to))
          if (row.bookmarkId === before.id) this.#hidden.remove(row);
      }
      if (!isSameRow(before, after)) this.#bookmarks.update(before, after);
      return { before, after };
    });
  }

  /**
   * Deletes a bookmark with its tags; an imported waypoint of the same identity shows again and keeps them.
   * @throws WaypointError not_a_bookmark
   */
  removeBookmark(place: Place): Changed<Bookmark> {
    const bookmark = this.#bookmarks.find(place);
    if (bookmark === undefined) throw new WaypointError('not_a_bookmark');
    return this.#rows.transaction('bookmark_delete', () => {
      const key = keyOf(bookmark);
      this.#bookmarks.remove(bookmark);
      if (!this.#canShow(key, this.isLibraryWhole())) this.#tags.removeAll(key);
      for (const row of this.#hidden.of(bookmark.id)) release(this.#rows, row);
      return bookmark;
    });
  }

  /** @throws WaypointError unknown_waypoint, too_many_tags */
  addTags(place: Place, raws: readonly string[]): Changed<TaggedPlace> {
    const known = this.#require(place);
    const key = keyOf(known);
    // Nothing new is no change: no write to the disk, and no list has to be sent again.
    const present = new Set(this.#tags.list(key).map(({ normal }) => normal));
    const isNew = raws.some((raw) => !present.has(normalTag(raw)));
    const change = isNew
      ? this.#rows.transaction('tag_add', () => this.#addTags(key, raws)).change
      : undefined;
    return { result: { place: known, tags: this.#tags.list(key) }, change };
  }

  /** @throws WaypointError unknown_waypoint */
  removeTag(place: Place, raw: string): Changed<TaggedPlace> {
    const known = this.#require(place);
    const key = keyOf(known);
    const normal = normalTag(raw);
    const row = this.#tags.rows(key).find((tag) => normalTag(tag.raw) === normal);
    const change = row && this.#rows.transaction('tag_remove', () => this.#tags.remove(row)).change;
    return { result: { place: known, tags: this.#tags.list(key) }, change };
  }

  /** @throws WaypointError unknown_waypoint, is_a_bookmark */
  hide(place: Place): Changed<Place> {
    const known = this.#require(place);
    return this.#rows.transaction('hide', () => {
      hideWaypoint(this.#rows, known);
      return known;
    });
  }

  /**
   * Shows again what the user has hidden.
   * @throws WaypointError unknown_waypoint
   */
  show(place: Place): Changed<Place> {
    const row = this.#hidden.find(place);
    if (row === undefined) throw new WaypointError('unknown_waypoint');
    return this.#rows.transaction('show', () => {
      release(this.#rows, row);
      return row;
    });
  }

  /** @throws WaypointError too_many_corrections */
  addCorrection(fields: NewCorrection): Changed<CorrectionRow> {
    const { corrections } = this.#rows;
    return this.#rows.transaction('correction_add', () => corrections.addChecked(fields));
  }

  /** @throws WaypointError unknown_correction */
  removeCorrection(id: number): Changed<CorrectionRow> {
    const { corrections } = this.#rows;
    return this.#rows.transaction('correction_delete', () => corrections.removeKnown(id));
  }

  /** Renames a tag of all waypoints. @returns how many had it. */
  renameTag(tag: string, newTag: string): Changed<number> {
    return this.#rows.transaction('tag_rename', () => renameTag(this.#rows, tag, newTag));
  }

  /**
   * Takes a change of rows back, as a change of its own. The library is whole.
   * @throws WaypointError unknown_change, already_undone, not_undoable, later_change
   */
  undo(id: number): Changed<RecordedChange> {
    const target = this.changes.get(id);
    if (target === undefined) throw new WaypointError('unknown_change');
    if (target.undoneBy !== null) throw new WaypointError('already_undone');
    if (target.rows.length === 0) throw new WaypointError('not_undoable');
    const write = (): RecordedChange => {
      this.#takeBack(target.rows);
      return target;
    };
    return this.#rows.transaction('undo', write, { undoes: id });
  }

  /** Whether what a change touched is as it has left it, as far as its last rows tell: a list asks this of each. */
  isAsLeft({ rows }: RecordedChange): boolean {
    return isAsLeft(this.#rows, rows.slice(-lookedAtRows));
  }

  /** The tags of a waypoint; none for an unknown one. */
  tagsOf(place: Place): TaggedPlace {
    const known = this.find(place);
    if (known === undefined) return { place, tags: [] };
    return { place: known, tags: this.#tags.list(keyOf(known)) };
  }

  /** Finds a waypoint that shows, bookmark or imported: by its exact key, else the nearest neighbouring one. */
  find(place: Place): Place | undefined {
    const key = keyOf(place);
    const bookmark = this.#bookmarks.find(place);
    if (bookmark !== undefined && isSameIdentity(keyOf(bookmark), key)) return bookmark;
    const twin = this.twins.find(place);
    if (twin !== undefined && isSameIdentity(keyOf(twin), key)) return twin;
    const found = [bookmark, twin].filter((one) => one !== undefined);
    return nearestIdentity<Place>(place.lat, place.lon, found);
  }

  /** Merges an edited bookmarks file in one change; see JournaledRows.transaction. */
  merge<T>(write: () => T, stamp: (stamps: Stamps) => void): Changed<T> {
    return this.#rows.transaction('merge', write, { stamp: () => stamp(this.#rows.stamps) });
  }

  /** Drops stamps of bookmarks deleted long ago. */
  forgetOldStamps(now: number): void {
    this.#rows.stamps.forgetOld(now);
  }

  /** Empties the write-ahead log and closes. */
  close(): void {
    this.#joined.close();
    try {
      this.#db.pragma('wal_checkpoint(TRUNCATE)');
    } catch (error) {
      // The log keeps what the store has no room for.
      if (!isDiskFull(error)) throw error;
    } finally {
      this.#db.close();
    }
  }

  /** Within a transaction, which a refusal undoes. */
  #addTags(key: IdentityKey, raws: readonly string[]): number {
    const added = this.#tags.addAll(key, raws);
    if (added > 0 && this.#tags.list(key).length > limits.tagsPerWaypoint)
      throw new WaypointError('too_many_tags');
    return added;
  }

  #takeBack(rows: readonly RowChange[]): void {
    takeBack(this.#rows, rows, (key) => this.#canShow(key, true));
  }

  #require(place: Place): Place {
    const known = this.find(place);
    if (known === undefined) throw new WaypointError('unknown_waypoint');
    return known;
  }

  /** Whether an imported waypoint shows, or may once the library is whole, when no bookmark covers it. */
  #canShow(key: IdentityKey, isLibraryWhole: boolean): boolean {
    return !this.#hidden.has(key) && (!isLibraryWhole || this.twins.exists(key));
  }
}

function withoutUndefined<Fields extends object>(fields: Fields): Fields {
  const said = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(said) as Fields;
}

/** Applies a change: what is absent stays, null (or an empty note) clears. */
function changedFields(before: Bookmark, change: BookmarkChange): BookmarkFields {
  return {
    name: change.newName ?? before.name,
    lat: change.newLat ?? before.lat,
    lon: change.newLon ?? before.lon,
    ...optionalFields({ ...before, ...withoutUndefined(change) }),
  };
}
