import { median } from './statistics.ts';

/** The cost of one call, out of many. */
export interface CallCost {
  /** CPU time of the process that does the work, ms; undefined where it cannot be measured. */
  readonly cpuMs: number | undefined;
  /** Median wall time, ms. */
  readonly wallMs: number;
}

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

/** Calls again and again until enough CPU time was spent (wall time where it cannot be measured) to tell of one call. */
export async function repeated(options: RepeatOptions): Promise<CallCost> {
  const { cpuMs, call, enoughCpuMs, mostCalls } = options;
  const walls: number[] = [];
  const started = performance.now();
  const before = cpuMs();
  let spent: number | undefined;
  while (walls.length < mostCalls && performance.now() - started < longestMs) {
    const callStarted = performance.now();
    await call();
    walls.push(performance.now() - callStarted);
    const now = cpuMs();
    spent = before === undefined || now === undefined ? undefined : now - before;
    const passed = spent ?? performance.now() - started;
    if (walls.length >= fewestCalls && passed >= enoughCpuMs) break;
  }
  return {
    // Below one step of the clock nothing is known.
    cpuMs: spent === undefined || spent === 0 ? undefined : spent / walls.length,
    wallMs: median(walls),
  };
}
