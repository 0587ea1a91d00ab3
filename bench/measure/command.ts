import { spawn } from 'node:child_process';
import { endedChildrenCpuMs, processCost } from './process-cost.ts';

/** What a program cost from its start to its end. */
export interface CommandCost {
  readonly cpuMs: number | undefined;
  readonly peakResidentMb: number | undefined;
  readonly wallMs: number;
}

/** The kernel keeps the peak itself, so only growth in the last moments can be missed. */
const lookEveryMs = 10;

/**
 * Runs a program to its end; no other child of this process may end meanwhile, as CPU time is counted for all of them.
 * @throws Error when it does not exit with 0.
 */
export function runCommand(command: string, words: readonly string[]): Promise<CommandCost> {
  const before = endedChildrenCpuMs();
  const started = performance.now();
  const child = spawn(command, words, { stdio: 'ignore' });
  let peakResidentMb: number | undefined;
  const timer = setInterval(() => {
    peakResidentMb = processCost(child.pid ?? 0)?.peakResidentMb ?? peakResidentMb;
  }, lookEveryMs);
  return new Promise((resolve, reject) => {
    child.once('error', (error) => {
      clearInterval(timer);
      reject(error);
    });
    child.once('exit', (code) => {
      clearInterval(timer);
      if (code !== 0) return reject(new Error(`${command} ended with ${code}`));
      const after = endedChildrenCpuMs();
      resolve({
        cpuMs: before === undefined || after === undefined ? undefined : after - before,
        peakResidentMb,
        wallMs: performance.now() - started,
      });
    });
  });
}
