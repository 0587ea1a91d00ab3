import { maxPlaceRows, stayParameters, type StayParameters } from './stay-parameters.ts';
import type { Geodata } from './geodata.ts';

/** Options that tests change. */
export interface TimelineOptions {
  readonly stays: StayParameters;
  readonly maxPlaceRows: number;
  /** A library whose files are being replaced is read again after so long, ms. */
  readonly restartMs: number;
  /** For a task without a generation. */
  readonly geodata?: Geodata;
  /** Called after each day of observations. */
  readonly onDay?: (day: number) => void;
}

export const timelineOptions: TimelineOptions = {
  stays: stayParameters,
  maxPlaceRows,
  restartMs: 1_000,
};
