/** The counters of a running import, in bytes for `bytes…`. */
export interface ImportCounters {
  readonly filesTotal: number;
  readonly filesDone: number;
  readonly bytesTotal: number;
  readonly bytesDone: number;
  readonly waypoints: number;
  readonly observations: number;
}

const names = [
  'filesTotal',
  'filesDone',
  'bytesTotal',
  'bytesDone',
  'waypoints',
  'observations',
] as const satisfies (keyof ImportCounters)[];
const cancelCell = names.length;
const cells = names.length + 1;

/**
 * Counters and the cancel flag in shared memory: the main thread owns them and looks at them whenever it likes, the
 * worker writes counters and looks at the flag at least once per 256 KB read.
 */
export class ImportProgress {
  /** To be handed to the worker, which wraps it again. */
  readonly shared: SharedArrayBuffer;
  readonly #cells: BigInt64Array<SharedArrayBuffer>;

  constructor(shared = new SharedArrayBuffer(cells * BigInt64Array.BYTES_PER_ELEMENT)) {
    this.shared = shared;
    this.#cells = new BigInt64Array(shared);
  }

  get isCancelled(): boolean {
    return Atomics.load(this.#cells, cancelCell) !== 0n;
  }

  cancel(): void {
    Atomics.store(this.#cells, cancelCell, 1n);
  }

  set(name: keyof ImportCounters, value: number): void {
    Atomics.store(this.#cells, names.indexOf(name), BigInt(value));
  }

  read(): ImportCounters {
    const [filesTotal, filesDone, bytesTotal, bytesDone, waypoints, observations] = names.map(
      (_, cell) => Number(Atomics.load(this.#cells, cell)),
    ) as [number, number, number, number, number, number];
    return { filesTotal, filesDone, bytesTotal, bytesDone, waypoints, observations };
  }
}
