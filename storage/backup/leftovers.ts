import { readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { errorCode } from '../../model/error-code.ts';

/**
 * Removes what processes that were killed have left: the whole of somebody's bookmarks.
 * @param ownName names of ours: group 1 is the id of the process, 2 its machine, by default this one
 */
export async function removeLeftovers(directory: string, ownName: RegExp): Promise<void> {
  for (const name of await readdir(directory)) {
    const [, pid, machine = hostname()] = ownName.exec(name) ?? [];
    // On a shared disk, a process of another machine may still be at it.
    if (pid === undefined || machine !== hostname() || isRunning(Number(pid))) continue;
    // Another user's stays.
    await rm(join(directory, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
}
