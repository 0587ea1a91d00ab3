/** What a call gives; undefined where it throws, whatever that is: for what may not be there, or not be ours. */
export function attempt<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch {
    return undefined;
  }
}
