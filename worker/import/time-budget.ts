import { FileRefused } from '../../formats/refused.ts';

const baseMs = 60_000;
/** 5 MB take a second. */
const bytesPerMs = 5_000;

/** Begins to measure. What it gives tells how much CPU time this thread has taken since, ms; up to `enoughMs` it may tell too much. */
export type BeginClock = () => (enoughMs: number) => number;

/** The time that has passed is never less than the CPU time in it, and asking for it costs a tenth. */
export const beginThreadClock: BeginClock = () => {
  const beganMs = performance.now();
  const began = process.threadCpuUsage();
  return (enoughMs) => {
    const passedMs = performance.now() - beganMs;
    if (passedMs <= enoughMs) return passedMs;
    const { user, system } = process.threadCpuUsage(began);
    return (user + system) / 1_000;
  };
};

/**
 * CPU time for a file, or for an archive with all that is in it, from the first byte: 60 s, and 1 s for each 5 MB. A fast
 * file needs a hundredth of it.
 */
export class TimeBudget {
  readonly #allowedMs: number;
  readonly #beginClock: BeginClock;
  #spentMs = 0;
  #takenMs: ReturnType<BeginClock> = () => 0;

  constructor(bytes: number, beginClock: BeginClock) {
    this.#allowedMs = baseMs + bytes / bytesPerMs;
    this.#beginClock = beginClock;
  }

  /** Counts the time of this thread until the result is disposed of. */
  spend(): Disposable {
    this.#takenMs = this.#beginClock();
    return {
      [Symbol.dispose]: () => {
        this.#spentMs += this.#takenMs(0);
        this.#takenMs = () => 0;
      },
    };
  }

  /** To be called at every piece of work. @throws FileRefused too_slow */
  check(): void {
    const leftMs = this.#allowedMs - this.#spentMs;
    if (this.#takenMs(leftMs) > leftMs) throw new FileRefused('too_slow');
  }
}
