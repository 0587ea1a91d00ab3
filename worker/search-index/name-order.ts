import { finish, keyedOrder, radixSort, type KeyedOrder } from './radix-sort.ts';
import type { TextColumn } from './text-column.ts';

/** What is sorted: folded names without zero bytes, and their places. */
export interface NamedPlaces {
  readonly folded: TextColumn;
  readonly lat: Float64Array;
  readonly lon: Float64Array;
}

/** Pieces of 4 bytes for lat and lon, 8 bytes each. */
const placePieces = 4;

/**
 * Orders places by folded name, then lat, then lon, else as they came: one radix sort for each 4 bytes of name, each
 * within the groups that were equal so far. Takes time linear in the bytes compared, whatever the names are.
 */
export function nameOrder(places: NamedPlaces): Uint32Array {
  const { count } = places.folded;
  const pairs = keyedOrder(count);
  const scratch = keyedOrder(count);
  // Groups still to be sorted, as triples of from, to and piece; a stack, because names may be 500 pieces long.
  const groups = [0, count, 0];
  while (groups.length > 0) {
    const piece = groups.pop()!;
    const to = groups.pop()!;
    const from = groups.pop()!;
    for (let i = from; i < to; i += 1) pairs.keys[i] = pieceOf(places, pairs.order[i]!, piece);
    finish(radixSort(pairs, scratch, from, to));
    pushEqualGroups(groups, places, pairs, from, to, piece);
  }
  return pairs.order;
}

function pushEqualGroups(
  groups: number[],
  places: NamedPlaces,
  { keys, order }: KeyedOrder,
  from: number,
  to: number,
  piece: number,
): void {
  let first = from;
  for (let i = from + 1; i <= to; i += 1) {
    if (i < to && keys[i] === keys[first]) continue;
    if (i - first > 1 && piece + 1 < pieces(places, order[first]!))
      groups.push(first, i, piece + 1);
    first = i;
  }
}

/** The zero bytes after the last one of the name are a part of it, so that equal groups have names of one length. */
function namePieces({ folded }: NamedPlaces, at: number): number {
  return ((folded.start[at + 1]! - folded.start[at]!) >>> 2) + 1;
}

function pieces(places: NamedPlaces, at: number): number {
  return namePieces(places, at) + placePieces;
}

function pieceOf(places: NamedPlaces, at: number, piece: number): number {
  const { bytes, start } = places.folded;
  const beyondName = piece - namePieces(places, at);
  if (beyondName >= 0) {
    return orderedBits(beyondName < 2 ? places.lat[at]! : places.lon[at]!, beyondName & 1);
  }
  const end = start[at + 1]!;
  let value = 0;
  for (let i = start[at]! + piece * 4, last = i + 4; i < last; i += 1) {
    value = (value << 8) | (i < end ? bytes[i]! : 0);
  }
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
