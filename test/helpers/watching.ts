/** A daemon that watches folders. Time stands still until a test moves it. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import type { WatchedFolderStatus } from '../../model/status.ts';
import { startTestDaemon } from './daemon.ts';
import { writeTree } from './imports.ts';
import { manualTime } from './manual-time.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** A daemon that watches `dir`, which has these files when it starts. */
export async function watching(
  t: ExecutionContext<unknown>,
  files: Readonly<Record<string, string>> = {},
  more: readonly string[] = [],
) {
  const root = temporaryDirectory(t);
  const dir = join(root, 'watched');
  mkdirSync(dir);
  writeTree(dir, files);
  return siteAt(t, root, [dir, ...more.map((name) => join(root, name))]);
}

export async function siteAt(t: ExecutionContext<unknown>, root: string, dirs: string[]) {
  const schedule = manualTime();
  const daemon = await startTestDaemon(t, {
    root,
    settings: { watch_dirs: dirs },
    options: { schedule: schedule.schedule },
  });
  const folder = async (): Promise<WatchedFolderStatus> =>
    (await daemon.get<{ watch: WatchedFolderStatus[] }>('/api/status')).body.watch[0]!;
  return {
    dir: dirs[0]!,
    daemon,
    schedule,
    /** The status of the first folder, when it is as wanted; time goes on by this many seconds while it is not. */
    when: async (isWanted: (folder: WatchedFolderStatus) => boolean, seconds = 1) => {
      for (;;) {
        const status = await folder();
        if (isWanted(status)) return status;
        schedule.advance(seconds * 1_000);
        // The system has to tell, and a worker to import.
        await delay(20);
      }
    },
  };
}

export type WatchSite = Awaited<ReturnType<typeof siteAt>>;
