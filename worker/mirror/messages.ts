/** An unreadable file is given up once it has stood unchanged this long: editors and sync programs write in steps. */
export const settleMs = 10_000;

/** What tells one content of the bookmarks file from another. */
export interface Content {
  /** SHA-256, lower-case hex. */
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
}

export interface DraftRequest {
  /** The bookmarks file as it is configured; a link is followed. */
  readonly path: string;
  readonly waypointsPath: string;
  /** Id of the store: names the temporary file, so that two stores that mirror to one folder never share it. */
  readonly storeId: string;
  /** Contents that may be overwritten: written by us, or merged. The newest first. */
  readonly known: readonly Content[];
  /** The revision of the store that the newest known content mirrors. */
  readonly mirrored: string | undefined;
}

export type DraftResult =
  /** The file is what it should be. */
  | { readonly outcome: 'current' }
  /** The file has a content that we do not know: it has to be merged first. */
  | { readonly outcome: 'foreign' }
  /** The store's content is the file's content already. */
  | { readonly outcome: 'same'; readonly content: Content; readonly revision: string }
  | ({ readonly outcome: 'drafted' } & Draft);

/** The store's content in a synced temporary file beside the target. */
export interface Draft {
  readonly target: string;
  readonly temporary: string;
  readonly content: Content;
  /** The revision of the store that the draft mirrors. */
  readonly revision: string;
  /** What it replaces; undefined for no file. */
  readonly present: Content | undefined;
}

export type PublishRequest = Pick<Draft, 'target' | 'temporary' | 'present'>;

/** `changed`: the target is not what the draft was to replace; nothing was done. */
export type PublishResult = 'published' | 'changed';

export interface TakeEditRequest {
  readonly path: string;
  readonly backupsDirectory: string;
  /** Ms since 1970: for the name of the copy and the age of the file. */
  readonly now: number;
  /** Whether we have written to this path before: only then an unreadable file may be replaced. */
  readonly wasOurs: boolean;
  /** The SHA-256 of an unreadable content that has stood unchanged long enough. */
  readonly settled: string | undefined;
}

/** A waypoint of a bookmarks file that somebody else wrote; texts clean, NFC and within their limits. */
export interface EditedWaypoint {
  readonly name: string;
  /** Degrees WGS84. */
  readonly lat: number;
  readonly lon: number;
  /** Metres. */
  readonly ele?: number;
  /** ISO 8601 UTC. */
  readonly time?: string;
  readonly desc?: string;
  readonly tags: readonly string[];
  /** The file holds a neighbouring identity too: this waypoint is meant to be one of its own. */
  readonly isCrowded: boolean;
}

/**
 * The waypoints of a file, cut into slices that are each merged at once: JSON arrays of EditedWaypoint in UTF-8, one
 * after the other in shared memory, so that the main thread gets many waypoints without stopping for them.
 */
export interface EditedSlices {
  readonly bytes: SharedArrayBuffer;
  /** Where each slice ends. */
  readonly ends: readonly number[];
}

export type TakeEditResult =
  /** Read; a copy of the file is in the backups directory. */
  | {
      readonly outcome: 'taken';
      readonly content: Content;
      readonly slices: EditedSlices;
      readonly waypoints: number;
      /** Track points, which the mirror does not have: they remain in the copy only. */
      readonly trackPoints: number;
    }
  /** Not readable as GPX for long enough: a copy is in the backups directory. */
  | { readonly outcome: 'kept'; readonly content: Content }
  /** Not readable as GPX; perhaps somebody is writing it. */
  | { readonly outcome: 'unsettled'; readonly content: Content }
  /** Some other file of the user, or one too large to merge: left alone. */
  | { readonly outcome: 'refused'; readonly reason: 'not_gpx' | 'too_large' }
  /** The file is gone. */
  | { readonly outcome: 'missing' };

/** The parts of mirroring that read and write files: run in a worker, one at a time. */
export interface MirrorTasks {
  draft(request: DraftRequest): Promise<DraftResult>;
  publish(request: PublishRequest): Promise<PublishResult>;
  takeEdit(request: TakeEditRequest): Promise<TakeEditResult>;
}
