/** Ends a session; the first call counts. Without an error it has ended in order. */
export type EndSession = (error?: unknown) => void;

/**
 * Runs a session until it is ended or the signal is aborted.
 * @param open Starts it, without ending it at once, and returns what lets go of everything it holds.
 */
export async function runSession(
  signal: AbortSignal,
  open: (end: EndSession) => () => void | Promise<void>,
): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const end: EndSession = (error) => (error === undefined ? resolve() : reject(error));
  const stop = (): void => resolve();
  signal.addEventListener('abort', stop, { once: true });
  let letGo: () => void | Promise<void> = () => {};
  try {
    letGo = open(end);
    await promise;
  } finally {
    signal.removeEventListener('abort', stop);
    await letGo();
  }
}
