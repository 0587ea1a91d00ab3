import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  distrustDirectory,
  readHandOver,
  realDirectory,
  servesDataDirectory,
} from '../client/waypoints/node/hand-over-file.ts';
import type { HandOver } from '../model/process.ts';
import { writeFileAtomic } from '../storage/atomic-file.ts';
import { seekDaemons } from '../client/waypoints/node/seek-daemons.ts';
import { unusable } from './faults.ts';
import { requirePrivateDirectory, type Paths } from './paths.ts';
import { ExitError } from '../model/exit-error.ts';
import { programVersion } from './version-info.ts';

/** Makes the content of the hand-over file of a daemon that listens now, and was started at so many ms since 1970. */
export function newHandOver(
  data: string,
  port: number,
  token: string,
  startedAt: number,
): HandOver {
  return {
    version: 1,
    pid: process.pid,
    port,
    url: `http://127.0.0.1:${port}`,
    token,
    proof: 1,
    started: new Date(startedAt).toISOString(),
    program: `waypointd ${programVersion()}`,
    instance: randomBytes(16).toString('hex'),
    data_dir: realDirectory(data),
  };
}

/**
 * Writes the hand-over file: 0600, in a directory that only its owner may change, whole or not at all. A daemon of
 * another data directory that is alive keeps its place in the runtime directory; ours then goes to the data directory.
 * @returns the file written.
 * @throws ExitError 78 when the directory cannot be made, is a link, another user's or open to others; 74 when its disk fails.
 */
export async function writeHandOver(paths: Paths, handOver: HandOver): Promise<string> {
  const directory = (await isTaken(paths.handOver, handOver)) ? paths.data : paths.runtime;
  requirePrivateDirectory(directory, '--runtime-dir');
  const reason = distrustDirectory(directory);
  if (reason !== undefined) {
    const remedy = privacyRemedy(directory, directory === paths.data ? 'data-dir' : 'runtime-dir');
    throw new ExitError(
      `The directory ${directory} cannot hold the daemon's token: it ${reason}. ${remedy}`,
      78,
    );
  }
  const file = join(directory, 'daemon.json');
  try {
    await writeFileAtomic(file, `${JSON.stringify(handOver, null, 2)}\n`);
  } catch (error) {
    throw unusable(error, directory, '--runtime-dir');
  }
  // Without it, commands that do not find the daemon only say less.
  await writeFileAtomic(paths.runtimeNote, directory).catch(() => undefined);
  return file;
}

function privacyRemedy(directory: string, flag: string): string {
  const real = realDirectory(directory);
  // The owner of a link could lead every reader of the token elsewhere.
  if (real !== directory && distrustDirectory(real) === undefined) {
    return `Name the directory that it leads to: --${flag} "${real}" ("waypointd config set ${flag} ..." keeps it).`;
  }
  return `Choose another with --runtime-dir, or make it yours alone: chmod 700 "${directory}"`;
}

async function isTaken(file: string, ours: HandOver): Promise<boolean> {
  for await (const seen of seekDaemons([file], undefined)) {
    // We hold the lock of our data directory: another daemon of the same one has ended.
    if (seen.state === 'running') return !servesDataDirectory(seen.handOver, ours.data_dir ?? '');
  }
  return false;
}

/** Removes the hand-over file unless another daemon has written it since. */
export async function removeHandOver(file: string, instance: string): Promise<void> {
  const reading = await readHandOver(file);
  if (reading.found === 'hand-over' && reading.handOver.instance === instance) {
    await rm(file, { force: true });
  }
}
