import type { AdminLookup } from '../../model/admin-place.ts';
import { maxPlaceRows, stayParameters, type StayParameters } from '../../model/stay-parameters.ts';

/** What tests may set otherwise. */
export interface TimelineOptions {
  readonly stays: StayParameters;
  readonly maxPlaceRows: number;
  /** Instead of the generation of the task. */
  readonly lookup?: AdminLookup;
  /** Called after each day of observations. */
  readonly onDay?: (day: number) => void;
}

export const timelineOptions: TimelineOptions = { stays: stayParameters, maxPlaceRows };
