import { FileRefused } from '../../formats/refused.ts';

const baseMs = 60_000;
/** 5 MB take a second. */
const bytesPerMs = 5_000;

/** Begins to measure. What it gives tells how much CPU time this thread has taken since, ms; up to `enoughMs` it may tell too much. */
export type BeginClock = () => (enoughMs: number) => number;

/** The time that has passed is never less than the CPU time in it, and asking for it costs a tenth. */
export const beginThreadClock: BeginClock = () => {
  const beganMs = performance.now();
  const began = process.threadCpuUsage();
  return (enoughMs) => {
    const passedMs = performance.now() - beganMs;
    if (passedMs <= enoughMs) return passedMs;
    const { user, system } = process.threadCpuUsage(began);
    return (user + system) / 1_000;
  };
};

/**
 * Begins the CPU time that one file may take: 60 s, and 1 s for each 5 MB. A fast file needs a hundredth of it.
 * @returns to be called at every piece of work. @throws FileRefused too_slow
 */
export function beginTimeBudget(bytes: number, beginClock: BeginClock): () => void {
  const allowedMs = baseMs + bytes / bytesPerMs;
  const takenMs = beginClock();
  return () => {
    if (takenMs(allowedMs) > allowedMs) throw new FileRefused('too_slow');
  };
}
