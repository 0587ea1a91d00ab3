import { isDamage } from '../storage/database.ts';
import { DayBlobCorrupt } from '../storage/day-blob.ts';
import { markLibraryDamaged } from '../storage/library/prepare.ts';
import { buildTimeline as runBuild } from './timeline/build.ts';
import type { TimelineOutcome, TimelineTask } from './timeline/task.ts';
import { withoutPaths } from './without-paths.ts';

export type { TimelineOutcome, TimelineTask } from './timeline/task.ts';

/** The task of the timeline worker; input and output are plain data or shared memory. */
export function buildTimeline(task: TimelineTask): TimelineOutcome {
  try {
    return runBuild(task);
  } catch (error) {
    if (isDamage(error) || error instanceof DayBlobCorrupt) markLibraryDamaged(task.libraryPath);
    throw withoutPaths('timeline', error);
  }
}
