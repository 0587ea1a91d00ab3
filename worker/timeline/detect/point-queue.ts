import { Point } from './point.ts';

const foldMs = 1_000;

/** Observations in order of time, first in, first out, in a ring of a fixed size. */
export class PointQueue {
  /** By slot. A point is used again once it was dropped: copy one to keep it. */
  readonly #points: Point[];
  #head = 0;
  #size = 0;

  /** @param capacity a power of two. */
  constructor(capacity: number) {
    this.#points = Array.from({ length: capacity }, () => new Point());
  }

  get size(): number {
    return this.#size;
  }

  get isFull(): boolean {
    return this.#size === this.#points.length;
  }

  get firstMs(): number {
    return this.at(0).timeMs;
  }

  get lastMs(): number {
    return this.last.timeMs;
  }

  get last(): Point {
    return this.at(this.#size - 1);
  }

  /** The point `index` places after the first. */
  at(index: number): Point {
    return this.#points[this.slot(index)]!;
  }

  /** The slot of that point: as long as it is in the queue. */
  slot(index: number): number {
    return (this.#head + index) & (this.#points.length - 1);
  }

  /** Adds a point to a queue that is not full. @returns its slot. */
  push(point: Point): number {
    const slot = this.slot(this.#size);
    this.#size += 1;
    this.#points[slot]!.copy(point);
    return slot;
  }

  /** Adds a point to a queue that is not full, at its place in time; after those of the same time. */
  insert(point: Point): void {
    let slot = this.push(point);
    for (let i = this.#size - 2; i >= 0 && this.at(i).timeMs > point.timeMs; i -= 1) {
      const [earlier, later] = [this.at(i), this.at(i + 1)];
      this.#points[slot] = earlier;
      slot = this.slot(i);
      this.#points[slot] = later;
    }
  }

  /**
   * Counts a point together with the last one, if they are of the same second: so time, not the rate of a recorder,
   * decides how much fits.
   */
  fold({ timeMs, weight }: Point): boolean {
    if (this.#size === 0 || timeMs - this.lastMs >= foldMs) return false;
    this.last.weight += weight;
    return true;
  }

  dropFirst(): void {
    this.#head = this.slot(1);
    this.#size -= 1;
  }

  /** Forgets all points but the first. */
  truncate(size: number): void {
    this.#size = Math.min(this.#size, size);
  }

  clear(): void {
    this.#head = 0;
    this.#size = 0;
  }
}
