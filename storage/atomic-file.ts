import { randomBytes } from 'node:crypto';
import { closeSync, fsync, fsyncSync, openSync, renameSync } from 'node:fs';
import { link, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { errorCode } from '../model/error-code.ts';
import { openFile } from './open-file.ts';

const syncDescriptor = promisify(fsync);

const isWindows = process.platform === 'win32';
/** On Windows a scanner or an indexer may hold either file for a moment. */
const renameTries = 10;
const renamePauseMs = 20;

/** Writes a file so that a reader, or a crash, sees the old content or the new one whole, and syncs it to the disk. */
export async function writeFileAtomic(
  path: string,
  data: string | Uint8Array,
  { mode = 0o600 } = {},
): Promise<void> {
  const temporary = temporaryBeside(path);
  try {
    await writeFile(temporary, data, { mode, flag: 'wx', flush: true });
    await renameDurably(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** As {@link writeFileAtomic}, but a file that is there, be it since a moment, stays as it is. */
export async function createFileOnce(path: string, data: Uint8Array): Promise<void> {
  const temporary = temporaryBeside(path);
  try {
    await writeFileAtomic(temporary, data);
    await link(temporary, path).catch((error: unknown) => {
      const code = errorCode(error);
      if (code === 'EEXIST') return;
      // A file system without hard links: a rename is the next best.
      return rename(temporary, path);
    });
    await syncDirectoryAsync(dirname(path));
  } finally {
    await rm(temporary, { force: true });
  }
}

/** A name for a temporary file in the same directory (and so on the same file system) that no other writer uses. */
export function temporaryBeside(path: string): string {
  return join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
}

/** Renames a synced file over another and syncs the directory, so that the new name survives a power cut. */
export async function renameDurably(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await rename(from, to);
      break;
    } catch (error) {
      if (!isWindows || attempt === renameTries) throw error;
      await delay(renamePauseMs);
    }
  }
  syncDirectory(dirname(to));
}

/** Renames over a file that may be there; for workers and starts, which may sleep. Syncs nothing. */
export function renameOver(from: string, to: string): void {
  for (let attempt = 1; ; attempt += 1) {
    try {
      renameSync(from, to);
      return;
    } catch (error) {
      if (!isWindows || attempt === renameTries) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, renamePauseMs);
    }
  }
}

/** Syncs a file that other handles have written to. */
export function syncFile(path: string): void {
  sync(path, 'r+');
}

/** Syncs a directory's entries to the disk; nothing on Windows, which cannot open directories. */
export function syncDirectory(path: string): void {
  if (!isWindows) sync(path, 'r');
}

function sync(path: string, flags: 'r' | 'r+'): void {
  using file = openFile(path, flags);
  fsyncSync(file.fd);
}

/** As {@link syncDirectory}, for a directory that was just written to, without holding up the thread. */
export async function syncDirectoryAsync(path: string): Promise<void> {
  if (isWindows) return;
  // Opening what was just written to, and closing it, touches no disk.
  const directory = openSync(path, 'r');
  await syncDescriptor(directory).finally(() => closeSync(directory));
}
