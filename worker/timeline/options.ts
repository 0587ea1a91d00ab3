import { maxPlaceRows, stayParameters, type StayParameters } from './stay-parameters.ts';
import type { Geodata } from './geodata.ts';

/** Options that tests change. */
export interface TimelineOptions {
  readonly stays: StayParameters;
  readonly maxPlaceRows: number;
  /** A library that is being changed is read again once it has been left alone for so long, ms. */
  readonly quietMs: number;
  /** For a task without a generation. */
  readonly geodata?: Geodata;
  /** Called after each day of observations. */
  readonly onDay?: (day: number) => void;
}

export const timelineOptions: TimelineOptions = {
  stays: stayParameters,
  maxPlaceRows,
  quietMs: 1_000,
};
