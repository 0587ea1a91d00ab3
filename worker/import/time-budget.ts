import { FileRefused } from '../../formats/refused.ts';

const baseMs = 60_000;
/** 5 MB take a second. */
const bytesPerMs = 5_000;

/** CPU time of this thread, ms since its start. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/**
 * Begins the CPU time that one file may take: 60 s, and 1 s for each 5 MB. A fast file needs a hundredth of it.
 * @param cpuMs as {@link threadCpuMs}.
 * @returns to be called at every piece of work. @throws FileRefused too_slow
 */
export function beginTimeBudget(bytes: number, cpuMs: () => number): () => void {
  const until = cpuMs() + baseMs + bytes / bytesPerMs;
  return () => {
    if (cpuMs() > until) throw new FileRefused('too_slow');
  };
}
