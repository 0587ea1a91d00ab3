/** Real file systems, mounted and unmounted: only root may. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { temporaryDirectory } from './temporary-directory.ts';

/** Why no exFAT can be mounted here. */
export function whyNoExfat(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'not root on Linux';
  for (const program of ['mkfs.exfat', 'mount.exfat-fuse', 'losetup']) {
    if (spawnSync(program, ['-V']).error !== undefined) return `no ${program}`;
  }
  return undefined;
}

function run(program: string, ...words: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program}: ${stdout}${stderr}`);
  return stdout.trim();
}

/** Makes and mounts a small exFAT, a file system in user space. */
export function mountExfat(t: ExecutionContext): string {
  const image = join(temporaryDirectory(t), 'image');
  writeFileSync(image, '');
  truncateSync(image, 67_108_864);
  run('mkfs.exfat', image);
  const device = run('losetup', '-f', '--show', image);
  t.teardown(() => run('losetup', '-d', device));
  const directory = mkdtempSync(join(tmpdir(), 'waypointd-exfat-'));
  run('mount.exfat-fuse', device, directory);
  t.teardown(() => {
    run('umount', directory);
    rmdirSync(directory);
  });
  return directory;
}

/** Why nothing can be mounted here. */
export function whyNoMounts(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'not root on Linux';
  const tried = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()]);
  return tried.status === 0 ? undefined : 'this root may not mount';
}

/** Mounts an empty file system in memory on a directory. @returns unmounts it, once. */
export function mountTmpfs(t: ExecutionContext<unknown>, directory: string): () => void {
  run('mount', '-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', directory);
  let isMounted = true;
  const unmount = (): void => {
    // Lazily, as a card that is pulled out: somebody may look at it.
    if (isMounted) run('umount', '--lazy', directory);
    isMounted = false;
  };
  t.teardown(unmount);
  return unmount;
}
