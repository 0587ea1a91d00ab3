import { identityText, type IdentityKey } from '../model/identity.ts';
import type { LibraryIndex } from './library-index.ts';
import { TimeSlices } from './time-slices.ts';

interface Suppressed {
  readonly key: IdentityKey;
  /** A bookmark and a hidden row may suppress the same identity. */
  causes: number;
}

interface Layer {
  readonly library: LibraryIndex;
  /** One bit for each position, and how many of them are set. */
  bits: Uint32Array;
  count: number;
}

/**
 * Which imported waypoints are suppressed: duplicates of a bookmark, and hidden identities. The bits are copied before a
 * change if a search has them, so that one in progress keeps its own.
 */
export class SuppressedPositions {
  readonly #suppressed = new Map<string, Suppressed>();
  #layer: Layer;
  #isSeen = false;
  /** The layer of a library that is about to replace the present one. */
  #next: Layer | undefined;

  constructor(library: LibraryIndex) {
    this.#layer = emptyLayer(library);
  }

  get library(): LibraryIndex {
    return this.#layer.library;
  }

  /** The bits as they are now; they will not change. */
  bits(): Uint32Array {
    this.#isSeen = true;
    return this.#layer.bits;
  }

  /** How many positions are suppressed. */
  get count(): number {
    return this.#layer.count;
  }

  add(key: IdentityKey): void {
    const text = identityText(key);
    const known = this.#suppressed.get(text);
    if (known === undefined) {
      this.#suppressed.set(text, { key, causes: 1 });
      this.#mark(key, true);
    } else known.causes += 1;
  }

  remove(key: IdentityKey): void {
    const text = identityText(key);
    const known = this.#suppressed.get(text);
    if (known === undefined) return;
    known.causes -= 1;
    if (known.causes > 0) return;
    this.#suppressed.delete(text);
    this.#mark(key, false);
  }

  /**
   * Uses another library once all suppressed identities are found in it, in slices of time. Changes meanwhile go to both
   * layers; a later call overtakes an earlier one.
   * @returns Whether the library is in use now.
   */
  async replaceLibrary(library: LibraryIndex): Promise<boolean> {
    const next = emptyLayer(library);
    this.#next = next;
    const slices = new TimeSlices();
    // A Map's iterator also visits what is added while it runs, and skips what is removed.
    for (const { key } of this.#suppressed.values()) {
      markIn(next, key, true);
      if (slices.isOver()) await slices.next();
      if (this.#next !== next) return false;
    }
    this.#layer = next;
    this.#next = undefined;
    this.#isSeen = false;
    return true;
  }

  #mark(key: IdentityKey, isSet: boolean): void {
    if (this.#isSeen) {
      this.#layer.bits = this.#layer.bits.slice();
      this.#isSeen = false;
    }
    markIn(this.#layer, key, isSet);
    if (this.#next !== undefined) markIn(this.#next, key, isSet);
  }
}

/** Tells whether the bit of a position is set. */
export function isSuppressed(bits: Uint32Array, position: number): boolean {
  return ((bits[position >>> 5]! >>> (position & 31)) & 1) === 1;
}

function emptyLayer(library: LibraryIndex): Layer {
  return { library, bits: new Uint32Array((library.data.count + 31) >>> 5), count: 0 };
}

function markIn(layer: Layer, key: IdentityKey, isSet: boolean): void {
  const position = layer.library.find(key);
  if (position === undefined || isSuppressed(layer.bits, position) === isSet) return;
  layer.bits[position >>> 5]! ^= 1 << (position & 31);
  layer.count += isSet ? 1 : -1;
}
