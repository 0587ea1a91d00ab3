import type { Link } from '../../model/objects.ts';

/** SHA-256 of a content: 64 lower-case hexadecimal digits. */
export type Oid = string;

/** Key of a content. */
export interface ContentName {
  readonly oid: Oid;
  /** `OWNER/NAME` where the store keeps the contents of each repository apart; a directory keeps one copy for all. */
  readonly repository?: string;
}

/** A stored content. */
export interface ContentEntry extends ContentName {
  /** Bytes. */
  readonly size: number;
  /** When it was stored, ms since 1970. */
  readonly storedMs: number;
}

/** A stored content, open for reading; to be closed, after the last read. Removing the content meanwhile does not disturb it. */
export interface OpenContent {
  readonly size: number;
  /** Fills a buffer with the bytes from `at` on. @returns how many were read: all that fit, or what is left. */
  readonly read: (buffer: Uint8Array, at: number) => Promise<number>;
  /** All of it, in pieces that are the reader's to keep. */
  readonly pieces: () => AsyncIterable<Uint8Array>;
  readonly close: () => void;
}

/** A content that has arrived whole and is in its place. */
export interface ReceivedContent {
  /**
   * To be called once the row that names the content is committed: puts it back in its place should a garbage collection
   * in another process have taken it between the two.
   */
  readonly settle: () => Promise<void>;
  /**
   * To be called instead where no row was committed. Takes the content away again, unless `isHeld` says that some row names
   * it: of any repository, where the store keeps one copy for all.
   */
  readonly abandon: (isHeld: (content: ContentName) => Promise<boolean>) => Promise<void>;
}

/** A content in quarantine: out of sight, until it is put back or deleted. */
export interface QuarantinedContent extends ContentName {
  /** By which {@link ContentStore.restore} and {@link ContentStore.discard} know it. */
  readonly name: string;
  readonly size: number;
  readonly sinceMs: number;
}

/**
 * The contents of one repository by their SHA-256. A content is seen only when all of it is there and has been checked, is never
 * changed afterwards, and is durable before `put` resolves. Any number of puts of one oid may run at once; all succeed.
 */
export interface RepositoryContents {
  /** Size of a stored content in bytes; undefined when it is not there. */
  readonly has: (oid: Oid) => Promise<number | undefined>;
  /**
   * Stores a content. Reads at most one byte more than announced; keeps nothing of what fails.
   * @param by id of the user: users share the memory of a store that has to hold pieces.
   * @throws WaypointError content_mismatch, disk_full, busy; what the source throws.
   */
  readonly put: (
    oid: Oid,
    size: number,
    source: AsyncIterable<Uint8Array>,
    by?: number,
  ) => Promise<ReceivedContent>;
  readonly get: (oid: Oid) => Promise<OpenContent | undefined>;
  /** Absent where all bytes go through the server. */
  readonly direct?: DirectLinks;
}

/** Moves bytes between a client and a bucket, past the server. */
export interface DirectLinks {
  /** Larger contents go through the server. */
  readonly largestBytes: number;
  /** How long a link may be used to begin with. */
  readonly lifeSeconds: number;
  /** A PUT of these bytes and no others, for this repository. */
  readonly upload: (content: {
    readonly oid: Oid;
    readonly size: number;
    readonly repositoryId: number;
  }) => Promise<Link>;
  readonly download: (oid: Oid) => Promise<Link>;
  /** Size of what was sent by such a link for this repository; undefined where nothing was. */
  readonly arrived: (oid: Oid, repositoryId: number) => Promise<number | undefined>;
  /** Removes what was sent by such a link. @throws WaypointError where it may still be removed later */
  readonly remove: (oid: Oid) => Promise<void>;
}

/** Where the contents of all repositories are. */
export interface ContentStore {
  /** @param repository `OWNER/NAME` */
  readonly of: (repository: string) => RepositoryContents;
  /** Whether each repository has contents of its own; a directory has one copy for all. */
  readonly keepsApart: boolean;
  /** Whether nothing is there, not even a mark. */
  readonly isEmpty: () => Promise<boolean>;
  /**
   * Marks an empty place as that of a store's contents; of several stores that do so at the same moment, none or one gets it.
   * @param isKnown the contents are this store's, whatever the mark.
   * @returns whose they are now; `none` where there are some without a mark.
   */
  readonly claim: (storeId: string, isKnown: boolean) => Promise<'this' | 'another' | 'none'>;
  /** All stored contents, in order of repository and oid. */
  readonly list: () => AsyncIterable<ContentEntry>;
  /** Takes a content out of sight. @returns its name in quarantine; undefined when it was not there. */
  readonly quarantine: (content: ContentName) => Promise<string | undefined>;
  /** Puts a content back, unless there is another one in its place by now. */
  readonly restore: (name: string) => Promise<void>;
  /** Deletes a content in quarantine for good. */
  readonly discard: (name: string) => Promise<void>;
  readonly getQuarantined: (name: string) => Promise<OpenContent | undefined>;
  readonly listQuarantine: () => Promise<QuarantinedContent[]>;
  /** Room for further contents, bytes; Infinity where there is no telling. */
  readonly freeBytes: () => Promise<number>;
  /** Takes away what a server that was killed has left. @param now ms since 1970. */
  readonly sweep: (now: number) => Promise<void>;
  readonly close: () => void;
}
