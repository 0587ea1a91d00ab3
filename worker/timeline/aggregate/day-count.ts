/** Days before the latest one that are remembered. */
const keptDays = 31;

/**
 * Counts days, each once. They come in order, but crossing the date line goes back by one or two.
 */
export class DayCount {
  recorded = 0;
  inferred = 0;
  #latest = Number.NEGATIVE_INFINITY;
  /** Bit n is the n-th day before the latest. */
  #recordedBits = 0;
  #inferredBits = 0;

  record(day: number): void {
    const bit = this.#bitOf(day);
    if ((this.#recordedBits & bit) !== 0) return;
    this.#recordedBits |= bit;
    this.recorded += 1;
    if ((this.#inferredBits & bit) === 0) return;
    this.#inferredBits &= ~bit;
    this.inferred -= 1;
  }

  infer(day: number): void {
    const bit = this.#bitOf(day);
    if (((this.#recordedBits | this.#inferredBits) & bit) !== 0) return;
    this.#inferredBits |= bit;
    this.inferred += 1;
  }

  #bitOf(day: number): number {
    const later = day - this.#latest;
    if (later > 0) {
      this.#recordedBits = later > keptDays ? 0 : this.#recordedBits << later;
      this.#inferredBits = later > keptDays ? 0 : this.#inferredBits << later;
      this.#latest = day;
      return 1;
    }
    return 1 << Math.min(keptDays, -later);
  }
}
