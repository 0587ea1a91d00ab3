import { setImmediate as nextTurn } from 'node:timers/promises';

/** Does work of the main thread slice by slice: requests wait for one slice at most. @param onSlice gets what each has done. */
export async function inSlices<Slice, T>(
  slices: Generator<Slice, T>,
  onSlice?: (slice: Slice) => void,
): Promise<T> {
  for (;;) {
    const slice = slices.next();
    if (slice.done === true) return slice.value;
    onSlice?.(slice.value);
    await nextTurn();
  }
}
