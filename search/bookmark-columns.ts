import { foldName } from '../model/fold.ts';
import { worldY } from '../model/mercator.ts';
import type { Place } from '../model/waypoint.ts';

/** A bookmark as search knows it. */
export interface SearchBookmark extends Place {
  /** Its row in the store. */
  readonly id: number;
}

/** The bookmarks at one moment, in no order; the arrays may be longer than `count`. */
export interface BookmarkColumns {
  readonly count: number;
  readonly lat: Float64Array;
  readonly lon: Float64Array;
  /** Web Mercator world positions of the latitudes. */
  readonly y: Float64Array;
  readonly names: readonly string[];
  readonly folded: readonly string[];
}

/**
 * The bookmarks by column. A change costs the same however many there are; the first search after one copies the
 * columns (1 ms for 100,000), so that a search in progress never sees a change.
 */
export class BookmarkTable {
  readonly #slots = new Map<number, number>();
  #ids: number[] = [];
  #names: string[] = [];
  #folded: string[] = [];
  #lat = new Float64Array(16);
  #lon = new Float64Array(16);
  #y = new Float64Array(16);
  #columns: BookmarkColumns | undefined;

  /** Adds a bookmark, or replaces the one of the same id. */
  put({ id, name, lat, lon }: SearchBookmark): void {
    const slot = this.#slots.get(id) ?? this.#ids.length;
    if (slot === this.#lat.length) this.#grow();
    this.#slots.set(id, slot);
    this.#ids[slot] = id;
    this.#names[slot] = name;
    this.#folded[slot] = foldName(name);
    this.#lat[slot] = lat + 0;
    this.#lon[slot] = lon + 0;
    this.#y[slot] = worldY(lat);
    this.#columns = undefined;
  }

  get(id: number): Place | undefined {
    const slot = this.#slots.get(id);
    if (slot === undefined) return undefined;
    return { name: this.#names[slot]!, lat: this.#lat[slot]!, lon: this.#lon[slot]! };
  }

  /** Removes a bookmark; the last one takes its slot. */
  remove(id: number): void {
    const slot = this.#slots.get(id);
    if (slot === undefined) return;
    const last = this.#ids.length - 1;
    const lastId = this.#ids[last]!;
    this.#slots.set(lastId, slot);
    this.#slots.delete(id);
    for (const list of [this.#names, this.#folded]) list[slot] = list[last]!;
    for (const column of [this.#lat, this.#lon, this.#y]) column[slot] = column[last]!;
    this.#ids[slot] = lastId;
    for (const list of [this.#ids, this.#names, this.#folded]) list.length = last;
    this.#columns = undefined;
  }

  ids(): Iterable<number> {
    return this.#slots.keys();
  }

  columns(): BookmarkColumns {
    const count = this.#ids.length;
    this.#columns ??= {
      count,
      lat: this.#lat.slice(0, count),
      lon: this.#lon.slice(0, count),
      y: this.#y.slice(0, count),
      names: this.#names.slice(),
      folded: this.#folded.slice(),
    };
    return this.#columns;
  }

  #grow(): void {
    this.#lat = doubled(this.#lat);
    this.#lon = doubled(this.#lon);
    this.#y = doubled(this.#y);
  }
}

function doubled(column: Float64Array): Float64Array<ArrayBuffer> {
  const copy = new Float64Array(column.length * 2);
  copy.set(column);
  return copy;
}
