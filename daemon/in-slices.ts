import { setImmediate as nextTurn } from 'node:timers/promises';

/** Does work of the main thread slice by slice: requests wait for one slice at most. */
export async function inSlices<T>(slices: Generator<void, T>): Promise<T> {
  for (;;) {
    const slice = slices.next();
    if (slice.done === true) return slice.value;
    await nextTurn();
  }
}
