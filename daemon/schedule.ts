/** Runs something later; returns what cancels it. Tests bring their own. */
export type Schedule = (run: () => void, delayMs: number) => () => void;

/** The schedule of a real daemon: timers of Node.js, which no clock change moves. */
export function scheduleTimeout(run: () => void, delayMs: number): () => void {
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
}
