import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { endedChildrenCpuMs } from './process-cost.ts';

/**
 * Runs a program to its end; no other child of this process may end meanwhile, as CPU time is counted for all of them.
 * @returns CPU time, ms; undefined where it cannot be measured.
 * @throws Error when it does not exit with 0.
 */
export async function commandCpuMs(
  command: string,
  words: readonly string[],
): Promise<number | undefined> {
  const before = endedChildrenCpuMs();
  const [code] = await once(spawn(command, words, { stdio: 'ignore' }), 'exit');
  if (code !== 0) throw new Error(`${command} ended with ${code}`);
  const after = endedChildrenCpuMs();
  return before === undefined || after === undefined ? undefined : after - before;
}
