/** A hash of 32 bits and an offset of 21 fill the 53 bits of a whole number. */
const offsets = 2 ** 21;
const hashBase = 2 ** 31;
/** 8 MB. Many at once, so that each page of the index is written once for many of them. */
const capacity = 2 ** 20;
const firstLength = 4_096;

/** Gathers hashes with the waypoints they belong to, and gives them in the order of the index. */
export class HashedRows {
  #pairs = new Float64Array(firstLength);
  #first = 0;
  #count = 0;

  /** No more may be added before the next {@link clear}. */
  get isFull(): boolean {
    return this.#count >= capacity;
  }

  clear(): void {
    this.#count = 0;
  }

  /** @param waypoint ascending from call to call, by one. */
  add(hash: number, waypoint: number): void {
    if (this.#count === 0) this.#first = waypoint;
    if (this.#count === this.#pairs.length) this.#grow();
    this.#pairs[this.#count] = (hash + hashBase) * offsets + (waypoint - this.#first);
    this.#count += 1;
  }

  /** All pairs by hash, then by waypoint; the object is the same each time. */
  *sorted(): Generator<{ readonly hash: number; readonly waypoint: number }> {
    const row = { hash: 0, waypoint: 0 };
    for (const pair of this.#pairs.subarray(0, this.#count).sort()) {
      const high = Math.floor(pair / offsets);
      row.hash = high - hashBase;
      row.waypoint = this.#first + (pair - high * offsets);
      yield row;
    }
  }

  #grow(): void {
    const pairs = new Float64Array(this.#pairs.length * 2);
    pairs.set(this.#pairs);
    this.#pairs = pairs;
  }
}
