/** After the first replacement, doubled by each further one, ms. */
const firstMs = 5_000;
const longestMs = 900_000;
/** A file left alone for this long after its pause begins anew, ms. */
const forgottenMs = 3_600_000;

interface Pause {
  readonly ms: number;
  readonly until: number;
}

/**
 * How long files are left alone that are replaced again and again: each version is kept for 30 days, and all of a file is
 * read each time. Time is what the folder's ticks say, which is a little slow.
 */
export class Pauses {
  readonly #pauses = new Map<string, Pause>();
  #now = 0;

  pass(ms: number): void {
    this.#now += ms;
  }

  /** A file has been replaced. */
  begin(file: string): void {
    // Nearly in the order of their ends.
    for (const [name, { until }] of this.#pauses) {
      if (this.#now < until + forgottenMs) break;
      this.#pauses.delete(name);
    }
    const last = this.#pauses.get(file);
    this.#pauses.delete(file);
    const ms = last === undefined ? firstMs : Math.min(last.ms * 2, longestMs);
    this.#pauses.set(file, { ms, until: this.#now + ms });
  }

  /** What is left of a file's pause, ms. */
  left(file: string): number {
    return Math.max(0, (this.#pauses.get(file)?.until ?? 0) - this.#now);
  }

  clear(): void {
    this.#pauses.clear();
  }
}
