import { distanceM, type Place } from '../earth.ts';
import type { Point } from './point.ts';

const foldMs = 1_000;

/** Observations in order of time, first in, first out, in arrays of a fixed size. */
export class PointQueue {
  /** By slot. */
  readonly timeMs: Float64Array;
  readonly latE7: Int32Array;
  readonly lonE7: Int32Array;
  readonly #source: Int32Array;
  readonly #kind: Uint8Array;
  readonly #weight: Int32Array;
  readonly #mask: number;
  #head = 0;
  #size = 0;

  /** @param capacity a power of two. */
  constructor(capacity: number) {
    this.#mask = capacity - 1;
    this.timeMs = new Float64Array(capacity);
    this.latE7 = new Int32Array(capacity);
    this.lonE7 = new Int32Array(capacity);
    this.#source = new Int32Array(capacity);
    this.#kind = new Uint8Array(capacity);
    this.#weight = new Int32Array(capacity);
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

  get firstMs(): number {
    return this.timeMs[this.#head]!;
  }

  get lastMs(): number {
    return this.timeAt(this.#size - 1);
  }

  /** The time of the point `index` places after the first. */
  timeAt(index: number): number {
    return this.timeMs[this.slot(index)]!;
  }

  /** Metres from that point to a place. */
  distanceTo(index: number, { latE7, lonE7 }: Place): number {
    const slot = this.slot(index);
    return distanceM(this.latE7[slot]!, this.lonE7[slot]!, latE7, lonE7);
  }

  /** Copies the point `index` places after the first into another one. */
  read(index: number, into: Point): Point {
    const slot = this.slot(index);
    into.timeMs = this.timeMs[slot]!;
    into.latE7 = this.latE7[slot]!;
    into.lonE7 = this.lonE7[slot]!;
    into.source = this.#source[slot]!;
    into.kind = this.#kind[slot]!;
    into.weight = this.#weight[slot]!;
    return into;
  }

  /** Adds a point to a queue that is not full. @returns its slot. */
  push(point: Point): number {
    const slot = this.slot(this.#size);
    this.#size += 1;
    this.timeMs[slot] = point.timeMs;
    this.latE7[slot] = point.latE7;
    this.lonE7[slot] = point.lonE7;
    this.#source[slot] = point.source;
    this.#kind[slot] = point.kind;
    this.#weight[slot] = point.weight;
    return slot;
  }

  /** Adds a point to a queue that is not full, at its place in time; after those of the same time. */
  insert(point: Point): void {
    let slot = this.push(point);
    for (let i = this.#size - 2; i >= 0; i -= 1) {
      const before = this.slot(i);
      if (this.timeMs[before]! <= point.timeMs) return;
      this.#swap(before, slot);
      slot = before;
    }
  }

  /**
   * Counts a point together with the last one, if they are of the same second: so time, not the rate of a recorder,
   * decides how much fits.
   */
  fold({ timeMs, weight }: Point): boolean {
    const last = this.slot(this.#size - 1);
    if (this.#size === 0 || timeMs - this.timeMs[last]! >= foldMs) return false;
    this.#weight[last]! += weight;
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

  #swap(a: number, b: number): void {
    for (const column of [
      this.timeMs,
      this.latE7,
      this.lonE7,
      this.#source,
      this.#kind,
      this.#weight,
    ]) {
      const kept = column[a]!;
      column[a] = column[b]!;
      column[b] = kept;
    }
  }

  clear(): void {
    this.#head = 0;
    this.#size = 0;
  }
}
