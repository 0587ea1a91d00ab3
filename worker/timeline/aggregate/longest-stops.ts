import { compareWorth, type Stop } from './stop.ts';

/** Keeps the `capacity` stops of the greatest worth of any number of them. */
export class LongestStops {
  readonly #capacity: number;
  #stops: Stop[] = [];

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** In no order. */
  get stops(): readonly Stop[] {
    this.#leaveOutLeast();
    return this.#stops;
  }

  add(stop: Stop): void {
    this.#stops.push(stop);
    if (this.#stops.length > 2 * this.#capacity) this.#leaveOutLeast();
  }

  #leaveOutLeast(): void {
    if (this.#stops.length > this.#capacity)
      this.#stops = this.#stops.toSorted(compareWorth).slice(0, this.#capacity);
  }
}
