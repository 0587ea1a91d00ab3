import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { WorkerPool } from '../daemon/pool.ts';
import type * as tasks from '../worker/mirror-tasks.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';

type MirrorTasks = Pick<typeof tasks, 'publish'>;

test('a pool that is closed while its thread starts keeps no other pool of the file waiting', async (t) => {
  t.timeout(60_000);
  const root = temporaryDirectory(t);
  const request = { target: join(root, 'a'), temporary: join(root, 'b'), present: undefined };
  for (const startedMs of [0, 5, 50]) {
    const closed = new WorkerPool<MirrorTasks>({ file: 'mirror-tasks', idleMs: 1 });
    const other = new WorkerPool<MirrorTasks>({ file: 'mirror-tasks', idleMs: 1 });
    const ended = closed.run('publish', request).catch(String);
    await delay(startedMs);
    const answered = t.throwsAsync(other.run('publish', request), { message: /ENOENT/u });
    await closed.close();
    await Promise.all([ended, answered]);
    await other.close();
  }
});
