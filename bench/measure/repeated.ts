export interface RepeatOptions {
  /** Reads the CPU time so far of the process that does the work, ms. */
  readonly cpuMs: () => number | undefined;
  readonly call: () => unknown;
  /** Enough CPU time for steps of 10 ms not to matter. */
  readonly enoughCpuMs: number;
  readonly mostCalls: number;
}

/** However fast the calls are, measuring ends. */
const longestMs = 10_000;
const fewestCalls = 2;

/**
 * Calls again and again until enough CPU time was spent (wall time where it cannot be measured) to tell of one call.
 * @returns the CPU time of a call, ms; undefined where it cannot be measured.
 */
export async function repeated(options: RepeatOptions): Promise<{ cpuMs: number | undefined }> {
  const { cpuMs, call, enoughCpuMs, mostCalls } = options;
  const started = performance.now();
  const before = cpuMs();
  let spent: number | undefined;
  let calls = 0;
  while (calls < mostCalls && performance.now() - started < longestMs) {
    await call();
    calls += 1;
    const now = cpuMs();
    spent = before === undefined || now === undefined ? undefined : now - before;
    const passed = spent ?? performance.now() - started;
    if (calls >= fewestCalls && passed >= enoughCpuMs) break;
  }
  // Below one step of the clock nothing is known.
  return { cpuMs: spent === undefined || spent === 0 ? undefined : spent / calls };
}
