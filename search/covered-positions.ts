import { identityText, type IdentityKey } from '../model/identity.ts';
import type { LibraryIndex } from './library-index.ts';
import { Turns } from './turns.ts';

interface Cover {
  readonly key: IdentityKey;
  /** A bookmark and a hidden row may cover the same identity. */
  count: number;
}

interface Layer {
  readonly library: LibraryIndex;
  /** One bit for each position. */
  bits: Uint32Array;
}

/**
 * Which imported waypoints are not shown because a bookmark or a hidden identity covers them. The bits are copied before
 * a change if somebody has seen them, so that a search in progress keeps its own.
 */
export class CoveredPositions {
  readonly #covers = new Map<string, Cover>();
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

  /** How many positions are covered. */
  count(): number {
    let count = 0;
    for (const bits of this.#layer.bits) count += bitCount(bits);
    return count;
  }

  add(key: IdentityKey): void {
    const text = identityText(key);
    const cover = this.#covers.get(text);
    if (cover !== undefined) {
      cover.count += 1;
      return;
    }
    this.#covers.set(text, { key, count: 1 });
    this.#mark(key, true);
  }

  remove(key: IdentityKey): void {
    const text = identityText(key);
    const cover = this.#covers.get(text);
    if (cover === undefined) return;
    cover.count -= 1;
    if (cover.count > 0) return;
    this.#covers.delete(text);
    this.#mark(key, false);
  }

  /**
   * Takes another library once all covers are found in it, in turns with other work. Changes meanwhile go to both
   * layers; a later call overtakes an earlier one.
   * @returns Whether the library is in use now.
   */
  async replaceLibrary(library: LibraryIndex): Promise<boolean> {
    const next = emptyLayer(library);
    this.#next = next;
    const turns = new Turns();
    // A Map's iterator also visits what is added while it runs, and skips what is removed.
    for (const { key } of this.#covers.values()) {
      markIn(next, key, true);
      if (turns.isOver()) await turns.next();
      if (this.#next !== next) return false;
    }
    this.#layer = next;
    this.#next = undefined;
    this.#isSeen = false;
    return true;
  }

  #mark(key: IdentityKey, isCovered: boolean): void {
    if (this.#isSeen) {
      this.#layer.bits = this.#layer.bits.slice();
      this.#isSeen = false;
    }
    markIn(this.#layer, key, isCovered);
    if (this.#next !== undefined) markIn(this.#next, key, isCovered);
  }
}

/** Tells whether the bit of a position is set. */
export function isCovered(bits: Uint32Array, position: number): boolean {
  return ((bits[position >>> 5]! >>> (position & 31)) & 1) === 1;
}

function emptyLayer(library: LibraryIndex): Layer {
  return { library, bits: new Uint32Array((library.data.count + 31) >>> 5) };
}

function markIn({ library, bits }: Layer, key: IdentityKey, isCovered: boolean): void {
  const position = library.find(key);
  if (position === undefined) return;
  const bit = 1 << (position & 31);
  if (isCovered) bits[position >>> 5]! |= bit;
  else bits[position >>> 5]! &= ~bit;
}

/** Counts the set bits of a word: by pairs, then fours, then bytes, whose sum the product gathers in the top one. */
function bitCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
