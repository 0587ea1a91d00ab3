import { errorCode } from './error-code.ts';

/** The error code words of the API (contract B.6) with their statuses, shared by the daemon and the object server. */
const statuses = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  timeout: 408,
  conflict: 409,
  too_large: 413,
  unsupported_media_type: 415,
  range: 416,
  misdirected: 421,
  busy: 429,
  headers_too_large: 431,
  internal: 500,
  not_implemented: 501,
  unavailable: 503,
  disk_full: 507,
  bandwidth: 509,
} as const;

export type FailureCode = keyof typeof statuses;

export interface FailureSentence {
  readonly code: FailureCode;
  readonly status: number;
  readonly message: string;
}

/**
 * Every public error sentence of every API, by its code. Sentences are fixed: none contains input, a path, a coordinate or the text
 * of an underlying error, so an error answer can never tell where the user was.
 */
const sentences = {
  invalid: {
    invalid: 'The request is not valid.',
    invalid_json: 'The request body is not valid UTF-8 JSON.',
    repeated_parameter: 'A query parameter is given more than once.',
    bad_request: 'The request is not valid HTTP.',
    import_directory: 'The import directory is missing, not absolute or not a directory.',
    own_imports:
      'This folder holds the copies that waypointd keeps of imported files: they are imported already.',
    too_many_tags: 'A waypoint may have at most 1,000 tags.',
    content_mismatch: 'The content does not have the announced size and SHA-256.',
  },
  unauthorized: {
    unauthorized: 'A valid bearer token is required.',
    object_credentials: 'A user name and a password that are known here are required.',
    no_session:
      'This page has no session, or its code is used up or too old; run `waypointd map` again.',
  },
  forbidden: {
    forbidden: 'This is not allowed.',
    read_only: 'You may read this repository but not write to it.',
    lock_of_another: 'Another user has locked this file; who may write can force it open.',
    browser: 'Browser pages cannot call this API.',
  },
  not_found: {
    not_found: 'There is nothing here by that name.',
    no_pages: 'waypointd is running here; it serves an API below /api/ and has no pages.',
    not_a_bookmark: 'No bookmark matches this name and position.',
    unknown_waypoint: 'No waypoint matches this name and position.',
    unknown_correction: 'No correction has this number.',
    unknown_generation: 'No geodata generation is called so.',
    unknown_change: 'No change that is still kept has this number.',
  },
  method_not_allowed: { method_not_allowed: 'This method is not allowed here.' },
  not_acceptable: { not_acceptable: 'The requested media type is not available.' },
  timeout: { timeout: 'The request was not received in time.' },
  conflict: {
    conflict: 'This conflicts with what is already there.',
    already_locked: 'This file is locked already.',
    too_many_locks: 'This repository has as many locks as it may.',
    too_many_corrections: 'There are 10,000 corrections already, which is the most there can be.',
    already_bookmarked: 'A bookmark of this name already exists at this position.',
    is_a_bookmark: 'This is a bookmark: waypointd bookmark rm deletes it.',
    later_change: 'A later change stands in the way; take that one back first.',
    already_undone: 'This change was taken back already.',
    not_undoable: 'A change of this kind cannot be taken back.',
    import_running: 'Another import is running.',
    import_not_kept: 'The bytes of this file are not kept any more, or are not what they were.',
    no_import: 'No import is running.',
    install_running: 'Another geodata install is running.',
    no_install: 'No geodata install can be cancelled now.',
    timeline_over: 'This timeline job is over.',
  },
  too_large: {
    too_large: 'The request body is too large.',
    object_too_large: 'The object is larger than this repository takes.',
  },
  unsupported_media_type: { unsupported_media_type: 'The request body must be application/json.' },
  range: { range: 'The requested range is not available.' },
  misdirected: { misdirected: 'This host name is not served here.' },
  busy: {
    busy: 'Too many requests of this kind are running; try again shortly.',
    being_made: 'This is being made; ask again shortly.',
  },
  headers_too_large: { headers_too_large: 'The request headers are too large.' },
  internal: { internal: 'Something went wrong inside waypointd; its log has the details.' },
  not_implemented: { not_implemented: 'This is not implemented.' },
  unavailable: {
    unavailable: 'waypointd is shutting down or not ready yet.',
    being_removed:
      'An upload of this object that was never verified is being removed here; try again in a moment.',
    no_daemon: 'No waypointd daemon answers here now.',
    storage_unavailable: 'The disk or file system does not take or give data now; try again later.',
    database_unavailable: 'The database of this store cannot be reached now; try again later.',
    database_refuses:
      'The database of this store refuses user, password, name or access; its administrator has to mend that.',
    bucket_unavailable:
      'The bucket of this store does not answer as it should now; try again later.',
    bucket_refuses:
      'The bucket of this store refuses this server; its administrator has to mend that.',
    bucket_careless:
      'The bucket takes other bytes than those that were signed for: it cannot be used.',
    imports_closed:
      'waypointd may not write in its own imports directory; `waypointd doctor` tells why.',
  },
  disk_full: {
    quota: 'The quota of this repository is used up.',
    disk_full: 'The disk is full; what was finished is kept.',
  },
  bandwidth: { bandwidth: 'The bandwidth limit is exceeded.' },
} as const satisfies Record<FailureCode, Readonly<Record<string, string>>>;

