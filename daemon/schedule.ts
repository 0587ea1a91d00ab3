/** Runs something later; returns what cancels it. Tests bring their own. */
export type Schedule = (run: () => void, delayMs: number) => () => void;

/** The schedule of a real daemon: timers of Node.js, which no clock change moves. */
export function scheduleTimeout(run: () => void, delayMs: number): () => void {
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
}

/** Waits so long. @throws the reason of the signal */
export async function pause(
  ms: number,
  schedule: Schedule = scheduleTimeout,
  signal?: AbortSignal,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const cancel = schedule(resolve, ms);
  const stop = (): void => reject(signal?.reason);
  signal?.addEventListener('abort', stop);
  try {
    await promise;
  } finally {
    cancel();
    signal?.removeEventListener('abort', stop);
  }
}

/** Waits until work has settled, but at most so long; work that is late goes on. */
export async function waitAtMost(
  ms: number,
  work: Promise<unknown>,
  schedule: Schedule = scheduleTimeout,
): Promise<void> {
  const late = Promise.withResolvers<void>();
  const cancelTimer = schedule(late.resolve, ms);
  try {
    await Promise.race([work, late.promise]);
  } finally {
    cancelTimer();
  }
}
