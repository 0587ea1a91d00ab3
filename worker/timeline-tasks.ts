import type { TimelineOutcome, TimelineTask } from './timeline/task.ts';

export type { TimelineOutcome, TimelineTask } from './timeline/task.ts';

/** The task of the timeline worker; input and output are plain data or shared memory. */
export function buildTimeline(_task: TimelineTask): TimelineOutcome {
  throw new Error('The timeline worker is being written.');
}
