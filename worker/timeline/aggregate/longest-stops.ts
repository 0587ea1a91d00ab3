import { Heap } from '../heap.ts';
import { compareWorth, type Stop } from './stop.ts';

const isLess = (a: Stop, b: Stop): boolean => compareWorth(a, b) > 0;

/** Keeps the `capacity` stops of the greatest worth of any number of them, in a heap with the least of them first. */
export class LongestStops {
  readonly #capacity: number;
  readonly #heap = new Heap(isLess);

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** In no order. */
  get stops(): readonly Stop[] {
    return this.#heap.items;
  }

  add(stop: Stop): void {
    const { length, 0: least } = this.#heap.items;
    if (length < this.#capacity) this.#heap.push(stop);
    else if (least !== undefined && isLess(least, stop)) this.#heap.replaceFirst(stop);
  }
}
