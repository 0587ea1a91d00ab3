import { digitCounts, finish, keyedOrder, radixSort, type KeyedOrder } from './radix-sort.ts';
import { release, sharedBytes, sharedIntegers } from './memory.ts';
import { copyText, type TextColumn } from './text-column.ts';

/** What is sorted: folded names without zero bytes, and their places. */
export interface NamedPlaces {
  readonly folded: TextColumn;
  readonly lat: Float64Array;
  readonly lon: Float64Array;
}

/** The folded names by rank, as SearchIndexData has them. */
export interface RankedNames {
  /** Rank → which of the places. */
  readonly order: Uint32Array<ArrayBuffer>;
  readonly folded: Uint8Array;
  readonly foldedStart: Uint32Array;
}

/** Pieces of 4 bytes for lat and lon, 8 bytes each. */
const placePieces = 4;

/**
 * Orders places by folded name, then lat, then lon, else as they came. Takes time linear in the bytes compared, whatever
 * the names are. All are sorted by 4 bytes first; names lie together by those from then on, so that the rest stays in
 * the cache.
 * @param places whose names are given back: they are in the result.
 */
export function rankNames(places: NamedPlaces): RankedNames {
  const { bytes, start, count } = places.folded;
  const pairs = keyedOrder(count);
  const scratch = keyedOrder(count);
  for (let i = 0; i < count; i += 1) pairs.keys[i] = pieceOf(bytes, start[i]!, start[i + 1]!);
  finish(radixSort(pairs, scratch, 0, count));
  const ranked = copyInOrder(places.folded, pairs.order.slice());
  places.folded.release();
  new GroupSort(places, ranked, pairs, scratch).sortAll();
  release(pairs.keys, pairs.order, scratch.keys, scratch.order);
  return ranked;
}

function copyInOrder(texts: TextColumn, order: Uint32Array<ArrayBuffer>): RankedNames {
  const folded = sharedBytes(texts.start[texts.count]! + texts.count);
  const foldedStart = sharedIntegers(texts.count + 1);
  let start = 0;
  for (let rank = 0; rank < order.length; rank += 1) {
    const at = order[rank]!;
    start = copyText(texts.bytes, texts.start[at]!, texts.start[at + 1]!, folded, start) + 1;
    foldedStart[rank + 1] = start;
  }
  return { order, folded, foldedStart };
}

/** Sorts each group of names that begin with the same 4 bytes where it is. */
class GroupSort {
  readonly #places: NamedPlaces;
  readonly #ranked: RankedNames;
  readonly #pairs: KeyedOrder;
  readonly #scratch: KeyedOrder;
  readonly #counts = digitCounts();
  #copy = new Uint8Array(4_096);

  /** @param pairs has the first 4 bytes as keys; both are used up. */
  constructor(places: NamedPlaces, ranked: RankedNames, pairs: KeyedOrder, scratch: KeyedOrder) {
    this.#places = places;
    this.#ranked = ranked;
    this.#pairs = pairs;
    this.#scratch = scratch;
  }

  sortAll(): void {
    const { keys } = this.#pairs;
    for (let from = 0; from < keys.length;) {
      const to = endOfEqual(keys, from, keys.length);
      if (to - from > 1) this.#sortGroup(from, to);
      from = to;
    }
    release(this.#copy, this.#counts);
  }

  /** One radix sort for each further 4 bytes of name and place, each within what was equal so far. */
  #sortGroup(first: number, last: number): void {
    const { keys, order } = this.#pairs;
    for (let rank = first; rank < last; rank += 1) order[rank] = rank;
    // Triples of from, to and piece still to be sorted; a stack, because names may be 500 pieces long.
    const groups = [first, last, 1];
    while (groups.length > 0) {
      const piece = groups.pop()!;
      const to = groups.pop()!;
      const from = groups.pop()!;
      if (piece >= this.#namePieces(order[from]!) + placePieces) continue;
      for (let i = from; i < to; i += 1) keys[i] = this.#piece(order[i]!, piece);
      finish(radixSort(this.#pairs, this.#scratch, from, to, this.#counts));
      pushEqual(groups, keys, from, to, piece + 1);
    }
    this.#move(first, last);
  }

  /** The zero bytes after the last one of the name are a part of it, so that equal groups have names of one length. */
  #namePieces(rank: number): number {
    const { foldedStart } = this.#ranked;
    return ((foldedStart[rank + 1]! - foldedStart[rank]! - 1) >>> 2) + 1;
  }

  #piece(rank: number, piece: number): number {
    const beyondName = piece - this.#namePieces(rank);
    if (beyondName >= 0) {
      const at = this.#ranked.order[rank]!;
      const { lat, lon } = this.#places;
      return orderedBits(beyondName < 2 ? lat[at]! : lon[at]!, beyondName & 1);
    }
    const { folded, foldedStart } = this.#ranked;
    return pieceOf(folded, foldedStart[rank]! + piece * 4, foldedStart[rank + 1]! - 1);
  }

  /** Brings all that is kept by rank into the order found. */
  #move(first: number, last: number): void {
    const { order, folded, foldedStart } = this.#ranked;
    const { keys: starts, order: moved } = this.#scratch;
    const ranks = this.#pairs.order;
    const start = foldedStart[first]!;
    const length = foldedStart[last]! - start;
    const copy = this.#roomFor(length);
    let end = 0;
    for (let i = first; i < last; i += 1) {
      const rank = ranks[i]!;
      starts[i] = start + end;
      moved[i] = order[rank]!;
      end = copyText(folded, foldedStart[rank]!, foldedStart[rank + 1]!, copy, end);
    }
    for (let i = first; i < last; i += 1) {
      foldedStart[i] = starts[i]!;
      order[i] = moved[i]!;
    }
    for (let i = 0; i < length; i += 1) folded[start + i] = copy[i]!;
  }

  #roomFor(length: number): Uint8Array {
    if (this.#copy.length < length) {
      release(this.#copy);
      this.#copy = new Uint8Array(length * 2);
    }
    return this.#copy;
  }
}

function pushEqual(
  groups: number[],
  keys: Uint32Array,
  from: number,
  to: number,
  piece: number,
): void {
  for (let first = from; first < to;) {
    const last = endOfEqual(keys, first, to);
    if (last - first > 1) groups.push(first, last, piece);
    first = last;
  }
}

function endOfEqual(keys: Uint32Array, from: number, to: number): number {
  let end = from + 1;
  while (end < to && keys[end] === keys[from]) end += 1;
  return end;
}

/** Four bytes as a number that sorts as they do; zeros follow the end. */
function pieceOf(bytes: Uint8Array, from: number, end: number): number {
  let value = 0;
  for (let i = from; i < from + 4; i += 1) value = (value << 8) | (i < end ? bytes[i]! : 0);
  return value >>> 0;
}

const double = new Float64Array(1);
const halves = new Uint32Array(double.buffer);
const littleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** The upper (0) or lower (1) half of a double, with its bits changed so that they ascend as the numbers do. */
function orderedBits(value: number, half: number): number {
  double[0] = value;
  const bits = halves[littleEndian ? 1 - half : half]!;
  if (value < 0) return ~bits >>> 0;
  return half === 0 ? (bits | 0x8000_0000) >>> 0 : bits;
}
