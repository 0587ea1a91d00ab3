import { basename } from 'node:path';
import { errorCode, isOutOfReach } from '../../model/error-code.ts';
import { ExitError, type ExitCode } from '../../model/exit-error.ts';
import { isDiskFull, WaypointError, type FailureName } from '../../model/failure.ts';
import { StoreDivided } from '../../storage/content-store/disk-store.ts';
import { ObjectsRefused } from '../../storage/objects/open.ts';

const sentences: Readonly<Record<ObjectsRefused['refusal'], readonly [string, ExitCode]>> = {
  newer: ['The object store is from a newer waypointd.', 65],
  missing: [
    'The object store has contents, but no database that knows them: bring it back from a backup, or begin anew with another objects_root or objects_s3_prefix.',
    74,
  ],
  foreign: [
    'The contents are those of another object store, or something else: use the database that belongs to them, or another objects_root or objects_s3_prefix.',
    78,
  ],
  unmarked: [
    'The contents do not say of which object store they are. Are they of these rows ("objects repo list")? Then add the mark that later versions make, and try again: in a bucket an empty object .store/ID below objects_s3_prefix, in a directory a file store-id with ID in it. Otherwise use another objects_root or objects_s3_prefix.',
    78,
  ],
  in_use: ['The database holds the rows of an object store that was served: take an empty one.', 1],
  unreadable: [
    'The objects.sqlite of the object store cannot be read: bring it back from a backup.',
    74,
  ],
};

const placeFaults: ReadonlySet<FailureName> = new Set([
  'database_unavailable',
  'database_refuses',
  'bucket_unavailable',
  'bucket_refuses',
  'bucket_careless',
]);

/** Says why an object store cannot be used; other errors stay as they are. */
export function storeRefusal(error: unknown): unknown {
  if (error instanceof ObjectsRefused) {
    const [sentence, code] = sentences[error.refusal];
    return new ExitError(sentence.replaceAll(/\bID\b/gu, error.storeId), code, error);
  }
  if (error instanceof StoreDivided) {
    const name = basename(error.directory);
    return new ExitError(
      `${name}/ of the object store is on another file system than its incoming/: mount the whole store in one, or use --objects-root.`,
      78,
      error,
    );
  }
  if (error instanceof WaypointError && placeFaults.has(error.failure)) {
    const code = error.failure.endsWith('unavailable') ? 75 : 78;
    return new ExitError(`${error.message.slice(0, -1)}${nameOf(error.cause)}.`, code, error);
  }
  if (!isOutOfReach(error) || isDiskFull(error)) return error;
  return new ExitError(
    `The object store cannot be opened (${errorCode(error)}): its files must belong to the user who runs waypointd, on a disk that can be written.`,
    74,
    error,
  );
}

/** Error code of the system, the bucket or the database: an unknown host, an untrusted certificate, a wrong key. */
function nameOf(cause: unknown): string {
  const name = errorCode(cause) ?? (cause instanceof Error ? cause.name : '');
  return name !== 'Error' && /^\w{1,60}$/u.test(name) ? ` (${name})` : '';
}
