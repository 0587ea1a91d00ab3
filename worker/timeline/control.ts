import { SharedCounters } from '../shared-counters.ts';

/** How far a timeline job is, in observations of its period. */
export interface TimelineProgress {
  readonly processed: number;
  /** Undefined until the worker has counted. */
  readonly total: number | undefined;
}

const unknown = -1;

/**
 * Progress and the cancel flag of one job; the worker writes and looks at least once for each day of data and each 50,000
 * observations.
 */
export class TimelineControl extends SharedCounters<keyof TimelineProgress> {
  constructor(shared?: SharedArrayBuffer) {
    super(['processed', 'total'], shared);
    if (shared === undefined) this.set('total', unknown);
  }

  /** Keeps the greater value: a job that begins again does not go backwards. */
  setProcessed(observations: number): void {
    if (observations > this.get('processed')) this.set('processed', observations);
  }

  read(): TimelineProgress {
    const total = this.get('total');
    return { processed: this.get('processed'), total: total === unknown ? undefined : total };
  }
}
