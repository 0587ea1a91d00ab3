import { constants, lstatSync, realpathSync, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { attempt } from '../../../model/attempt.ts';
import { errorCode } from '../../../model/error-code.ts';
import { parseJson } from '../../../model/parse-json.ts';
import { handOverSchema, type HandOver } from '../../../model/process.ts';

/** The result of reading a hand-over file: its content, why it is not trusted, or nothing if it is missing. */
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

/** Reads one hand-over file and trusts it only if no other user can have written or read it. */
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

/** Tells whether a hand-over file is about the daemon of this data directory; one that does not say may be. */
export function servesDataDirectory(handOver: HandOver, dataDirectory: string): boolean {
  return handOver.data_dir === undefined || handOver.data_dir === realDirectory(dataDirectory);
}

/** The directory that a path leads to, as a hand-over file names it; the path itself where none is yet. */
export function realDirectory(directory: string): string {
  return attempt(() => realpathSync.native(directory)) ?? directory;
}

/**
 * Why a directory may not hold a token, as the end of a sentence; undefined when it may.
 * @throws errors of the file system when it is not there.
 */
export function distrustDirectory(directory: string): string | undefined {
  const stats = lstatSync(directory);
  if (stats.isSymbolicLink()) return 'is a link';
  if (!stats.isDirectory()) return 'is not a directory';
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

function whyNotOpened(error: unknown): HandOverReading {
  const code = errorCode(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return nothing;
  // The errors of O_NOFOLLOW for a link.
  if (code === 'ELOOP' || code === 'EMLINK') return { found: 'refused', reason: 'it is a link' };
  return { found: 'refused', reason: 'it cannot be read' };
}
