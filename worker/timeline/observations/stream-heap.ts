import { Heap } from '../heap.ts';
import type { DayStream } from './day-stream.ts';

/**
 * Encoded bytes and columns of blobs that overlap in time: some 30 million points of a track, or 15 million anywhere on
 * the earth. Only a file made to break things has more in one day, and out of order.
 */
export const mostOverlappingBytes = 201_326_592;

/** Streams that have a next point each, the earliest at the top. */
export class StreamHeap {
  readonly #mostBytes: number;
  readonly #heap = new Heap<DayStream>((a, b) => a.isBefore(b));
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  get first(): DayStream | undefined {
    return this.#heap.items[0];
  }

  /** Time of the earliest next point but that of the first stream. */
  get secondMs(): number {
    const left = this.#heap.items[1]?.timeMs ?? Number.POSITIVE_INFINITY;
    return Math.min(left, this.#heap.items[2]?.timeMs ?? Number.POSITIVE_INFINITY);
  }

  /** @throws an error where more streams are open than fit into memory. */
  add(stream: DayStream): void {
    this.#bytes += stream.bytes;
    if (this.#bytes > this.#mostBytes)
      throw new Error('Too many observations overlap within one day.');
    this.#heap.push(stream);
  }

  /** Puts the first stream where it belongs after points were taken from it; removes it if it has no more. */
  settleFirst(): void {
    const first = this.#heap.items[0]!;
    if (first.fill()) {
      this.#heap.replaceFirst(first);
      return;
    }
    this.#bytes -= first.bytes;
    const last = this.#heap.items.pop()!;
    if (last !== first) this.#heap.replaceFirst(last);
  }
}
