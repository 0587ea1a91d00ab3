import { setImmediate } from 'node:timers/promises';
import { limits } from '../model/limits.ts';

/** Half of the permitted slice: the step in progress at its end comes on top. */
const sliceMs = limits.sliceMs / 2;

/** Cuts long work on this thread into slices of time, so that requests are answered in between. */
export class TimeSlices {
  #end = performance.now() + sliceMs;

  /** Whether this slice has lasted long enough. */
  isOver(): boolean {
    return performance.now() >= this.#end;
  }

  /** Lets waiting work run, then begins the next slice. */
  async next(): Promise<void> {
    await setImmediate();
    this.#end = performance.now() + sliceMs;
  }
}