export type FailureName = {
  [Code in FailureCode]: keyof (typeof sentences)[Code] & string;
}[FailureCode];

export const failureTable = Object.fromEntries(
  Object.entries(sentences).flatMap(([code, named]) =>
    Object.entries(named).map(([name, message]) => [
      name,
      { code, status: statuses[code as FailureCode], message },
    ]),
  ),
) as Readonly<Record<FailureName, FailureSentence>>;

export interface FailureDetails {
  /** The refused input field: a name of the schema of the request, never of its input. */
  readonly field?: string | undefined;
  /** Sent as `Retry-After`; `busy` without it means 1 second. */
  readonly retryAfterSeconds?: number | undefined;
  /** Sent with the answer. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The underlying error: logged locally, never sent. */
  readonly cause?: unknown;
}

/** The one error type. Its message is that of {@link failureTable}, or names the refused field. */
export class WaypointError extends Error {
  override readonly name = 'WaypointError';
  readonly failure: FailureName;
  readonly code: FailureCode;
  readonly status: number;
  readonly field: string | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(failure: FailureName, details: FailureDetails = {}) {
    const { code, status, message } = failureTable[failure];
    const isOfField = failure === 'invalid' && details.field !== undefined;
    super(isOfField ? `The field \`${details.field}\` is not valid.` : message, {
      cause: details.cause,
    });
    this.failure = failure;
    this.code = code;
    this.status = status;
    this.field = details.field;
    const wait = details.retryAfterSeconds ?? (code === 'busy' ? 1 : undefined);
    this.headers = { ...details.headers, ...(wait && { 'Retry-After': String(wait) }) };
  }
}

/** Turns anything thrown into a WaypointError; what is not one, nor a fault of the disk, becomes `internal`. */
export function toFailure(error: unknown): WaypointError {
  if (error instanceof WaypointError) return error;
  if (isDiskFull(error)) return new WaypointError('disk_full', { cause: error });
  if (isStorageFault(error)) {
    return new WaypointError('storage_unavailable', { cause: error, retryAfterSeconds });
  }
  return new WaypointError('internal', { cause: error });
}

/** A disk that fails, a mount that is gone or too many open files are seldom mended sooner. */
export const retryAfterSeconds = 30;

/** Tells whether an error of the file system or of SQLite means that no space is left. */
export function isDiskFull(error: unknown): boolean {
  return fullDiskCodes.has(errorCode(error) ?? '');
}

/** The last one: no room for the index of a write-ahead log. */
const fullDiskCodes = new Set(['ENOSPC', 'EDQUOT', 'SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE']);

/**
 * Tells whether an error of the file system or of SQLite says that the disk is broken, its mount gone or read-only, that no
 * more files can be opened, or (EBUSY on Windows) that another program holds one. The request and the files that it names are
 * not to blame. A page that cannot be read makes SQLite speak of damage, too.
 */
export function isStorageFault(error: unknown): boolean {
  return storageFaultCodes.test(errorCode(error) ?? '');
}

const storageFaultCodes =
  /^(?:EBUSY|EIO|EROFS|ENOTCONN|EMFILE|ENFILE|SQLITE_(?:IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB)(?:_\w+)?)$/;
