/** Settings of an object server; sizes in bytes, 0 for no limit. */
export interface ObjectsConfig {
  /** Base of the links, without a slash at its end; undefined: what the client called us. */
  readonly publicUrl: string | undefined;
  /** Whether connections to us are https. */
  readonly isTls: boolean;
  /** The address of a proxy whose `X-Forwarded-For` is believed. */
  readonly trustedProxy: string | undefined;
  /** Whether the batch API of git-lfs is offered. */
  readonly hasBatch: boolean;
  /** Largest object, unless a repository has a limit of its own. */
  readonly maxObjectBytes: number;
  /** Uploads are refused where less would stay free on the disk. */
  readonly minFreeBytes: number;
  /** Logins and announcements a minute of one client. */
  readonly requestsPerMinute: number;
  /** Bytes sent a day (UTC) by one repository. */
  readonly bandwidthPerDay: number;
  /** Named in error objects. */
  readonly documentationUrl: string | undefined;
}

/** Links and their tokens live for this long: longer than the largest upload takes to begin. */
export const linkLifeMs = 3_600_000;

/** A bucket takes the signature of an upload link for 15 minutes, and its clock may differ. */
export const uploadUseMs = 960_000;

/** A link for what follows an upload is used once the last byte has arrived, which may take hours. */
export const verifyLifeMs = 86_400_000;
