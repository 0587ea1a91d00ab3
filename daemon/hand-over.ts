import { randomBytes } from 'node:crypto';
import { constants, lstatSync, realpathSync, type Stats } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { handOverSchema, type HandOver } from '../model/process.ts';
import { writeFileAtomic } from '../storage/atomic-file.ts';
import { probeDaemon } from './api-client.ts';
import type { Paths } from './paths.ts';
import { requirePrivateDirectory, StartRefused } from './start-refused.ts';
import { programVersion } from './version-info.ts';

/** What reading one hand-over file gives: its content, why it is not trusted, or nothing because there is none. */
export type HandOverReading =
  | { readonly found: 'nothing' }
  | { readonly found: 'refused'; readonly reason: string }
  | { readonly found: 'hand-over'; readonly handOver: HandOver };

const isWindows = process.platform === 'win32';
/** Ours has a few hundred bytes. */
const maxBytes = 65_536;
/** Neither follows a link nor waits at a pipe; Windows knows neither flag. */
const withoutFollowing =
  constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const nothing: HandOverReading = { found: 'nothing' };

/** Makes the content of the hand-over file of a daemon that listens now; `started` is ms since 1970. */
export function newHandOver(daemon: {
  readonly port: number;
  readonly token: string;
  readonly started: number;
  readonly dataDirectory: string;
}): HandOver {
  return {
    version: 1,
    pid: process.pid,
    port: daemon.port,
    url: `http://127.0.0.1:${daemon.port}`,
    token: daemon.token,
    started: new Date(daemon.started).toISOString(),
    program: `waypointd ${programVersion()}`,
    instance: randomBytes(16).toString('hex'),
    data_dir: realDirectory(daemon.dataDirectory),
  };
}

/**
 * Writes the hand-over file: 0600, in a directory that only its owner may change, whole or not at all. A daemon of
 * another data directory that is alive keeps its place in the runtime directory; ours then goes to the data directory.
 * @returns the file written.
 * @throws StartRefused 78 when the directory cannot be made, is a link, somebody else's or open to others.
 */
export async function writeHandOver(paths: Paths, handOver: HandOver): Promise<string> {
  const directory = (await isTaken(paths.handOver, handOver)) ? paths.data : paths.runtime;
  requirePrivateDirectory(directory, '--runtime-dir');
  const reason = distrustDirectory(directory);
  if (reason !== undefined) {
    throw new StartRefused(
      78,
      `The directory ${directory} cannot hold the daemon's token: it ${reason}. Choose another with --runtime-dir, or run: chmod 700 ${directory}`,
    );
  }
  const file = join(directory, 'daemon.json');
  await writeFileAtomic(file, `${JSON.stringify(handOver, null, 2)}\n`, { mode: 0o600 });
  return file;
}

async function isTaken(file: string, ours: HandOver): Promise<boolean> {
  const reading = await readHandOver(file);
  if (reading.found !== 'hand-over') return false;
  const { handOver } = reading;
  // We hold the lock of our data directory: whoever left a file about the same one is gone.
  if (servesDataDirectory(handOver, ours.data_dir ?? '')) return false;
  return (await probeDaemon(handOver)) !== undefined;
}

/** Removes the hand-over file unless another daemon has written it since. */
export async function removeHandOver(file: string, instance: string): Promise<void> {
  const reading = await readHandOver(file);
  if (reading.found === 'hand-over' && reading.handOver.instance === instance) {
    await rm(file, { force: true });
  }
}

/** Tells whether a hand-over file is about the daemon of this data directory; one that does not say may be. */
export function servesDataDirectory(handOver: HandOver, dataDirectory: string): boolean {
  return handOver.data_dir === undefined || handOver.data_dir === realDirectory(dataDirectory);
}

function realDirectory(directory: string): string {
  try {
    return realpathSync.native(directory);
  } catch {
    return directory; // Not there yet: then no daemon serves it either.
  }
}

/** Reads one hand-over file and trusts it only if nobody else can have written or read it. */
export async function readHandOver(file: string): Promise<HandOverReading> {
  let text: string;
  try {
    const reason = distrustDirectory(dirname(file));
    if (reason !== undefined) return { found: 'refused', reason: `its directory ${reason}` };
    const handle = await open(file, withoutFollowing);
    try {
      const fileReason = distrustFile(await handle.stat());
      if (fileReason !== undefined) return { found: 'refused', reason: fileReason };
      text = await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  } catch (error) {
    return whyNotOpened(error);
  }
  const result = handOverSchema.safeParse(parseJson(text));
  if (!result.success) return { found: 'refused', reason: 'it is not a hand-over file' };
  return { found: 'hand-over', handOver: result.data };
}

function whyNotOpened(error: unknown): HandOverReading {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return nothing;
  // What O_NOFOLLOW says about a link.
  if (code === 'ELOOP' || code === 'EMLINK') return { found: 'refused', reason: 'it is a link' };
  return { found: 'refused', reason: 'it cannot be read' };
}

function distrustDirectory(directory: string): string | undefined {
  const stats = lstatSync(directory);
  if (!stats.isDirectory()) return 'is a link or not a directory';
  if (isWindows) return undefined; // Access lists protect the user's profile there; modes say nothing.
  if (isForeign(stats)) return 'belongs to another user';
  return (stats.mode & 0o022) === 0 ? undefined : 'can be changed by other users';
}

function distrustFile(stats: Stats): string | undefined {
  if (!stats.isFile()) return 'it is not a regular file';
  if (stats.size > maxBytes) return 'it is too large';
  if (isWindows) return undefined;
  if (isForeign(stats)) return 'it belongs to another user';
  return (stats.mode & 0o077) === 0 ? undefined : 'other users can read it';
}

function isForeign(stats: Stats): boolean {
  return stats.uid !== process.getuid?.();
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // The schema refuses it.
  }
}
