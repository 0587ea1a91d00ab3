import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** Cost of a process so far, all its threads together. */
export interface ProcessCost {
  /** User and system time, ms; the kernel counts in steps of 10 ms. */
  readonly cpuMs: number;
  readonly residentMb: number;
  /** The most it ever was, or since {@link forgetPeak}. */
  readonly peakResidentMb: number;
}

/** proc(5): CPU times are in hundredths of a second on every Linux that Node.js runs on (USER_HZ). */
const msPerTick = 10;

/** Reads the cost of a process; undefined where there is no /proc, and of a process that has ended. */
export function processCost(pid: number): ProcessCost | undefined {
  return unlessUnreadable(() => {
    const [, , , , , , , , , , , user = 0, system = 0] = statFields(pid);
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const residentMb = statusMb(status, 'VmRSS');
    const peakResidentMb = statusMb(status, 'VmHWM');
    // What has ended but was not waited for yet has no memory any more.
    if (residentMb === undefined || peakResidentMb === undefined) return undefined;
    return { cpuMs: (user + system) * msPerTick, residentMb, peakResidentMb };
  });
}

/** CPU time of a living process, ms; undefined where it cannot be measured. */
export function cpuMsOf(pid: number): number | undefined {
  return processCost(pid)?.cpuMs;
}

/** CPU time of a living process from the scheduler, which counts finer than in steps, ms. */
export function preciseCpuMs(pid: number): number | undefined {
  return unlessUnreadable(() =>
    readdirSync(`/proc/${pid}/task`)
      .map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8'))
      .reduce((sum, text) => sum + Number(text.split(' ')[0]) / 1e6, 0),
  );
}

/** CPU time of all child processes of ours that have ended, ms; undefined where it cannot be measured. */
export function endedChildrenCpuMs(): number | undefined {
  return unlessUnreadable(() => {
    const [, , , , , , , , , , , , , user = 0, system = 0] = statFields('self');
    return (user + system) * msPerTick;
  });
}

/**
 * Starts the peak of a process anew at what it holds now (proc(5), clear_refs).
 * @returns what it holds, MB; undefined where a peak from here on cannot be measured.
 */
export function forgetPeak(pid: number): number | undefined {
  return unlessUnreadable(() => {
    const residentMb = processCost(pid)?.residentMb;
    if (residentMb !== undefined) writeFileSync(`/proc/${pid}/clear_refs`, '5');
    return residentMb;
  });
}

/** CPU time of this process so far, ms. */
export function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Fields of /proc/PID/stat from the third one on: what is before may hold blanks. */
function statFields(pid: number | 'self'): number[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
}

function statusMb(status: string, field: string): number | undefined {
  const kib = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1];
  return kib === undefined ? undefined : (Number(kib) * 1_024) / 1e6;
}

/** No /proc, one that is half there or closed to us, a process that has just ended: not measured, not an error. */
function unlessUnreadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
