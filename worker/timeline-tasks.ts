import { isDamage } from '../storage/database.ts';
import { DayBlobCorrupt } from '../storage/day-blob.ts';
import { markLibraryDamaged } from '../storage/library/prepare.ts';
import { runTask } from './run-task.ts';
import { buildTimeline as runBuild } from './timeline/build.ts';
import type { TimelineOutcome, TimelineTask } from './timeline/task.ts';

export type { Correction } from './timeline/stated.ts';
export type { TimelineOutcome, TimelineTask } from './timeline/task.ts';

/** The task of the timeline worker; input and output are plain data or shared memory. */
export function buildTimeline(task: TimelineTask): TimelineOutcome {
  return runTask(
    'timeline',
    () => runBuild(task),
    (error) => {
      if (isDamage(error) || error instanceof DayBlobCorrupt) markLibraryDamaged(task.libraryPath);
    },
  );
}
