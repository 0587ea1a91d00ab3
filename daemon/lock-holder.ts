import { existsSync, readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readHandOver, servesDataDirectory } from '../client/waypoints/node/hand-over-file.ts';
import { attempt } from '../model/attempt.ts';
import { isDirectoryLocked } from '../storage/lock.ts';
import type { Paths } from './paths.ts';

type LockHolder = Awaited<ReturnType<typeof findLockHolder>>;

/**
 * Finds the process that holds the lock of a data directory; undefined while it is free. Changes nothing.
 * @returns no `pid` where the system does not tell; `runtimeDirectory` of a daemon whose hand-over file is not looked for
 * there.
 */
export async function findLockHolder(paths: Paths) {
  const { lockDatabase } = paths;
  if (!existsSync(lockDatabase)) return undefined;
  const pids = process.platform === 'linux' ? lockingProcesses(lockDatabase) : undefined;
  // Asking the lock holds it for a moment, in which no daemon could start: only where the kernel names a holder.
  if (pids?.length === 0 || !isDirectoryLocked(lockDatabase)) return undefined;
  const pid = pids?.length === 1 ? pids[0] : undefined;
  return { pid, runtimeDirectory: await findRuntimeDirectory(paths, pid) };
}

/** Names the holder, where none was expected. */
export function heldSentence(data: string, holder: LockHolder): string {
  const { pid, runtimeDirectory } = holder ?? {};
  const who = `Another waypointd${pid === undefined ? '' : ` (process ${pid})`}`;
  const held = `${who} holds the data directory ${data}`;
  if (runtimeDirectory === undefined) {
    return `${held}. If it is a daemon, name its runtime directory with --runtime-dir.`;
  }
  return `${held}. Its hand-over file is not where this command looks; add --runtime-dir "${runtimeDirectory}"`;
}

/** Lists the processes that hold write locks on a file's inode; undefined when the kernel does not tell. */
function lockingProcesses(path: string): number[] | undefined {
  // Some containers hide it.
  return attempt(() => {
    const inode = statSync(path, { bigint: true }).ino;
    const locked = new RegExp(`WRITE +(\\d+) +[\\da-f]+:[\\da-f]+:${inode} `, 'gu');
    const table = readFileSync('/proc/locks', 'latin1');
    return [...new Set([...table.matchAll(locked)].map(([, pid]) => Number(pid)))];
  });
}

/** Reads where the daemon of a data directory says that its hand-over file is, unless that is one of the usual places. */
async function findRuntimeDirectory(
  paths: Paths,
  pid: number | undefined,
): Promise<string | undefined> {
  const directory = await readFile(paths.runtimeNote, 'utf8').catch(() => undefined);
  if (directory === undefined) return undefined;
  const file = join(directory, 'daemon.json');
  if (paths.handOverCandidates.includes(file)) return undefined;
  const reading = await readHandOver(file);
  if (reading.found !== 'hand-over') return undefined;
  // A daemon that was killed leaves its file: the holder may be a command.
  const isHolder = pid === undefined || reading.handOver.pid === pid;
  return isHolder && servesDataDirectory(reading.handOver, paths.data) ? directory : undefined;
}
