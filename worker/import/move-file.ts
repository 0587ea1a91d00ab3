import { constants, copyFileSync, linkSync, rmSync, utimesSync } from 'node:fs';
import { renameOver, syncFile } from '../../storage/atomic-file.ts';

/** Copies a file whole, for file systems without hard links; `seconds` since 1970 become its times. */
export function copyDurably(from: string, to: string, seconds: number): void {
  const temporary = `${to}.tmp`;
  rmSync(temporary, { force: true });
  copyFileSync(from, temporary, constants.COPYFILE_FICLONE);
  utimesSync(temporary, seconds, seconds);
  syncFile(temporary);
  renameOver(temporary, to);
}

/** Gives a file a second name, for which a full disk has room, too; a copy of it where there are no hard links. */
export function linkDurably(from: string, to: string, seconds: number): void {
  try {
    linkSync(from, to);
  } catch {
    copyDurably(from, to, seconds);
  }
}
