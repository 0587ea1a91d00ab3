import { setImmediate } from 'node:timers/promises';
import { limits } from '../model/limits.ts';

/** Part of the permitted slice that is used: the step in progress when it ends comes on top. */
const sliceMs = limits.sliceMs / 2;

/** Cuts long work on this thread into slices of time, so that requests are answered in between. */
export class TimeSlices {
  readonly #now: () => number;
  #end: number;

  /** @param now A monotonic clock, milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#end = now() + sliceMs;
  }

  /** Tells whether this slice has lasted long enough. */
  isOver(): boolean {
    return this.#now() >= this.#end;
  }

  /** Lets all other work that waits run, and begins the next slice. */
  async next(): Promise<void> {
    await setImmediate();
    this.#end = this.#now() + sliceMs;
  }
}

/** Runs a generator of small steps in slices and gives what it returns. */
export async function resultInSlices<Result>(steps: Iterator<unknown, Result>): Promise<Result> {
  const slices = new TimeSlices();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (slices.isOver()) await slices.next();
  }
}

/** Runs a generator of small steps in slices and passes on its pieces of text; empty ones only mark the end of a step. */
export async function* textInSlices(
  steps: Iterable<string>,
  slices = new TimeSlices(),
): AsyncGenerator<string, void> {
  for (const text of steps) {
    if (text !== '') yield text;
    if (slices.isOver()) await slices.next();
  }
}
