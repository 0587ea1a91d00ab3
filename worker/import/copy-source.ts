import { chmodSync, constants, copyFileSync, fsyncSync, rmSync, writeSync } from 'node:fs';
import { isDiskFull } from '../../model/failure.ts';
import { openFile } from '../../storage/open-file.ts';
import { syncFile } from '../../storage/atomic-file.ts';
import { smallBytes, type SourceContent, type SourceFile } from './source-file.ts';

/** fsync every 32 MiB so that cancelling never waits for a long fsync. */
const syncBytes = 33_554_432;

/** Copies a source to a temporary file, synced, in place of one that a killed import may have left; its name is not durable yet. */
export function copySource(source: SourceFile, content: SourceContent, target: string): void {
  rmSync(target, { force: true });
  if (source.size > smallBytes && source.packed === undefined && cloneFile(source, target)) {
    syncFile(target);
    return;
  }
  using file = openFile(target, 'wx', 0o600);
  let unsynced = 0;
  for (const block of content.blocks()) {
    for (let at = 0; at < block.length;) at += writeSync(file.fd, block, at);
    unsynced += block.length;
    if (unsynced < syncBytes) continue;
    fsyncSync(file.fd);
    unsynced = 0;
  }
  fsyncSync(file.fd);
}

/** Copies a file by sharing its blocks, where the file system can. */
function cloneFile(source: SourceFile, target: string): boolean {
  // Through the open file where that has a name, so that nothing put in its place meanwhile is copied.
  const from = process.platform === 'linux' ? `/proc/self/fd/${source.fd}` : source.path;
  try {
    copyFileSync(from, target, constants.COPYFILE_FICLONE_FORCE | constants.COPYFILE_EXCL);
    chmodSync(target, 0o600);
    return true;
  } catch (error) {
    rmSync(target, { force: true });
    if (isDiskFull(error)) throw error;
    return false;
  }
}
