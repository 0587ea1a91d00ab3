import { setTimeout as wait } from 'node:timers/promises';

/**
 * Gives requests a millisecond of many turns of the event loop, each of which takes in no more than one new connection:
 * with one turn a slice, they would come in more slowly than they are made.
 */
export function othersTurn(): Promise<void> {
  return wait(1);
}

/** Does work of the main thread slice by slice: requests wait for one slice at most. @param onSlice gets what each has done. */
export async function inSlices<Slice, T>(
  slices: Generator<Slice, T>,
  onSlice?: (slice: Slice) => void,
): Promise<T> {
  for (;;) {
    const slice = slices.next();
    if (slice.done === true) return slice.value;
    onSlice?.(slice.value);
    await othersTurn();
  }
}
