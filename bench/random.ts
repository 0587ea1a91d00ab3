/**
 * A seeded stream of pseudo-random numbers: the same seed gives the same numbers on every machine, as only whole-number
 * arithmetic, + − × ÷ and square roots are used here and by the generators (Math.sin and its kin may differ in the last
 * bit between engines). Its period is 2^32 draws. Not for secrets.
 */
export class Random {
  #counter: number;

  /** @param seed any 32-bit whole number; near ones give unrelated streams. */
  constructor(seed: number) {
    this.#counter = Math.imul(seed, 0x27d4_eb2f) | 0;
  }

  /** A whole number, 0…2^32−1: a counter in steps of the golden ratio, its bits mixed twice by multiplication. */
  bits(): number {
    this.#counter = (this.#counter + 0x9e37_79b9) | 0;
    let mixed = this.#counter;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85eb_ca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
    return (mixed ^ (mixed >>> 16)) >>> 0;
  }

  /** 0…1, 1 excluded. */
  unit(): number {
    return this.bits() / 0x1_0000_0000;
  }

  /** `low`…`high`, `high` excluded. */
  between(low: number, high: number): number {
    return low + (high - low) * this.unit();
  }

  /** A whole number, 0…`count`−1. */
  below(count: number): number {
    return Math.floor(this.unit() * count);
  }

  /** −1…1 with small values more likely: near enough to a normal distribution of deviation 1/3. */
  bell(): number {
    return ((this.unit() + this.unit() + this.unit()) * 2) / 3 - 1;
  }

  /** True once in `count` draws on average. */
  oneIn(count: number): boolean {
    return this.below(count) === 0;
  }

  /** One of a list that is not empty. */
  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }
}
