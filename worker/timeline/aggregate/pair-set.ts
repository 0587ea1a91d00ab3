const firstSize = 1_024;
/** Above it nothing more is taken in: 32 MB. */
const largestSize = 4_194_304;
const empty = -1;

/** A set of pairs of small whole numbers, in one array of numbers; for millions of them a Set needs far more memory. */
export class PairSet {
  readonly #columns: number;
  #slots = new Float64Array(firstSize).fill(empty);
  #count = 0;

  /** @param columns more than any second number of a pair. */
  constructor(columns: number) {
    this.#columns = columns;
  }

  /** @returns whether the pair is new; false, too, where there is no room for more. */
  add(row: number, column: number): boolean {
    const pair = row * this.#columns + column;
    let at = this.#find(pair);
    if (this.#slots[at] === pair) return false;
    if (this.#count * 2 >= this.#slots.length) {
      if (this.#slots.length === largestSize) return false;
      this.#grow();
      at = this.#find(pair);
    }
    this.#slots[at] = pair;
    this.#count += 1;
    return true;
  }

  /** Where a pair is, or where it would be. */
  #find(pair: number): number {
    const mask = this.#slots.length - 1;
    // Both halves of the number go in; the multiplier spreads neighbours.
    let at = (Math.imul(pair | 0, 0x9e3779b1) ^ Math.imul((pair / 4_294_967_296) | 0, 31)) >>> 7;
    at &= mask;
    while (this.#slots[at] !== empty && this.#slots[at] !== pair) at = (at + 1) & mask;
    return at;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Float64Array(old.length * 2).fill(empty);
    for (const pair of old) if (pair !== empty) this.#slots[this.#find(pair)] = pair;
  }
}
