import { closeSync, openSync, statfsSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Fills a file until its file system has this many bytes left. */
export function fillUntil(path: string, bytes: number): void {
  const file = openSync(path, 'w');
  const { bavail, bsize } = statfsSync(dirname(path));
  const block = Buffer.alloc(4_096, 1);
  for (let rest = bavail * bsize - bytes; rest >= block.length; rest -= block.length)
    writeSync(file, block);
  closeSync(file);
}
