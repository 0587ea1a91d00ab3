import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { readHandOver } from '../client/waypoints/node/hand-over-file.ts';
import { runtimeDirectories } from '../client/waypoints/node/places.ts';
import { isDirectoryLocked } from '../storage/lock.ts';
import type { Paths } from './paths.ts';
import { attempt } from '../model/attempt.ts';

/** The process that has a data directory open. */
export interface LockHolder {
  /** Undefined where the system does not tell. */
  readonly pid: number | undefined;
  /** Where its hand-over file is, if it is a daemon that has it where nobody looks; found by what it was started with. */
  readonly runtimeDirectory: string | undefined;
}

/** Who holds the lock of a data directory; undefined while nobody does. Changes nothing. */
export async function findLockHolder(
  paths: Pick<Paths, 'lockDatabase' | 'handOverCandidates'>,
): Promise<LockHolder | undefined> {
  const lockPath = paths.lockDatabase;
  if (!existsSync(lockPath)) return undefined;
  const pids = process.platform === 'linux' ? lockingProcesses(lockPath) : undefined;
  // To ask the lock itself is to hold it for a moment, in which no daemon could start: only where that cannot be.
  if (pids?.length === 0 || !isDirectoryLocked(lockPath)) return undefined;
  const realPath = attempt(() => realpathSync(lockPath)) ?? lockPath;
  const pid = pids?.find((candidate) => openFilesOf(candidate).includes(realPath));
  return {
    pid,
    runtimeDirectory:
      pid === undefined ? undefined : await servedFrom(pid, paths.handOverCandidates),
  };
}

/** Says who holds a data directory, for somebody who expected to find nobody there. */
export function heldSentence(data: string, holder: LockHolder | undefined): string {
  const { pid, runtimeDirectory } = holder ?? {};
  const who = `Another waypointd${pid === undefined ? '' : ` (process ${pid})`}`;
  const held = `${who} holds the data directory ${data}`;
  if (runtimeDirectory === undefined) {
    return `${held}. If it is a daemon, name its runtime directory with --runtime-dir.`;
  }
  return `${held}. Its hand-over file is not where this command looks; add --runtime-dir "${runtimeDirectory}"`;
}

/**
 * The processes that the kernel knows to have locked a file for writing, by its inode; other file systems may use the same
 * number. Undefined when the kernel does not tell.
 */
function lockingProcesses(path: string): number[] | undefined {
  // A system without it, or a container that hides it.
  return attempt(() => {
    const inode = statSync(path, { bigint: true }).ino;
    const locked = new RegExp(`WRITE +(\\d+) +[\\da-f]+:[\\da-f]+:${inode} `, 'gu');
    const table = readFileSync('/proc/locks', 'latin1');
    return [...table.matchAll(locked)].map(([, pid]) => Number(pid));
  });
}

/** What a process of this user has open (Linux): paths, and sockets as `socket:[INODE]`. */
export function openFilesOf(pid: number): string[] {
  const directory = `/proc/${pid}/fd`;
  // Gone meanwhile, or another user's.
  const fds = attempt(() => readdirSync(directory)) ?? [];
  // Closed meanwhile.
  return fds.map((fd) => attempt(() => readlinkSync(`${directory}/${fd}`)) ?? '');
}

async function servedFrom(pid: number, looked: readonly string[]): Promise<string | undefined> {
  const directory = runtimeDirectoryOf(pid);
  if (directory === undefined) return undefined;
  const file = join(directory, 'daemon.json');
  if (looked.includes(file)) return undefined;
  const reading = await readHandOver(file);
  return reading.found === 'hand-over' && reading.handOver.pid === pid ? directory : undefined;
}

/** By the flag and the environment that a process was started with. */
function runtimeDirectoryOf(pid: number): string | undefined {
  try {
    const words = nulSeparated(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
    const flag = words.indexOf('--runtime-dir');
    const env = Object.fromEntries(
      nulSeparated(readFileSync(`/proc/${pid}/environ`, 'utf8')).map(nameAndValue),
    );
    // An empty variable is one that is not set.
    const chosen = flag === -1 ? env['WAYPOINTD_RUNTIME_DIR'] || undefined : words[flag + 1];
    return runtimeDirectories(chosen, env)[0];
  } catch {
    return undefined; // As above.
  }
}

function nulSeparated(text: string): string[] {
  return text.split('\0').filter((part) => part !== '');
}

function nameAndValue(line: string): [string, string] {
  const equals = line.indexOf('=');
  return [line.slice(0, equals), line.slice(equals + 1)];
}
