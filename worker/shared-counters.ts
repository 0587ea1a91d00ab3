/** Values of the flag. */
const cancelled = 1n;
const ending = 2n;

/**
 * Counters and a cancel flag in shared memory: the main thread sets the flag and looks at the counters whenever it likes,
 * the worker does the reverse.
 */
export class SharedCounters<Name extends string> {
  /** To be handed to the worker, which wraps it again. */
  readonly shared: SharedArrayBuffer;
  readonly #names: readonly Name[];
  readonly #cells: BigInt64Array<SharedArrayBuffer>;

  constructor(names: readonly Name[], shared?: SharedArrayBuffer) {
    // The last cell is the flag.
    const bytes = (names.length + 1) * BigInt64Array.BYTES_PER_ELEMENT;
    this.shared = shared ?? new SharedArrayBuffer(bytes);
    this.#names = names;
    this.#cells = new BigInt64Array(this.shared);
  }

  get isCancelled(): boolean {
    return this.#flag === cancelled;
  }

  /** Whether the worker is to stop, at once or when what it has begun is done. */
  get isEnding(): boolean {
    return this.#flag !== 0n;
  }

  cancel(): void {
    Atomics.store(this.#cells, this.#names.length, cancelled);
  }

  /** Has the worker stop when what it has begun is done. */
  endSoon(): void {
    Atomics.compareExchange(this.#cells, this.#names.length, 0n, ending);
  }

  get #flag(): bigint {
    return Atomics.load(this.#cells, this.#names.length);
  }

  get(name: Name): number {
    return Number(Atomics.load(this.#cells, this.#names.indexOf(name)));
  }

  set(name: Name, value: number): void {
    Atomics.store(this.#cells, this.#names.indexOf(name), BigInt(value));
  }
}
