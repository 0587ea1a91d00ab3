import { setImmediate } from 'node:timers/promises';
import { limits } from '../model/limits.ts';

/** Part of the permitted slice that is used: the step in progress when it ends comes on top. */
const turnMs = limits.sliceMs / 2;

/** Counts how long this thread has been worked on at a stretch, so that long work can let requests in between. */
export class Turns {
  readonly #now: () => number;
  #end: number;

  /** @param now A monotonic clock, milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#end = now() + turnMs;
  }

  /** Tells whether this turn has lasted long enough. */
  isOver(): boolean {
    return this.#now() >= this.#end;
  }

  /** Lets all that waits have its turn. */
  async next(): Promise<void> {
    await setImmediate();
    this.#end = this.#now() + turnMs;
  }
}

/** Runs a generator of small steps in turns and gives what it returns. */
export async function resultInTurns<Result>(
  steps: Iterator<unknown, Result>,
  turns = new Turns(),
): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (turns.isOver()) await turns.next();
  }
}

/** Runs a generator of small steps in turns and passes on its pieces of text; empty ones only mark the end of a step. */
export async function* textInTurns(
  steps: Iterable<string>,
  turns = new Turns(),
): AsyncGenerator<string, void> {
  for (const text of steps) {
    if (text !== '') yield text;
    if (turns.isOver()) await turns.next();
  }
}
