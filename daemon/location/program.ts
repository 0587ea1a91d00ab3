import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { parse } from 'node:path';

export const isWindows = process.platform === 'win32';
/** A current directory that is always there and that holds nothing of ours. */
export const filesystemRoot = parse(process.execPath).root;

/** How long a program may take to end in order. */
const graceMs = 1_000;
/** Ends a program that leads a process group, and all that it has started; resolves when it is gone, within 2 s. */
export async function endProgram(child: ChildProcess): Promise<void> {
  child.stdout?.destroy();
  if (!hasEnded(child)) {
    kill(child, 'SIGTERM');
    await ended(child);
  }
  // Also what a program that is gone has left behind.
  kill(child, 'SIGKILL');
  if (!hasEnded(child)) await ended(child);
}

function hasEnded({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null;
}

async function ended(child: ChildProcess): Promise<void> {
  try {
    await once(child, 'exit', { signal: AbortSignal.timeout(graceMs) });
  } catch {
    // It takes its time; the caller goes on.
  }
}

function kill(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (isWindows) child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // Gone already.
  }
}
