import { constants, copyFileSync, linkSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { syncFile } from '../../storage/atomic-file.ts';

const renameTries = 10;
const renamePauseMs = 20;

/** Copies a file whole, for file systems without hard links; `seconds` since 1970 become its times. */
export function copyDurably(from: string, to: string, seconds: number): void {
  const temporary = `${to}.tmp`;
  rmSync(temporary, { force: true });
  copyFileSync(from, temporary, constants.COPYFILE_FICLONE);
  utimesSync(temporary, seconds, seconds);
  syncFile(temporary);
  renameSync(temporary, to);
}

/** Gives a file a second name, for which a full disk has room, too; a copy of it where there are no hard links. */
export function linkDurably(from: string, to: string, seconds: number): void {
  try {
    linkSync(from, to);
  } catch {
    copyDurably(from, to, seconds);
  }
}

/** Renames over a file that may be there. On Windows a scanner or an indexer may hold the old file for a moment. */
export function renameOver(from: string, to: string): void {
  for (let attempt = 1; ; attempt += 1) {
    try {
      renameSync(from, to);
      return;
    } catch (error) {
      if (process.platform !== 'win32' || attempt === renameTries) throw error;
      // This is a worker: it may sleep.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, renamePauseMs);
    }
  }
}
