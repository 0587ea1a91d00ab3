import { stat, statfs } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import { errorCode } from '../../model/error-code.ts';

export interface FollowOptions {
  /** An absolute path of a directory. */
  readonly root: string;
  readonly isPolling: boolean;
  /** What is not looked at: directories with all that is in them, and files. */
  readonly isIgnored: (path: string, stats: Stats | undefined) => boolean;
  /** A file is there, is new, or has changed. */
  readonly onFile: (path: string, stats: Stats | undefined) => void;
  readonly onGone: (path: string) => void;
  /** The system cannot tell of so many directories: nothing more is heard. */
  readonly onExhausted: () => void;
}

/** Looks that one file costs a network, each so often, ms. */
const pollMs = 30_000;
/** No more watches, or no more open files. */
const exhausted = new Set(['ENOSPC', 'EMFILE', 'ENFILE']);

/**
 * Types of file systems (statfs(2) of Linux) whose changes other machines or programs make, of which the kernel tells
 * nothing: NFS, SMB of three ages, 9P, Ceph, AFS, FUSE, VirtualBox.
 */
const silentTypes = new Set([
  0x69_69, 0x51_7b, 0xff_53_4d_42, 0xfe_53_4d_42, 0x01_02_19_97, 0x00_c3_64_00, 0x53_46_41_4f,
  0x65_73_55_46, 0x78_6f_2e_50,
]);

/** Whether changes in a directory have to be looked for, because its file system tells nothing of them. */
export async function hasToBePolled(root: string): Promise<boolean> {
  if (process.platform === 'win32') return root.startsWith('\\\\');
  if (process.platform === 'darwin') return root.startsWith('/Volumes/');
  const { type } = await statfs(root);
  // The type is a word of 32 bits that some systems extend by its sign.
  return silentTypes.has(Number(BigInt.asUintN(32, BigInt(type))));
}

/** Follows a directory with all that is below it; links are not followed. @returns what ends that. */
export async function follow(options: FollowOptions): Promise<() => Promise<void>> {
  const { root, isPolling, isIgnored, onFile, onGone, onExhausted } = options;
  // Only where folders are watched: most daemons watch none.
  const { watch } = await import('chokidar');
  const watcher = watch(root, {
    backend: isPolling ? 'polling' : 'auto',
    pollingInterval: pollMs,
    pollingBinaryInterval: pollMs,
    followSymlinks: false,
    ignorePermissionErrors: true,
    persistent: false,
    ignored: (path, stats) => isIgnored(path, stats),
  });
  watcher.on('add', onFile).on('change', onFile).on('unlink', onGone);
  watcher.on('error', (error) => {
    // A directory that is gone or closed says so at the next look at the root, or does not matter.
    if (exhausted.has(errorCode(error) ?? '')) onExhausted();
  });
  return () => watcher.close();
}

/** Changes whenever a file does. */
export function stampOf({ size, mtimeMs, ino }: Stats): string {
  return `${size} ${mtimeMs} ${ino}`;
}

/** Tells a directory from another one at its place; undefined where none is that can be opened. */
export async function identity(dir: string): Promise<string | undefined> {
  const stats = await stat(dir).catch(() => undefined);
  return stats?.isDirectory() ? `${stats.dev} ${stats.ino}` : undefined;
}
