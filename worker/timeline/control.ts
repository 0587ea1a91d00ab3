/** How far a timeline job is, in observations of its period. */
export interface TimelineProgress {
  readonly processed: number;
  /** Undefined until the worker has counted. */
  readonly total: number | undefined;
}

const cancelCell = 0;
const processedCell = 1;
const totalCell = 2;
const cells = 3;
const unknown = -1n;

/**
 * Progress and the cancel flag of one job in shared memory: the main thread reads the one and writes the other, the
 * worker does the reverse, at least once for each day of data and each 50,000 observations.
 */
export class TimelineControl {
  /** To be handed to the worker, which wraps it again. */
  readonly shared: SharedArrayBuffer;
  readonly #cells: BigInt64Array<SharedArrayBuffer>;

  constructor(shared?: SharedArrayBuffer) {
    this.shared = shared ?? new SharedArrayBuffer(cells * BigInt64Array.BYTES_PER_ELEMENT);
    this.#cells = new BigInt64Array(this.shared);
    if (shared === undefined) Atomics.store(this.#cells, totalCell, unknown);
  }

  get isCancelled(): boolean {
    return Atomics.load(this.#cells, cancelCell) !== 0n;
  }

  cancel(): void {
    Atomics.store(this.#cells, cancelCell, 1n);
  }

  setTotal(observations: number): void {
    Atomics.store(this.#cells, totalCell, BigInt(observations));
  }

  /** What was said before stays where this is less: a job that begins again does not go backwards. */
  setProcessed(observations: number): void {
    const before = Atomics.load(this.#cells, processedCell);
    if (BigInt(observations) > before) {
      Atomics.store(this.#cells, processedCell, BigInt(observations));
    }
  }

  read(): TimelineProgress {
    const total = Atomics.load(this.#cells, totalCell);
    return {
      processed: Number(Atomics.load(this.#cells, processedCell)),
      total: total === unknown ? undefined : Number(total),
    };
  }
}
