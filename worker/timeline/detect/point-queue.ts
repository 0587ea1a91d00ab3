/**
 * Observations in order of time, first in, first out, in arrays of a fixed size. Where more come than fit, those of one
 * second share a place; see {@link PointQueue.isFull}.
 */
export class PointQueue {
  readonly timeMs: Float64Array;
  readonly latE7: Int32Array;
  readonly lonE7: Int32Array;
  readonly source: Int32Array;
  /** 0 track points, 1 waypoints. */
  readonly kind: Uint8Array;
  /** Observations that share the place; 1 but in the densest tracks. */
  readonly weight: Int32Array;
  readonly #mask: number;
  #head = 0;
  #size = 0;

  /** @param capacity a power of two. */
  constructor(capacity: number) {
    this.#mask = capacity - 1;
    this.timeMs = new Float64Array(capacity);
    this.latE7 = new Int32Array(capacity);
    this.lonE7 = new Int32Array(capacity);
    this.source = new Int32Array(capacity);
    this.kind = new Uint8Array(capacity);
    this.weight = new Int32Array(capacity);
  }

  get size(): number {
    return this.#size;
  }

  get isFull(): boolean {
    return this.#size > this.#mask;
  }

  /** The slot of the point `index` places after the first. */
  slot(index: number): number {
    return (this.#head + index) & this.#mask;
  }

  get firstSlot(): number {
    return this.#head;
  }

  get lastSlot(): number {
    return (this.#head + this.#size - 1) & this.#mask;
  }

  /** Adds a point to a queue that is not full. @returns its slot. */
  push(
    timeMs: number,
    latE7: number,
    lonE7: number,
    source: number,
    kind: number,
    weight: number,
  ): number {
    const slot = (this.#head + this.#size) & this.#mask;
    this.#size += 1;
    this.timeMs[slot] = timeMs;
    this.latE7[slot] = latE7;
    this.lonE7[slot] = lonE7;
    this.source[slot] = source;
    this.kind[slot] = kind;
    this.weight[slot] = weight;
    return slot;
  }

  /** Adds a point of another queue to a queue that is not full. */
  pushFrom(other: PointQueue, slot: number): void {
    this.push(
      other.timeMs[slot]!,
      other.latE7[slot]!,
      other.lonE7[slot]!,
      other.source[slot]!,
      other.kind[slot]!,
      other.weight[slot]!,
    );
  }

  /** Lets a point share the place of the last one if they are of the same second. */
  fold(timeMs: number, weight: number): boolean {
    const last = this.lastSlot;
    if (this.#size === 0 || timeMs - this.timeMs[last]! >= foldMs) return false;
    this.weight[last]! += weight;
    return true;
  }

  dropFirst(): void {
    this.#head = (this.#head + 1) & this.#mask;
    this.#size -= 1;
  }

  clear(): void {
    this.#head = 0;
    this.#size = 0;
  }
}

const foldMs = 1_000;
