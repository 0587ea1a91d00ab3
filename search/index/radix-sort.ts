/** Keys and what they stand for, moved together; arrays of the same length. */
export interface KeyedOrder {
  readonly keys: Uint32Array<ArrayBuffer>;
  readonly order: Uint32Array<ArrayBuffer>;
}

const digits = 4;
const digitValues = 256;
/** Below this many pairs, shifting them costs less than counting digits. */
const insertionMax = 32;
/** Pairs between two yields, well below a millisecond of work. */
const sliceLength = 65_536;

/** Makes room for keys and order of `count` things, the order being 0, 1, 2 … */
export function keyedOrder(count: number): KeyedOrder {
  const order = new Uint32Array(count);
  for (let i = 0; i < count; i += 1) order[i] = i;
  return { keys: new Uint32Array(count), order };
}

/** Makes room for what a sort counts, for those who sort often. */
export function digitCounts(): Uint32Array<ArrayBuffer> {
  return new Uint32Array(digits * digitValues);
}

/**
 * Sorts pairs `from`…`to` (exclusive) by key, ascending and stable, in time linear in their number. Yields after each
 * slice of work, so that the main thread can sort large arrays without stopping requests.
 * @param scratch As long as `pairs`; what it holds in that range is lost, as is what `counts` holds.
 */
export function* radixSort(
  pairs: KeyedOrder,
  scratch: KeyedOrder,
  from: number,
  to: number,
  counts = digitCounts(),
): Generator<undefined, void> {
  if (to - from <= insertionMax) {
    insertionSort(pairs, from, to);
    return;
  }
  counts.fill(0);
  for (let start = from; start < to; start += sliceLength) {
    countDigits(pairs.keys, start, Math.min(start + sliceLength, to), counts);
    yield;
  }
  let source = pairs;
  let target = scratch;
  for (let digit = 0; digit < digits; digit += 1) {
    const next = counts.subarray(digit * digitValues, (digit + 1) * digitValues);
    // All keys share this digit: nothing would move.
    if (next.includes(to - from)) continue;
    countsToStarts(next, from);
    for (let start = from; start < to; start += sliceLength) {
      scatter(source, target, start, Math.min(start + sliceLength, to), digit * 8, next);
      yield;
    }
    [source, target] = [target, source];
  }
  if (source === pairs) return;
  pairs.keys.set(source.keys.subarray(from, to), from);
  pairs.order.set(source.order.subarray(from, to), from);
}

/** Runs a generator to its end at once, for callers that need not share their thread. */
export function finish(steps: Iterator<undefined, void>): void {
  while (steps.next().done !== true);
}

function insertionSort({ keys, order }: KeyedOrder, from: number, to: number): void {
  for (let i = from + 1; i < to; i += 1) {
    const key = keys[i]!;
    const thing = order[i]!;
    let at = i;
    for (; at > from && keys[at - 1]! > key; at -= 1) {
      keys[at] = keys[at - 1]!;
      order[at] = order[at - 1]!;
    }
    keys[at] = key;
    order[at] = thing;
  }
}

/** Counts all four digits of the keys in one reading. */
function countDigits(keys: Uint32Array, from: number, to: number, counts: Uint32Array): void {
  for (let i = from; i < to; i += 1) {
    const key = keys[i]!;
    counts[key & 255]! += 1;
    counts[256 + ((key >>> 8) & 255)]! += 1;
    counts[512 + ((key >>> 16) & 255)]! += 1;
    counts[768 + (key >>> 24)]! += 1;
  }
}

function countsToStarts(counts: Uint32Array, from: number): void {
  let start = from;
  for (let value = 0; value < digitValues; value += 1) {
    const count = counts[value]!;
    counts[value] = start;
    start += count;
  }
}

function scatter(
  source: KeyedOrder,
  target: KeyedOrder,
  from: number,
  to: number,
  shift: number,
  next: Uint32Array,
): void {
  const { keys, order } = source;
  const { keys: targetKeys, order: targetOrder } = target;
  for (let i = from; i < to; i += 1) {
    const key = keys[i]!;
    const digit = (key >>> shift) & 255;
    const at = next[digit]!;
    next[digit] = at + 1;
    targetKeys[at] = key;
    targetOrder[at] = order[i]!;
  }
}
