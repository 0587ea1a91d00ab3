import { withFacts } from '../build.ts';
import { timelineOptions, type TimelineOptions } from '../options.ts';
import type { TimelineTask } from '../task.ts';
import { wholeOf, type WholeTimeline } from './whole.ts';

/** Reads all that was recorded. */
export interface WholeTask extends Pick<
  TimelineTask,
  'libraryPath' | 'geodataPath' | 'dataset' | 'corrections' | 'control'
> {
  /** Days since 1970-01-01. What is dated after tomorrow is left out. */
  readonly today: number;
}

export type WholeOutcome =
  | { readonly state: 'completed'; readonly whole: WholeTimeline }
  | { readonly state: 'cancelled' };

/** Some fifty years of ten stops a day. */
const maxStops = 200_000;

/** @throws errors of SQLite, DayBlobCorrupt */
export function readWhole(task: WholeTask, geodata?: TimelineOptions['geodata']): WholeOutcome {
  const options: TimelineOptions = {
    ...timelineOptions,
    ...(geodata && { geodata }),
    stays: { ...timelineOptions.stays, maxStops },
  };
  return withFacts({ ...task, timeZone: 'local' }, options, (facts) => ({
    state: 'completed',
    whole: wholeOf(facts),
  }));
}
