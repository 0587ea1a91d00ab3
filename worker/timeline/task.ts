import type { TimelineDataset } from '../../model/timeline-result.ts';
import type { Correction } from './stated.ts';

/** Input of the timeline worker; plain data. */
export interface TimelineTask {
  readonly libraryPath: string;
  /** The geodata generation that names places; null where none could be opened. */
  readonly geodataPath: string | null;
  /** The generation as the result names it; null together with the path. */
  readonly dataset: TimelineDataset | null;
  /** Ids of imports: only these files, and not these. */
  readonly only?: readonly number[] | undefined;
  readonly without?: readonly number[] | undefined;
  /** The oldest first. */
  readonly corrections?: readonly Correction[];
  /** `UTC` (default), `local` or an IANA name. */
  readonly timeZone?: string;
  /** Calendar days of that zone since 1970, both inclusive. */
  readonly startDay: number;
  readonly endDay: number;
  /** TimelineControl.shared */
  readonly control: SharedArrayBuffer;
}

export type TimelineOutcome =
  | {
      readonly state: 'completed';
      /** The result (model/timeline-result.ts) as UTF-8 JSON, compressed with gzip (node:zlib, level 1). */
      readonly json: Uint8Array;
      /** Bytes of the JSON before compression. */
      readonly bytes: number;
      /** Observations within the period, repeats included. */
      readonly observations: number;
    }
  | { readonly state: 'cancelled' };
