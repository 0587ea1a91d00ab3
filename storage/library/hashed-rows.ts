/** A hash of 32 bits and an offset of 21 fill the 53 bits of a whole number. */
const offsets = 2 ** 21;
const hashes = 2 ** 32;
const hashBase = 2 ** 31;
/** 8 MB. Many at once, so that each page of the index is written once for many of them. */
const capacity = 2 ** 20;
const firstLength = 4_096;
/** Pairs in one statement. */
const batchPairs = 1_024;

/** The hash of a waypoint's identity, and the waypoint's id. */
export type HashedRow = readonly [hash: number, waypoint: number];

/** Gathers hashes with the waypoints they belong to, and gives them in the order of an index or of the file. */
export class HashedRows {
  #pairs = new Float64Array(firstLength);
  #first = 0;
  #count = 0;

  /** No more may be added before the next {@link clear}. */
  get isFull(): boolean {
    return this.#count >= capacity;
  }

  /** At most as high as all waypoints. */
  get first(): number {
    return this.#first;
  }

  /** @param first at most as high as all waypoints added next; they are less than 2^21 above it. */
  clear(first: number): void {
    this.#first = first;
    this.#count = 0;
  }

  add(hash: number, waypoint: number): void {
    if (this.#count === this.#pairs.length) this.#grow();
    this.#pairs[this.#count] = (hash + hashBase) * offsets + (waypoint - this.#first);
    this.#count += 1;
  }

  /** All pairs by hash, then by waypoint, many at a time. */
  byHash(): Generator<HashedRow[]> {
    return this.#sorted(offsets, (hash, offset) => [hash - hashBase, this.#first + offset]);
  }

  /** All pairs by waypoint, many at a time; to be called once. */
  byWaypoint(): Generator<HashedRow[]> {
    for (let at = 0; at < this.#count; at += 1) {
      const hash = Math.floor(this.#pairs[at]! / offsets);
      this.#pairs[at] = (this.#pairs[at]! - hash * offsets) * hashes + hash;
    }
    return this.#sorted(hashes, (offset, hash) => [hash - hashBase, this.#first + offset]);
  }

  *#sorted(base: number, row: (high: number, low: number) => HashedRow): Generator<HashedRow[]> {
    const pairs = this.#pairs.subarray(0, this.#count).sort();
    for (let from = 0; from < pairs.length; from += batchPairs) {
      const batch: HashedRow[] = [];
      for (const pair of pairs.subarray(from, from + batchPairs)) {
        const high = Math.floor(pair / base);
        batch.push(row(high, pair - high * base));
      }
      yield batch;
    }
  }

  #grow(): void {
    const pairs = new Float64Array(this.#pairs.length * 2);
    pairs.set(this.#pairs);
    this.#pairs = pairs;
  }
}
