import type { TimelineDataset } from '../../model/timeline-result.ts';

/** What the timeline worker is told; plain data. */
export interface TimelineTask {
  readonly libraryPath: string;
  /** The geodata generation that names places; null where none could be opened. */
  readonly geodataPath: string | null;
  /** What the result says of that generation; null together with the path. */
  readonly dataset: TimelineDataset | null;
  /** Where the ids of imports are; without it none are told. */
  readonly waypointsPath?: string;
  /** Content hashes: only these files, and not these. */
  readonly only?: readonly string[] | undefined;
  readonly without?: readonly string[] | undefined;
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
      /** Of the JSON before it was compressed. */
      readonly bytes: number;
      /** Observations within the period, repeats included. */
      readonly observations: number;
    }
  | { readonly state: 'cancelled' };
