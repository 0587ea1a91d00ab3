import { compareWorth, type Stop } from './stop.ts';

/** Keeps the `capacity` stops of the greatest worth of any number of them, in a heap whose root is the least of them. */
export class LongestStops {
  readonly #capacity: number;
  readonly #heap: Stop[] = [];

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** In no order. */
  get stops(): readonly Stop[] {
    return this.#heap;
  }

  add(stop: Stop): void {
    if (this.#heap.length < this.#capacity) this.#rise(stop);
    else if (this.#capacity > 0 && compareWorth(stop, this.#heap[0]!) < 0) this.#sink(stop);
  }

  #rise(stop: Stop): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(stop);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (compareWorth(heap[parent]!, stop) >= 0) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = stop;
  }

  /** Replaces the root. */
  #sink(stop: Stop): void {
    const heap = this.#heap;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      const right = child + 1;
      if (right < heap.length && compareWorth(heap[right]!, heap[child]!) > 0) child = right;
      if (compareWorth(heap[child]!, stop) <= 0) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = stop;
  }
}
