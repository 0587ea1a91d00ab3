import type { DayStream } from './day-stream.ts';

/**
 * Encoded bytes and columns of blobs that overlap in time: some 30 million points of a track, or 15 million anywhere on
 * the earth. Only a file made to break things has more in one day, and out of order.
 */
export const mostOverlappingBytes = 201_326_592;

/** Streams that have a next point each, the earliest at the top. */
export class StreamHeap {
  readonly #mostBytes: number;
  readonly #heap: DayStream[] = [];
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  get first(): DayStream | undefined {
    return this.#heap[0];
  }

  /** Time of the earliest next point but that of the first stream. */
  get secondMs(): number {
    const left = this.#heap[1]?.timeMs ?? Number.POSITIVE_INFINITY;
    return Math.min(left, this.#heap[2]?.timeMs ?? Number.POSITIVE_INFINITY);
  }

  /** @throws an error where more streams are open than fit into memory. */
  add(stream: DayStream): void {
    this.#bytes += stream.bytes;
    if (this.#bytes > this.#mostBytes)
      throw new Error('Too many observations overlap within one day.');
    const heap = this.#heap;
    let at = heap.length;
    heap.push(stream);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!stream.isBefore(heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = stream;
  }

  /** Puts the first stream where it belongs after points were taken from it; removes it if it has no more. */
  settleFirst(): void {
    const first = this.#heap[0]!;
    if (first.fill()) {
      this.#sink(first);
      return;
    }
    this.#bytes -= first.bytes;
    const last = this.#heap.pop()!;
    if (last !== first) this.#sink(last);
  }

  #sink(stream: DayStream): void {
    const heap = this.#heap;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      const right = child + 1;
      if (right < heap.length && heap[right]!.isBefore(heap[child]!)) child = right;
      if (!heap[child]!.isBefore(stream)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = stream;
  }
}
