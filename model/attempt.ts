/** Returns the result of a call; undefined if it throws: for things that may be missing, or not be ours. */
export function attempt<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch {
    return undefined;
  }
}
