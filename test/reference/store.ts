import { identityOf, identityText } from '../../model/identity.ts';
import { normalTag } from '../../model/tag.ts';
import type { Place } from '../../model/waypoint.ts';

/** A waypoint as a list shows it, without what the model does not know. */
export interface ListedPlace extends Place {
  readonly bookmark: boolean;
  readonly tags?: readonly string[];
}

interface ModelBookmark extends Place {
  readonly id: number;
}

/** An imported waypoint that does not show, with the tags it is to have again. */
interface Hidden {
  readonly key: string;
  readonly place: Place;
  /** The bookmark that was renamed or moved away from it; 0: the user hid it. */
  readonly by: number;
  readonly tags: readonly string[];
}

/**
 * What a daemon holds, by the words of contract C and D and with plain lists: bookmarks, tags and hidden twins, and the
 * content of each imported file by path.
 */
export class ReferenceStore {
  bookmarks: ModelBookmark[] = [];
  tags: { owner: string; raw: string }[] = [];
  hidden: Hidden[] = [];
  #lastId = 0;
  readonly files = new Map<string, readonly Place[]>();

  /** Each method gives the status of the answer. */
  add(place: Place, tags: readonly string[]): number {
    if (this.bookmark(place) !== undefined) return 409;
    this.bookmarks.push({ ...place, id: (this.#lastId += 1) });
    this.#tag(keyOf(place), tags);
    return 201;
  }

  change(from: Place, to: Place): number {
    const bookmark = this.bookmark(from);
    if (bookmark === undefined) return 404;
    const [before, after] = [keyOf(from), keyOf(to)];
    if (before !== after) {
      if (this.bookmark(to) !== undefined) return 409;
      const tags = this.#tagsOf(before);
      this.#moveTags(before, after);
      const twin = this.#imported(before);
      if (twin !== undefined) this.hidden.push({ key: before, place: twin, by: bookmark.id, tags });
      this.hidden = this.hidden.filter(({ key, by }) => key !== after || by !== bookmark.id);
    }
    this.bookmarks = this.bookmarks.map((one) => (one === bookmark ? { ...one, ...to } : one));
    return 200;
  }

  remove(place: Place): number {
    const bookmark = this.bookmark(place);
    if (bookmark === undefined) return 404;
    this.bookmarks = this.bookmarks.filter((one) => one !== bookmark);
    const key = keyOf(place);
    if (this.#imported(key) === undefined || this.#isHidden(key)) this.#untag(key);
    for (const row of this.hidden.filter(({ by }) => by === bookmark.id)) this.#release(row);
    return 200;
  }

  hide(place: Place): number {
    const key = keyOf(place);
    if (!this.#shows(key)) return 404;
    if (this.bookmark(place) !== undefined) return 409;
    this.hidden.push({ key, place, by: 0, tags: this.#tagsOf(key) });
    this.#untag(key);
    return 200;
  }

  show(place: Place): number {
    const row = this.hidden.find(({ key, by }) => key === keyOf(place) && by === 0);
    if (row === undefined) return 404;
    this.#release(row);
    return 200;
  }

  renameTag(tag: string, newTag: string): number {
    const rename = (own: readonly string[], raw: string): string[] => {
      if (!isSameTag(raw, tag)) return [raw];
      const isThere = !isSameTag(tag, newTag) && own.some((one) => isSameTag(one, newTag));
      return isThere ? [] : [newTag];
    };
    this.tags = this.tags.flatMap(({ owner, raw }) =>
      rename(this.#tagsOf(owner), raw).map((name) => ({ owner, raw: name })),
    );
    this.hidden = this.hidden.map((row) => ({
      ...row,
      tags: row.tags.flatMap((raw) => rename(row.tags, raw)),
    }));
    return 200;
  }

  addTags(place: Place, raws: readonly string[]): number {
    if (!this.#shows(keyOf(place))) return 404;
    return this.#tag(keyOf(place), raws) > 0 ? 201 : 200;
  }

  removeTag(place: Place, raw: string): number {
    const key = keyOf(place);
    if (!this.#shows(key)) return 404;
    this.tags = this.tags.filter((tag) => tag.owner !== key || !isSameTag(tag.raw, raw));
    return 200;
  }

  /** One file of a directory, in the order of their paths. */
  import(path: string, places: readonly Place[]): 'added' | 'replaced' | 'duplicates' {
    const known = this.files.get(path);
    if (known !== undefined && isSameContent(known, places)) return 'duplicates';
    if (known !== undefined) {
      this.files.set(path, places);
      return 'replaced';
    }
    if ([...this.files.values()].some((content) => isSameContent(content, places)))
      return 'duplicates';
    this.files.set(path, places);
    return 'added';
  }

  /** What shows: bookmarks in creation order, then imported waypoints by file and position, each identity once. */
  list(): ListedPlace[] {
    const covered = new Set([...this.bookmarks.map(keyOf), ...this.hidden.map(({ key }) => key)]);
    const imported = this.#allImported().filter((place) => {
      const key = keyOf(place);
      const isNew = !covered.has(key);
      covered.add(key);
      return isNew;
    });
    return [
      ...this.bookmarks.map((place) => this.#listed(place, true)),
      ...imported.map((place) => this.#listed(place, false)),
    ];
  }

  bookmark(place: Place): ModelBookmark | undefined {
    return this.bookmarks.find((one) => keyOf(one) === keyOf(place));
  }

  #listed({ name, lat, lon }: Place, bookmark: boolean): ListedPlace {
    const key = keyOf({ name, lat, lon });
    const tags = this.#tagsOf(key);
    return { name, lat, lon, bookmark, ...(tags.length === 0 ? {} : { tags }) };
  }

  #allImported(): Place[] {
    const paths = [...this.files.keys()].toSorted();
    return paths.flatMap((path) => this.files.get(path) ?? []);
  }

  #imported(key: string): Place | undefined {
    return this.#allImported().find((place) => keyOf(place) === key);
  }

  #shows(key: string): boolean {
    return this.list().some((place) => keyOf(place) === key);
  }

  #isHidden(key: string): boolean {
    return this.hidden.some((row) => row.key === key);
  }

  /** It shows again with its tags, unless something else hides it: that keeps them then. */
  #release(row: Hidden): void {
    this.hidden = this.hidden.filter((one) => one !== row);
    const other = this.hidden.find(({ key }) => key === row.key);
    if (other === undefined) this.#tag(row.key, row.tags);
    else {
      const tags = [...new Set([...other.tags, ...row.tags])];
      this.hidden = this.hidden.map((one) => (one === other ? { ...one, tags } : one));
    }
  }

  #tagsOf(key: string): string[] {
    return this.tags.filter(({ owner }) => owner === key).map(({ raw }) => raw);
  }

  #untag(key: string): void {
    this.tags = this.tags.filter(({ owner }) => owner !== key);
  }

  #tag(owner: string, raws: readonly string[]): number {
    const before = this.tags.length;
    for (const raw of raws) {
      const isThere = this.tags.some((tag) => tag.owner === owner && isSameTag(tag.raw, raw));
      if (!isThere) this.tags.push({ owner, raw });
    }
    return this.tags.length - before;
  }

  /** What the other one has already stays as it is. */
  #moveTags(from: string, to: string): void {
    const present = this.tags.filter(({ owner }) => owner === to);
    this.tags = this.tags
      .filter(({ owner, raw }) => owner !== from || !present.some((tag) => isSameTag(tag.raw, raw)))
      .map((tag) => (tag.owner === from ? { ...tag, owner: to } : tag));
  }
}

/** The identity of a place as text. */
export function keyOf({ name, lat, lon }: Place): string {
  return identityText(identityOf(name, lat, lon));
}

function isSameTag(a: string, b: string): boolean {
  return normalTag(a) === normalTag(b);
}

function isSameContent(a: readonly Place[], b: readonly Place[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
