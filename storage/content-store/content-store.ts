/** SHA-256 of a content: 64 lower-case hexadecimal digits. */
export type Oid = string;

/** A stored content. */
export interface ContentEntry {
  readonly oid: Oid;
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
  /** To be called instead where no row was committed. Takes the content away again, unless `isHeld` says that some row names it. */
  readonly abandon: (isHeld: () => Promise<boolean>) => Promise<void>;
}

/**
 * Keeps contents by their SHA-256. A content is seen only when all of it is there and has been checked, is never changed
 * afterwards, and is on the disk before `put` resolves. Any number of puts of one oid may run at once; all succeed.
 */
export interface ContentStore {
  /** Size of a stored content in bytes; undefined when it is not there. */
  readonly has: (oid: Oid) => Promise<number | undefined>;
  /**
   * Stores a content. Reads at most one byte more than announced; keeps nothing of what fails.
   * @throws WaypointError content_mismatch, disk_full; what the source throws.
   */
  readonly put: (
    oid: Oid,
    size: number,
    source: AsyncIterable<Uint8Array>,
  ) => Promise<ReceivedContent>;
  readonly get: (oid: Oid) => Promise<OpenContent | undefined>;
  /** Takes a content out of sight; the bytes go to the quarantine. @returns whether it was there. */
  readonly remove: (oid: Oid) => Promise<boolean>;
  /** All stored contents, in order of their oids. */
  readonly list: () => AsyncIterable<ContentEntry>;
}
