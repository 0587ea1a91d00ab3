import type { TileAddress } from '../../model/mercator.ts';
import type { Bbox } from '../../model/schema.ts';
import type { TileLayer } from '../../model/tracks.ts';
import type { Period } from '../../storage/library/track-reader.ts';

/** A waypoint or a cluster that a tile shows. */
export type TilePlace =
  | { readonly lat: number; readonly lon: number; readonly count: number }
  | {
      readonly lat: number;
      readonly lon: number;
      readonly name: string;
      readonly tags: string;
      readonly bookmark: boolean;
    };

/** Input of every task of this thread. */
export interface TrackTask {
  readonly libraryPath: string;
  /** A SharedCounters without counters, whose flag ends the task. */
  readonly control: SharedArrayBuffer;
  /** Milliseconds since 1970, both included. Without either, points without a time count, too. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

export interface TileTask extends TrackTask {
  readonly tile: TileAddress;
  readonly layers: readonly TileLayer[];
  /** Whether every fix is a point, where `layers` has points. */
  readonly everyPoint: boolean;
  readonly places: readonly TilePlace[];
  readonly gzip: boolean;
}

export interface TrackListTask extends TrackTask {
  readonly bbox: Bbox | undefined;
  readonly zoom: number;
  readonly limit: number;
}

export interface DayListTask extends TrackTask {
  readonly limit: number;
}

export interface PointListTask extends TrackTask {
  readonly importId: number | undefined;
  readonly limit: number;
}

/** Undefined for a task that was cancelled. */
export type TileOutcome = Uint8Array | undefined;

/** Gives the period of a task: all of time if it names none. */
export function periodOf({ fromMs = -Infinity, toMs = Infinity }: TrackTask): Period {
  return { fromMs, toMs };
}
