import { once } from 'node:events';
import { join } from 'node:path';
import test from 'ava';
import { WorkerPool } from '../daemon/pool.ts';
import type * as tasks from '../worker/mirror-tasks.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';

type MirrorTasks = Pick<typeof tasks, 'publish'>;

test('a pool that is closed while its thread starts keeps no other pool of the file waiting', async (t) => {
  t.timeout(60_000);
  const root = temporaryDirectory(t);
  const request = { target: join(root, 'a'), temporary: join(root, 'b'), present: undefined };
  const begun = once(process, 'worker');
  const closed = new WorkerPool<MirrorTasks>({ file: 'mirror-tasks', idleMs: 1 });
  const other = new WorkerPool<MirrorTasks>({ file: 'mirror-tasks', idleMs: 1 });
  const ended = closed.run('publish', request).catch(String);
  await begun;
  const answered = t.throwsAsync(other.run('publish', request), { message: /ENOENT/u });
  await closed.close();
  await Promise.all([ended, answered]);
  await other.close();
});
