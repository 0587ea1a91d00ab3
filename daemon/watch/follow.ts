import { stat, statfs } from 'node:fs/promises';
import type { Stats, StatsFs } from 'node:fs';
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
 * Numbers of statfs(2) on Linux for file systems that another machine or another program answers for: the kernel tells
 * nothing of changes that are made there.
 */
const remoteFileSystems: Readonly<Record<number, string>> = {
  0x6969: 'NFS',
  0x517b: 'SMB',
  0xff534d42: 'SMB',
  0xfe534d42: 'SMB',
  0x65735546: 'FUSE',
  0x01021997: '9P',
  0x00c36400: 'Ceph',
  0x5346414f: 'AFS',
  0x786f4256: 'a shared folder of VirtualBox',
  0xbacbacbc: 'a shared folder of VMware',
};

/** The kind of remote file system with this number; undefined for a local or an unknown one. */
export function remoteFileSystem({ type }: StatsFs): string | undefined {
  // The field is signed on some architectures.
  return remoteFileSystems[type >>> 0];
}

/** Whether changes in a directory have to be looked for, because its file system tells nothing of them. */
export async function hasToBePolled(root: string): Promise<boolean> {
  if (process.platform === 'win32') return root.startsWith('\\\\');
  if (process.platform === 'darwin') return root.startsWith('/Volumes/');
  return process.platform === 'linux' && remoteFileSystem(await statfs(root)) !== undefined;
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
