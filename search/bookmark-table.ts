import { foldName } from '../model/fold.ts';
import { worldY } from '../model/mercator.ts';
import type { Place } from '../model/waypoint.ts';

/** A bookmark as search knows it. */
export interface SearchBookmark extends Place {
  /** Its row in the store. */
  readonly id: number;
}

/** The bookmarks at one moment, in no order. */
export interface BookmarkColumns {
  readonly count: number;
  readonly lat: Float64Array;
  readonly lon: Float64Array;
  /** Web Mercator world positions of the latitudes. */
  readonly y: Float64Array;
  readonly names: readonly string[];
  readonly folded: readonly string[];
}

interface Entry extends Place {
  readonly y: number;
  readonly folded: string;
}

/**
 * The bookmarks by row, and by column for a search. A change costs the same however many there are; the first search
 * after one makes new columns (a few ms for 100,000), so that a search in progress never sees a change.
 */
export class BookmarkTable {
  readonly #entries = new Map<number, Entry>();
  #columns: BookmarkColumns | undefined;

  /** Adds a bookmark, or replaces the one of the same id. */
  put({ id, name, lat, lon }: SearchBookmark): void {
    // Adding 0 turns −0 into 0.
    const entry = { name, lat: lat + 0, lon: lon + 0, y: worldY(lat), folded: foldName(name) };
    this.#entries.set(id, entry);
    this.#columns = undefined;
  }

  get(id: number): Place | undefined {
    return this.#entries.get(id);
  }

  remove(id: number): void {
    this.#entries.delete(id);
    this.#columns = undefined;
  }

  ids(): Iterable<number> {
    return this.#entries.keys();
  }

  get count(): number {
    return this.#entries.size;
  }

  columns(): BookmarkColumns {
    this.#columns ??= columnsOf(this.#entries);
    return this.#columns;
  }
}

function columnsOf(entries: ReadonlyMap<number, Entry>): BookmarkColumns {
  const count = entries.size;
  const [lat, lon, y] = [new Float64Array(count), new Float64Array(count), new Float64Array(count)];
  const names: string[] = [];
  const folded: string[] = [];
  for (const entry of entries.values()) {
    const at = names.push(entry.name) - 1;
    folded.push(entry.folded);
    lat[at] = entry.lat;
    lon[at] = entry.lon;
    y[at] = entry.y;
  }
  return { count, lat, lon, y, names, folded };
}
