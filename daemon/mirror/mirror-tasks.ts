import type { MirrorTasks } from '../../worker/mirror/messages.ts';
import type * as tasks from '../../worker/mirror-tasks.ts';
import type { WorkerPool } from '../pool.ts';

/** The pool whose thread reads and writes the bookmarks file. */
export type MirrorPool = WorkerPool<typeof tasks>;

/** The tasks of the mirror, run in the thread of a pool. */
export function mirrorTasks(pool: MirrorPool): MirrorTasks {
  return {
    draft: (request) => pool.run('draft', request),
    publish: (request) => pool.run('publish', request),
    takeEdit: (request) => pool.run('takeEdit', request),
  };
}
