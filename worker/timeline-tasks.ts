import { runLibraryTask } from './run-task.ts';
import { buildTimeline as runBuild } from './timeline/build.ts';
import type { TimelineOutcome, TimelineTask } from './timeline/task.ts';
import {
  readWhole as runReadWhole,
  type WholeOutcome,
  type WholeTask,
} from './timeline/whole/read-whole.ts';

export type { Correction } from './timeline/stated.ts';
export type { TimelineOutcome, TimelineTask } from './timeline/task.ts';
export type { WholeOutcome, WholeTask } from './timeline/whole/read-whole.ts';

/** The tasks of the timeline worker; input and output are plain data or shared memory. */
export function buildTimeline(task: TimelineTask): TimelineOutcome {
  return runLibraryTask('timeline', task.libraryPath, () => runBuild(task));
}

export function readWhole(task: WholeTask): WholeOutcome {
  return runLibraryTask('timeline', task.libraryPath, () => runReadWhole(task));
}
